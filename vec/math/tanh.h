#pragma once

#include <lanewise/vec/math/exp.h>
#include <lanewise/vec/math/look_up.h>

namespace lanewise::vec {
inline namespace LANEWISE_ISA {
namespace detail {

/// (tanh x - x) / x^3 for z = x^2, minimax to 2^-27.6 up to 1 (f32), to 2^-56 up to 0.85 (f64) of tanh.
template <class T>
inline constexpr T kTanhSmall = sizeof(T) == 4 ? T(1) : T(0.85);
LANEWISE_INLINE Vec<float> tanh_tail(Vec<float> z) {
  return polynomial(z, -0x1.55553cp-2f, 0x1.110be2p-3f, -0x1.b961e2p-5f, 0x1.6006eap-6f, -0x1.0455e2p-7f,
                    0x1.2d7d38p-9f, -0x1.777148p-12f);
}
LANEWISE_INLINE Vec<double> tanh_tail(Vec<double> z) {
  return polynomial(z, -0x1.5555555555555p-2, 0x1.1111111111012p-3, -0x1.ba1ba1ba05227p-5,
                    0x1.664f487c7bb4ap-6, -0x1.226e34741b77fp-7, 0x1.d6d3a7bca5293p-9, -0x1.7da10a1788185p-10,
                    0x1.35409abcaa3e5p-11, -0x1.f431e6567aad0p-13, 0x1.8ff7e55864ee0p-14,
                    -0x1.31db985278d49p-15, 0x1.9b6c9827e4821p-17, -0x1.9cfc34173517ap-19,
                    0x1.b70f4d31c42b5p-22);
}

/// e^2x + 1, rounded once after e^2x / 2^n, for 0 <= x <= 20. In f32 n ln 2 needs no second part: the larger n,
/// the less it counts.
LANEWISE_INLINE Vec<float> exp_twice_plus_one(Vec<float> x) {
  using V = Vec<float>;
  using C = ExpConstants<float>;
  const V t = fma(x, V(2 * C::kLog2E), V(C::kMagic));
  const V r = fnma(t - V(C::kMagic), V(0x1.62e430p-2f), x);
  const V p = fma(r, fma(r, exp_tail<2>(r), V(2.0f)), V(1.0f));
  return fma(p, power_of_two(t), V(1.0f));
}
LANEWISE_INLINE Vec<double> exp_twice_plus_one(Vec<double> x) {
  using V = Vec<double>;
  using C = ExpConstants<double>;
  const V twice = x + x;
  const V t = fma(twice, V(C::kLog2E), V(C::kMagic));
  const V n = t - V(C::kMagic);
  const V r = fnma(n, V(C::kLn2Lo), fnma(n, V(C::kLn2Hi), twice));
  return fma(exp_reduced(r), power_of_two(t), V(1.0));
}

/// Eight intervals up to where tanh is 1: their ends, times kScale, plus 1 are 2^n and 1.5 2^n; the first, from 0, is
/// number 6. Minimax.
struct TanhTables {
  static constexpr float kScale = 0x1.a9b800p+0f;
  static constexpr float kOne = 9.02f;  // times kScale less than 15
  static constexpr Eight kCentre = {0x1.cdd492p-1f, 0x1.80dd52p+0f, 0x1.33d9fap+1f, 0x1.ce1b56p+1f,
                                    0x1.552ca4p+2f, 0x1.fe2804p+2f, 0.0f,           0x1.cdd3c4p-2f};
  static constexpr Eight kValue = {0x1.6f3ed8p-1f, 0x1.cfbf56p-1f, 0x1.f7b9bap-1f, 0x1.ff4062p-1f,
                                   0x1.fff9dcp-1f, 0x1.fffff8p-1f, 0.0f,           0x1.b0de5cp-2f};
  static constexpr Eight kCoefficients[] = {
      {0x1.f12ac0p-2f, 0x1.6fd4b0p-3f, 0x1.06a518p-5f, 0x1.7ef43ep-9f, 0x1.890c9ep-14f, 0x1.ff7cb8p-22f,
       0x1.699698p-31f, 0x1.a4821ap-1f},
      {-0x1.649b7cp-2f, -0x1.4d2a3ap-3f, -0x1.0264dap-5f, -0x1.7e6732p-9f, -0x1.89a546p-14f, -0x1.003c5cp-21f,
       -0x1.8d8550p-23f, -0x1.638462p-2f},
      {0x1.6841fap-4f, 0x1.665008p-4f, 0x1.4d5400p-6f, 0x1.fc6152p-10f, 0x1.05810ap-14f, 0x1.594742p-22f,
       -0x1.5552e0p-2f, -0x1.0420b6p-3f},
      {0x1.b2d3e4p-5f, -0x1.99e05cp-6f, -0x1.37ca30p-7f, -0x1.f8ce6ap-11f, -0x1.002926p-15f, -0x1.50bb5cp-23f,
       -0x1.7965ccp-13f, 0x1.5af1aap-3f},
      {-0x1.cf909ap-5f, -0x1.4a20d2p-9f, 0x1.af96a8p-9f, 0x1.8f21e4p-12f, 0x1.a767d0p-17f, 0x1.e6f872p-25f,
       0x1.14639cp-3f, -0x1.4b7dbcp-7f},
      {0x1.bbc808p-7f, 0x1.d5da56p-8f, -0x1.71777ep-11f, -0x1.0f2dccp-13f, -0x1.4f1b38p-18f, -0x1.a43fe4p-26f,
       -0x1.d59b98p-8f, -0x1.e1ba5ep-5f},
      {0x1.360900p-7f, -0x1.ff5d76p-9f, -0x1.0fc10ep-18f, 0x1.259358p-15f, 0x1.4811e0p-20f, 0x1.587506p-27f,
       -0x1.4cd1d2p-5f, 0x1.0a6228p-10f}};
};

LANEWISE_INLINE Vec<float> tanh_by_intervals(Vec<float> x) {
  using V = Vec<float>;
  const V ax = min_or_second(V(TanhTables::kOne), abs(x));
  const V scaled = fma(ax, V(TanhTables::kScale), V(1.0f));
  return copysign(by_intervals<TanhTables>(ax, as_int(scaled) >> 22, scaled >= V(1.5f)), x);
}

}  // namespace detail

/// Polynomials by intervals for f32 with fma, else an odd polynomial near 0 and 1 - 2 / (e^2x + 1). Error: 0.76
/// ULP (f32), 0.98 ULP (f64); without fma 1.08 ULP. -0 gives -0.
template <Real T>
LANEWISE_INLINE Vec<T> tanh(Vec<T> x) {
  if constexpr (sizeof(T) == 4 && kFusedFma) return detail::tanh_by_intervals(x);
  using V = Vec<T>;
  const V ax = abs(x);
  const V z = detail::normal_square(ax);
  const V small = fma(ax, z * detail::tanh_tail(z), ax);
  const V magnitude = detail::min_or_second(V(sizeof(T) == 4 ? T(10) : T(20)), ax);  // 1 from here on
  const V large = V(T(1)) - V(T(2)) / detail::exp_twice_plus_one(magnitude);
  return copysign(select(ax < V(detail::kTanhSmall<T>), small, large), x);
}

}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
