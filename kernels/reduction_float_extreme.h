#pragma once

#include <limits>

#include <lanewise/kernels/reduction_build.h>
#include <lanewise/kernels/reduction_extreme_of_rows.h>
#include <lanewise/kernels/reduction_nan.h>

/// The largest and the smallest of floats. Included by per-ISA files.
namespace lanewise::kernels::LANEWISE_ISA {

/// The largest (Max) or smallest Map::apply(x). Of zeros the largest is +0 and the smallest -0 (maximum and minimum of IEEE
/// 754-2019), and one NaN stands for all of them, so that the order of the elements does not matter.
template <class T, bool Max, class Map = Unmapped>
class FloatExtreme {
 public:
  static void inner(const char* px, std::int64_t n, std::int64_t, std::int64_t ahead, char* acc) noexcept {
    *reinterpret_cast<T*>(acc) = of_run(reinterpret_cast<const T*>(px), n, ahead);
  }

  static void short_rows(const char* x, std::int64_t n, std::int64_t stride, std::int64_t count,
                         std::int64_t ahead, char* acc) noexcept {
    T* out = reinterpret_cast<T*>(acc);
    if (n <= ExtremeOfRows<T>::kMostTogether)
      return ExtremeOfRows<T>::largest(x, static_cast<int>(n), stride, count, ahead, Max ? 0 : -1, out);
    for (std::int64_t r = 0; r < count; ++r, x += stride)
      out[r] = of_run(reinterpret_cast<const T*>(x), n, ahead);
  }

  static void outer(const char* x, std::int64_t rows, std::int64_t stride, std::int64_t cols, std::int64_t,
                    RowPrefetch prefetch, char* acc) noexcept {
    T* out = reinterpret_cast<T*>(acc);
    for (std::int64_t c = 0; c < cols; c += kTile) {
      const int width = static_cast<int>(cols - c < kTile ? cols - c : kTile);
      of_columns(x + c * static_cast<std::int64_t>(sizeof(T)), rows, stride, width, prefetch, out + c);
    }
  }

  static void combine(char* acc, const char* later, std::int64_t cols) noexcept {
    T* a = reinterpret_cast<T*>(acc);
    const T* b = reinterpret_cast<const T*>(later);
    for (std::int64_t c = 0; c < cols; ++c) a[c] = joined(a[c], b[c]);
  }

 private:
  using V = vec::Vec<T>;
  static constexpr int kSize = V::size;
  /// Columns worked on at once: a page a row, which the hardware follows.
  static constexpr std::int64_t kTile = 4096 / sizeof(T);

#if defined(LANEWISE_ISA_AVX512)
  /// What is known of some elements, NaNs left out: VRANGE prefers numbers to NaNs and puts -0 below +0.
  struct Seen {
    V best;
    explicit Seen(V v) : best(v) {}
    Seen() = default;
    LANEWISE_INLINE void add(V v) {
      using vec::detail::bits;
      constexpr int kSignOfResult = 4, kWhich = kSignOfResult | (Max ? 1 : 0);
      if constexpr (sizeof(T) == 4) {
        best.reg =
            bits<typename V::Register>(_mm512_range_ps(bits<__m512>(best.reg), bits<__m512>(v.reg), kWhich));
      } else {
        best.reg = bits<typename V::Register>(
            _mm512_range_pd(bits<__m512d>(best.reg), bits<__m512d>(v.reg), kWhich));
      }
    }
    LANEWISE_INLINE void add(const Seen& other) { add(other.best); }
    template <int Half>
    LANEWISE_INLINE Seen upper() const {
      return Seen(tree_detail::upper_down<Half>(best));
    }
    LANEWISE_INLINE V value() const { return best; }
  };
#else
  /// What is known of some elements, NaNs left out.
  struct Seen {
    V best;
    V signs;  ///< all signs together: "and" for the largest, "or" for the smallest
    explicit Seen(V v) : best(v), signs(v) {}
    Seen() = default;
    LANEWISE_INLINE void add(V v) {
      best = better_of(v, best);
      signs = both_signs(v, signs);
    }
    LANEWISE_INLINE void add(const Seen& other) {
      best = better_of(other.best, best);
      signs = both_signs(other.signs, signs);
    }
    template <int Half>
    LANEWISE_INLINE Seen upper() const {
      Seen half;
      half.best = tree_detail::upper_down<Half>(best);
      half.signs = tree_detail::upper_down<Half>(signs);
      return half;
    }
    LANEWISE_INLINE V value() const {
      const V zero(T(0));
      return select(best == zero, vec::copysign(zero, signs), best);
    }

