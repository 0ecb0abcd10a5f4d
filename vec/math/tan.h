#pragma once

#include <lanewise/vec/math/sin_cos.h>

namespace lanewise::vec {
inline namespace LANEWISE_ISA {

/// Tangent, of the reduced sine and cosine in pairs. Finite arguments of any size are reduced exactly; tan of
/// an infinity is NaN. Error: 0.53 ULP (f32), 1.06 ULP (f64).
LANEWISE_INLINE Vec<double> tan(Vec<double> x) {
  using I = Vec<std::int64_t>;
  const Vec<double> ax = abs(x);
  const detail::TrigReduction reduced = detail::reduce_trig(ax);
  const detail::SinCosPairs p = detail::sin_cos_reduced(reduced.r);
  const detail::Pair<double> s = detail::fast_two_sum(p.sin.hi, p.sin.lo);
  const detail::Pair<double> c = detail::fast_two_sum(p.cos.hi, p.cos.lo);
  const Mask<double> odd = mask_cast<double>((reduced.quadrant & I(1)) != I(0));
  const detail::Pair<double> numerator{select(odd, -c.hi, s.hi), select(odd, -c.lo, s.lo)};
  const detail::Pair<double> denominator{select(odd, s.hi, c.hi), select(odd, s.lo, c.lo)};
  const Vec<double> result = detail::divide(numerator, denominator);
  // What is tiny stays itself, -0 too.
  return detail::bit_xor(select(ax < Vec<double>(0x1p-27), ax, result),
                         detail::bit_and(x, sign_mask<double>()));
}

namespace detail {

/// f32 in double precision: tan r by a minimax polynomial (2^-29) on |r| <= pi/4, -1 / tan r in odd
/// quadrants. The products keep the sign of -0.
LANEWISE_INLINE Vec<double> tan_of_float(Vec<double> x) {
  using V = Vec<double>;
  using I = Vec<std::int64_t>;
  const V t = fma(x, V(kTwoOverPi), V(kTrigMagic));
  const V n = t - V(kTrigMagic);
  V r;
  if constexpr (kFusedFma) {
    r = fnma(n, V(kHalfPi2), fnma(n, V(kHalfPi1), x));
  } else {
    r = ((x - n * V(kPiShort1 / 2)) - n * V(kPiShort2 / 2)) - n * V(kPiShort3 / 2);
  }
  const V p = r * polynomial(r * r, 1.0, 0x1.555561acdf491p-2, 0x1.110d385b403cfp-3, 0x1.baea23444de33p-5,
                             0x1.5c23eb85254bcp-6, 0x1.65c754bf3021bp-7, -0x1.79118ad8732dcp-17,
                             0x1.21f2c2bc870aep-8);
  const Mask<double> odd = mask_cast<double>((as_int(t) & I(1)) != I(0));
  return select(odd, V(-1.0), p) / select(odd, p, V(1.0));
}

/// Where a lane is too large for the short reduction, infinite or NaN: all lanes in f64.
[[gnu::noinline, gnu::cold]] inline Vec<float> tan_of_large_float(Vec<float> x, Vec<float> result) {
  const WidePair w = widen(x);
  return select(abs(x) <= Vec<float>(kFloatTrigLimit), result, narrow(tan(w.low), tan(w.high)));
}

}  // namespace detail

LANEWISE_INLINE Vec<float> tan(Vec<float> x) {
  const Vec<float> result = in_double(
      x, [](Vec<double> d) __attribute__((always_inline)) { return detail::tan_of_float(d); });
  const Mask<float> near = abs(x) <= Vec<float>(detail::kFloatTrigLimit);
  if (__builtin_expect(!near.all(), 0)) return detail::tan_of_large_float(x, result);
  return result;
}

}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
