#pragma once

#include <lanewise/vec/math/erfc.h>

// erfc times e^(x^2), and the normal distribution built on it.

namespace lanewise::vec {
inline namespace LANEWISE_ISA {
namespace detail {

/// From 1/2 on G(t) / (1 + 2 x), from 27.5 on the asymptotic series.
LANEWISE_INLINE Vec<double> erfcx_right(Vec<double> x) {
  using V = Vec<double>;
  const V limit(27.5);
  const V one(1.0);
  const V kept = min_or_second(limit, x);
  const V near = divide(erfc_factor(kept), two_sum(kept + kept, one));
  const V inverse = one / x;
  const V z = inverse * inverse;
  const V series = horner(z, 1.0, -0.5, 0.75, -1.875, 6.5625, -29.53125, 162.421875) *
                   V(0x1.20dd750429b6dp-1);  // 1 / sqrt(pi)
  return select(x > limit, inverse * series, near);
}
/// e^(hi + lo) for a square.
LANEWISE_INLINE Vec<double> exp_of_square(Pair<double> square) {
  using C = ExpConstants<double>;
  const Vec<double> kept = min_or_second(Vec<double>(C::kOverflow), square.hi);
  const Vec<double> e = exp(kept);
  return select(kept == square.hi, fma(e, square.lo, e), e);
}
[[gnu::noinline]] inline Vec<double> erfcx(Vec<double> x) {
  using V = Vec<double>;
  const V half(0.5);
  const Mask<double> left = x < half;
  const V right = erfcx_right(select(left, half, x));
  if (!left.any()) return right;
  const V kept = select(left, max_or_second(V(-30.0), x), half);
  return select(left, exp_of_square(two_product(kept, kept)) * erfc(kept), right);
}

/// erfc(|x| / sqrt 2) / 2 for |x| > 0.71.
LANEWISE_INLINE Vec<double> ndtr_tail(Vec<double> ax) {
  using V = Vec<double>;
  const V kept = max_or_second(V(0.75), min_or_second(V(39.0), ax));
  Pair<double> square = two_product(kept, kept);
  square.hi = V(0.5) * square.hi;
  square.lo = V(0.5) * square.lo;
  return V(0.5) * erfc_tail(kept * V(0x1.6a09e667f3bcdp-1), square);
}
[[gnu::noinline]] inline Vec<double> ndtr(Vec<double> x) {
  using V = Vec<double>;
  const V half(0.5);
  const V ax = abs(x);
  const V tail = ndtr_tail(ax);
  const V centre = fma(half, erf(x * V(0x1.6a09e667f3bcdp-1)), half);
  const V r = select(ax < V(0.75), centre, select(signbit(x), tail, V(1.0) - tail));
  return select(isnan(x), x, r);
}
/// The same to 2^-27, for f32: near 0 by the Taylor series.
LANEWISE_INLINE Vec<double> short_ndtr(Vec<double> x) {
  using V = Vec<double>;
  const V half(0.5);
  const V limit(0.75);
  const V ax = abs(x);
  const V kept = max_or_second(limit, min_or_second(V(14.8), ax));
  const V tail = half * short_erfc_tail(kept * V(0x1.6a09e667f3bcdp-1));
  const V series = polynomial(x * x, 1.0, -1.0 / 6, 1.0 / 40, -1.0 / 336, 1.0 / 3456, -1.0 / 42240,
                              1.0 / 599040, -1.0 / 9676800);
  const V centre = fma(x * V(0x1.9884533d43651p-2), series, half);  // 1 / sqrt(2 pi)
  const V r = select(ax < limit, centre, select(signbit(x), tail, V(1.0) - tail));
  return select(isnan(x), x, r);
}
[[gnu::noinline]] inline Vec<double> log_ndtr(Vec<double> x) {
  using V = Vec<double>;
  const V half(0.5);
  const Mask<double> left = x < V(-1.0);
  const V right = log1p(-ndtr(-x));
  if (!left.any()) return right;
  const V z = select(left, -x, V(1.0));
  const V scaled = log(half * erfcx_right(z * V(0x1.6a09e667f3bcdp-1))) - (half * z) * z;
  return select(left, scaled, right);
}

}  // namespace detail

/// e^(x^2) erfc x. Error: 4 ULP (f64), 0.51 ULP (f32).
LANEWISE_INLINE Vec<double> erfcx(Vec<double> x) { return detail::erfcx(x); }
LANEWISE_INLINE Vec<float> erfcx(Vec<float> x) {
  return in_double(
      x, [](Vec<double> d) __attribute__((always_inline)) { return detail::erfcx(d); });
}
/// The normal distribution function, erfc(-x / sqrt 2) / 2. Error: 3 ULP (f64), 0.6 ULP (f32), in the left
/// tail too.
LANEWISE_INLINE Vec<double> ndtr(Vec<double> x) { return detail::ndtr(x); }
LANEWISE_INLINE Vec<float> ndtr(Vec<float> x) {
  return in_double(
      x, [](Vec<double> d) __attribute__((always_inline)) { return detail::short_ndtr(d); });
}
/// log ndtr(x), without underflow on the left or cancellation on the right. Error: 4 ULP (f64), 0.51 ULP
/// (f32).
LANEWISE_INLINE Vec<double> log_ndtr(Vec<double> x) { return detail::log_ndtr(x); }
LANEWISE_INLINE Vec<float> log_ndtr(Vec<float> x) {
  return in_double(
      x, [](Vec<double> d) __attribute__((always_inline)) { return detail::log_ndtr(d); });
}

}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
