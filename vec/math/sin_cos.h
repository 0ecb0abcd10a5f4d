#pragma once

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

/// f32 in double precision: x = n pi + r, and sin r by one polynomial on |r| <= pi/2 (relative error 2^-27).
inline constexpr double kInvPi = 0x1.45f306dc9c883p-2;
inline constexpr double kPi1 = 0x1.921fb54442d18p+1;
inline constexpr double kPi2 = 0x1.1a62633145c07p-53;
// In parts that multiply exactly without fma.
inline constexpr double kPiShort1 = 0x1.921fb544p+1;
inline constexpr double kPiShort2 = 0x1.0b4611a6p-33;
inline constexpr double kPiShort3 = 0x1.3198a2e037073p-68;
inline constexpr float kFloatTrigLimit = kFusedFma ? 0x1p30f : 0x1p19f;

/// (-1)^n sin r, for t = n + kTrigMagic. The product keeps the sign of -0.
LANEWISE_INLINE Vec<double> sin_half_turn(Vec<double> r, Vec<double> t) {
  const Vec<double> z = r * r;
  const Vec<double> p = polynomial(z, 1.0, -0x1.55554bc62dfb4p-3, 0x1.110ed2fe18339p-7,
                                   -0x1.9f6fe10283caap-13, 0x1.5dbc05ae823cbp-19);
  return bitcast<double>(as_int(r * p) ^ (as_int(t) << 63));
}

/// cos x is sin(x + pi/2): n is then an integer and a half.
template <bool kCosine>
LANEWISE_INLINE Vec<double> sin_of_float(Vec<double> x) {
  using V = Vec<double>;
  V t;
  V n;
  if constexpr (kCosine) {
    t = fma(x, V(kInvPi), V(0.5)) + V(kTrigMagic);
    n = (t - V(kTrigMagic)) - V(0.5);
  } else {
    t = fma(x, V(kInvPi), V(kTrigMagic));
    n = t - V(kTrigMagic);
  }
  if constexpr (kFusedFma) {
    return sin_half_turn(fnma(n, V(kPi2), fnma(n, V(kPi1), x)), t);
  } else {
    return sin_half_turn(((x - n * V(kPiShort1)) - n * V(kPiShort2)) - n * V(kPiShort3), t);
  }
}

/// Where a lane is too large, infinite or NaN: those lanes one by one, then all through the same polynomial.
template <bool kCosine>
[[gnu::noinline, gnu::cold]] Vec<float> sin_of_large_float(Vec<float> x, Vec<float> result) {
  constexpr int kLanes = Vec<float>::size;
  alignas(64) float in[kLanes];
  alignas(64) double r[kLanes];
  alignas(64) double t[kLanes];
  x.store(in);
  for (int i = 0; i < kLanes; ++i) {
    const double magnitude = in[i] < 0 ? -in[i] : in[i];
    r[i] = std::numeric_limits<double>::quiet_NaN();
    t[i] = kTrigMagic;
    if (magnitude > kFloatTrigLimit && magnitude <= std::numeric_limits<float>::max()) {
      const LargeReduction large = reduce_large(in[i]);
      std::int64_t quadrant = large.quadrant + (kCosine ? 1 : 0);
      r[i] = large.hi;
      if ((quadrant & 1) != 0) {
        const bool below = large.hi < 0;
        r[i] = below ? large.hi + kHalfPi1 : large.hi - kHalfPi1;
        quadrant += below ? -1 : 1;
      }
      t[i] = kTrigMagic + static_cast<double>(quadrant >> 1);
    }
  }
  constexpr int kHalf = kLanes / 2;
  const Vec<double> low = sin_half_turn(Vec<double>::load(r), Vec<double>::load(t));
  const Vec<double> high = sin_half_turn(Vec<double>::load(r + kHalf), Vec<double>::load(t + kHalf));
  return select(abs(x) <= Vec<float>(kFloatTrigLimit), result, narrow(low, high));
}

template <bool kCosine>
LANEWISE_INLINE Vec<float> sin_of_float(Vec<float> x) {
  const WidePair w = widen(x);
  const Vec<float> result = narrow(sin_of_float<kCosine>(w.low), sin_of_float<kCosine>(w.high));
  const Mask<float> near = abs(x) <= Vec<float>(kFloatTrigLimit);
  if (__builtin_expect(!near.all(), 0)) return sin_of_large_float<kCosine>(x, result);
  return result;
}

}  // namespace detail

/// Sine. Finite arguments of any size are reduced exactly; sin of an infinity is NaN. Error: 0.61 ULP (f32),
/// 0.83 ULP (f64).
LANEWISE_INLINE Vec<double> sin(Vec<double> x) {
  return detail::sin_shifted(abs(x), detail::bit_and(x, sign_mask<double>()), 0);
}
LANEWISE_INLINE Vec<float> sin(Vec<float> x) { return detail::sin_of_float<false>(x); }

/// Cosine, in the same way. Error: 0.61 ULP (f32), 0.80 ULP (f64).
LANEWISE_INLINE Vec<double> cos(Vec<double> x) { return detail::sin_shifted(abs(x), Vec<double>(0.0), 1); }
LANEWISE_INLINE Vec<float> cos(Vec<float> x) { return detail::sin_of_float<true>(x); }

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
