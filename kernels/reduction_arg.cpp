#include <limits>

#include <lanewise/kernels/reduction_build.h>
#include <lanewise/kernels/reduction_extreme_of_rows.h>
#include <lanewise/kernels/reduction_kernels.h>
#include <lanewise/kernels/reduction_nan.h>

namespace lanewise::kernels::LANEWISE_ISA {
namespace {

/// The first extreme with its position; NaN counts as the extreme. Accumulators: cols positions, then cols
/// values.
template <class T, bool Max>
struct ArgExtreme {
  /// True if x, which comes later, replaces `best`.
  static LANEWISE_INLINE bool better(T x, T best) {
    if constexpr (std::is_floating_point_v<T>) {
      return ((Max ? x > best : x < best) | (x != x)) & (best == best);
    } else {
      return Max ? x > best : x < best;
    }
  }
  static constexpr bool kIsFloat = std::is_floating_point_v<T>;
  /// Positions in a part, as wide as the values, so that both go through the same lanes.
  using Index = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
  /// Elements looked at together: integers are visited twice, the second time in L1.
  static constexpr std::int64_t kBlock = kIsFloat ? std::int64_t{1} << 20 : 4096;

  struct Best {
    T value;
    std::int64_t position;
  };
  [[gnu::noinline]] static Best best_of(const T* x, std::int64_t n, std::int64_t ahead) {
    if constexpr (kIsFloat) {
      return best_float(x, n, ahead);
    } else {
      T best = x[0];
      for (std::int64_t i = 1; i < n; ++i) best = better(x[i], best) ? x[i] : best;
      return {best, find(x, n, best)};
    }
  }

  /// Values with their positions; elements that are NaN never get in.
  struct Lanes {
    using V = vec::Vec<T>;
    using I = vec::Vec<Index>;
    V value;
    I position;
    LANEWISE_INLINE void take(V v, I at) {
      const auto m = Max ? v > value : v < value;
      value = Max ? vec::detail::max_or_second(v, value) : vec::detail::min_or_second(v, value);
      position = select(vec::mask_cast<Index>(m), at, position);
    }
    LANEWISE_INLINE void take(const Lanes& other) {
      const auto beats = Max ? other.value > value : other.value < value;
      const auto earlier = vec::mask_cast<T>(other.position < position);
      const auto m = beats | ((other.value == value) & earlier);
      value = select(m, other.value, value);
      position = select(vec::mask_cast<Index>(m), other.position, position);
    }
  };
  using V = typename Lanes::V;
  using I = typename Lanes::I;
  static constexpr int kSize = V::size;

  static Best best_float(const T* x, std::int64_t n, std::int64_t ahead) {
    constexpr int kChains = 4;
    Index first[kSize];
    for (int l = 0; l < kSize; ++l) first[l] = static_cast<Index>(l);
    I at = I::load(first);
    Lanes lanes[kChains];
    for (Lanes& l : lanes) l = {V(x[0]), I(Index{0})};
    NanSeen<T> nan;
    std::int64_t i = 0;
    for (; i + kChains * kSize <= n; i += kChains * kSize, at = at + I(Index{kChains * kSize})) {
      V v[kChains];
      for (int j = 0; j < kChains; ++j) {
        __builtin_prefetch(reinterpret_cast<const char*>(x + i + j * kSize) + ahead);
        v[j] = V::load(x + i + j * kSize);
        lanes[j].take(v[j], at + I(static_cast<Index>(j * kSize)));
      }
      nan.add(v[0], v[1], 0);
      nan.add(v[2], v[3], 1);
    }
    for (; i < n; i += kSize, at = at + I(Index{kSize})) {
      const int left = n - i < kSize ? static_cast<int>(n - i) : kSize;
      const V v = left == kSize ? V::load(x + i)
                                : select(vec::Mask<T>::first(left), V::load_partial(x + i, left), V(x[0]));
      lanes[0].take(v, at);
      nan.add(v, v);
    }
    if (nan.any()) {
      constexpr T kNan = std::numeric_limits<T>::quiet_NaN();
      const std::int64_t position = find(x, n, kNan);
      return {x[position], position};
    }
    for (int j = 1; j < kChains; ++j) lanes[0].take(lanes[j]);
    return fold<kSize / 2>(lanes[0]);
  }
  template <int Half>
  static LANEWISE_INLINE Best fold(Lanes lanes) {
    if constexpr (Half == 0) {
      return {lanes.value.extract(0), lanes.position.extract(0)};
    } else {
      lanes.take(
          Lanes{tree_detail::upper_down<Half>(lanes.value), tree_detail::upper_down<Half>(lanes.position)});
      return fold<Half / 2>(lanes);
    }
  }

