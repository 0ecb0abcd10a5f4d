#pragma once

#include <lanewise/vec/math/pair.h>

namespace lanewise::vec {
inline namespace LANEWISE_ISA {
namespace detail {

template <class T>
inline constexpr T kRsqrtLimit = sizeof(T) == 4 ? T(0x1p126f) : T(0x1p1022);

/// Where 1 / x is denormal, infinite or the root of a negative number.
template <class T>
[[gnu::noinline, gnu::cold]] Vec<T> rsqrt_slow(Vec<T> x) {
  const Mask<T> huge = x > Vec<T>(T(1));
  const Vec<T> down(T(0x1p-100f));
  const Vec<T> up(T(0x1p100f));
  const Mask<T> moved = ((x > Vec<T>(kRsqrtLimit<T>)) & isfinite(x)) |
                        ((x < Vec<T>(std::numeric_limits<T>::min())) & (x > Vec<T>(T(0))));
  const Vec<T> scale = select(moved, select(huge, down, up), Vec<T>(T(1)));
  const Vec<T> back = select(moved, select(huge, Vec<T>(T(0x1p-50f)), Vec<T>(T(0x1p50f))), Vec<T>(T(1)));
  const Vec<T> r = sqrt(Vec<T>(T(1)) / (x * scale)) * back;
  const Vec<T> nan(std::numeric_limits<T>::quiet_NaN());
  return select(x == Vec<T>(T(0)), Vec<T>(T(1)) / x, select(x < Vec<T>(T(0)), nan, r));
}

}  // namespace detail

/// 1 / sqrt(x), as the root of the reciprocal: halving its relative error is what keeps this within 1 ULP.
/// Error: 0.85 ULP. rsqrt(+-0) is +-infinity, of infinity 0, of negative numbers NaN.
template <Real T>
LANEWISE_INLINE Vec<T> rsqrt(Vec<T> x) {
  const Mask<T> inside = (x >= Vec<T>(std::numeric_limits<T>::min())) & (x <= Vec<T>(detail::kRsqrtLimit<T>));
  if (__builtin_expect(!inside.all(), 0)) return detail::rsqrt_slow(x);
  return sqrt(Vec<T>(T(1)) / x);
}

namespace detail {

/// The range of the larger operand in which squares neither over- nor underflow.
template <class T>
inline constexpr T kHypotSafe = sizeof(T) == 4 ? T(0x1p40f) : T(0x1p400);
/// Beside the square of the larger one nothing, but a normal number.
template <class T>
inline constexpr T kHypotLeast = sizeof(T) == 4 ? T(0x1p-120f) : T(0x1p-900);

template <class T>
LANEWISE_INLINE Vec<T> hypot_inside(Vec<T> larger, Vec<T> smaller) {
  return sqrt(fma(larger, larger, fma(smaller, smaller, Vec<T>(kHypotLeast<T>))));
}
/// Tiny, huge, zero, infinite or NaN operands: scaled by a power of two.
template <class T>
[[gnu::noinline]] Vec<T> hypot_slow(Vec<T> ax, Vec<T> ay) {
  const Vec<T> inf(std::numeric_limits<T>::infinity());
  const Vec<T> larger = maximum(ax, ay);
  const Vec<T> smaller = minimum(ax, ay);
  const Vec<T> scale = inverse_scale(larger);
  const Vec<T> root = hypot_inside(larger * scale, smaller * scale) / scale;
  const Vec<T> r = select(larger == Vec<T>(T(0)), larger, root);
  return select((ax == inf) | (ay == inf), inf, r);
}
/// sqrt(x^2 + y^2) of magnitudes.
template <class T>
LANEWISE_INLINE Vec<T> hypot_of_magnitudes(Vec<T> ax, Vec<T> ay) {
  const Vec<T> larger = max_or_second(ax, ay);
  const Vec<T> smaller = min_or_second(ax, ay);
  const Mask<T> inside = (larger >= Vec<T>(T(1) / kHypotSafe<T>)) & (ax + ay <= Vec<T>(kHypotSafe<T>));
  if (__builtin_expect(!inside.all(), 0)) return hypot_slow(ax, ay);
  return hypot_inside(larger, smaller);
}

}  // namespace detail

/// sqrt(x^2 + y^2) without over- or underflow in between. Error: 0.96 ULP. Infinite if either is, even beside
/// NaN.
template <Real T>
LANEWISE_INLINE Vec<T> hypot(Vec<T> x, Vec<T> y) {
  return detail::hypot_of_magnitudes(abs(x), abs(y));
}
/// Magnitude of a complex number (see hypot).
template <Real T>
LANEWISE_INLINE Vec<T> abs(Vec<std::complex<T>> z) {
  return hypot(z.re, z.im);
}

}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
