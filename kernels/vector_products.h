#pragma once

#include <lanewise/kernels/element_types.h>
#include <lanewise/kernels/gemm_micro.h>
#include <lanewise/kernels/gemm_table.h>
#include <lanewise/kernels/reduction_short_rows.h>
#include <lanewise/kernels/reduction_sum_op.h>

// Note [Order of matrix-vector products]
// An element is a sum over k in the manner of Note [Fixed reduction tree], with fused multiply-adds: blocks
// of kVectorDepth products; in a block, product k is added to lane k % L, in order of k, the L lanes taking
// 128 bytes; then lane l takes lane l + L/2 for l < L/2, and so on; the blocks are combined like the digits
// of a binary counter. Rows in memory go along the lanes, columns in memory take one lane after the other, in
// an order that lets them be combined as they are done: the same sum, the same bits. A short sum leaves lanes
// at zero, which need not be added: the tree of the lanes in use, plus one zero (a negative zero counts as
// 0).

/// Included by per-ISA files.
namespace lanewise::kernels::LANEWISE_ISA {

template <class T>
inline constexpr int kProductLanes = 128 / static_cast<int>(sizeof(T));

namespace vector_detail {

template <class T, bool Conj>
LANEWISE_INLINE void multiply_add(vec::Vec<T> a, vec::Vec<T> x, vec::Vec<T>& sum) {
  sum = vec::fma(a, x, sum);
}
template <class C, bool Conj>
  requires is_complex<C>
LANEWISE_INLINE void multiply_add(vec::Vec<C> a, vec::Vec<C> x, vec::Vec<C>& sum) {
  if constexpr (Conj) a.im = -a.im;
  sum.re = vec::fnma(a.im, x.im, vec::fma(a.re, x.re, sum.re));
  sum.im = vec::fma(a.im, x.re, vec::fma(a.re, x.im, sum.im));
}

/// Addition for TreeCounter; integers wrap.
template <class T>
struct BlockSum : Sum<T> {
  static LANEWISE_INLINE T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      using U = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
    } else {
      return a + b;
    }
  }
};

template <int Half, class V>
LANEWISE_INLINE typename V::value_type fold_register(V v) {
  if constexpr (Half == 0) {
    return v.extract(0);
  } else {
    return fold_register<Half / 2>(v + tree_detail::upper_down<Half>(v));
  }
}

/// One block of products of Rows rows, contiguous along k: n <= kVectorDepth.
template <class T, int Rows, bool Conj>
[[gnu::noinline]] void block_of_rows(const T* a, std::int64_t a_stride, const T* x, int n, T (&sums)[Rows]) {
  using V = vec::Vec<T>;
  constexpr int kVectors = kProductLanes<T> / V::size;
  V acc[Rows][kVectors];
#pragma GCC unroll 4
  for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) acc[r][v] = V(T(0));
  }
  int k = 0;
  for (; k + kProductLanes<T> <= n; k += kProductLanes<T>) {
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) {
      const V along = V::load(x + k + v * V::size);
#pragma GCC unroll 4
      for (int r = 0; r < Rows; ++r)
        multiply_add<T, Conj>(V::load(a + r * a_stride + k + v * V::size), along, acc[r][v]);
    }
  }
#pragma GCC unroll 8
  for (int v = 0; v < kVectors; ++v) {
    const int left = n - k - v * V::size;
    if (left <= 0) break;
    const V along =
        left >= V::size ? V::load(x + k + v * V::size) : V::load_partial(x + k + v * V::size, left);
#pragma GCC unroll 4
    for (int r = 0; r < Rows; ++r) {
      const T* p = a + r * a_stride + k + v * V::size;
      multiply_add<T, Conj>(left >= V::size ? V::load(p) : V::load_partial(p, left), along, acc[r][v]);
    }
  }
#pragma GCC unroll 4
  for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 4
    for (int half = kVectors / 2; half > 0; half /= 2) {
#pragma GCC unroll 4
      for (int v = 0; v < half; ++v) acc[r][v] = acc[r][v] + acc[r][v + half];
    }
    sums[r] = fold_register<V::size / 2>(acc[r][0]);
  }
}

