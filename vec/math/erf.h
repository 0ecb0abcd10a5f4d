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
  static constexpr float kOne = 4.0f;                      // erf is 1 from here on
  static constexpr float kLogErfcOfOne = -0x1.558eaep+1f;  // to base 2, as the polynomial
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
/// q(t) - q(0), over t; in f32 to base 2.
LANEWISE_INLINE Vec<float> log_erfc(Vec<float> t) {
  return polynomial(t, -0x1.e752f0p+1f, -0x1.3768a8p+0f, -0x1.e7a82ap-5f, 0x1.bedc70p-7f, -0x1.181b98p-9f,
                    0x1.112ab4p-13f);
}
LANEWISE_INLINE Vec<double> log_erfc(Vec<double> t) {
  return polynomial(
      t, -0x1.51c9b0006c233p+1, -0x1.afabc11a29c2dp-1, -0x1.5477f09b60cd3p-5, 0x1.48c9d3cd24c5cp-7,
      -0x1.033f629af8836p-9, 0x1.f1b2c1021e3c4p-13, 0x1.b8ef38386189cp-16, -0x1.c7c4d6f1e5e82p-16,
      0x1.42afe310b84f1p-17, -0x1.152f06fd4db77p-19, 0x1.34a26160d7e2ap-23, 0x1.ad519a520ba13p-24,
      -0x1.d7fe7ab15f43fp-25, 0x1.1f81de43cc08ep-26, -0x1.ef21731950e06p-29, 0x1.38ec8e8707978p-31,
      -0x1.1dceaeb322ad6p-34, 0x1.65f144532451bp-38, -0x1.13187c4274c35p-42, 0x1.871796872865bp-48);
}

/// 1 - e^q(t). Near t = 0, where it matters, what the sum loses is as much as the rest: f32 takes the integer off
/// before it adds.
LANEWISE_INLINE Vec<float> erf_large(Vec<float> t) {
  using V = Vec<float>;
  using C = ErfConstants<float>;
  const V magic(ExpConstants<float>::kMagic);
  const V slope = log_erfc(t);
  const V shifted = fma(t, slope, V(C::kLogErfcOfOne)) + magic;
  const V r = fma(t, slope, V(C::kLogErfcOfOne) - (shifted - magic));
  return fnma(exp2_reduced(r), power_of_two(shifted), V(1.0f));
}
LANEWISE_INLINE Vec<double> erf_large(Vec<double> t) {
  using V = Vec<double>;
  using C = ExpConstants<double>;
  const Pair<double> q = fast_two_sum(V(ErfConstants<double>::kLogErfcOfOne), t * log_erfc(t));
  const V shifted = fma(q.hi, V(C::kLog2E), V(C::kMagic));
  const V n = shifted - V(C::kMagic);
  const V r = fnma(n, V(C::kLn2Lo), fnma(n, V(C::kLn2Hi), q.hi)) + q.lo;
  return fnma(exp_reduced(r), power_of_two(shifted), V(1.0));
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
  return copysign(select(ax < one, small, detail::erf_large(t)), x);
}

}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
