#pragma once

#include <lanewise/vec/math/sin_cos.h>

// Trigonometry in half turns: sin(pi x) has its zeros exactly at the integers.

namespace lanewise::vec {
inline namespace LANEWISE_ISA {
namespace detail {

/// sin(pi x) and cos(pi x); the reduction is exact for every x. NaN for infinities. A zero sine has the sign
/// of x, a zero cosine is positive (IEEE 754).
LANEWISE_INLINE SinCos<double> sin_cos_pi(Vec<double> x) {
  using V = Vec<double>;
  using I = Vec<std::int64_t>;
  const V turn = x - V(2.0) * round(V(0.5) * x);  // in [-1, 1]
  const V t = turn + turn + V(kTrigMagic);
  const V r = fnma(V(0.5), t - V(kTrigMagic), turn);  // in [-1/4, 1/4]
  Pair<double> angle = two_product(r, V(kPi1));
  angle.lo = fma(r, V(kPi2), angle.lo);
  const SinCosPairs p = sin_cos_reduced(angle);
  const V s = p.sin.hi + p.sin.lo;
  const V c = p.cos.hi + p.cos.lo;
  const I q = as_int(t);
  const Mask<double> odd = mask_cast<double>((q & I(1)) != I(0));
  const V zero(0.0);
  const V sine = bitcast<double>(as_int(select(odd, c, s)) ^ ((q & I(2)) << 62));
  const V cosine = bitcast<double>(as_int(select(odd, s, c)) ^ (((q + I(1)) & I(2)) << 62));
  return {select(sine == zero, copysign(zero, x), sine), select(cosine == zero, zero, cosine)};
}

}  // namespace detail

/// sin(pi x). Error: 1.2 ULP (f64), 0.51 ULP (f32).
LANEWISE_INLINE Vec<double> sin_pi(Vec<double> x) { return detail::sin_cos_pi(x).sin; }
/// cos(pi x). Error: 1.2 ULP (f64), 0.51 ULP (f32).
LANEWISE_INLINE Vec<double> cos_pi(Vec<double> x) { return detail::sin_cos_pi(x).cos; }
/// sin(pi x) / (pi x), 1 at 0, NaN for infinities. Error: 2 ULP (f64), 0.51 ULP (f32); 0 at the other
/// integers.
LANEWISE_INLINE Vec<double> sinc(Vec<double> x) {
  using V = Vec<double>;
  // 1 - (pi x)^2 / 6 near 0, where a product of denormals would lose its digits.
  return select(abs(x) < V(0x1p-28), V(1.0), sin_pi(x) / (V(detail::kPi1) * x));
}

LANEWISE_INLINE Vec<float> sin_pi(Vec<float> x) {
  return in_double(
      x, [](Vec<double> d) __attribute__((always_inline)) { return sin_pi(d); });
}
LANEWISE_INLINE Vec<float> cos_pi(Vec<float> x) {
  return in_double(
      x, [](Vec<double> d) __attribute__((always_inline)) { return cos_pi(d); });
}
LANEWISE_INLINE Vec<float> sinc(Vec<float> x) {
  return in_double(
      x, [](Vec<double> d) __attribute__((always_inline)) { return sinc(d); });
}

}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
