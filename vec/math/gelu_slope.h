#pragma once

#include <lanewise/vec/math/exp.h>
#include <lanewise/vec/math/look_up.h>
#include <lanewise/vec/math/mills_ratio.h>

namespace lanewise::vec {
inline namespace LANEWISE_ISA {
namespace detail {

/// The slope of gelu less 1/2, an odd function, on [0, 1/2 / kScale] and seven intervals of the width 1 / kScale, up to
/// where it is 1/2. Minimax. The first value is none that shows, but hides a denormal product.
struct GeluSlopeTables {
  static constexpr float kScale = 0x1.3abe00p+0f;
  static constexpr float kHalf = 6.1f;  // times kScale less than 7.5
  static constexpr Eight kCentre = {0.0f,           0x1.a06d14p-1f, 0x1.a06f96p+0f, 0x1.385330p+1f,
                                    0x1.a06b56p+1f, 0x1.042ea8p+2f, 0x1.36392ep+2f, 0x1.6dc352p+2f};
  static constexpr Eight kValue = {0x1p-60f,       0x1.0cd774p-1f, 0x1.3dea20p-1f, 0x1.15a260p-1f,
                                   0x1.030d48p-1f, 0x1.0033a6p-1f, 0x1.0001ecp-1f, 0x1.000006p-1f};
  static constexpr Eight kCoefficients[] = {
      {0x1.988454p-1f, 0x1.88cee4p-2f, -0x1.193168p-4f, -0x1.492e52p-4f, -0x1.1a5602p-6f, -0x1.879546p-10f,
       -0x1.1c5fc4p-14f, -0x1.096836p-20f},
      {-0x1.4cf030p-20f, -0x1.8e6dfcp-2f, -0x1.df3246p-4f, 0x1.8ceadep-5f, 0x1.6040aap-6f, 0x1.572ed8p-9f,
       0x1.388ce8p-13f, 0x1.6299f2p-19f},
      {-0x1.10523ap-2f, 0x1.2df6a0p-7f, 0x1.10becep-3f, 0x1.eedef0p-8f, -0x1.cbb944p-7f, -0x1.6aaabcp-9f,
       -0x1.afa60ep-13f, -0x1.30071cp-18f},
      {-0x1.9dfd8ep-13f, 0x1.bbc82ap-4f, -0x1.e38ce4p-6f, -0x1.9819aap-6f, 0x1.e4e874p-9f, 0x1.f3aeb2p-10f,
       0x1.9fffbep-13f, 0x1.73ccb6p-18f},
      {0x1.f18630p-5f, -0x1.606e1ap-6f, -0x1.5458ecp-6f, 0x1.870da8p-7f, 0x1.754e06p-10f, -0x1.b3af62p-11f,
       -0x1.25dd16p-13f, -0x1.59ae74p-18f},
      {-0x1.134d94p-9f, -0x1.114edep-6f, 0x1.6e0dfap-7f, -0x1.6f40c0p-14f, -0x1.afe2cep-10f, 0x1.398224p-13f,
       0x1.35c478p-14f, 0x1.17f22ep-18f},
      {-0x1.e06e1ap-8f, 0x1.5558eep-8f, 0x1.3530b0p-11f, -0x1.e4116ap-10f, 0x1.1d24b8p-11f, 0x1.d3406ep-15f,
       -0x1.9f15e8p-16f, -0x1.5e7f10p-19f}};
};

}  // namespace detail

/// The derivative of gelu: F + x f for the normal distribution F and its density f. Error: an ULP of 1 (1.2e-7), without
/// fma 4 ULP of F and x f. NaN for an infinity, as the product is.
LANEWISE_INLINE Vec<float> gelu_slope(Vec<float> x) {
  using V = Vec<float>;
  const V ax = abs(x);
  if constexpr (kFusedFma) {
    using Tables = detail::GeluSlopeTables;
    const V kept = detail::min_or_second(V(Tables::kHalf), ax);
    const auto index = detail::as_int(fma(kept, V(Tables::kScale), V(detail::ExpConstants<float>::kMagic)));
    const V t = kept - detail::look_up(Tables::kCentre, index);
    const V p = detail::look_up_polynomial(Tables::kCoefficients, index, t);
    const V odd = fma(t, p, detail::look_up(Tables::kValue, index));
    return copysign(odd, x) + fma(x, V(0.0f), V(0.5f));
  } else {
    // A look-up takes long without an instruction for it: one exponential for both.
    const V bell = exp(fma(V(-0.5f) * x, x, V(0x1p-60f)));
    const V tail = bell * mills_ratio(ax);
    return select(signbit(x), tail, V(1.0f) - tail) + x * (V(0x1.988454p-2f) * bell);
  }
}

}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
