#include <limits>

#include <lanewise/kernels/operand.h>
#include <lanewise/kernels/reduction_sum_op.h>
#include <lanewise/kernels/reduction_tree_rows.h>
#include <lanewise/kernels/softmax_table.h>
#include <lanewise/vec/math.h>

namespace lanewise::kernels::LANEWISE_ISA {
namespace {

/// A position in a run: a whole vector, or the n elements left at the end.
template <class T>
struct At {
  using V = vec::Vec<T>;
  std::int64_t i;
  int n;
  LANEWISE_INLINE V load(const T* p) const {
    return n == V::size ? V::load(p + i) : V::load_partial(p + i, n);
  }
  LANEWISE_INLINE void store(T* p, V v) const {
    if (n == V::size) {
      v.store(p + i);
    } else {
      v.store_partial(p + i, n);
    }
  }
};

template <class T, class F>
LANEWISE_INLINE void each_vector(std::int64_t n, F f) {
  constexpr int kSize = vec::Vec<T>::size;
  std::int64_t i = 0;
  for (; i + kSize <= n; i += kSize) f(At<T>{i, kSize});
  if (i < n) f(At<T>{i, static_cast<int>(n - i)});
}

/// What is done with each vector: first() makes what is summed over a row, prepare() turns the sum into a
/// factor, last() makes the result. Only the forward functions need the maximum; only the backward ones have
/// a second operand. again() is what first() made, for last(), where it was not kept.
template <class T>
struct Forward {
  using V = vec::Vec<T>;
  static constexpr bool kUsesMax = true;
  static LANEWISE_INLINE V first(V a, V, V max) { return vec::exp(a - max); }
};
template <class T>
struct Softmax : Forward<T> {
  using V = vec::Vec<T>;
  static LANEWISE_INLINE V prepare(V sum) { return V(T(1)) / sum; }
  static LANEWISE_INLINE V last(V, V, V, V inverse, V summed) { return summed * inverse; }
  static LANEWISE_INLINE V again(V a, V max) { return Forward<T>::first(a, a, max); }
};
template <class T>
struct LogSoftmax : Forward<T> {
  using V = vec::Vec<T>;
  static LANEWISE_INLINE V prepare(V sum) { return vec::log(sum); }
  static LANEWISE_INLINE V last(V a, V, V max, V log_sum, V) { return (a - max) - log_sum; }
  static LANEWISE_INLINE V again(V a, V) { return a; }  // last() does not need what was summed
};
template <class T>
struct SoftmaxBackward {
  using V = vec::Vec<T>;
  static constexpr bool kUsesMax = false;
  static LANEWISE_INLINE V first(V grad, V y, V) { return grad * y; }
  static LANEWISE_INLINE V prepare(V sum) { return sum; }
  static LANEWISE_INLINE V last(V grad, V y, V, V sum, V) { return (grad - sum) * y; }
};
template <class T>
struct LogSoftmaxBackward {
  using V = vec::Vec<T>;
  static constexpr bool kUsesMax = false;
  static LANEWISE_INLINE V first(V grad, V, V) { return grad; }
  static LANEWISE_INLINE V prepare(V sum) { return sum; }
  static LANEWISE_INLINE V last(V grad, V y, V, V sum, V) { return grad - vec::exp(y) * sum; }
};

/// max[i] = the largest of itself and `Rows` rows' elements i < width.
template <int Rows, class T>
LANEWISE_INLINE void raise(const T* x, std::int64_t stride, std::int64_t width, T* max) {
  each_vector<T>(
      width, [&](At<T> p) __attribute__((always_inline)) {
        vec::Vec<T> m = p.load(max);
        for (int r = 0; r < Rows; ++r) m = vec::maximum(p.load(x + r * stride), m);
        p.store(max, m);
      });
}

/// The largest element of each of `width` columns; `max` has room for `size` of them.
template <class T>
[[gnu::noinline]] void largest(const T* a, std::int64_t n, std::int64_t stride, std::int64_t width, T* max,
                               int size) {
  for (int i = 0; i < size; ++i) max[i] = -std::numeric_limits<T>::infinity();
  std::int64_t r = 0;
  for (; r + 4 <= n; r += 4) raise<4>(a + r * stride, stride, width, max);
  for (; r < n; ++r) raise<1>(a + r * stride, stride, width, max);
}

/// The first two visits of columns that no cache holds.
template <class T>
struct ColumnSums {
  using V = vec::Vec<T>;
  static constexpr int kPage = TreeRows<Sum<T>>::kTile;

  /// The largest element of each of width <= kPage columns, and the sum of exp(a - max); `max` has room for kPage.
  [[gnu::noinline]] static void of(const T* a, std::int64_t n, std::int64_t stride, std::int64_t width,
                                   T* max, T* sum) {
    largest(a, n, stride, width, max, kPage);
    TreeRows<Sum<T>, Summand>::reduce(reinterpret_cast<const char*>(a), n,
                                      stride * static_cast<std::int64_t>(sizeof(T)), width, sum,
                                      Summand{max});
  }

