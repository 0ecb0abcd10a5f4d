#pragma once

#include <lanewise/vec/math/exp.h>
#include <lanewise/vec/math/log.h>

// Building blocks for f32 functions that are computed in f64: shorter polynomials, no special cases.

namespace lanewise::vec {
inline namespace LANEWISE_ISA {
namespace detail {

/// log x to 2^-37, for normal positive x.
LANEWISE_INLINE Vec<double> short_log(Vec<double> x) {
  using V = Vec<double>;
  const LogReduction<double> r = reduce_log(x);
  const V s = (r.m - V(1.0)) / (r.m + V(1.0));
  const V z = s * s;
  const V p = polynomial(z, 2.0, 0x1.555554fd4fae4p-1, 0x1.999a7b229616ap-2, 0x1.2438aea4b7baap-2,
                         0x1.e2fce5c48a5bap-3);
  return fma(s, p, r.e * V(0x1.62e42fefa39efp-1));
}

/// e^x to 2^-28, for |x| < 700.
LANEWISE_INLINE Vec<double> short_exp(Vec<double> x) {
  using V = Vec<double>;
  using C = ExpConstants<double>;
  const V t = fma(x, V(C::kLog2E), V(C::kMagic));
  const V n = t - V(C::kMagic);
  const V r = fnma(n, V(0x1.62e42fefa39efp-1), x);
  const V p = polynomial(r, 1.0, 1.0, 0x1.fffffb83034fbp-2, 0x1.55548e48b8f76p-3, 0x1.5558ff53ab0ffp-5,
                         0x1.123c253c0a7b5p-7, 0x1.6a1f10e616d3bp-10);
  return p * power_of_two(t);
}

}  // namespace detail
}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
