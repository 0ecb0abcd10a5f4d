#pragma once

#include <lanewise/vec/math/exp.h>
#include <lanewise/vec/math/pair.h>

namespace lanewise::vec {
inline namespace LANEWISE_ISA {

/// The upper tail of the normal distribution over e^(-x^2 / 2), for 0 <= x: Mills' ratio over sqrt(2 pi).
/// Error: 4 ULP up to x = 14.5, beyond which e^(-x^2 / 2) is 0. G(t) / (x + 4) with t = (x - 4) / (x + 4), G
/// minimax, after Shepherd and Laframboise, Math. Comp. 36 (1981).
LANEWISE_INLINE Vec<float> mills_ratio(Vec<float> x) {
  using V = Vec<float>;
  const V four(4.0f);
  const V inverse = V(1.0f) / (x + four);
  const V factor = detail::polynomial((x - four) * inverse, 0x1.82b4bcp-1f, -0x1.373e38p-1f, 0x1.8c6d9ep-2f,
                                      -0x1.7e0000p-3f, 0x1.eed404p-5f, -0x1.ed2d1ap-8f, -0x1.cc65c0p-9f,
                                      0x1.9b8bc8p-10f, 0x1.782204p-13f, -0x1.14c3d8p-13f);
  return factor * inverse;
}

}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
