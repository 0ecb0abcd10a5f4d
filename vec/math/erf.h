#pragma once

#include <lanewise/vec/math/exp.h>

namespace lanewise::vec {
inline namespace LANEWISE_ISA {
namespace detail {

// erf x = x + x (P(x^2) - kApart x^2) up to 1, the multiple of x^2 apart because the sum of the first terms is
// small without it; and 1 - e^q(x - 1) from there, q approximating log(erfc x) in the sense of the smallest
// error of erf. All minimax.
template <class T>
struct ErfConstants;
template <>
struct ErfConstants<float> {
  static constexpr float kOne = 4.0f;  // erf is 1 from here on
  static constexpr float kLogErfcOfOne = -0x1.d97fc0p+0f;
};
template <>
struct ErfConstants<double> {
  static constexpr double kOne = 5.95;
  static constexpr double kLogErfcOfOne = -0x1.d97fbf27aa2a1p+0;
};
/// Without fma a power of two, so that the product is exact.
inline constexpr double kApart = kFusedFma ? 0.375 : 0.25;

/// P(z).
LANEWISE_INLINE Vec<float> erf_polynomial(Vec<float> z) {
  return polynomial(z, 0x1.06eba8p-3f, static_cast<float>(kApart - 0x1.81273ep-2), 0x1.ce2ce6p-4f,
                    -0x1.b7f71ap-6f, 0x1.53f224p-8f, -0x1.a3515ep-11f, 0x1.4771fcp-14f);
}
LANEWISE_INLINE Vec<double> erf_polynomial(Vec<double> z) {
  return polynomial(z, 0x1.06eba8214db69p-3, kApart - 0.375 - 0x1.2746b0379ef59p-10, 0x1.ce2f21a042da5p-4,
                    -0x1.b82ce3128a8bap-6, 0x1.565bcd0e3c25cp-8, -0x1.c02db3ea0235cp-11,
                    0x1.f9a3230f704bbp-14, -0x1.f4d1f499c867bp-17, 0x1.b9dfcfc39fb76p-20,
                    -0x1.5f235cf10f4cap-23, 0x1.f7dcba050a8d3p-27, -0x1.3903ac1eef93fp-30,
                    0x1.06e89c8e5ac27p-34);
}
/// erf(x) / x - 1 for |x| <= 1.
template <class T>
LANEWISE_INLINE Vec<T> erf_small(Vec<T> x) {
  const Vec<T> z = normal_square(x);
  return fnma(Vec<T>(T(kApart)), z, erf_polynomial(z));
}
/// q(t) - q(0), over t.
LANEWISE_INLINE Vec<float> log_erfc(Vec<float> t) {
  return polynomial(t, -0x1.51c988p+1f, -0x1.afb44cp-1f, -0x1.52049cp-5f, 0x1.35bd92p-7f, -0x1.844fd6p-10f,
                    0x1.7ab08ap-14f);
}
LANEWISE_INLINE Vec<double> log_erfc(Vec<double> t) {
  return polynomial(
      t, -0x1.51c9b0006c233p+1, -0x1.afabc11a29c2dp-1, -0x1.5477f09b60cd3p-5, 0x1.48c9d3cd24c5cp-7,
      -0x1.033f629af8836p-9, 0x1.f1b2c1021e3c4p-13, 0x1.b8ef38386189cp-16, -0x1.c7c4d6f1e5e82p-16,
      0x1.42afe310b84f1p-17, -0x1.152f06fd4db77p-19, 0x1.34a26160d7e2ap-23, 0x1.ad519a520ba13p-24,
      -0x1.d7fe7ab15f43fp-25, 0x1.1f81de43cc08ep-26, -0x1.ef21731950e06p-29, 0x1.38ec8e8707978p-31,
      -0x1.1dceaeb322ad6p-34, 0x1.65f144532451bp-38, -0x1.13187c4274c35p-42, 0x1.871796872865bp-48);
}

}  // namespace detail

/// Error function. Error: 0.95 ULP (f32), 0.99 ULP (f64); without fma 1.05 and 1.2 ULP.
template <Real T>
LANEWISE_INLINE Vec<T> erf(Vec<T> x) {
  using C = detail::ErfConstants<T>;
  const Vec<T> one(T(1));
  const Vec<T> ax = abs(x);
  const Vec<T> small = fma(ax, detail::erf_small(ax), ax);
  const Vec<T> t = detail::min_or_second(Vec<T>(C::kOne), ax) - one;
  // Near 1, where it matters, what the sum loses is as much as the rest.
  const detail::Pair<T> q = detail::fast_two_sum(Vec<T>(C::kLogErfcOfOne), t * detail::log_erfc(t));
  const Vec<T> power = detail::exp_moderate(q.hi);
  const Vec<T> large = one - fma(power, q.lo, power);
  return copysign(select(ax < one, small, large), x);
}

}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