  /// Position of the first element that equals `value` (or is NaN, if it is); there is one.
  static std::int64_t find(const T* x, std::int64_t n, T value) {
    constexpr std::int64_t kStep = 64;
    std::int64_t i = 0;
    for (; i + kStep < n; i += kStep) {
      unsigned hit = 0;
      for (std::int64_t j = 0; j < kStep; ++j) hit |= static_cast<unsigned>(same(x[i + j], value));
      if (hit) break;
    }
    while (!same(x[i], value)) ++i;
    return i;
  }
  static LANEWISE_INLINE bool same(T x, T value) {
    if constexpr (std::is_floating_point_v<T>) {
      return (x == value) | ((x != x) & (value != value));
    } else {
      return x == value;
    }
  }

  static void inner(const char* px, std::int64_t n, std::int64_t base, std::int64_t ahead,
                    char* acc) noexcept {
    const T* x = reinterpret_cast<const T*>(px);
    T best = x[0];
    std::int64_t position = 0;
    for (std::int64_t first = 0; first < n; first += kBlock) {
      const std::int64_t length = n - first < kBlock ? n - first : kBlock;
      const Best here = best_of(x + first, length, ahead);
      if (better(here.value, best)) {
        best = here.value;
        position = first + here.position;
      }
    }
    *reinterpret_cast<std::int64_t*>(acc) = base + position;
    *reinterpret_cast<T*>(acc + sizeof(std::int64_t)) = best;
  }

  static void outer(const char* x, std::int64_t rows, std::int64_t stride, std::int64_t cols,
                    std::int64_t base, RowPrefetch prefetch, char* acc) noexcept {
    std::int64_t* positions = reinterpret_cast<std::int64_t*>(acc);
    T* values = reinterpret_cast<T*>(positions + cols);
    for (std::int64_t c = 0; c < cols; c += kTile) {
      const int width = static_cast<int>(cols - c < kTile ? cols - c : kTile);
      const char* tile = x + c * static_cast<std::int64_t>(sizeof(T));
      if constexpr (kIsFloat) {
        if (of_columns(tile, rows, stride, width, base, prefetch, positions + c, values + c)) continue;
      }
      of_any_columns(tile, rows, stride, width, base, positions + c, values + c);
    }
  }
  /// Columns worked on at once: a page a row, which the hardware follows.
  static constexpr std::int64_t kTile = 4096 / sizeof(T);
  /// Rows that positions can count.
  static constexpr std::int64_t kPart = std::int64_t{1} << 30;