template <class T, int Rows, bool Conj>
void some_rows(const T* a, std::int64_t a_stride, const T* x, std::int64_t k, T* y) {
  constexpr auto kBlock = static_cast<int>(kVectorDepth);
  T sums[Rows];
  if (k <= kBlock) {
    block_of_rows<T, Rows, Conj>(a, a_stride, x, static_cast<int>(k), sums);
    for (int r = 0; r < Rows; ++r) y[r] = sums[r];
    return;
  }
  TreeCounter<BlockSum<T>> counters[Rows];
  for (; k > 0; k -= kBlock, a += kBlock, x += kBlock) {
    block_of_rows<T, Rows, Conj>(a, a_stride, x, k < kBlock ? static_cast<int>(k) : kBlock, sums);
    for (int r = 0; r < Rows; ++r) counters[r].push(sums[r], 0);
  }
  for (int r = 0; r < Rows; ++r) y[r] = counters[r].finish();
}

/// Rows whose products have a lane each, a register of rows at a time: their lanes are halved together. 2 to 16 columns take 0.25 to
/// 0.6 of the time that they take row by row.
template <class T>
void short_rows_of(const VectorProduct& p) {
  using V = vec::Vec<T>;
  using Group = TreeShortRows<Sum<T>>;
  static_assert(kProductLanes<T> <= Group::kLanes && kProductLanes<T> % V::size == 0);
  const auto n = static_cast<int>(p.k);
  const std::int64_t stride = p.a_stride * static_cast<std::int64_t>(sizeof(T));
  const typename Group::Asked asked(n, stride,
                                    prefetch_distance(p.k * static_cast<std::int64_t>(sizeof(T)), stride));
  const T* x = reinterpret_cast<const T*>(p.x);
  T* y = reinterpret_cast<T*>(p.y);
  const bool moves = p.x_stride != 0;
  T padded[kProductLanes<T>] = {};
  if (!moves) {
    __builtin_memcpy(padded, x, static_cast<std::size_t>(n) * sizeof(T));
    x = padded;
  }
  Group::each_group(
      p.a, stride, p.m, asked, [&](const char* group, int rows) __attribute__((always_inline)) {
        const auto lanes = Group::lanes_of_rows(
            group, n, stride, rows, asked, V(T(0)), [&](V v, int r, int k) __attribute__((always_inline)) {
              const T* along = x + r * p.x_stride + k;
              const bool whole = !moves || n - k >= V::size;
              return vec::fma(v, whole ? V::load(along) : V::load_partial(along, n - k), V(T(0)));
            });
        Group::put(Group::across(lanes) + V(T(0)), rows, y);
        y += rows;
        x += rows * p.x_stride;
      });
}

/// Bytes of a matrix, from which on it comes from memory.
inline constexpr std::int64_t kInL3 = 16 << 20;

/// Whether rows are read one after the other, as one stream, rather than four at a time, which share loads of x: from memory rows of
/// 384 bytes to 8 KiB take 0.3 to 0.75 of the time (Zen 4), in caches 1.2 to 1.5.
template <class T>
LANEWISE_INLINE bool pays_one_by_one(const VectorProduct& p) {
  constexpr std::int64_t kLeastBytes = 384;
  constexpr auto kSize = static_cast<std::int64_t>(sizeof(T));
  return p.k * kSize >= kLeastBytes && p.m * p.a_stride * kSize > kInL3;
}