   private:
    static LANEWISE_INLINE V both_signs(V a, V b) {
      return Max ? vec::detail::bit_and(a, b) : vec::detail::bit_or(a, b);
    }
    /// a if it is better, else b: one instruction, while vec::maximum cares for NaN.
    static LANEWISE_INLINE V better_of(V a, V b) {
#if defined(LANEWISE_ISA_AVX2)
      using vec::detail::bits;
      using R = typename V::Register;
      if constexpr (sizeof(T) == 4) {
        const auto x = bits<__m256>(a.reg), y = bits<__m256>(b.reg);
        return V(bits<R>(Max ? _mm256_max_ps(x, y) : _mm256_min_ps(x, y)));
      } else {
        const auto x = bits<__m256d>(a.reg), y = bits<__m256d>(b.reg);
        return V(bits<R>(Max ? _mm256_max_pd(x, y) : _mm256_min_pd(x, y)));
      }
#else
      return select(Max ? a > b : a < b, a, b);
#endif
    }
  };
#endif

  static LANEWISE_INLINE V load(const T* p) { return Map::apply(V::load(p)); }
  /// n elements, and `other` in the lanes after them.
  static LANEWISE_INLINE V load_part(const T* p, int n, V other) {
    return select(vec::Mask<T>::first(n), Map::apply(V::load_partial(p, n)), other);
  }

  static T of_run(const T* x, std::int64_t n, std::int64_t ahead) {
    using limits = std::numeric_limits<T>;
    if (n == 0) return Max ? -limits::infinity() : limits::infinity();
    constexpr int kChains = 4;
    const V one = Map::apply(V(x[0]));
    Seen seen[kChains] = {Seen(one), Seen(one), Seen(one), Seen(one)};
    NanSeen<T> nan;
    nan.add(one, one);
    std::int64_t i = 0;
    for (; i + kChains * kSize <= n; i += kChains * kSize) {
      V v[kChains];
      for (int j = 0; j < kChains; ++j) {
        __builtin_prefetch(reinterpret_cast<const char*>(x + i + j * kSize) + ahead);
        v[j] = load(x + i + j * kSize);
        seen[j].add(v[j]);
      }
      nan.add(v[0], v[1], 0);
      nan.add(v[2], v[3], 1);
    }
    for (; i < n; i += kSize) {
      const V v = i + kSize <= n ? load(x + i) : load_part(x + i, static_cast<int>(n - i), one);
      seen[0].add(v);
      nan.add(v, v);
    }
    if (nan.any()) return limits::quiet_NaN();
    for (int j = 1; j < kChains; ++j) seen[0].add(seen[j]);
    return fold<kSize / 2>(seen[0]);
  }
  template <int Half>
  static LANEWISE_INLINE T fold(Seen seen) {
    if constexpr (Half > 0) {
      seen.add(seen.template upper<Half>());
      return fold<Half / 2>(seen);
    } else {
      return seen.value().extract(0);
    }
  }

