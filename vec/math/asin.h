#pragma once

#include <lanewise/vec/math/atan.h>

namespace lanewise::vec {
inline namespace LANEWISE_ISA {
namespace detail {

/// (asin x - x) / x^3 for z = x^2 <= 1/4, minimax to 2^-28 (f32), 2^-60 (f64) of asin.
LANEWISE_INLINE Vec<float> asin_tail(Vec<float> z) {
  return polynomial(z, 0x1.5555ccp-3f, 0x1.3300c6p-4f, 0x1.749ae0p-5f, 0x1.8b08eep-6f, 0x1.5a656ep-5f);
}
LANEWISE_INLINE Vec<double> asin_tail(Vec<double> z) {
  return polynomial(z, 0x1.5555555555578p-3, 0x1.333333332deeep-4, 0x1.6db6db722e51dp-5, 0x1.f1c71a8a3bf04p-6,
                    0x1.6e8be013948dap-6, 0x1.1c49da7ddc9aap-6, 0x1.ca219fed1e40ep-7, 0x1.75746a1edb3cap-7,
                    0x1.619d5cc5fb482p-7, 0x1.e03325f59daf3p-9, 0x1.65602eb3534bfp-6, -0x1.5a8142e4eda48p-6,
                    0x1.0c11675af44ebp-5);
}

/// 1 / (2 x) within an eighth, for normal x: the exponent of x and half its logarithm's fraction, negated.
/// Bits of its own, since the estimates that processors give differ.
LANEWISE_INLINE Vec<float> half_inverse(Vec<float> x) {
  return bitcast<float>(Vec<std::int32_t>(0x7e7311c7) - as_int(x));
}
LANEWISE_INLINE Vec<double> half_inverse(Vec<double> x) {
  return bitcast<double>(Vec<std::int64_t>(0x7fce623822fc16e6) - as_int(x));
}

/// asin |x| where |x| <= 1/2 (`near`), else asin sqrt((1 - |x|) / 2), as a leading part and what is to be
/// added, good absolutely; and the ratio of the two, for small angles.
template <class T>
struct AsinParts {
  Mask<T> near;
  Pair<T> angle;
  Vec<T> ratio;
};
template <class T>
LANEWISE_INLINE AsinParts<T> asin_parts(Vec<T> ax) {
  const Vec<T> half(T(0.5));
  const Mask<T> near = ax <= half;
  const Vec<T> z = select(near, normal_square(ax), fnma(half, ax, half));
  const Vec<T> root = sqrt(z);  // near, |x| itself or a little more, so that no product is denormal
  // What the root lost, to an eighth of it.
  const Vec<T> lost = select(near, Vec<T>(T(0)), residual(root, root, z) * half_inverse(root));
  const Vec<T> ratio = z * asin_tail(z);
  return {near, {select(near, ax, root), fma(root, ratio, lost)}, ratio};
}

}  // namespace detail

/// Arc sine, NaN outside [-1, 1]. Error: 0.72 ULP (f32), 0.68 ULP (f64).
template <Real T>
LANEWISE_INLINE Vec<T> asin(Vec<T> x) {
  using C = detail::AtanConstants<T>;
  const Vec<T> ax = abs(x);
  const detail::AsinParts<T> p = detail::asin_parts(ax);
  const Vec<T> two(T(2));
  // pi/2 - 2 angle
  const detail::Pair<T> far = detail::fast_two_sum(Vec<T>(C::kHalfPiHi), -two * p.angle.hi);
  const Vec<T> far_sum = far.hi + (far.lo + fnma(two, p.angle.lo, Vec<T>(C::kHalfPiLo)));
  return copysign(select(p.near, fma(ax, p.ratio, ax), far_sum), x);
}

/// Arc cosine, NaN outside [-1, 1]. Error: 0.70 ULP (f32), 0.65 ULP (f64).
template <Real T>
LANEWISE_INLINE Vec<T> acos(Vec<T> x) {
  using C = detail::AtanConstants<T>;
  const Vec<T> zero(T(0));
  const detail::AsinParts<T> p = detail::asin_parts(abs(x));
  const Mask<T> negative = x < zero;
  // near: pi/2 -+ angle; else 2 angle, or pi - 2 angle.
  const Vec<T> sign = select(p.near ^ negative, sign_mask<T>(), zero);
  const Vec<T> factor = select(p.near, Vec<T>(T(1)), Vec<T>(T(2)));
  const Vec<T> quarters = select(p.near, Vec<T>(T(1)), select(negative, Vec<T>(T(2)), zero));
  const Vec<T> hi = detail::bit_xor(factor * p.angle.hi, sign);
  const Vec<T> lo = detail::bit_xor(factor * p.angle.lo, sign);
  const detail::Pair<T> s = detail::fast_two_sum(quarters * Vec<T>(C::kHalfPiHi), hi);
  return s.hi + (s.lo + fma(quarters, Vec<T>(C::kHalfPiLo), lo));
}

}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