template <class T, bool Conj>
void rows(const VectorProduct& p) {
  if constexpr (kHasShortRows<T> && std::is_floating_point_v<T>) {
    if (p.k > 0 && p.k <= kProductLanes<T> && p.m >= vec::Vec<T>::size) return short_rows_of<T>(p);
  }
  const T* a = reinterpret_cast<const T*>(p.a);
  const T* x = reinterpret_cast<const T*>(p.x);
  T* y = reinterpret_cast<T*>(p.y);
  std::int64_t i = 0;
  if (p.x_stride == 0 && !pays_one_by_one<T>(p)) {
    for (; i + 4 <= p.m; i += 4) some_rows<T, 4, Conj>(a + i * p.a_stride, p.a_stride, x, p.k, y + i);
  }
  for (; i < p.m; ++i) some_rows<T, 1, Conj>(a + i * p.a_stride, p.a_stride, x + i * p.x_stride, p.k, y + i);
}

/// Elements whose sums one pass over the columns holds in the first-level cache: long enough for whole runs
/// of memory to be read.
template <class T>
inline constexpr int kColumnStrip = 8192 / static_cast<int>(sizeof(T));

constexpr int log2_of(int n) { return n <= 1 ? 0 : 1 + log2_of(n / 2); }
/// Lanes that k products use, a power of two.
template <class T>
constexpr int lanes_of(int k) {
  int lanes = 1;
  while (lanes < k && lanes < kProductLanes<T>) lanes *= 2;
  return lanes;
}
constexpr int reversed_bits(int x, int bits) {
  return bits == 0 ? 0 : ((x & 1) << (bits - 1)) | reversed_bits(x >> 1, bits - 1);
}

/// acc[i] += a[0][i] * x[0] + ... over Count columns, `step` columns apart, in order. What lies `ahead` elements further is asked for,
/// unless 0: the next columns lie pages apart, and a 4096 x 4096 matrix of f32, transposed, takes 0.72 of the time so (Zen 4).
template <class T, int Count>
LANEWISE_INLINE void add_columns(const T* a, std::int64_t step, const T* x, int x_step, T* acc, int n,
                                 std::int64_t ahead) {
  using V = vec::Vec<T>;
  V factors[Count];
#pragma GCC unroll 4
  for (int c = 0; c < Count; ++c) factors[c] = V(x[c * x_step]);
  int i = 0;
  for (; i + V::size <= n; i += V::size) {
    V sum = V::load(acc + i);
#pragma GCC unroll 4
    for (int c = 0; ahead != 0 && c < Count; ++c)
      prefetch_to_l2(reinterpret_cast<const char*>(a + c * step + i + ahead));
#pragma GCC unroll 4
    for (int c = 0; c < Count; ++c) multiply_add<T, false>(V::load(a + c * step + i), factors[c], sum);
    sum.store(acc + i);
  }
  if (i < n) {
    V sum = V::load(acc + i);
#pragma GCC unroll 4
    for (int c = 0; c < Count; ++c)
      multiply_add<T, false>(V::load_partial(a + c * step + i, n - i), factors[c], sum);
    sum.store(acc + i);
  }
}

/// Whole registers, also past n.
template <class T>
LANEWISE_INLINE void add_strips(const T* first, const T* second, T* sum, int n) {
  using V = vec::Vec<T>;
  for (int i = 0; i < n; i += V::size) (V::load(first + i) + V::load(second + i)).store(sum + i);
}

/// One block, columns in memory, for n <= kColumnStrip elements; `strips` are log2(L) + 1 of them, the sums
/// come into the first.
template <class T>
LANEWISE_INLINE void block_of_columns(const T* a, std::int64_t a_stride, const T* x, int k, int n,
                                      T (*strips)[kColumnStrip<T>], bool from_memory) {
  using V = vec::Vec<T>;
  constexpr int kLanes = kProductLanes<T>;
  const std::int64_t ahead = from_memory ? 4 * kLanes * a_stride : 0;
  const int lanes = lanes_of<T>(k);
  const int bits = log2_of(lanes);
  int depth = 0;
  for (int turn = 0; turn < lanes; ++turn) {
    const int lane = reversed_bits(turn, bits);
    T* acc = strips[depth];
    for (int i = 0; i < n; i += V::size) V(T(0)).store(acc + i);
    int at = lane;
    for (; at + 3 * kLanes < k; at += 4 * kLanes)
      add_columns<T, 4>(a + at * a_stride, kLanes * a_stride, x + at, kLanes, acc, n, ahead);
    for (; at < k; at += kLanes)
      add_columns<T, 1>(a + at * a_stride, kLanes * a_stride, x + at, kLanes, acc, n, 0);
    for (int pending = turn; pending & 1; pending >>= 1, --depth)
      add_strips(strips[depth - 1], strips[depth], strips[depth - 1], n);
    ++depth;
  }
  if (lanes == kLanes) return;
  for (int i = 0; i < n; i += V::size) (V::load(strips[0] + i) + V(T(0))).store(strips[0] + i);
}

