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
  const Vec<double> e = exp(min_or_second(Vec<double>(C::kOverflow), square.hi));
  return select(isinf(e), e, fma(e, square.lo, e));
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

// To 2^-28, for f32: erfcx of |x| and e^(-x^2) are good from 0 on, so that one form serves everywhere.

/// erfcx x for x >= 0: a polynomial in t = (x - 3) / (x + 3), over 1 + 2 x.
LANEWISE_INLINE Vec<double> short_erfcx_right(Vec<double> x) {
  using V = Vec<double>;
  const V one(1.0);
  const V t = one - V(6.0) / (x + V(3.0));
  const V g =
      polynomial(t, 0x1.40c522d7d0caep+0, -0x1.15c084b38d18bp-3, -0x1.85a15b64b26fap-5, 0x1.0983638d90973p-3,
                 -0x1.e88b88130cedbp-4, 0x1.17ca8c6b9054bp-4, -0x1.8573fc93b8d35p-6, 0x1.4b3bed0742ff1p-9,
                 0x1.eef4682a6dbf4p-10, -0x1.95550f3b177d3p-11, -0x1.b4b7a743c3d4ap-14,
                 0x1.e0cafaa7fa991p-14, 0x1.02f6240e3a8cdp-18, -0x1.81428c9a0be22p-17);
  return g / (x + x + one);
}
/// On the left 2 e^(x^2) - erfcx(-x).
LANEWISE_INLINE Vec<double> short_erfcx(Vec<double> x) {
  using V = Vec<double>;
  const V ax = abs(x);
  const V right = short_erfcx_right(ax);
  const Mask<double> left = x < V(0.0);
  if (!left.any()) return right;
  const V kept = min_or_second(V(20.0), ax);
  return select(left, fma(V(2.0), short_exp(kept * kept), -right), right);
}
struct ShortNdtr {
  Vec<double> half_erfcx;  // of |x| / sqrt 2
  Vec<double> tail;        // ndtr(-|x|)
};
LANEWISE_INLINE ShortNdtr short_ndtr_parts(Vec<double> x) {
  using V = Vec<double>;
  const V ax = abs(x);
  const V half = V(0.5) * short_erfcx_right(ax * V(0x1.6a09e667f3bcdp-1));
  const V kept = min_or_second(V(37.0), ax);
  return {half, half * short_exp(V(-0.5) * kept * kept)};
}
LANEWISE_INLINE Vec<double> short_ndtr(Vec<double> x) {
  const Vec<double> tail = short_ndtr_parts(x).tail;
  return select(x > Vec<double>(0.0), Vec<double>(1.0) - tail, tail);
}
LANEWISE_INLINE Vec<double> short_log_ndtr(Vec<double> x) {
  using V = Vec<double>;
  const V one(1.0);
  const Mask<double> left = x < V(0.0);
  const ShortNdtr parts = short_ndtr_parts(x);
  const V logarithm = short_log(select(left, parts.half_erfcx, one - parts.tail));
  const V small = -parts.tail * polynomial(parts.tail, 1.0, 0.5, 1.0 / 3);
  const V right = select(parts.tail > V(0x1p-12), logarithm, small);  // small of NaN too
  return select(left, fnma(V(0.5) * x, x, logarithm), right);
}

}  // namespace detail

/// e^(x^2) erfc x. Error: 4 ULP (f64), 0.6 ULP (f32).
LANEWISE_INLINE Vec<double> erfcx(Vec<double> x) { return detail::erfcx(x); }
LANEWISE_INLINE Vec<float> erfcx(Vec<float> x) {
  return in_double(
      x, [](Vec<double> d) __attribute__((always_inline)) { return detail::short_erfcx(d); });
}
/// The normal distribution function, erfc(-x / sqrt 2) / 2. Error: 3 ULP (f64), 0.6 ULP (f32), in the left
/// tail too.
LANEWISE_INLINE Vec<double> ndtr(Vec<double> x) { return detail::ndtr(x); }
LANEWISE_INLINE Vec<float> ndtr(Vec<float> x) {
  return in_double(
      x, [](Vec<double> d) __attribute__((always_inline)) { return detail::short_ndtr(d); });
}
/// log ndtr(x), without underflow on the left or cancellation on the right. Error: 4 ULP (f64), 0.6 ULP
/// (f32).
LANEWISE_INLINE Vec<double> log_ndtr(Vec<double> x) { return detail::log_ndtr(x); }
LANEWISE_INLINE Vec<float> log_ndtr(Vec<float> x) {
  return in_double(
      x, [](Vec<double> d) __attribute__((always_inline)) { return detail::short_log_ndtr(d); });
}

}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
