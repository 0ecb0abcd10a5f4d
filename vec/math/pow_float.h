#pragma once

#include <lanewise/vec/math/exp.h>
#include <lanewise/vec/math/log.h>
#include <lanewise/vec/math/look_up.h>

// x^y in f32 as e^(y log x), the logarithm a pair: for tiers with a fused fma. Twice as fast as in f64.

namespace lanewise::vec {
inline namespace LANEWISE_ISA {
namespace detail {

/// e^x and the rounding errors on the way are normal numbers up to this magnitude of x.
inline constexpr float kPowNormal = 87.0f;

/// A mantissa m is reduced by a number c near 1 / m, so short that c m - 1 is exact; one for each eighth of a
/// binade, from the last to the first.
struct PowLogTables {
  static constexpr std::int32_t kSmallest = 0x3f44a300;  // the bits of the smallest mantissa, 0.768
  static constexpr std::int32_t kFraction = 0x7fffff;
  static constexpr Eight kInverse = {0.6875f, 0.75f, 0.8125f, 0.90625f, 1.0f, 1.0625f, 1.1875f, 1.25f};
  // -log c in two parts, the first exact beside multiples of LogConstants<float>::kLn2Hi.
  static constexpr Eight kHi = {0x1.7fb0p-2f, 0x1.2698p-2f,  0x1.a940p-3f,  0x1.9330p-4f,
                                0.0f,         -0x1.f0a0p-5f, -0x1.5ff0p-3f, -0x1.c900p-3f};
  static constexpr Eight kLo = {-0x1.7109fap-20f, -0x1.deecb2p-18f, -0x1.2c3752p-19f, 0x1.797566p-18f, 0.0f,
                                -0x1.86008cp-20f, -0x1.83853cp-18f, 0x1.070cacp-20f};
};
/// 2^(i/8) rounded, and the logarithm of what that lost.
struct PowExpTables {
  static constexpr Eight kPower = {0x1.000000p+0f, 0x1.172b84p+0f, 0x1.306fe0p+0f, 0x1.4bfdaep+0f,
                                   0x1.6a09e6p+0f, 0x1.8ace54p+0f, 0x1.ae89fap+0f, 0x1.d5818ep+0f};
  static constexpr Eight kLost = {0.0f,
                                  -0x1.9c0c22p-27f,
                                  0x1.125002p-25f,
                                  -0x1.0a3552p-25f,
                                  0x1.26055cp-26f,
                                  0x1.67a1cap-28f,
                                  -0x1.f9c306p-27f,
                                  -0x1.a5217cp-28f};
};

/// x = m / 2^minus_e.
struct PowReduction {
  Vec<float> minus_e;
  Vec<float> m;
  Vec<std::int32_t> interval;  ///< of the tables, in the low three bits
  Mask<float> inside;  ///< false where x may be other than a positive normal number; m is then anything
};

LANEWISE_INLINE PowReduction reduce_pow(Vec<float> x) {
  using I = Vec<std::int32_t>;
  using C = PowLogTables;
  const I below = I(C::kSmallest + C::kFraction) - as_int(x);
  const Vec<float> m = bitcast<float>(as_int(x) + (below & I(~C::kFraction)));
  return {convert<float>(below >> 23), m, below >> 20, positive_normal(x)};
}
/// The same values with fewer instructions, and with fewer lanes inside: x below 2^126.
LANEWISE_INLINE PowReduction reduce_pow_inside(Vec<float> x) {
#if defined(LANEWISE_ISA_AVX512)
  using I = Vec<std::int32_t>;
  using C = PowLogTables;
  using R = Vec<float>::Register;
  constexpr std::int32_t kNormal = 0x00800000;
  constexpr std::int32_t kTop = C::kSmallest + C::kFraction + 0x3f800000;
  const I below = I(kTop) - as_int(x);  // its exponent as a float is minus_e
  const auto no_denormal = bitcast<std::uint32_t>(below) <= Vec<std::uint32_t>(kTop - kNormal);
  const __m512 minus_e = _mm512_getexp_ps(bits<__m512>(below.reg));
  const Vec<float> m(bits<R>(_mm512_scalef_ps(bits<__m512>(x.reg), minus_e)));
  return {Vec<float>(bits<R>(minus_e)), m, below >> 20,
          mask_cast<float>(no_denormal) & mask_cast<float>(below >= I(kNormal))};
#else
  return reduce_pow(x);
#endif
}

/// log x to about 2^-32 of it.
LANEWISE_INLINE Pair<float> pow_log(const PowReduction& x) {
  using V = Vec<float>;
  using C = LogConstants<float>;
  using T = PowLogTables;
  // a + r - r^2 / 2 + rest, the rest by a minimax polynomial.
  const V a = fma(x.minus_e, V(-C::kLn2Hi), look_up(T::kHi, x.interval));  // exact
  const V a_lo = fma(x.minus_e, V(-C::kLn2Lo), look_up(T::kLo, x.interval));
  const V r = fma(x.m, look_up(T::kInverse, x.interval), V(-1.0f));  // exact, at most 0.061
  const V tail =
      polynomial(r, 0x1.555556p-2f, -0x1.ffff84p-3f, 0x1.999886p-3f, -0x1.56c7acp-3f, 0x1.265afep-3f);
  const V rest = fma(r * r * r, tail, a_lo);
  const V half = V(0.5f) * r;
  const V hi = a + (fnma(half, r, r) + rest);
  // The difference and the sum are exact: r is a multiple of 2^-29, and close to hi where a is 0.
  return {hi, fnma(half, r, (a - hi) + r) + rest};
}

/// x y; what would be a denormal number is as if it were 0.
LANEWISE_INLINE Pair<float> pow_product(const Pair<float>& x, Vec<float> y) {
  const Vec<float> p = fma(x.hi, y, Vec<float>(kBesideOne<float>));
  return {p, fma(x.lo, y, fms(x.hi, y, p))};
}

/// x (y + y_lo).
LANEWISE_INLINE Pair<float> pow_product(const Pair<float>& x, Vec<float> y, Vec<float> y_lo) {
  const Pair<float> p = pow_product(x, y);
  return {p.hi, fma(x.hi, y_lo, p.lo)};
}

/// A number as value * 2^floor(exponent).
struct PowExp {
  Vec<float> value;     ///< about 1 to 2
  Vec<float> exponent;  ///< in eighths
  Vec<float> t;         ///< its bits count the eighths
};
/// e^x.
LANEWISE_INLINE PowExp pow_exp(const Pair<float>& x) {
  using V = Vec<float>;
  using C = ExpConstants<float>;
  const V magic(C::kMagic / 8);
  const V t = fma(x.hi, V(C::kLog2E), magic);
  const V n = t - magic;
  const V low = fnma(n, V(C::kLn2Lo), x.lo) + look_up(PowExpTables::kLost, as_int(t));
  const V r = fnma(n, V(C::kLn2Hi), x.hi) + low;  // at most 0.044
  const V expm1 = r * polynomial(r, 1.0f, 0x1.000000p-1f, 0x1.555c8ep-3f, 0x1.555dc2p-5f);
  const V power = look_up(PowExpTables::kPower, as_int(t));
  return {fma(power, expm1, power), n, t};
}

/// The number, if it is normal.
LANEWISE_INLINE Vec<float> scale_normal(const PowExp& e) {
#if defined(LANEWISE_ISA_AVX512)
  return scale_by_rounded(e.value, e.t, e.exponent);  // takes the floor
#else
  using I = Vec<std::int32_t>;
  return bitcast<float>(as_int(e.value) + ((as_int(e.t) << 20) & I(~PowLogTables::kFraction)));
#endif
}

}  // namespace detail
}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
