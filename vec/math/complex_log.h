#pragma once

#include <lanewise/vec/math/atan.h>
#include <lanewise/vec/math/complex_exp.h>
#include <lanewise/vec/math/root.h>

// Complex functions made of logarithms, angles and roots.

namespace lanewise::vec {
inline namespace LANEWISE_ISA {
namespace detail {

/// log |z| for |z| neither tiny nor huge: half the logarithm of re^2 + im^2, which is kept in a pair so that
/// nothing is lost near 1. `exponent` is added to the binary exponent of |z|^2.
template <class T>
LANEWISE_INLINE Vec<T> log_abs_inside(Vec<T> larger, Vec<T> smaller, Vec<T> exponent) {
  const Pair<T> a = two_product(larger, larger);
  const Pair<T> b = two_product(smaller, smaller);
  Pair<T> u = fast_two_sum(a.hi, b.hi);
  u.lo = u.lo + (a.lo + b.lo);
  LogReduction<T> r = reduce_log(u.hi);
  r.e = r.e + exponent;
  return Vec<T>(T(0.5)) * log_of_pair(u, r);
}
template <class T>
[[gnu::noinline]] Vec<T> log_abs_slow(Vec<T> ax, Vec<T> ay) {
  using I = SignedOf<T>;
  constexpr int kMantissa = std::numeric_limits<T>::digits - 1;
  const Vec<T> inf(std::numeric_limits<T>::infinity());
  const Vec<T> zero(T(0));
  // Denormals first become normal, then the larger comes to lie in [1, 2).
  const Vec<T> larger = maximum(ax, ay);
  const Mask<T> denormal = larger < Vec<T>(std::numeric_limits<T>::min());
  const Vec<T> up = scale_denormal(larger, denormal);
  const Vec<T> scale = inverse_scale(up);
  // scale is 2^-k: k from its bits.
  const Vec<I> k = Vec<I>(I(std::numeric_limits<T>::max_exponent - 1)) - (as_int(scale) >> kMantissa);
  const Vec<T> exponent = convert<T>(k) - select(denormal, Vec<T>(T(kDenormalShift<T>)), zero);
  const Vec<T> a = up * scale;
  const Vec<T> b = scale_denormal(minimum(ax, ay), denormal) * scale;
  Vec<T> r = log_abs_inside(a, b, exponent + exponent);
  r = select(isnan(larger), larger, r);
  r = select(larger == zero, -inf, r);
  return select((ax == inf) | (ay == inf), inf, r);
}
template <class T>
LANEWISE_INLINE Vec<T> log_abs(Vec<T> x, Vec<T> y) {
  const Vec<T> ax = abs(x);
  const Vec<T> ay = abs(y);
  const Vec<T> larger = max_or_second(ax, ay);
  const Mask<T> inside = (larger >= Vec<T>(T(1) / kHypotSafe<T>)) & (ax + ay <= Vec<T>(kHypotSafe<T>));
  if (__builtin_expect(!inside.all(), 0)) return log_abs_slow(ax, ay);
  return log_abs_inside(larger, min_or_second(ax, ay), Vec<T>(T(0)));
}

}  // namespace detail

/// Angle of a complex number, in [-pi, pi] (see atan2).
template <Real T>
LANEWISE_INLINE Vec<T> angle(Vec<std::complex<T>> z) {
  return atan2(z.im, z.re);
}
/// Angle of a real number: pi below 0, else 0; NaN of NaN.
template <Real T>
LANEWISE_INLINE Vec<T> angle(Vec<T> x) {
  const Vec<T> zero(T(0));
  return select(isnan(x), x, select(x < zero, Vec<T>(detail::AtanConstants<T>::kHalfPiHi * T(2)), zero));
}

/// Natural logarithm, principal value. Error: 1.6 ULP per component, also near |z| = 1.
template <Real T>
LANEWISE_INLINE Vec<std::complex<T>> log(Vec<std::complex<T>> z) {
  return {detail::log_abs(z.re, z.im), angle(z)};
}
/// log z / log 2.
template <Real T>
LANEWISE_INLINE Vec<std::complex<T>> log2(Vec<std::complex<T>> z) {
  const Vec<std::complex<T>> l = log(z);
  const Vec<T> factor(T(0x1.71547652b82fep+0));
  return {l.re * factor, l.im * factor};
}
/// log z / log 10.
template <Real T>
LANEWISE_INLINE Vec<std::complex<T>> log10(Vec<std::complex<T>> z) {
  const Vec<std::complex<T>> l = log(z);
  const Vec<T> factor(T(0x1.bcb7b1526e50ep-2));
  return {l.re * factor, l.im * factor};
}

namespace detail {

/// The root with s = sqrt((|re| + |z|) / 2) as one component and |im| / (2 s) as the other.
template <class T>
LANEWISE_INLINE Complex<T> sqrt_of(Complex<T> z, Vec<T> s) {
  const Vec<T> t = abs(z.im) / (s + s);
  const Mask<T> left = z.re < Vec<T>(T(0));
  return {select(left, t, s), copysign(select(left, s, t), z.im)};
}
template <class T>
LANEWISE_INLINE Vec<T> half_sum_root(Vec<T> ax, Vec<T> magnitude) {
  return sqrt(Vec<T>(T(0.5)) * (ax + magnitude));
}
template <class T>
[[gnu::noinline]] Complex<T> sqrt_slow(Complex<T> z) {
  const Vec<T> zero(T(0));
  const Vec<T> inf(std::numeric_limits<T>::infinity());
  const Vec<T> ax = abs(z.re);
  const Vec<T> ay = abs(z.im);
  const Vec<T> larger = maximum(ax, ay);
  const Vec<T> one(T(1));
  const Mask<T> huge = larger > one;
  const Mask<T> moved = (larger > Vec<T>(kHypotSafe<T>)) | (larger < Vec<T>(T(1) / kHypotSafe<T>));
  const Vec<T> scale = select(moved, select(huge, Vec<T>(T(0x1p-100f)), Vec<T>(T(0x1p100f))), one);
  const Vec<T> back = select(moved, select(huge, Vec<T>(T(0x1p50f)), Vec<T>(T(0x1p-50f))), one);
  const Vec<T> s = half_sum_root(ax * scale, hypot_of_magnitudes(ax * scale, ay * scale));
  Complex<T> r = sqrt_of(z, s * back);
  const Mask<T> at_zero = larger == zero;
  r.re = select(at_zero, zero, r.re);
  r.im = select(at_zero, z.im, r.im);
  // Infinities, C99 annex G.6.4.2.
  const Mask<T> right = (ax == inf) & ~signbit(z.re);
  const Mask<T> left = (ax == inf) & signbit(z.re);
  const Vec<T> unknown = select(isnan(z.im), z.im, zero);
  r.re = select(right, inf, select(left, unknown, r.re));
  r.im = select(right, copysign(unknown, z.im), select(left, copysign(inf, z.im), r.im));
  const Mask<T> vertical = ay == inf;
  r.re = select(vertical, inf, r.re);
  r.im = select(vertical, z.im, r.im);
  return r;
}

}  // namespace detail

/// Principal square root. Error: 2.5 ULP. Special values as in C99 annex G.
template <Real T>
LANEWISE_INLINE Vec<std::complex<T>> sqrt(Vec<std::complex<T>> z) {
  const Vec<T> ax = abs(z.re);
  const Vec<T> ay = abs(z.im);
  const Vec<T> larger = detail::max_or_second(ax, ay);
  const Mask<T> inside =
      (larger >= Vec<T>(T(1) / detail::kHypotSafe<T>)) & (ax + ay <= Vec<T>(detail::kHypotSafe<T>));
  if (__builtin_expect(!inside.all(), 0)) return detail::sqrt_slow(z);
  const Vec<T> magnitude = detail::hypot_inside(larger, detail::min_or_second(ax, ay));
  return detail::sqrt_of(z, detail::half_sum_root(ax, magnitude));
}
/// 1 / sqrt z.
template <Real T>
LANEWISE_INLINE Vec<std::complex<T>> rsqrt(Vec<std::complex<T>> z) {
  return reciprocal(sqrt(z));
}

namespace detail {
template <class T>
LANEWISE_INLINE Complex<T> pow_by_log(Complex<T> z, Complex<T> w) {
  return exp(w * log(z));
}
}  // namespace detail

/// z^w = e^(w log z), principal value. z^0 is 1; 0^w is 0 where re w > 0. Its relative error is about |w log
/// z| ULP; complex64 is computed in complex128.
LANEWISE_INLINE Vec<std::complex<double>> pow(Vec<std::complex<double>> z, Vec<std::complex<double>> w) {
  using V = Vec<std::complex<double>>;
  const Vec<double> zero(0.0);
  const V r = detail::pow_by_log(z, w);
  const Mask<double> vanishes = (z.re == zero) & (z.im == zero) & (w.re > zero);
  const Mask<double> one = (w.re == zero) & (w.im == zero);
  return {select(one, Vec<double>(1.0), select(vanishes, zero, r.re)), select(one | vanishes, zero, r.im)};
}
LANEWISE_INLINE Vec<std::complex<float>> pow(Vec<std::complex<float>> z, Vec<std::complex<float>> w) {
  using V = Vec<std::complex<double>>;
  const WidePair zr = widen(z.re);
  const WidePair zi = widen(z.im);
  const WidePair wr = widen(w.re);
  const WidePair wi = widen(w.im);
  const V low = pow(V(zr.low, zi.low), V(wr.low, wi.low));
  const V high = pow(V(zr.high, zi.high), V(wr.high, wi.high));
  return {narrow(low.re, high.re), narrow(low.im, high.im)};
}

}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
