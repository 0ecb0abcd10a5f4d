#pragma once

#include <lanewise/vec/math/sin_cos_float.h>
#include <lanewise/vec/math/trig_reduce.h>

namespace lanewise::vec {
inline namespace LANEWISE_ISA {
namespace detail {

/// sin r - r and cos r - (1 - r^2/2) for |r| <= pi/4, by minimax polynomials good to 2^-58.
LANEWISE_INLINE Vec<double> sin_tail(Vec<double> r, Vec<double> z) {
  return r * (z * polynomial(z, -0x1.5555555555549p-3, 0x1.111111110f894p-7, -0x1.a01a019c127ddp-13,
                             0x1.71de35772653cp-19, -0x1.ae5e650563022p-26, 0x1.5d927af8f9c14p-33));
}
LANEWISE_INLINE Vec<double> cos_tail(Vec<double> z) {
  return z * z *
         polynomial(z, 0x1.555555555554cp-5, -0x1.6c16c16c15211p-10, 0x1.a01a019cbd010p-16,
                    -0x1.27e4f810687d7p-22, 0x1.1ee9ef6c57fcep-29, -0x1.8fb00ee94be4fp-37);
}

struct SinCosPairs {
  Pair<double> sin;
  Pair<double> cos;
};
/// Leading parts that are exact and what is to be added to them.
LANEWISE_INLINE SinCosPairs sin_cos_reduced(Pair<double> r) {
  using V = Vec<double>;
  const V z = r.hi * r.hi;
  const V half = V(0.5) * z;
  const V w = V(1.0) - half;
  return {{r.hi, fma(r.lo, w, sin_tail(r.hi, z))},
          {w, ((V(1.0) - w) - half) + fnma(r.hi, r.lo, cos_tail(z))}};
}

/// sin of a magnitude whose sign bit is `sign`, shifted by a number of quadrants.
LANEWISE_INLINE Vec<double> sin_shifted(Vec<double> magnitude, Vec<double> sign, std::int64_t shift) {
  using I = Vec<std::int64_t>;
  const TrigReduction reduced = reduce_trig(magnitude);
  const SinCosPairs p = sin_cos_reduced(reduced.r);
  const I quadrant = reduced.quadrant + I(shift);
  const Mask<double> odd = mask_cast<double>((quadrant & I(1)) != I(0));
  const Vec<double> value = select(odd, p.cos.hi, p.sin.hi) + select(odd, p.cos.lo, p.sin.lo);
  return bitcast<double>(as_int(value) ^ ((quadrant & I(2)) << 62) ^ as_int(sign));
}

}  // namespace detail

/// Sine. Finite arguments of any size are reduced exactly; sin of an infinity is NaN. Error: 0.91 ULP (f32; without
/// fma 0.61), 0.83 ULP (f64).
LANEWISE_INLINE Vec<double> sin(Vec<double> x) {
  return detail::sin_shifted(abs(x), detail::bit_and(x, sign_mask<double>()), 0);
}
LANEWISE_INLINE Vec<float> sin(Vec<float> x) { return detail::sin_of_float<detail::SineTables>(x); }

/// Cosine, in the same way. Error: 0.91 ULP (f32; without fma 0.61), 0.80 ULP (f64).
LANEWISE_INLINE Vec<double> cos(Vec<double> x) { return detail::sin_shifted(abs(x), Vec<double>(0.0), 1); }
LANEWISE_INLINE Vec<float> cos(Vec<float> x) { return detail::sin_of_float<detail::CosineTables>(x); }

namespace detail {

template <class T>
struct SinCos {
  Vec<T> sin;
  Vec<T> cos;
};
/// Both from one reduction; the same values as sin and cos.
LANEWISE_INLINE SinCos<double> sin_cos(Vec<double> x) {
  using I = Vec<std::int64_t>;
  const TrigReduction reduced = reduce_trig(abs(x));
  const SinCosPairs p = sin_cos_reduced(reduced.r);
  const Vec<double> s = p.sin.hi + p.sin.lo;
  const Vec<double> c = p.cos.hi + p.cos.lo;
  const I q = reduced.quadrant;
  const Mask<double> odd = mask_cast<double>((q & I(1)) != I(0));
  const I sin_sign = ((q & I(2)) << 62) ^ as_int(bit_and(x, sign_mask<double>()));
  const I cos_sign = ((q + I(1)) & I(2)) << 62;
  return {bitcast<double>(as_int(select(odd, c, s)) ^ sin_sign),
          bitcast<double>(as_int(select(odd, s, c)) ^ cos_sign)};
}
LANEWISE_INLINE SinCos<float> sin_cos(Vec<float> x) { return {sin(x), cos(x)}; }

}  // namespace detail
}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