  static void of_columns(const char* x, std::int64_t rows, std::int64_t stride, int width,
                         RowPrefetch prefetch, T* out) {
    Seen seen[kTile / kSize];
    NanSeen<T> nan;
    const bool asks = prefetch == RowPrefetch::ToL2;
    std::int64_t r = (rows - 1) % kRows + 1;  // what is left over comes first
    T* const result = r == rows ? out : nullptr;
    r == 1   ? first_rows<1>(x, stride, width, seen, result, nan)
    : r == 2 ? first_rows<2>(x, stride, width, seen, result, nan)
    : r == 3 ? first_rows<3>(x, stride, width, seen, result, nan)
             : first_rows<kRows>(x, stride, width, seen, result, nan);
    for (; r < rows; r += kRows) {
      const char* at = x + r * stride;
      int c = 0;
      for (; c + kBurst * kSize <= width; c += kBurst * kSize)
        add_rows<kBurst>(at + c * sizeof(T), stride, asks, kSize, &seen[c / kSize], nan);
      for (; c < width; c += kSize)
        add_rows<1>(at + c * sizeof(T), stride, asks, width - c, &seen[c / kSize], nan);
    }
    if (result == nullptr) {
      each_register<V>(
          width, [&](int c, int n) __attribute__((always_inline)) { put(seen[c / kSize], out + c, n); });
    }
    if (nan.any()) put_nans(x, rows, stride, width, out);
  }
  /// Rows, and registers of each, that are read at a time.
  static constexpr int kRows = 4, kBurst = 2;
  /// n elements from p, where kSize or more are all of a register.
  static LANEWISE_INLINE V part(const T* p, int n) { return n >= kSize ? load(p) : load_part(p, n, V(T(0))); }
  static LANEWISE_INLINE void put(const Seen& seen, T* to, int n) {
    const V v = seen.value();
    n == kSize ? v.store(to) : v.store_partial(to, n);
  }
  /// Up to kRows rows at once: one by one each waits for the test for NaN of the register before, three rows take 1.4 times as long. If
  /// there are no others the result is written at once.
  template <int Rows>
  static void first_rows(const char* x, std::int64_t stride, int width, Seen* to, T* result,
                         NanSeen<T>& nan) {
    each_register<V>(
        width, [&](int c, int n) __attribute__((always_inline)) {
          V v[Rows];
          for (int r = 0; r < Rows; ++r) v[r] = part(reinterpret_cast<const T*>(x + r * stride) + c, n);
          Seen seen(v[0]);
          for (int r = 1; r < Rows; ++r) seen.add(v[r]);
          for (int r = 0; r < Rows; r += 2) nan.add(v[r], v[r + 1 < Rows ? r + 1 : r], r / 2);
          if (result != nullptr) return put(seen, result + c, n);
          to[c / kSize] = seen;
        });
  }
  template <int Count>
  static LANEWISE_INLINE void add_rows(const char* x, std::int64_t stride, bool asks, int n, Seen* to,
                                       NanSeen<T>& nan) {
    if (asks) {
      for (int r = 0; r < kRows; ++r)
        for (int byte = 0; byte < Count * static_cast<int>(sizeof(V)); byte += 64)
          prefetch_to_l2(x + (kRows + r) * stride + byte);
    }
    for (int i = 0; i < Count; ++i) {
      V v[kRows];
      Seen seen = to[i];
#pragma GCC unroll 4
      for (int r = 0; r < kRows; ++r) {
        v[r] = part(reinterpret_cast<const T*>(x + r * stride) + i * kSize, n);
        seen.add(v[r]);
      }
      nan.add(v[0], v[1], 0);
      nan.add(v[2], v[3], 1);
      to[i] = seen;
    }
  }
  static void put_nans(const char* x, std::int64_t rows, std::int64_t stride, int width, T* out) {
    for (std::int64_t r = 0; r < rows; ++r, x += stride) {
      const T* row = reinterpret_cast<const T*>(x);
      for (int c = 0; c < width; ++c)
        out[c] = row[c] != row[c] ? std::numeric_limits<T>::quiet_NaN() : out[c];
    }
  }

  static LANEWISE_INLINE T joined(T a, T b) {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    const auto x = __builtin_bit_cast(Bits, a), y = __builtin_bit_cast(Bits, b);
    const T equal = __builtin_bit_cast(T, Max ? x & y : x | y);  // of zeros the better
    const T better = (Max ? b > a : b < a) || b != b ? b : a;
    return a != a ? a : a == b ? equal : better;
  }
};

/// The column of T.
template <class T, bool Max, class Map = Unmapped>
constexpr void add_float_extreme(ReductionKernel& k) {
  using Op = FloatExtreme<T, Max, Map>;
  constexpr std::size_t i = index_of<T>;
  k.acc_size[i] = sizeof(T);
  k.value_type[i] = scalar_type_of<T>();
  k.order_free[i] = true;
  k.side_by_side[i] = true;
  constexpr bool kTogether = kHasShortRows<T> && std::is_same_v<Map, Unmapped>;
  k.least_row[i] = kTogether ? 0 : kLeastLoopRow<T>;
  k.inner[i] = Op::inner;
  if constexpr (kTogether) k.short_rows[i] = Op::short_rows;
  k.outer[i] = Op::outer;
  k.combine[i] = Op::combine;
  k.finish[i] = finish_copy<T>;
}

}  // namespace lanewise::kernels::LANEWISE_ISA
