#pragma once

#include <cstddef>

#include <lanewise/vec/select.h>
#include <lanewise/vec/vec_int.h>

/// Greatest common divisors and least common multiples of lanes of unsigned integers. Included by per-ISA files.
namespace lanewise::kernels::LANEWISE_ISA {

/// x, and all others with it, divided by the largest power of two that divides x, up to 2^(2 * Bits - 1). Counts of zeros, and
/// shifts by them lane by lane, are not there for every size.
template <int Bits, class V, class... Others>
LANEWISE_INLINE void divide_by_power(V& x, Others&... others) noexcept {
  using T = typename V::value_type;
  const auto even = (x & V(static_cast<T>((T(1) << Bits) - 1))) == V(T(0));
  x = vec::select(even, x >> Bits, x);
  ((others = vec::select(even, others >> Bits, others)), ...);
  if constexpr (Bits > 1) divide_by_power<Bits / 2>(x, others...);
}
template <class V>
inline constexpr int kHalfBits = 4 * sizeof(typename V::value_type);

/// The largest power of two that divides both; 0 if both are 0.
template <class V>
LANEWISE_INLINE V common_power(V a, V b) noexcept {
  return (a | b) & -(a | b);
}

/// The odd part of what divides both, by subtraction and shifts (Stein, 1967); 0 if both are 0.
template <class V>
inline V odd_common_divisor(V x, V y) noexcept {
  const V zero(typename V::value_type(0)), one(typename V::value_type(1));
  const auto alone = x == zero;
  V a = vec::select(alone, y, x);
  V b = vec::select(alone, zero, y);
  divide_by_power<kHalfBits<V>>(a);
  while (vec::any(b != zero)) {
    divide_by_power<2>(b);  // which is seldom too little
    const auto odd = (b & one) == one, less = a < b;
    const V difference = vec::select(less, b - a, a - b);
    a = vec::select(less, a, vec::select(odd, b, a));
    b = vec::select(odd, difference, b);
  }
  return a;
}

/// d such that odd * d is 1 modulo 2 to the bits of T: each step of Newton's doubles the bits that are right, of which three are at
/// the start.
template <class V>
inline V inverse_of_odd(V odd) noexcept {
  V d = odd;
  for (std::size_t bits = 3; bits < 8 * sizeof(typename V::value_type); bits *= 2)
    d = d * (V(typename V::value_type(2)) - odd * d);
  return d;
}

/// x / d where d divides x.
template <class V>
inline V exact_quotient(V x, V d) noexcept {
  divide_by_power<kHalfBits<V>>(d, x);
  return x * inverse_of_odd(d);
}

}  // namespace lanewise::kernels::LANEWISE_ISA
