#pragma once

#include <utility>

#include <lanewise/vec/vec_int.h>

namespace lanewise::vec {
inline namespace LANEWISE_ISA {

namespace detail {
/// Lane i of the result is lane i - Shift of v, or zero.
template <int Shift, Integer T, int... I>
LANEWISE_INLINE Vec<T> shifted_up(Vec<T> v, std::integer_sequence<int, I...>) {
  using Register = typename Vec<T>::Register;
  return Vec<T>(__builtin_shufflevector(Register{}, v.reg,
                                        (I < Shift ? I : static_cast<int>(sizeof...(I)) + I - Shift)...));
}
template <Integer T, int... I>
LANEWISE_INLINE Vec<T> all_of_last(Vec<T> v, std::integer_sequence<int, I...>) {
  return Vec<T>(__builtin_shufflevector(v.reg, v.reg, (I * 0 + static_cast<int>(sizeof...(I)) - 1)...));
}
}  // namespace detail

/// Lane i of the result is the sum of lanes 0 to i, wrapping; in steps that double (Hillis and Steele, 1986).
template <int Shift = 1, Integer T>
LANEWISE_INLINE Vec<T> prefix_sums(Vec<T> v) {
  if constexpr (Shift < Vec<T>::size) {
    return prefix_sums<2 * Shift>(
        v + detail::shifted_up<Shift>(v, std::make_integer_sequence<int, Vec<T>::size>{}));
  } else {
    return v;
  }
}

/// The last lane in every lane.
template <Integer T>
LANEWISE_INLINE Vec<T> all_of_last(Vec<T> v) {
  return detail::all_of_last(v, std::make_integer_sequence<int, Vec<T>::size>{});
}

}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