/// The same for a few registers' worth of elements, summed in registers: n in ((Vectors - 1) * size, Vectors
/// * size].
template <class T, int Vectors>
LANEWISE_INLINE void block_of_few_columns(const T* a, std::int64_t a_stride, const T* x, int k, int n,
                                          T* sums) {
  using V = vec::Vec<T>;
  constexpr int kLanes = kProductLanes<T>;
  const int last = n - (Vectors - 1) * V::size;
  V pending[log2_of(kLanes) + 1][Vectors];
  const int lanes = lanes_of<T>(k);
  const int bits = log2_of(lanes);
  int depth = 0;
  for (int turn = 0; turn < lanes; ++turn) {
    V sum[Vectors];
    for (int v = 0; v < Vectors; ++v) sum[v] = V(T(0));
    for (int at = reversed_bits(turn, bits); at < k; at += kLanes) {
      const T* column = a + at * a_stride;
      const V factor(x[at]);
      for (int v = 0; v < Vectors; ++v) {
        const T* p = column + v * V::size;
        multiply_add<T, false>(v == Vectors - 1 && last != V::size ? V::load_partial(p, last) : V::load(p),
                               factor, sum[v]);
      }
    }
    for (int done = turn; done & 1; done >>= 1) {
      --depth;
      for (int v = 0; v < Vectors; ++v) sum[v] = pending[depth][v] + sum[v];
    }
    for (int v = 0; v < Vectors; ++v) pending[depth][v] = sum[v];
    ++depth;
  }
  const V zero = V(T(0));
  for (int v = 0; v < Vectors; ++v)
    (lanes == kLanes ? pending[0][v] : pending[0][v] + zero).store(sums + v * V::size);
}

/// So few elements that the sums of all lanes stay in L1.
template <class T>
inline constexpr int kFewElements = 16384 / static_cast<int>(sizeof(T)) / kProductLanes<T>;

/// The same for n <= kFewElements, column after column, as memory runs. `sums` are those of all lanes, and in the end the result.
template <class T>
LANEWISE_INLINE void block_in_order(const T* a, std::int64_t a_stride, const T* x, int k, int n,
                                    vec::Vec<T>* sums) {
  using V = vec::Vec<T>;
  constexpr int kLanes = kProductLanes<T>;
  const int whole = n / V::size, rest = n % V::size, width = whole + (rest > 0 ? 1 : 0);
  const int lanes = lanes_of<T>(k);
  for (int i = 0; i < lanes * width; ++i) sums[i] = V(T(0));
  for (int at = 0; at < k; ++at, a += a_stride) {
    V* const sum = sums + at % kLanes * width;
    const V factor(x[at]);
    for (int i = 0; i < whole; ++i) multiply_add<T, false>(V::load(a + i * V::size), factor, sum[i]);
    if (rest > 0) multiply_add<T, false>(V::load_partial(a + whole * V::size, rest), factor, sum[whole]);
  }
  for (int half = lanes / 2 * width; half >= width; half /= 2) {
    for (int i = 0; i < half; ++i) sums[i] = sums[i] + sums[half + i];
  }
  for (int i = 0; i < width; ++i) {
    const V sum = lanes == kLanes ? sums[i] : sums[i] + V(T(0));
    sum.store(reinterpret_cast<T*>(sums) + i * V::size);
  }
}