 private:
  struct Summand {
    const T* max;
    LANEWISE_INLINE V operator()(V a, std::int64_t column) const {
      return Forward<T>::first(a, a, V::load(max + column));
    }
  };
};

template <class T, class Op>
struct Passes {
  using V = vec::Vec<T>;
  static constexpr T kLowest = -std::numeric_limits<T>::infinity();
  /// Columns at a time: 256 bytes a row.
  static constexpr int kTile = 256 / static_cast<int>(sizeof(T));

  static LANEWISE_INLINE V load_b(const T* b, At<T> p) {
    if constexpr (Op::kUsesMax) {
      return V(T(0));  // the forward functions have no second operand
    } else {
      return p.load(b);
    }
  }

  /// Bytes of a row that is kept while its result goes past the caches.
  static constexpr std::int64_t kMostKept = 32 << 10;

  static void rows(const char* pa, const char* pb, char* pout, std::int64_t count, std::int64_t n,
                   std::int64_t) noexcept {
    const T* a = reinterpret_cast<const T*>(pa);
    const T* b = reinterpret_cast<const T*>(pb);
    T* out = reinterpret_cast<T*>(pout);
    // The hardware stops with every row, while its exponentials are calculated: the first pass asks for the next row, the last
    // for its result. Rows of 4096 f32, 16M in all, take 0.7 of the time.
    constexpr std::int64_t kMostAhead = (64 << 10) / sizeof(T);
    const std::int64_t ahead = n < kMostAhead ? n : kMostAhead;
    const auto bytes = n * static_cast<std::int64_t>(sizeof(T));
    const bool past = bytes <= kMostKept && goes_past(out, count, bytes);
    alignas(64) T kept[kMostKept / sizeof(T)];
    for (; count > 0; --count, a += n, out += n) {
      const V max(Op::kUsesMax ? row_max(a, n) : T(0));
      T* summed = past ? kept : out;
      each_vector<T>(
          n, [&](At<T> p) __attribute__((always_inline)) {
            __builtin_prefetch(a + ahead + p.i);
            p.store(summed, Op::first(p.load(a), load_b(b, p), max));
          });
      const V factor = Op::prepare(V(TreeRun<Sum<T>>::reduce(summed, n)));
      each_vector<T>(
          n, [&](At<T> p) __attribute__((always_inline)) {
            const V result = Op::last(p.load(a), load_b(b, p), max, factor, p.load(summed));
            if (past) return stream(result, reinterpret_cast<char*>(out + p.i));
            __builtin_prefetch(out + ahead + p.i, 1);
            p.store(out, result);
          });
      if constexpr (!Op::kUsesMax) b += n;
    }
    if (past) end_stream();
  }

  static void cols(const char* pa, const char* pb, char* pout, std::int64_t count, std::int64_t n,
                   std::int64_t stride) noexcept {
    const T* a = reinterpret_cast<const T*>(pa);
    const T* b = reinterpret_cast<const T*>(pb);
    T* out = reinterpret_cast<T*>(pout);
    if constexpr (Op::kUsesMax) {
      const bool whole = count == stride && count > kTile;  // rows that follow one another
      if (n > kTile && (stride >= kPage || whole)) return pages(a, out, count, n, stride);
    }
    T max[kTile] = {};
    T factor[kTile];
    for (std::int64_t c = 0; c < count; c += kTile) {
      const std::int64_t width = count - c < kTile ? count - c : kTile;
      if constexpr (Op::kUsesMax) {
        largest(a + c, n, stride, width, max, kTile);
      }
      each_row(
          n, width, a, b, out, stride,
          c, [&](At<T> p, const T* x, const T* y, T* z) __attribute__((always_inline)) {
            __builtin_prefetch(z + p.i + kRowsAhead * stride, 1);
            __builtin_prefetch(x + p.i + 2 * kRowsAhead * stride);
            p.store(z, Op::first(p.load(x), load_b(y, p), p.load(max)));
          });
      TreeRows<Sum<T>>::reduce(reinterpret_cast<const char*>(out + c), n,
                               stride * static_cast<std::int64_t>(sizeof(T)), width, factor);
      each_vector<T>(
          width, [&](At<T> p)
                     __attribute__((always_inline)) { p.store(factor, Op::prepare(p.load(factor))); });
      each_row(
          n, width, a, b, out, stride,
          c, [&](At<T> p, const T* x, const T* y, T* z) __attribute__((always_inline)) {
            p.store(z, Op::last(p.load(x), load_b(y, p), p.load(max), p.load(factor), p.load(z)));
          });
    }
  }

