#pragma once

#include <limits>

#include <lanewise/kernels/reduction_short_rows.h>

/// Extremes of many short rows, and where they are. Included by per-ISA files.
namespace lanewise::kernels::LANEWISE_ISA {

/// The largest and the smallest of many short rows of floats or of signed integers as wide, as integers in the order of the
/// numbers. One code for both: the complements of the smallest are the largest.
template <class T>
class ExtremeOfRows {
  static constexpr bool kIsFloat = std::is_floating_point_v<T>;
  using I = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  using V = vec::Vec<I>;
  struct First {
    using Element = I;
    static LANEWISE_INLINE V apply(V a, V b) { return vec::minimum(a, b); }
  };
  struct Largest {
    using Element = I;
    static LANEWISE_INLINE V apply(V a, V b) { return vec::maximum(a, b); }
  };
  using Group = TreeShortRows<Largest>;
  static constexpr I kNowhere = std::numeric_limits<I>::max();
  static constexpr I kMagnitude = std::numeric_limits<I>::max();

  /// The bits of negative numbers count down; an involution.
  static LANEWISE_INLINE V ordered(V bits) {
    return kIsFloat ? bits ^ select(bits < V(I(0)), V(kMagnitude), V(I(0))) : bits;
  }

 public:
  static constexpr int kRows = V::size;
  /// Longer rows are better taken one by one: of floats, whose kernels for one row are the fastest.
  static constexpr std::int64_t kMostTogether = kIsFloat ? 96 : kReductionBlock;

  /// complement: 0 for the largest, -1 for the smallest.
  [[gnu::noinline]] static void largest(const char* x, int n, std::int64_t stride, std::int64_t count,
                                        std::int64_t ahead, I complement, T* out) {
    const V flip(complement);
    const V infinity(kIsFloat ? __builtin_bit_cast(I, std::numeric_limits<T>::infinity()) : kMagnitude);
    const typename Group::Asked asked(n, stride, ahead);
    Group::each_group(
        x, stride, count, asked, [&](const char* group, int rows) __attribute__((always_inline)) {
          vec::Mask<I> nan = vec::Mask<I>::splat(false);
          const auto lanes = Group::lanes_of_rows(
              group, n, stride, rows, asked,
              V(std::numeric_limits<I>::min()), [&](V bits, int, int) __attribute__((always_inline)) {
                if (kIsFloat) nan |= (bits & V(kMagnitude)) > infinity;
                return ordered(bits) ^ flip;
              });
          Group::put(ordered(Group::across(lanes) ^ flip), rows, reinterpret_cast<I*>(out));
          if (kIsFloat && !vec::none(nan)) put_nans(group, n, stride, rows, out);
          out += V::size;
        });
  }

  /// The first position of values[r] in each of up to kRows rows r that largest() has read; -1 for NaN.
  [[gnu::noinline]] static void find(const char* x, int n, std::int64_t stride, int rows, const T* values,
                                     std::int64_t* positions) {
    using Positions = TreeShortRows<First>;
    I first[V::size];
    for (int l = 0; l < V::size; ++l) first[l] = static_cast<I>(l);
    const V lane = V::load(first);
    const auto lanes = Positions::lanes_of_rows(
        x, n, stride, rows, {}, V(kNowhere), [&](V bits, int r, int k) __attribute__((always_inline)) {
          const auto same = vec::mask_cast<I>(as_numbers(bits) == vec::Vec<T>(values[r]));
          return select(same, lane + V(static_cast<I>(k)), V(kNowhere));
        });
    Positions::across(lanes).store(first);
    for (int r = 0; r < rows; ++r) positions[r] = first[r] == kNowhere ? -1 : first[r];
  }

 private:
  static LANEWISE_INLINE auto as_numbers(V bits) {
    if constexpr (kIsFloat) {
      return vec::bitcast<T>(bits);
    } else {
      return bits;
    }
  }
  static void put_nans(const char* x, int n, std::int64_t stride, int rows, T* out) {
    for (int r = 0; r < rows; ++r, x += stride) {
      const T* row = reinterpret_cast<const T*>(x);
      for (int i = 0; i < n; ++i) out[r] = row[i] != row[i] ? std::numeric_limits<T>::quiet_NaN() : out[r];
    }
  }
};

}  // namespace lanewise::kernels::LANEWISE_ISA
