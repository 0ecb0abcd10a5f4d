#pragma once

#include <cmath>
#include <limits>

#include <lanewise/vec/math/float_in_double.h>
#include <lanewise/vec/math/pow_float.h>

namespace lanewise::vec {
inline namespace LANEWISE_ISA {
namespace detail {

/// log m - 2 s as a pair, for s = (m - 1) / (m + 1): s^3 (2/3 + 2/5 s^2 + ...), the first terms in pairs.
LANEWISE_INLINE Pair<double> log_rest(Pair<double> s) {
  using V = Vec<double>;
  const V s2 = s.hi + s.hi;
  Pair<double> z = two_product(s.hi, s.hi);
  z.lo = fma(s2, s.lo, z.lo);
  const V tail =
      polynomial(z.hi, 0x1.9999999999996p-2, 0x1.2492492492f55p-2, 0x1.c71c71c595c2dp-3, 0x1.745d1829d59d0p-3,
                 0x1.3b1364a191c4bp-3, 0x1.112075d674002p-3, 0x1.de3c4bc081d72p-4, 0x1.eacfdf9260ad4p-4);
  Pair<double> q = fast_two_sum(V(0x1.5555555555555p-1), z.hi * tail);
  q.lo = q.lo + V(0x1.5555555555555p-55);
  return multiply(multiply(s, z), q);
}

/// log(2^e m) as a pair, to about 2^-66 of it, so that y log x is good to 2^-56 wherever x^y is finite.
/// With s = (m - 1) / (m + 1): log m = 2 s + s^3 (2/3 + 2/5 s^2 + ...), the first terms in pairs.
LANEWISE_INLINE Pair<double> log_pair(Vec<double> e, Vec<double> m) {
  using V = Vec<double>;
  const V one(1.0);
  const V f = m - one;
  const V sum = m + one;
  const V sum_lo = m - (sum - one);
  const V inverse = one / sum;
  Pair<double> s;
  s.hi = f * inverse;
  s.lo = fnma(s.hi, sum_lo, residual(s.hi, sum, f)) * inverse;
  const V s2 = s.hi + s.hi;
  const Pair<double> rest = log_rest(s);
  const Pair<double> a = fast_two_sum(e * V(LogConstants<double>::kLn2Hi), s2);
  const Pair<double> b = fast_two_sum(a.hi, rest.hi);
  const V low = b.lo + (a.lo + fma(e, V(LogConstants<double>::kLn2Lo), s.lo + s.lo + rest.lo));
  return fast_two_sum(b.hi, low);
}

/// e^(y log x), the logarithm given.
LANEWISE_INLINE Vec<double> exp_of_product(Vec<double> y, Pair<double> log) {
  using V = Vec<double>;
  using C = ExpConstants<double>;
  if constexpr (!kFusedFma) {
    // Splitting y would overflow; x^y is 0, 1 or infinity long before.
    y = max_or_second(V(-0x1p900), min_or_second(V(0x1p900), y));
  }
  Pair<double> p = two_product(y, log.hi);
  p.lo = fma(y, log.lo, p.lo);
  const V kept = keep_above(C::kUnderflow, C::kVanished, min_or_second(V(C::kOverflow), p.hi));
  // Beyond the limits the low part may be NaN, and does not matter.
  const V low = select(kept == p.hi, p.lo, V(0.0));
  ExpReduction<double> e = reduce_exp(kept);
  e.r = fast_two_sum(e.r.hi, e.r.lo + low);
  const Pair<double> m = expm1_reduced(e.r);
  const Pair<double> one = fast_two_sum(V(1.0), m.hi);
  return scale_above(C::kUnderflow, p.hi, one.hi + (one.lo + m.lo), e.t, e.n);
}

/// x^y for normal positive x and finite y.
LANEWISE_INLINE Vec<double> pow_inside(Vec<double> x, Vec<double> y) {
  const LogReduction<double> r = reduce_log(x);
  return exp_of_product(y, log_pair(r.e, r.m));
}

/// Magnitude and sign of x^y where a lane is not inside: C99 annex F.9.4.4. `magnitude` is |x|^y where that
/// is inside.
template <class T>
LANEWISE_INLINE Vec<T> pow_specials(Vec<T> x, Vec<T> y, Vec<T> magnitude) {
  const Vec<T> zero(T(0));
  const Vec<T> one(T(1));
  const Vec<T> inf(std::numeric_limits<T>::infinity());
  const Vec<T> ax = abs(x);
  Vec<T> r = magnitude;
  r = select(ax == zero, select(y < zero, inf, zero), r);
  r = select(ax == inf, select(y > zero, inf, zero), r);
  // Greater than 1 to the infinity, or less than 1 to minus infinity.
  const Mask<T> grows = ((ax > one) & (y == inf)) | ((ax < one) & (y == -inf));
  r = select(abs(y) == inf, select(grows, inf, zero), r);
  r = select(ax == one, one, r);
  const Mask<T> integer = trunc(y) == y;
  const Vec<T> half = y * Vec<T>(T(0.5));
  const Mask<T> odd = integer & (trunc(half) != half);
  const Mask<T> negative = signbit(x);
  r = select(negative & odd, -r, r);
  const Vec<T> nan(std::numeric_limits<T>::quiet_NaN());
  r = select((x < zero) & (ax != inf) & ~integer, nan, r);
  r = select(isnan(x) | isnan(y), nan, r);
  return select((y == zero) | (x == one), one, r);
}

[[gnu::noinline]] inline Vec<double> pow_slow(Vec<double> x, Vec<double> y) {
  using V = Vec<double>;
  const V ax = abs(x);
  const Mask<double> denormal = ax < V(std::numeric_limits<double>::min());
  const V scaled = scale_denormal(ax, denormal);
  const LogReduction<double> r = reduce_log(scaled);
  const V e = r.e - select(denormal, V(double(kDenormalShift<double>)), V(0.0));
  return pow_specials(x, y, exp_of_product(y, log_pair(e, r.m)));
}
#if defined(LANEWISE_ISA_SSE4_2)
[[gnu::noinline]] inline Vec<float> pow_slow(Vec<float> x, Vec<float> y, Vec<float> inside) {
  return pow_specials(x, y, inside);
}
#else
[[gnu::noinline]] inline Vec<float> pow_slow(Vec<float> x, Vec<float> y, Vec<float> y_lo) {
  using V = Vec<float>;
  using C = ExpConstants<float>;
  const V ax = abs(x);
  const Mask<float> denormal = ax < V(std::numeric_limits<float>::min());
  PowReduction reduced = reduce_pow(scale_denormal(ax, denormal));
  reduced.minus_e = reduced.minus_e + select(denormal, V(float(kDenormalShift<float>)), V(0.0f));
  // x^y is 0, 1 or infinity beyond these limits of y.
  const V bounded = max_or_second(V(-0x1p40f), min_or_second(V(0x1p40f), y));
  const Pair<float> p = pow_product(pow_log(reduced), bounded, y_lo);
  const V limited = max_or_second(V(C::kVanished), min_or_second(V(C::kOverflow), p.hi));
  const V kept = keep_above(C::kUnderflow, C::kVanished, limited);
  const PowExp e = pow_exp({kept, select(kept == p.hi, p.lo, V(0.0f))});
  const V n = floor(e.exponent);
  return pow_specials(x, y, scale_above(C::kUnderflow, p.hi, e.value, n + V(C::kMagic), n));
}
#endif

}  // namespace detail

/// x^y. Error: 0.9 ULP (f32; without fma 0.55 ULP), 0.75 ULP (f64). Special values as in C99: pow(x, 0) and
/// pow(1, y) are 1 even for NaN, negative x to a power that is no integer is NaN.
LANEWISE_INLINE Vec<double> pow(Vec<double> x, Vec<double> y) {
  const Mask<double> inside = detail::positive_normal(x) & isfinite(y);
  if (__builtin_expect(!inside.all(), 0)) return detail::pow_slow(x, y);
  return detail::pow_inside(x, y);
}
#if defined(LANEWISE_ISA_SSE4_2)
LANEWISE_INLINE Vec<float> pow(Vec<float> x, Vec<float> y) {
  // All floats but 0 are normal doubles, and y log x is good to 2^-30 in one double.
  const Vec<float> r = in_double(
      abs(x), y, [](Vec<double> a, Vec<double> b) __attribute__((always_inline)) {
        const Vec<double> p = b * detail::short_log(a);
        return detail::short_exp(
            detail::max_or_second(Vec<double>(-500.0), detail::min_or_second(Vec<double>(500.0), p)));
      });
  const Mask<float> inside =
      (x > Vec<float>(0.0f)) & (x < Vec<float>(std::numeric_limits<float>::infinity())) & isfinite(y);
  if (__builtin_expect(!inside.all(), 0)) return detail::pow_slow(x, y, r);
  return r;
}
#else
LANEWISE_INLINE Vec<float> pow(Vec<float> x, Vec<float> y) {
  const detail::PowReduction reduced = detail::reduce_pow_inside(x);
  const detail::Pair<float> p = detail::pow_product(detail::pow_log(reduced), y);
  const Mask<float> inside = reduced.inside & (abs(p.hi) <= Vec<float>(detail::kPowNormal));
  if (__builtin_expect(!inside.all(), 0)) return detail::pow_slow(x, y, Vec<float>(0.0f));
  return detail::scale_normal(detail::pow_exp(p));
}
#endif

/// One exponent for many f32 numbers, with what f32 loses of a double: x^(1/3) of large x would be 6 ULP off without it, and
/// (-1)^(2^31 - 1) would be 1.
struct PowExponent {
  double value;
  float hi;  ///< finite and normal if value is finite and not 0; beyond, powers are 0, 1 and infinity already
  float lo = 0;
  bool integer;
  bool odd;

  explicit PowExponent(double y) : value(y), hi(static_cast<float>(y)), integer(std::trunc(y) == y) {
    odd = integer && std::trunc(y / 2) != y / 2;
    constexpr float kMost = std::numeric_limits<float>::max(), kLeast = std::numeric_limits<float>::min();
    if (!std::isfinite(y) || y == 0) return;
    if (std::abs(y) > kMost || std::abs(y) < kLeast) {
      hi = std::copysign(std::abs(y) > 1 ? kMost : kLeast, hi);
    } else {
      lo = static_cast<float>(y - hi);
    }
  }
};

namespace detail {

/// The power of a number of any sign, given that of its magnitude.
LANEWISE_INLINE Vec<float> with_sign_of_power(Vec<float> x, const PowExponent& y, Vec<float> magnitude) {
  using V = Vec<float>;
  if (y.odd) return copysign(magnitude, x);
  if (y.integer) return magnitude;
  const Mask<float> none = (x < V(0.0f)) & (x != V(-std::numeric_limits<float>::infinity()));
  return select(none, V(std::numeric_limits<float>::quiet_NaN()), magnitude);
}
#if defined(LANEWISE_ISA_SSE4_2)
[[gnu::noinline]] inline Vec<float> pow_slow(Vec<float> x, const PowExponent& y, Vec<float> inside) {
  return with_sign_of_power(x, y, pow_slow(abs(x), Vec<float>(y.hi), inside));
}
#else
[[gnu::noinline]] inline Vec<float> pow_slow(Vec<float> x, const PowExponent& y) {
  return with_sign_of_power(x, y, pow_slow(abs(x), Vec<float>(y.hi), Vec<float>(y.lo)));
}
#endif

}  // namespace detail

/// The same for one exponent, which counts as the double that it is. Error: 0.9 ULP; without fma 0.55 ULP.
LANEWISE_INLINE Vec<float> pow(Vec<float> x, const PowExponent& y) {
#if defined(LANEWISE_ISA_SSE4_2)
  const double value = y.value;
  const Vec<float> r = in_double(
      abs(x), [value](Vec<double> a) __attribute__((always_inline)) {
        const Vec<double> p = Vec<double>(value) * detail::short_log(a);
        return detail::short_exp(
            detail::max_or_second(Vec<double>(-500.0), detail::min_or_second(Vec<double>(500.0), p)));
      });
  const Mask<float> inside =
      (x > Vec<float>(0.0f)) & (x < Vec<float>(std::numeric_limits<float>::infinity()));
  if (__builtin_expect(!inside.all() || !std::isfinite(value), 0)) return detail::pow_slow(x, y, r);
  return r;
#else
  const detail::PowReduction reduced = detail::reduce_pow_inside(x);
  const detail::Pair<float> p =
      detail::pow_product(detail::pow_log(reduced), Vec<float>(y.hi), Vec<float>(y.lo));
  const Mask<float> inside = reduced.inside & (abs(p.hi) <= Vec<float>(detail::kPowNormal));
  if (__builtin_expect(!inside.all(), 0)) return detail::pow_slow(x, y);
  return detail::scale_normal(detail::pow_exp(p));
#endif
}

}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
