#pragma once

#include <lanewise/vec/math/sin_cos.h>

namespace lanewise::vec {
inline namespace LANEWISE_ISA {

/// Tangent, of the reduced sine and cosine in pairs. Finite arguments of any size are reduced exactly; tan of an infinity is NaN.
/// Error: 0.63 ULP (f32), 0.92 ULP (f64).
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
  return detail::bit_xor(select(ax < Vec<double>(0x1p-27), ax, result), detail::bit_and(x, sign_mask<double>()));
}

namespace detail {

/// Where a lane is too large for the short reduction, infinite or NaN: all lanes in f64.
[[gnu::noinline, gnu::cold]] inline Vec<float> tan_of_large_float(Vec<float> x, Vec<float> result) {
  const auto w = widen(x);
  return select(abs(x) <= Vec<float>(kFloatTrigLimit), result, narrow(tan(w.low), tan(w.high)));
}

}  // namespace detail

LANEWISE_INLINE Vec<float> tan(Vec<float> x) {
  const auto w = widen(x);
  const Vec<float> result = narrow(detail::sin_of_float<false>(w.low) / detail::sin_of_float<true>(w.low),
                                   detail::sin_of_float<false>(w.high) / detail::sin_of_float<true>(w.high));
  const Mask<float> near = abs(x) <= Vec<float>(detail::kFloatTrigLimit);
  if (__builtin_expect(!near.all(), 0)) return detail::tan_of_large_float(x, result);
  return result;
}

}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
