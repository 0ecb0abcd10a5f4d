#pragma once

#include <bit>
#include <limits>

#include <lanewise/vec/math/pair.h>

// Remainders, exact for all arguments.

namespace lanewise::vec {
inline namespace LANEWISE_ISA {
namespace detail {

/// |x| mod |y| for finite |x| >= |y| > 0 by long division of the mantissas.
template <class T>
T long_remainder(T x, T y) noexcept {
  using Bits = UnsignedOf<T>;
  constexpr int kMantissa = std::numeric_limits<T>::digits - 1;
  constexpr Bits kHidden = Bits{1} << kMantissa;
  constexpr Bits kFraction = kHidden - 1;
  constexpr Bits kMagnitude = std::numeric_limits<Bits>::max() >> 1;
  const Bits x_bits = __builtin_bit_cast(Bits, x) & kMagnitude;
  const Bits y_bits = __builtin_bit_cast(Bits, y) & kMagnitude;
  int x_exponent = static_cast<int>(x_bits >> kMantissa);
  int exponent = static_cast<int>(y_bits >> kMantissa);
  const std::uint64_t divisor = (y_bits & kFraction) | (exponent == 0 ? 0 : kHidden);
  std::uint64_t rest = (x_bits & kFraction) | (x_exponent == 0 ? 0 : kHidden);
  x_exponent += x_exponent == 0;  // denormals have the scale of the smallest normal numbers
  exponent += exponent == 0;
  rest %= divisor;
  for (int gap = x_exponent - exponent; gap > 0;) {
    const int shift = gap < 63 - kMantissa ? gap : 63 - kMantissa;
    rest = (rest << shift) % divisor;
    gap -= shift;
  }
  if (rest == 0) return T(0);
  const int missing = std::countl_zero(rest) - (63 - kMantissa);
  const int shift = missing < exponent - 1 ? missing : exponent - 1;
  rest <<= shift;
  exponent -= shift;
  const auto result = static_cast<Bits>(rest);
  return __builtin_bit_cast(
      T, static_cast<Bits>(
             result < kHidden ? result : (result & kFraction) | static_cast<Bits>(exponent) << kMantissa));
}

template <class T>
[[gnu::noinline, gnu::cold]] Vec<T> long_remainders(Vec<T> x, Vec<T> y, Mask<T> which,
                                                    Vec<T> others) noexcept {
  using V = Vec<T>;
  T xs[V::size];
  T ys[V::size];
  T result[V::size];
  bool wanted[V::size];
  x.store(xs);
  y.store(ys);
  others.store(result);
  which.store_bool(wanted);
  for (int i = 0; i < V::size; ++i) {
    if (wanted[i]) result[i] = long_remainder(xs[i], ys[i]);
  }
  return V::load(result);
}

}  // namespace detail

/// x - trunc(x / y) * y without rounding, with the sign of x. NaN for infinite x or y = 0.
template <Real T>
LANEWISE_INLINE Vec<T> fmod(Vec<T> x, Vec<T> y) noexcept {
  using V = Vec<T>;
  constexpr int kDigits = std::numeric_limits<T>::digits;
  const V ax = abs(x);
  const V ay = abs(y);
  const V ratio = ax / ay;
  // The quotient may be one too large where the division rounded up; the difference is exact either way.
  V rest = detail::residual(trunc(ratio), ay, ax);
  rest = select(rest < V(T(0)), rest + ay, rest);
  const auto smaller = ax < ay;
  rest = select(smaller, ax, rest);
  const auto undefined = (y == V(T(0))) | ~isfinite(x) | isnan(y);
  auto exact = ratio < V(static_cast<T>(std::int64_t{1} << (kDigits - 2)));
  if constexpr (!kFusedFma) {  // products in halves neither overflow nor lose bits within
    constexpr T kLarge = kDigits == 24 ? T(0x1p100) : T(0x1p900);
    constexpr T kSmall = kDigits == 24 ? T(0x1p-60) : T(0x1p-800);
    exact = exact & (ax < V(kLarge)) & (ay > V(kSmall));
  }
  const auto left = ~(exact | smaller | undefined);
  if (__builtin_expect(left.any(), 0)) rest = detail::long_remainders(ax, ay, left, rest);
  return select(undefined, x * y / (x * y), copysign(rest, x));
}

/// x - floor(x / y) * y, with the sign of y: the remainder of Python. Exact where fmod and y have the same
/// sign, else rounded once.
template <Real T>
LANEWISE_INLINE Vec<T> remainder(Vec<T> x, Vec<T> y) noexcept {
  const Vec<T> zero(T(0));
  const Vec<T> rest = fmod(x, y);
  const Mask<T> other_side = (rest != zero) & ((rest < zero) ^ (y < zero));
  return select(other_side, rest + y, rest);
}

}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
