#pragma once

#include <lanewise/vec/math/pieces.h>
#include <lanewise/vec/math/sin_cos.h>

// Bessel functions and Airy's function far from 0: a modulus times the cosine of a phase, both smooth (Abramowitz and
// Stegun, 9.2.17 and 10.4.69).

namespace lanewise::vec {
inline namespace LANEWISE_ISA {
namespace detail {

/// Adds y to what has been reduced, in the lanes where y is too large to be the low part of an angle.
[[gnu::noinline, gnu::cold]] inline TrigReduction add_large(TrigReduction x, Vec<double> y,
                                                            Mask<double> large) {
  using V = Vec<double>;
  const TrigReduction low = reduce_trig(y);
  const Pair<double> sum = two_sum(x.r.hi, low.r.hi);
  const TrigReduction r = reduce_trig(sum.hi);
  const Vec<std::int64_t> quadrant = r.quadrant + x.quadrant + low.quadrant;
  const V lo = r.r.lo + (sum.lo + (x.r.lo + low.r.lo));
  return {{select(large, r.r.hi, x.r.hi), select(large, lo, x.r.lo + y)},
          select(mask_cast<std::int64_t>(large), quadrant, x.quadrant)};
}

/// M(z) cos(x - pi/4 - P(z) / x + quadrants pi/2) for z = 1 / x^2; `rows` are the coefficients of M and P. The angle is a
/// pair: next to a zero the error is 2^-59 of the modulus.
[[gnu::noinline]] inline Vec<double> oscillation(const double (*rows)[2], int terms, std::int64_t quadrants,
                                                 Pair<double> x, Vec<double> inverse) {
  using V = Vec<double>;
  using I = Vec<std::int64_t>;
  const TwoValues wave = evaluate(rows, terms, normal_square(inverse));
  TrigReduction reduced = reduce_trig(x.hi);
  const Mask<double> large = abs(x.lo) > V(0x1p-8);
  if (__builtin_expect(large.any(), 0)) {
    reduced = add_large(reduced, x.lo, large);
  } else {
    reduced.r.lo = reduced.r.lo + x.lo;
  }
  // A turn by pi/4 towards 0; for one up, the quadrant before.
  const Mask<double> below = signbit(reduced.r.hi);
  const V sign = bit_and(reduced.r.hi, sign_mask<double>());
  const Pair<double> turned = two_sum(reduced.r.hi, -bit_or(sign, V(0x1.921fb54442d18p-1)));
  const V turn_low = bit_or(sign, V(0x1.1a62633145c07p-55));
  const Pair<double> shifted = two_sum(turned.hi, -(inverse * wave.second));
  const V low = shifted.lo + (turned.lo + (reduced.r.lo - turn_low));
  const SinCosPairs p = sin_cos_reduced(two_sum(shifted.hi, low));
  const I quadrant = reduced.quadrant + I(quadrants + 1) - select(mask_cast<std::int64_t>(below), I(1), I(0));
  const Mask<double> odd = mask_cast<double>((quadrant & I(1)) != I(0));
  const V cosine = select(odd, p.cos.hi, p.sin.hi) + select(odd, p.cos.lo, p.sin.lo);
  return wave.first * bitcast<double>(as_int(cosine) ^ ((quadrant & I(2)) << 62));
}
template <int kTerms>
LANEWISE_INLINE Vec<double> oscillation(const TwoPolynomials<kTerms>& wave, std::int64_t quadrants,
                                        Pair<double> x, Vec<double> inverse) {
  return oscillation(wave.rows, kTerms, quadrants, x, inverse);
}

}  // namespace detail
}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