 private:
  /// Whether a result of `rows` rows, so many bytes apart, is worth going past the caches, and each row begins with a line.
  static bool goes_past(const T* out, std::int64_t rows, std::int64_t row_bytes) {
    return kHasStream && rows * row_bytes >= kStreamOutputFrom &&
           (reinterpret_cast<std::uintptr_t>(out) | static_cast<std::uintptr_t>(row_bytes)) % 64 == 0;
  }

  /// Columns that no cache holds, a page of each row at a time, which the hardware follows: they are read three times and
  /// written once, with an exponential in the second and third visit. A tile of short stretches of rows, read once, took
  /// 1.5 times as long over dimension 0 of 4096 x 4096.
  static void pages(const T* a, T* out, std::int64_t count, std::int64_t n, std::int64_t stride) {
    alignas(64) T max[kPage];
    alignas(64) T factor[kPage];
    const auto size = static_cast<std::int64_t>(sizeof(T));
    const bool past = goes_past(out, n, stride * size);
    for (std::int64_t c = 0; c < count; c += kPage, a += kPage, out += kPage) {
      const std::int64_t width = count - c < kPage ? count - c : kPage;
      ColumnSums<T>::of(a, n, stride, width, max, factor);
      each_vector<T>(
          width, [&](At<T> p)
                     __attribute__((always_inline)) { p.store(factor, Op::prepare(p.load(factor))); });
      for (std::int64_t r = 0; r < n; ++r) {
        const T* x = a + r * stride;
        each_vector<T>(
            width, [&](At<T> p) __attribute__((always_inline)) {
              T* to = out + r * stride;
              const V v = p.load(x), m = V::load(max + p.i);
              const V result = Op::last(v, v, m, V::load(factor + p.i), Op::again(v, m));
              if (past && p.n == V::size) return stream(result, reinterpret_cast<char*>(to + p.i));
              __builtin_prefetch(to + p.i + kAhead, 1);
              p.store(to, result);
            });
      }
    }
    if (past) end_stream();
  }
  static constexpr int kPage = ColumnSums<T>::kPage;
  /// With 8 rows over the middle of 512 x 512 x 64 f32 0.87 of the time, of 4096 x 64 x 64 0.65.
  static constexpr std::int64_t kRowsAhead = 8;
  static constexpr std::int64_t kAhead = 512 / static_cast<std::int64_t>(sizeof(T));

  template <class F>
  static LANEWISE_INLINE void each_row(std::int64_t n, std::int64_t width, const T* a, const T* b, T* out,
                                       std::int64_t stride, std::int64_t first, F f) {
    for (std::int64_t r = 0; r < n; ++r) {
      const std::int64_t start = r * stride + first;
      const T* y = Op::kUsesMax ? a : b + start;
      each_vector<T>(
          width, [&](At<T> p) __attribute__((always_inline)) { f(p, a + start, y, out + start); });
    }
  }

  static LANEWISE_INLINE T row_max(const T* x, std::int64_t n) {
    constexpr int kChains = 4;
    V acc[kChains] = {V(kLowest), V(kLowest), V(kLowest), V(kLowest)};
    std::int64_t i = 0;
    for (; i + kChains * V::size <= n; i += kChains * V::size) {
      for (int j = 0; j < kChains; ++j) acc[j] = vec::maximum(V::load(x + i + j * V::size), acc[j]);
    }
    for (; i + V::size <= n; i += V::size) acc[0] = vec::maximum(V::load(x + i), acc[0]);
    if (i < n) {
      const int rest = static_cast<int>(n - i);
      const V last = select(vec::Mask<T>::first(rest), V::load_partial(x + i, rest), V(kLowest));
      acc[1] = vec::maximum(last, acc[1]);
    }
    return fold<V::size / 2>(vec::maximum(vec::maximum(acc[0], acc[1]), vec::maximum(acc[2], acc[3])));
  }
  template <int Half>
  static LANEWISE_INLINE T fold(V v) {
    if constexpr (Half == 0) {
      return v.extract(0);
    } else {
      return fold<Half / 2>(vec::maximum(v, tree_detail::upper_down<Half>(v)));
    }
  }
};

template <class T>
constexpr SoftmaxFns functions = {
    .softmax_rows = Passes<T, Softmax<T>>::rows,
    .softmax_cols = Passes<T, Softmax<T>>::cols,
    .log_softmax_rows = Passes<T, LogSoftmax<T>>::rows,
    .log_softmax_cols = Passes<T, LogSoftmax<T>>::cols,
    .softmax_backward_rows = Passes<T, SoftmaxBackward<T>>::rows,
    .softmax_backward_cols = Passes<T, SoftmaxBackward<T>>::cols,
    .log_softmax_backward_rows = Passes<T, LogSoftmaxBackward<T>>::rows,
    .log_softmax_backward_cols = Passes<T, LogSoftmaxBackward<T>>::cols,
};

}  // namespace

constinit const SoftmaxTable softmax_table = {.f32 = functions<float>, .f64 = functions<double>};

}  // namespace lanewise::kernels::LANEWISE_ISA
