#pragma once

#include <lanewise/vec/math/exp.h>
#include <lanewise/vec/math/look_up.h>

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

/// erf on [0, 1/2 / kScale] and seven intervals of the width 1 / kScale, up to where it is 1. Minimax.
struct ErfTables {
  static constexpr float kScale = 0x1.e9cb00p+0f;
  static constexpr float kOne = 3.92f;  // times kScale less than 7.5
  static constexpr Eight kCentre = {0.0f,           0x1.0b9bb8p-1f, 0x1.0b9c4ap+0f, 0x1.916760p+0f,
                                    0x1.0b90e6p+1f, 0x1.4ef1aap+1f, 0x1.8ef87cp+1f, 0x1.d87880p+1f};
  static constexpr Eight kValue = {0.0f,           0x1.1494a2p-1f, 0x1.b8abeep-1f, 0x1.f2629cp-1f,
                                   0x1.fe67cap-1f, 0x1.ffe3d0p-1f, 0x1.fffea2p-1f, 0x1.fffffap-1f};
  static constexpr Eight kCoefficients[] = {
      {0x1.06eba8p-3f, 0x1.b79fd6p-1f, 0x1.8369b8p-2f, 0x1.8b6e14p-4f, 0x1.d3f5aap-7f, 0x1.3a366ap-10f,
       0x1.1da182p-14f, 0x1.6ea5d4p-20f},
      {-0x1.34d0d2p-21f, -0x1.cb8f0ep-2f, -0x1.94fbc8p-2f, -0x1.3603c6p-3f, -0x1.e91a32p-6f, -0x1.9b1a1ap-9f,
       -0x1.bd06b0p-13f, -0x1.52cdd2p-18f},
      {-0x1.811e2ap-2f, -0x1.09f42cp-3f, 0x1.321564p-3f, 0x1.0234d2p-3f, 0x1.2de128p-5f, 0x1.4c3930p-8f,
       0x1.b5a60ep-12f, 0x1.8ef49ep-17f},
      {-0x1.55d560p-11f, 0x1.77cc4ap-3f, 0x1.b815fcp-5f, -0x1.8c27a2p-5f, -0x1.d400bep-6f, -0x1.6e564ap-8f,
       -0x1.31be5ep-11f, -0x1.4ce494p-16f},
      {0x1.e3d03ap-4f, 0x1.6c8e14p-10f, -0x1.0d3c70p-4f, -0x1.0b107cp-7f, 0x1.9b53e8p-7f, 0x1.20f4fap-8f,
       0x1.4a056ap-11f, 0x1.dfd66ep-16f},
      {-0x1.3df74cp-6f, -0x1.890506p-5f, 0x1.11c558p-7f, 0x1.101de8p-6f, -0x1.22d544p-10f, -0x1.2c6988p-9f,
       -0x1.d7ac80p-12f, -0x1.26594ap-15f}};
};

LANEWISE_INLINE Vec<float> erf_by_intervals(Vec<float> x) {
  using V = Vec<float>;
  const V ax = min_or_second(V(ErfTables::kOne), abs(x));
  const V magic(ExpConstants<float>::kMagic);
  const V shifted = fma(ax, V(ErfTables::kScale), magic);
  return copysign(by_intervals<ErfTables>(ax, as_int(shifted), shifted > magic), x);
}

}  // namespace detail

/// Error function. Error: 0.98 ULP (f32), 0.99 ULP (f64); without fma 1.05 and 1.2 ULP.
template <Real T>
LANEWISE_INLINE Vec<T> erf(Vec<T> x) {
  // A look-up takes long without an instruction for it.
  if constexpr (sizeof(T) == 4 && kFusedFma) return detail::erf_by_intervals(x);
  using C = detail::ErfConstants<T>;
  const Vec<T> one(T(1));
  const Vec<T> ax = abs(x);
  const Vec<T> small = fma(ax, detail::erf_small(ax), ax);
  const Vec<T> t = detail::min_or_second(Vec<T>(C::kOne), ax) - one;
  return copysign(select(ax < one, small, detail::erf_large(t)), x);
}

}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