  /// False, and nothing written, if there is a NaN.
  static bool of_columns(const char* x, std::int64_t rows, std::int64_t stride, int width, std::int64_t base,
                         RowPrefetch prefetch, std::int64_t* positions, T* values) {
    if (rows > kPart) return false;
    Lanes lanes[kTile / kSize];
    NanSeen<T> nan;
    each_register<V>(
        width, [&](int c, int n) __attribute__((always_inline)) {
          const V v = part(reinterpret_cast<const T*>(x) + c, n);
          lanes[c / kSize] = {v, I(Index{0})};
          nan.add(v, v);
        });
    Index r = 1;
    const auto down = [&]<int Rows, int Burst, bool Near>() __attribute__((always_inline)) {
      for (; r + Rows <= rows; r += Rows) {
        const char* at = x + r * stride;
        int c = 0;
        for (; c + Burst * kSize <= width; c += Burst * kSize)
          take_rows<Rows, Burst, Near>(at + c * sizeof(T), stride, r, kSize, &lanes[c / kSize], nan);
        for (; c < width; c += kSize)
          take_rows<Rows, 1, Near>(at + c * sizeof(T), stride, r, width - c, &lanes[c / kSize], nan);
      }
    };
    if (kNear && prefetch == RowPrefetch::ByCpu && rows * width * static_cast<int>(sizeof(T)) > kCached)
      down.template operator()<2, 4, true>();
    down.template operator()<4, 1, false>();
    for (; r < rows; ++r) {
      each_register<V>(
          width, [&](int c, int n) __attribute__((always_inline)) {
            const V v = part(reinterpret_cast<const T*>(x + r * stride) + c, n);
            lanes[c / kSize].take(v, I(r));
            nan.add(v, v);
          });
    }
    if (nan.any()) return false;
    each_register<V>(
        width, [&](int c, int n) __attribute__((always_inline)) {
          const Lanes& best = lanes[c / kSize];
          Index where[kSize];
          best.position.store(where);
          for (int l = 0; l < n; ++l) positions[c + l] = base + where[l];
          n == kSize ? best.value.store(values + c) : best.value.store_partial(values + c, n);
        });
    return true;
  }
  static LANEWISE_INLINE V part(const T* p, int n) { return n >= kSize ? V::load(p) : V::load_partial(p, n); }
  /// Takes rows r to r + Rows of Count registers, of one its first n elements, and asks for as many rows after them, in L1 if Near.
  template <int Rows, int Count, bool Near>
  static LANEWISE_INLINE void take_rows(const char* x, std::int64_t stride, Index r, int n, Lanes* to,
                                        NanSeen<T>& nan) {
    Lanes best[Count];
    V v[Rows][Count];
    for (int i = 0; i < Count; ++i) best[i] = to[i];
#pragma GCC unroll 4
    for (int k = 0; k < Rows; ++k) {
#pragma GCC unroll 4
      for (int i = 0; i < Count; ++i) {
        const char* at = x + k * stride + i * static_cast<int>(sizeof(V));
        Near ? __builtin_prefetch(at + Rows * stride) : prefetch_to_l2(at + Rows * stride);
        v[k][i] = part(reinterpret_cast<const T*>(at), n);
        best[i].take(v[k][i], I(static_cast<Index>(r + k)));
        if (k % 2 == 1) nan.add(v[k - 1][i], v[k][i], k / 2 + i);
      }
    }
    for (int i = 0; i < Count; ++i) to[i] = best[i];
  }
  /// RowPrefetch::ByCpu is for CPUs that have AVX-512.
#if defined(LANEWISE_ISA_AVX512)
  static constexpr bool kNear = true;
#else
  static constexpr bool kNear = false;
#endif
  /// So many bytes are in L1 of the CPUs that this is for; there four rows at a time are twice as fast.
  static constexpr std::int64_t kCached = 48 << 10;

  static void of_any_columns(const char* x, std::int64_t rows, std::int64_t stride, int width,
                             std::int64_t base, std::int64_t* positions, T* values) {
    constexpr std::int64_t kRowsAhead = 2, kLine = 64 / sizeof(T);
    T best[kTile];
    Index where[kTile];
    const T* top = reinterpret_cast<const T*>(x);
    for (int j = 0; j < width; ++j) best[j] = top[j];
    for (int j = 0; j < width; ++j) positions[j] = base;
    for (std::int64_t first = 0; first < rows; first += kPart) {
      const Index last = static_cast<Index>(rows - first < kPart ? rows - first : kPart);
      for (int j = 0; j < width; ++j) where[j] = -1;
      for (Index r = 0; r < last; ++r) {
        const T* __restrict row = reinterpret_cast<const T*>(x + (first + r) * stride);
        for (std::int64_t j = 0; j < width; j += kLine)
          prefetch_to_l2(reinterpret_cast<const char*>(row + j) + kRowsAhead * stride);
        for (int j = 0; j < width; ++j) {
          const bool take = better(row[j], best[j]);
          best[j] = take ? row[j] : best[j];
          where[j] = take ? r : where[j];
        }
      }
      for (int j = 0; j < width; ++j) {
        if (where[j] >= 0) positions[j] = base + first + where[j];
      }
    }
    for (int j = 0; j < width; ++j) values[j] = best[j];
  }