/// Whether that is quicker than lane after lane, which jumps: from memory columns of 8 to 64 f32 take 0.4 to 0.6 of the time, in L2
/// those of 32 to 64 0.7 to 0.85, shorter and longer ones 1.1 to 1.3 (Zen 4).
template <class T>
LANEWISE_INLINE bool pays_in_order(const VectorProduct& p, int n) {
  constexpr std::int64_t kInL2 = 2 << 20;
  const std::int64_t bytes = n * static_cast<std::int64_t>(sizeof(T)),
                     all = p.k * p.a_stride * static_cast<std::int64_t>(sizeof(T));
  if (n > kFewElements<T>) return false;
  return bytes < 128 ? all > kInL3 : bytes <= 256 || all > kInL2;
}

template <class T>
void columns(const VectorProduct& p) {
  using V = vec::Vec<T>;
  constexpr int kStrip = kColumnStrip<T>;
  constexpr int kStrips = log2_of(kProductLanes<T>) + 1;
  constexpr int kLevels = 13;  // of blocks: k up to kVectorDepth << 12
  const T* x = reinterpret_cast<const T*>(p.x);
  for (std::int64_t first = 0; first < p.m; first += kStrip) {
    const T* a = reinterpret_cast<const T*>(p.a) + first;
    T* y = reinterpret_cast<T*>(p.y) + first;
    const int n = p.m - first < kStrip ? static_cast<int>(p.m - first) : kStrip;
    // As bytes: an array of complex numbers begins with zeros, 144 KiB of them.
    alignas(64) char memory[(kStrips + kLevels) * sizeof(T[kStrip])];
    T(*const strips)[kStrip] = reinterpret_cast<T(*)[kStrip]>(memory);
    T(*const blocks)[kStrip] = strips + kStrips;
    const bool in_order = pays_in_order<T>(p, n);
    const bool from_memory = p.k * p.a_stride * static_cast<std::int64_t>(sizeof(T)) > kInL3;
    std::int64_t count = 0;
    for (std::int64_t k = 0; k == 0 || k < p.k; k += kVectorDepth, ++count) {
      const int depth = p.k - k < kVectorDepth ? static_cast<int>(p.k - k) : static_cast<int>(kVectorDepth);
      if (in_order) {
        block_in_order(a + k * p.a_stride, p.a_stride, x + k, depth, n, reinterpret_cast<V*>(memory));
      } else if (n <= V::size) {
        block_of_few_columns<T, 1>(a + k * p.a_stride, p.a_stride, x + k, depth, n, strips[0]);
      } else if (n <= 2 * V::size) {
        block_of_few_columns<T, 2>(a + k * p.a_stride, p.a_stride, x + k, depth, n, strips[0]);
      } else {
        block_of_columns<T>(a + k * p.a_stride, p.a_stride, x + k, depth, n, strips, from_memory);
      }
      int level = 0;
      for (std::int64_t pending = count; pending & 1; pending >>= 1, ++level)
        add_strips(blocks[level], strips[0], strips[0], n);
      for (int i = 0; i < n; i += V::size) V::load(strips[0] + i).store(blocks[level] + i);
    }
    int level = __builtin_ctzll(static_cast<unsigned long long>(count));
    T* sum = blocks[level];
    for (++level; count >> level; ++level) {
      if ((count >> level) & 1) add_strips(blocks[level], sum, sum, n);
    }
    int i = 0;
    for (; i + V::size <= n; i += V::size) V::load(sum + i).store(y + i);
    if (i < n) V::load(sum + i).store_partial(y + i, n - i);
  }
}

}  // namespace vector_detail

template <class T>
void row_products(const VectorProduct& p) noexcept {
  if constexpr (is_complex<T>) {
    if (p.conj) return vector_detail::rows<T, true>(p);
  }
  vector_detail::rows<T, false>(p);
}

template <class T>
void column_products(const VectorProduct& p) noexcept {
  vector_detail::columns<T>(p);
}

}  // namespace lanewise::kernels::LANEWISE_ISA
