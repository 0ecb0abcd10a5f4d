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

/// erf on [0, 1.5 / kScale] and seven intervals of the width 1 / kScale, up to where it is 1. Minimax.
struct ErfTables {
  static constexpr float kScale = 0x1.1585d0p+1f;
  static constexpr float kOne = 3.92f;  // times kScale less than 8.5
  static constexpr Eight kCentre = {0.0f,           0x1.d85f1ap-1f, 0x1.62238cp+0f, 0x1.d83afap+0f,
                                    0x1.271a9cp+1f, 0x1.622b5cp+1f, 0x1.9e0e9cp+1f, 0x1.d878fap+1f};
  static constexpr Eight kValue = {0.0f,           0x1.9db540p-1f, 0x1.e62efap-1f, 0x1.fb58d4p-1f,
                                   0x1.ff6e36p-1f, 0x1.fff40ep-1f, 0x1.ffff60p-1f, 0x1.fffffap-1f};
  static constexpr Eight kCoefficients[] = {
      {0x1.06eba8p-3f, 0x1.ed45e4p-2f, 0x1.54f2b8p-3f, 0x1.33a630p-5f, 0x1.6b82b0p-8f, 0x1.17f214p-11f,
       0x1.0e34b2p-15f, 0x1.6e98f0p-20f},
      {-0x1.812740p-2f, -0x1.c71808p-2f, -0x1.d7a716p-3f, -0x1.1bc0c0p-4f, -0x1.a3092cp-7f, -0x1.834a76p-10f,
       -0x1.b50accp-14f, -0x1.52449ep-18f},
      {0x1.ce2ccap-4f, 0x1.cdc7dep-4f, 0x1.415532p-3f, 0x1.29ba44p-4f, 0x1.23bf94p-6f, 0x1.4dac40p-9f,
       0x1.bfca7ep-13f, 0x1.8efff2p-17f},
      {-0x1.b7d92ep-6f, 0x1.89bfbep-4f, -0x1.0401c0p-5f, -0x1.67fa50p-5f, -0x1.0a83aap-6f, -0x1.8d5226p-9f,
       -0x1.458c84p-12f, -0x1.546aa8p-16f},
      {0x1.510780p-8f, -0x1.153dcap-4f, -0x1.e5a06ep-6f, 0x1.4c03f4p-7f, 0x1.3b8e9ap-7f, 0x1.5b4994p-9f,
       0x1.74707ap-12f, 0x1.dfc520p-16f},
      {-0x1.6e74fap-11f, -0x1.338164p-8f, 0x1.61d2f2p-6f, 0x1.5d478ep-8f, -0x1.88129cp-9f, -0x1.a10bc4p-10f,
       -0x1.3a63e8p-12f, -0x1.e8cf82p-16f}};
};

LANEWISE_INLINE Vec<float> erf_by_intervals(Vec<float> x) {
  using V = Vec<float>;
  const V ax = min_or_second(V(ErfTables::kOne), abs(x));
  const V magic(ExpConstants<float>::kMagic);
  const V shifted = max_or_second(magic, fma(ax, V(ErfTables::kScale), magic - V(1.0f)));
  return copysign(by_intervals<ErfTables>(ax, as_int(shifted), shifted == magic), x);
}

}  // namespace detail

/// Error function. Error: 0.81 ULP (f32), 0.99 ULP (f64); without fma 1.05 and 1.2 ULP.
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
