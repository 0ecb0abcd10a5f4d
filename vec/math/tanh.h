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

/// Seven intervals whose ends, times kScale, are 2^n and 1.5 2^n, up to where tanh is 1; the first, from 0, is
/// number 4. Minimax.
struct TanhTables {
  static constexpr float kScale = 0x1.c60d3ap-1f;
  static constexpr float kOne = 9.02f;  // times kScale less than 8
  static constexpr Eight kCentre = {0x1.68ed1ap+1f, 0x1.f933bep+1f, 0x1.68d9bap+2f, 0x1.03ae88p+3f,
                                    0.0f,           0x1.f9158ep-1f, 0x1.68e1aap+0f, 0x1.f9251ep+0f};
  static constexpr Eight kValue = {0x1.fc5f72p-1f, 0x1.ff9e3ep-1f, 0x1.fffcaep-1f, 0x1.fffffap-1f,
                                   0.0f,           0x1.830072p-1f, 0x1.c65d18p-1f, 0x1.ec968cp-1f};
  static constexpr Eight kCoefficients[] = {
      {0x1.cea206p-7f, 0x1.86e2a6p-10f, 0x1.a8f42ap-15f, 0x1.7fb2b2p-22f, -0x1.c82c5ap-28f, 0x1.b6f5a8p-2f,
       0x1.b3235ap-3f, 0x1.30b3f6p-4f},
      {-0x1.cb5b34p-7f, -0x1.8699c6p-10f, -0x1.a98dbep-15f, -0x1.7fc950p-22f, -0x1.555518p-2f,
       -0x1.4bcb10p-2f, -0x1.822770p-3f, -0x1.25267ap-4f},
      {0x1.2de2dcp-7f, 0x1.04030ep-10f, 0x1.1bb954p-15f, 0x1.029126p-22f, 0x1.110616p-3f, 0x1.a1e192p-4f,
       0x1.8b470ap-4f, 0x1.68efb0p-5f},
      {-0x1.253a80p-8f, -0x1.02f93ep-11f, -0x1.15e96cp-16f, -0x1.00d81cp-23f, -0x1.b89e80p-5f, 0x1.fa2c48p-6f,
       -0x1.7572b4p-6f, -0x1.2fb11cp-6f},
      {0x1.ba4ddap-10f, 0x1.9beac8p-13f, 0x1.bc9c8ap-18f, 0x1.6a7d00p-25f, 0x1.59bb48p-6f, -0x1.87d8e4p-5f,
       -0x1.d9d59cp-8f, 0x1.3a7ae6p-8f},
      {-0x1.04cd58p-11f, -0x1.1ab024p-14f, -0x1.66c5aap-19f, -0x1.1d181ep-26f, -0x1.d2fb70p-8f,
       0x1.2d1f2ap-6f, 0x1.44e52cp-7f, 0x1.78ab7ap-15f},
      {0x1.9c0d08p-14f, 0x1.3a2220p-16f, 0x1.98c95cp-21f, 0x1.1fef62p-27f, 0x1.78147ap-10f, 0x1.b6b126p-9f,
       -0x1.265494p-8f, -0x1.9ae8d6p-11f}};
};

LANEWISE_INLINE Vec<float> tanh_by_intervals(Vec<float> x) {
  using V = Vec<float>;
  const V ax = min_or_second(V(TanhTables::kOne), abs(x));
  const V scaled = fma(ax, V(TanhTables::kScale), V(kBesideOne<float>));
  const auto index = as_int(max_or_second(V(0.5f), scaled)) >> 22;
  return copysign(by_intervals<TanhTables>(ax, index, scaled < V(0.75f)), x);
}

}  // namespace detail

/// Polynomials by intervals for f32 with fma, else an odd polynomial near 0 and 1 - 2 / (e^2x + 1). Error: 0.90
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