  static void short_rows(const char* x, std::int64_t n, std::int64_t stride, std::int64_t count,
                         std::int64_t ahead, char* acc) noexcept {
    std::int64_t* positions = reinterpret_cast<std::int64_t*>(acc);
    T* values = reinterpret_cast<T*>(positions + count);
    if constexpr (sizeof(T) >= 4) {
      if (n <= ExtremeOfRows<T>::kMostTogether)
        return together(x, n, stride, count, ahead, positions, values);
    }
    for (std::int64_t r = 0; r < count; ++r, x += stride) {
      const Best best = best_of(reinterpret_cast<const T*>(x), n, ahead);
      positions[r] = best.position;
      values[r] = best.value;
    }
  }

  /// The values of a group of rows, then where they are, while the rows are in L1. Rows of up to a register are asked for on
  /// any CPU: a Zen 4 loses track of them while values are picked out, and takes 1.45 times as long from memory.
  static void together(const char* x, std::int64_t n, std::int64_t stride, std::int64_t count,
                       std::int64_t ahead, std::int64_t* positions, T* values) {
    using Rows = ExtremeOfRows<T>;
    const auto row = [&](std::int64_t r) { return reinterpret_cast<const T*>(x + r * stride); };
    if (ahead == 0 && n <= Rows::kRows) ahead = kPrefetchBytes;
    for (std::int64_t first = 0; first < count; first += Rows::kRows) {
      const int rows = count - first < Rows::kRows ? static_cast<int>(count - first) : Rows::kRows;
      const char* group = x + first * stride;
      Rows::largest(group, static_cast<int>(n), stride, rows, ahead, Max ? 0 : -1, values + first);
      Rows::find(group, static_cast<int>(n), stride, rows, values + first, positions + first);
      for (std::int64_t r = first; r < first + rows; ++r) {
        if (positions[r] < 0) positions[r] = find(row(r), n, values[r]);
        values[r] = row(r)[positions[r]];
      }
    }
  }

  static void combine(char* acc, const char* later, std::int64_t cols) noexcept {
    std::int64_t* positions = reinterpret_cast<std::int64_t*>(acc);
    T* values = reinterpret_cast<T*>(positions + cols);
    const std::int64_t* later_positions = reinterpret_cast<const std::int64_t*>(later);
    const T* later_values = reinterpret_cast<const T*>(later_positions + cols);
    for (std::int64_t c = 0; c < cols; ++c) {
      if (better(later_values[c], values[c])) {
        values[c] = later_values[c];
        positions[c] = later_positions[c];
      }
    }
  }

  static void finish(const char* acc, std::int64_t cols, const KernelScalar*, char* value,
                     std::int64_t* index) noexcept {
    const std::size_t positions = static_cast<std::size_t>(cols) * sizeof(std::int64_t);
    __builtin_memcpy(value, acc + positions, static_cast<std::size_t>(cols) * sizeof(T));
    if (index != nullptr) __builtin_memcpy(index, acc, positions);
  }
};

template <class T, bool Max>
constexpr void add_arg(ReductionKernel& k, ScalarType value_type) {
  const auto i = static_cast<std::size_t>(value_type);
  using Op = ArgExtreme<T, Max>;
  k.acc_size[i] = sizeof(std::int64_t) + sizeof(T);
  k.value_type[i] = value_type;
  k.inner[i] = Op::inner;
  if constexpr (sizeof(T) < 4 || kHasShortRows<T>) k.short_rows[i] = Op::short_rows;
  k.outer[i] = Op::outer;
  k.combine[i] = Op::combine;
  k.finish[i] = Op::finish;
}

template <bool Max>
constexpr ReductionKernel arg_kernel() {
  ReductionKernel k = empty_reduction(true);
  for_each_type(real, [&]<class T>() { add_arg<T, Max>(k, scalar_type_of<T>()); });
  add_arg<std::uint8_t, Max>(k, ScalarType::Bool);
  return k;
}

}  // namespace

constinit const ReductionKernel reduce_argmax = arg_kernel<true>();
constinit const ReductionKernel reduce_argmin = arg_kernel<false>();

}  // namespace lanewise::kernels::LANEWISE_ISA
