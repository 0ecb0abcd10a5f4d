#pragma once

#include <lanewise/vec/arithmetic.h>
#include <lanewise/vec/convert.h>

// Exact functions on the representation of floats.

namespace lanewise::vec {
inline namespace LANEWISE_ISA {

template <class T>
struct Frexp {
  Vec<T> mantissa;
  Vec<detail::SignedOf<T>> exponent;
};
/// x = mantissa * 2^exponent with 1/2 <= |mantissa| < 1. Zeros, infinities and NaN are their own mantissa,
/// exponent 0.
template <Real T>
LANEWISE_INLINE Frexp<T> frexp(Vec<T> x) {
  using I = detail::SignedOf<T>;
  constexpr int kMantissa = std::numeric_limits<T>::digits - 1;
  constexpr I kBias = std::numeric_limits<T>::max_exponent - 2;  // of 1/2
  constexpr I kMask = I(2 * kBias + 3);                          // all exponent bits
  const Vec<T> zero(T(0));
  const Mask<T> denormal = abs(x) < Vec<T>(std::numeric_limits<T>::min());
  const Vec<T> up = select(denormal, x * Vec<T>(sizeof(T) == 4 ? T(0x1p24f) : T(0x1p54)), x);
  const Vec<I> shift = select(mask_cast<I>(denormal), Vec<I>(I(sizeof(T) == 4 ? 24 : 54)), Vec<I>(I(0)));
  const Vec<I> bits = detail::as_int(up);
  const Vec<I> e = ((bits >> kMantissa) & Vec<I>(kMask)) - Vec<I>(kBias) - shift;
  const Vec<T> m = bitcast<T>((bits & ~Vec<I>(I(kMask << kMantissa))) | Vec<I>(I(kBias << kMantissa)));
  const Mask<T> itself = (x == zero) | ~isfinite(x);
  return {select(itself, x, m), select(mask_cast<I>(itself), Vec<I>(I(0)), e)};
}

/// x * 2^n, rounded once.
template <Real T>
LANEWISE_INLINE Vec<T> ldexp(Vec<T> x, Vec<detail::SignedOf<T>> n) {
  using I = detail::SignedOf<T>;
  constexpr int kMantissa = std::numeric_limits<T>::digits - 1;
  constexpr I kBias = std::numeric_limits<T>::max_exponent - 1;
  const Vec<I> low(I(1 - kBias));
  const Vec<I> high(kBias);
  const auto power = [](Vec<I> e) __attribute__((always_inline)) {
    return bitcast<T>((e + Vec<I>(kBias)) << kMantissa);
  };
  // In up to three steps. Downwards the last is the largest and the only one that rounds to denormals, or the
  // result is 0.
  const Vec<I> kept = maximum(minimum(n, Vec<I>(I(3 * kBias))), Vec<I>(I(3 * (1 - kBias))));
  const Vec<I> last = maximum(minimum(kept, high), low);
  const Vec<I> rest = kept - last;
  const Vec<I> second = maximum(minimum(rest, high), low);
  return ((x * power(rest - second)) * power(second)) * power(last);
}

/// The neighbour of x towards y; y where they are equal.
template <Real T>
LANEWISE_INLINE Vec<T> nextafter(Vec<T> x, Vec<T> y) {
  using I = detail::SignedOf<T>;
  const Vec<T> zero(T(0));
  const Vec<I> bits = detail::as_int(x);
  const Mask<T> away = (y > x) ^ (x < zero);  // of zero
  const Vec<I> step = select(mask_cast<I>(away), Vec<I>(I(1)), Vec<I>(I(-1)));
  const Vec<T> from_zero = copysign(Vec<T>(std::numeric_limits<T>::denorm_min()), y);
  const Vec<T> r = select(x == zero, from_zero, bitcast<T>(bits + step));
  return select(isnan(x) | isnan(y), x + y, select(x == y, y, r));
}

/// 0 below 0 and for NaN, 1 above, `at_zero` at 0. For every type that has an order.
template <class T>
  requires std::is_arithmetic_v<T>
LANEWISE_INLINE Vec<T> heaviside(Vec<T> x, Vec<T> at_zero) {
  const Vec<T> zero(T(0));
  return select(x == zero, in_register(at_zero), from_mask(x > zero));
}
/// For bool: true where x or `at_zero` is.
LANEWISE_INLINE Vec<bool> heaviside(Vec<bool> x, Vec<bool> at_zero) { return x | at_zero; }

}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
