#pragma once

#include <lanewise/vec/math/log.h>
#include <lanewise/vec/math/sin_pi.h>

// The first two derivatives of lgamma.

namespace lanewise::vec {
inline namespace LANEWISE_ISA {
namespace detail {

/// digamma on [1, 2], its zero taken out so that it stays accurate around it.
LANEWISE_INLINE Vec<double> digamma_between_one_and_two(Vec<double> x) {
  using V = Vec<double>;
  const V u = x - V(1.5);
  const V p =
      horner(u, 0x1.e6f0cbb873616p-1, -0x1.b1cb63005ee5dp-2, 0x1.eca189b8e6f1ep-3, -0x1.2feeeb98b0270p-3,
             0x1.8512e5904479bp-4, -0x1.fb44201e7cc15p-5, 0x1.4de9aa0fb5a4fp-5, -0x1.b9f8b4ba2e5f5p-6,
             0x1.256473e20cb08p-6, -0x1.8634c5eab0574p-7, 0x1.03c04453f4083p-7, -0x1.5a16d9f65315cp-8,
             0x1.cd35ac17ad344p-9, -0x1.326340580e90ap-9, 0x1.9870a33254ba1p-10, -0x1.1a824f512c76fp-10,
             0x1.78a77705bb558p-11, -0x1.73ff1b7f004e4p-12, 0x1.effae48161573p-13, -0x1.8cc58112556c6p-12,
             0x1.088345f73d8a7p-12);
  const V from_zero = (x - V(0x1.762d86356be3fp+0)) - V(0x1.b86a722197829p-54);
  return from_zero * p;
}
/// For x > 0: the recurrence to [1, 2], upwards from below 1, and the asymptotic series from 8 on.
LANEWISE_INLINE Vec<double> digamma_right(Vec<double> x) {
  using V = Vec<double>;
  const V one(1.0);
  const Mask<double> far = x >= V(8.0);
  const Mask<double> low = x < one;
  const V whole = floor(x);
  // The sum of 1 / (x - k) as one fraction; -1 / x where x < 1.
  V numerator = select(low, -one, V(0.0));
  V denominator = select(low, x, one);
  for (int k = 1; k <= 6; ++k) {
    const V step(static_cast<double>(k));
    const Mask<double> wanted = whole > step;
    const V factor = x - step;
    numerator = select(wanted, fma(numerator, factor, denominator), numerator);
    denominator = select(wanted, denominator * factor, denominator);
  }
  const V reduced = select(low, x + one, x - (whole - one));
  const V near = digamma_between_one_and_two(reduced) + numerator / denominator;
  const V inverse = one / x;
  const V z = inverse * inverse;
  const V series =
      horner(z, 0x1.5555555555555p-4, -0x1.1111111110d4fp-7, 0x1.0410410195bbfp-8, -0x1.11110c0ff8839p-8,
             0x1.f077209c326c0p-8, -0x1.58e68c895ad5bp-6, 0x1.47c69710dec6fp-4, -0x1.329c9079bcef2p-2);
  const V beyond = log(select(far, x, one)) - fma(z, series, V(0.5) * inverse);
  return select(far, beyond, near);
}
/// digamma(1 - x) - pi cot(pi x).
[[gnu::noinline]] inline Vec<double> digamma_left(Vec<double> x, Vec<double> right) {
  using V = Vec<double>;
  const SinCos<double> sc = sin_cos_pi(x);
  const V r = digamma_right(V(1.0) - x) - V(kPi1) * (sc.cos / sc.sin);
  const Mask<double> pole = (sc.sin == V(0.0)) & (x < V(0.0));
  return select(x <= V(0.0), select(pole, V(std::numeric_limits<double>::quiet_NaN()), r), right);
}
[[gnu::noinline]] inline Vec<double> digamma(Vec<double> x) {
  const Vec<double> right = digamma_right(x);
  if ((x <= Vec<double>(0.0)).any()) return digamma_left(x, right);
  return right;
}

/// For x >= 1/2: the recurrence up to 8, the asymptotic series there.
LANEWISE_INLINE Vec<double> trigamma_right(Vec<double> x) {
  using V = Vec<double>;
  const V one(1.0);
  const V limit(8.0);
  V sum(0.0);
  V shifted = x;
  for (int k = 0; k < 8; ++k) {
    const Mask<double> near = shifted < limit;
    sum = sum + select(near, one / (shifted * shifted), V(0.0));
    shifted = select(near, shifted + one, shifted);
  }
  const V inverse = one / shifted;
  const V z = inverse * inverse;
  const V series =
      horner(z, 0x1.5555555555555p-3, -0x1.11111111100fbp-5, 0x1.8618617b7b459p-6, -0x1.1111065760c00p-5,
             0x1.36483713ee3aep-4, -0x1.0273c0acea2e4p-2, 0x1.1bff07a3b5495p+0, -0x1.24d1c876e87ffp+2);
  return sum + fma(V(0.5), z, fma(inverse * z, series, inverse));
}
[[gnu::noinline]] inline Vec<double> trigamma(Vec<double> x) {
  using V = Vec<double>;
  const Mask<double> left = x < V(0.5);
  const V right = trigamma_right(select(left, V(1.0) - x, x));
  if (!left.any()) return right;
  const V ratio = V(kPi1) / sin_pi(x);
  return select(left, fma(ratio, ratio, -right), right);
}

}  // namespace detail

/// Derivative of lgamma. Error: 4 ULP for x > 0; left of 0 4 ULP of pi cot(pi x). f32 is computed in f64.
/// -infinity at 0, +infinity at -0, NaN at the negative integers.
LANEWISE_INLINE Vec<double> digamma(Vec<double> x) { return detail::digamma(x); }
LANEWISE_INLINE Vec<float> digamma(Vec<float> x) {
  return in_double(
      x, [](Vec<double> d) __attribute__((always_inline)) { return detail::digamma(d); });
}
/// Second derivative of lgamma. Error: 4 ULP. Infinite at 0 and the negative integers. f32 is computed in
/// f64.
LANEWISE_INLINE Vec<double> trigamma(Vec<double> x) { return detail::trigamma(x); }
LANEWISE_INLINE Vec<float> trigamma(Vec<float> x) {
  return in_double(
      x, [](Vec<double> d) __attribute__((always_inline)) { return detail::trigamma(d); });
}

}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
