#pragma once

#include <lanewise/vec/math/log.h>
#include <lanewise/vec/math/sin_pi.h>

namespace lanewise::vec {
inline namespace LANEWISE_ISA {
namespace detail {

/// What is added before rounding: t lies in [-0.72, 0.28], so that the logarithm is not taken just right of
/// 1.28, where it would cancel most of the rest.
inline constexpr double kLgammaShift = 0.22;

/// lgamma(2 + t) / t for those t.
LANEWISE_INLINE Vec<double> lgamma_near_two(Vec<double> t) {
  return horner(t, 0x1.b0ee6072093cep-2, 0x1.4a34cc4a60fa6p-2, -0x1.13e001a5575d5p-4, 0x1.51322ac7d8b25p-6,
                -0x1.e404fc21abcadp-8, 0x1.7add6eac3e594p-9, -0x1.38ac5c1560e08p-10, 0x1.0b36b0bfbfcfbp-11,
                -0x1.d3fd5a4b6e962p-13, 0x1.a126a53b110f5p-14, -0x1.78de11f062d78p-15, 0x1.58471b32e38a7p-16,
                -0x1.3c037692555f0p-17, 0x1.20bf59c593b97p-18, -0x1.3561e705b922fp-19, 0x1.c408700b1af15p-21,
                0x1.808ebc118a260p-22, 0x1.0a363f1f2d428p-19, 0x1.8f981d71d262bp-20, 0x1.5a1928f40268ap-21);
}
/// x times the difference between lgamma and Stirling's formula, for z = 1 / x^2 <= 1 / 64.
LANEWISE_INLINE Vec<double> stirling_rest(Vec<double> z) {
  return horner(z, 0x1.5555555555555p-4, -0x1.6c16c16c16b29p-9, 0x1.a01a019ee0dbep-11, -0x1.38137ec070147p-11,
                0x1.b94f6d6592192p-11, -0x1.f5ff2fdcdf048p-10, 0x1.96db40614b193p-8, -0x1.55b3a71b66a2ep-6);
}

/// For x >= -1/2: with n an integer next to x, lgamma(2 + (x - n)) and the logarithm of the factors
/// between; Stirling's formula from 8 on.
LANEWISE_INLINE Vec<double> lgamma_right(Vec<double> x) {
  using V = Vec<double>;
  const V one(1.0);
  const V two(2.0);
  const Mask<double> far = x >= V(8.0);
  const V n = round(x + V(kLgammaShift));
  const V t = x - n;
  V product = one;
  for (int k = 1; k <= 6; ++k) {
    const V factor(static_cast<double>(k));
    product = product * select(n >= factor + two, x - factor, one);
  }
  const Mask<double> below = n < two;
  const V divisor = select(n < one, fma(x, x, x), x);
  const V l = log(select(far, x, select(below, abs(divisor), product)));
  const V near = fma(t, lgamma_near_two(t), select(below, -l, l));
  const V inverse = one / x;
  const V constant =
      fma(inverse, stirling_rest(inverse * inverse), V(0x1.acfe390c97d68p-2));  // (log 2 pi - 1) / 2
  return select(far, fma(x - V(0.5), l - one, constant), near);
}

/// Euler's reflection; infinite at the negative integers.
[[gnu::noinline]] inline Vec<double> lgamma_left(Vec<double> x, Vec<double> right) {
  using V = Vec<double>;
  const V ax = abs(x);
  const V s = abs(sin_pi(ax));
  const V reflected = log(V(kPi1) / (ax * s)) - lgamma_right(ax);
  const V inf(std::numeric_limits<double>::infinity());
  const V r = select((s == V(0.0)) | (ax == inf), inf, reflected);
  return select(x < V(-0.5), r, right);
}
[[gnu::noinline]] inline Vec<double> lgamma(Vec<double> x) {
  const Vec<double> right = lgamma_right(x);
  if ((x < Vec<double>(-0.5)).any()) return lgamma_left(x, right);
  return right;
}

}  // namespace detail

/// log |Gamma(x)|. Error: 4 ULP right of 0; left of it 4 ULP of the larger of the result and log |x sin(pi
/// x)|, since the zeros there are not treated apart. f32 is computed in f64. Infinite at 0, the negative
/// integers and infinities.
LANEWISE_INLINE Vec<double> lgamma(Vec<double> x) { return detail::lgamma(x); }
LANEWISE_INLINE Vec<float> lgamma(Vec<float> x) {
  return in_double(
      x, [](Vec<double> d) __attribute__((always_inline)) { return detail::lgamma(d); });
}

}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
