#pragma once

#include <lanewise/vec/math/pair.h>

namespace lanewise::vec {
inline namespace LANEWISE_ISA {
namespace detail {

template <class T>
struct ExpConstants;
template <>
struct ExpConstants<float> {
  static constexpr float kMagic = 0x1.8p23f;  // adding it rounds to an integer, kept in the low mantissa bits
  static constexpr float kLog2E = 0x1.715476p+0f;
  static constexpr float kLn2Hi = 0x1.62e4p-1f;  // times an exponent: exact
  static constexpr float kLn2Lo = 0x1.7f7d1cp-20f;
  static constexpr float kOverflow = 89.0f;
  static constexpr float kUnderflow = -104.0f;  // e^x is 0 below
  static constexpr float kVanished = -176.06f;  // see keep_above
  static constexpr float kExpm1Low = -20.0f;
  static constexpr float kNormal = 60.0f;  // e^+-x and its rounding errors are normal numbers
};
template <>
struct ExpConstants<double> {
  static constexpr double kMagic = 0x1.8p52;
  static constexpr double kLog2E = 0x1.71547652b82fep+0;
  static constexpr double kLn2Hi = 0x1.62e42feep-1;
  static constexpr double kLn2Lo = 0x1.a39ef35793c76p-33;
  static constexpr double kOverflow = 710.0;
  static constexpr double kUnderflow = -746.0;
  static constexpr double kVanished = -1418.18;
  static constexpr double kExpm1Low = -40.0;
  static constexpr double kNormal = 600.0;
};

/// (e^s - 1 - s) / r^2 for s = kTimes r, |s| <= ln(2) / 2, minimax (own Remez exchange): e^s to 2^-28 (f32),
/// 2^-58 (f64). kTimes is a power of two.
template <int kTimes = 1>
LANEWISE_INLINE Vec<float> exp_tail(Vec<float> r) {
  constexpr float k = kTimes;
  return polynomial(r, k * k * 0x1.fffffcp-2f, k * k * k * 0x1.555488p-3f, k * k * k * k * 0x1.55584ap-5f,
                    k * k * k * k * k * 0x1.1240c0p-7f, k * k * k * k * k * k * 0x1.6ad9d8p-10f);
}
LANEWISE_INLINE Vec<double> exp_tail(Vec<double> r) {
  return polynomial(r, 0x1.000000000000ap-1, 0x1.55555555554fap-3, 0x1.55555555505cdp-5, 0x1.1111111127570p-7,
                    0x1.6c16c184c959dp-10, 0x1.a01a012e6d937p-13, 0x1.a0199847dc41cp-16,
                    0x1.71df17f1a4908p-19, 0x1.28af258ac361ap-22, 0x1.ad9b4e535ca0fp-26);
}

/// t = n + kMagic for an integer n: p * 2^n rounded once, |n| at most about twice the exponent range.
template <class T>
LANEWISE_INLINE Vec<T> scale_by_rounded(Vec<T> p, [[maybe_unused]] Vec<T> t, [[maybe_unused]] Vec<T> n) {
#if defined(LANEWISE_ISA_AVX512)
  using R = typename Vec<T>::Register;
  if constexpr (sizeof(T) == 4) {
    return Vec<T>(bits<R>(_mm512_scalef_ps(bits<__m512>(p.reg), bits<__m512>(n.reg))));
  } else {
    return Vec<T>(bits<R>(_mm512_scalef_pd(bits<__m512d>(p.reg), bits<__m512d>(n.reg))));
  }
#else
  // Two steps, the first exact: 2^n alone may leave the normal numbers.
  using I = SignedOf<T>;
  constexpr int kMantissa = std::numeric_limits<T>::digits - 1;
  constexpr I kBias = std::numeric_limits<T>::max_exponent - 1;
  constexpr I kZero = __builtin_bit_cast(I, ExpConstants<T>::kMagic) - 2 * kBias;
  const Vec<I> biased = as_int(t) - Vec<I>(kZero);
  const Vec<I> first = biased.shift_right_logical(1);
  const Vec<I> second = biased - first;
  return (p * bitcast<T>(first << kMantissa)) * bitcast<T>(second << kMantissa);
#endif
}

/// The two halves of a power that is 0 where x < low. A product that vanishes takes a processor some hundred
/// cycles, so those lanes are kept from making one: by a mask, or by an exponent n for which both factors of
/// scale_by_rounded are 0.
template <class T>
LANEWISE_INLINE Vec<T> keep_above([[maybe_unused]] T low, [[maybe_unused]] T vanished, Vec<T> x) {
#if defined(LANEWISE_ISA_AVX512)
  return x;
#else
  return select(x < Vec<T>(low), Vec<T>(vanished), x);
#endif
}
template <class T>
LANEWISE_INLINE Vec<T> scale_above([[maybe_unused]] T low, [[maybe_unused]] Vec<T> x, Vec<T> p,
                                   [[maybe_unused]] Vec<T> t, Vec<T> n) {
#if defined(LANEWISE_ISA_AVX512)
  using R = typename Vec<T>::Register;
  if constexpr (sizeof(T) == 4) {
    const auto kept = _mm512_cmp_ps_mask(bits<__m512>(x.reg), _mm512_set1_ps(low), _CMP_NLT_UQ);
    return Vec<T>(bits<R>(_mm512_maskz_scalef_ps(kept, bits<__m512>(p.reg), bits<__m512>(n.reg))));
  } else {
    const auto kept = _mm512_cmp_pd_mask(bits<__m512d>(x.reg), _mm512_set1_pd(low), _CMP_NLT_UQ);
    return Vec<T>(bits<R>(_mm512_maskz_scalef_pd(kept, bits<__m512d>(p.reg), bits<__m512d>(n.reg))));
  }
#else
  return scale_by_rounded(p, t, n);
#endif
}

/// 2^n for t = n + kMagic within the normal exponents.
template <class T>
LANEWISE_INLINE Vec<T> power_of_two(Vec<T> t) {
  using I = SignedOf<T>;
  constexpr int kMantissa = std::numeric_limits<T>::digits - 1;
  constexpr I kBias = std::numeric_limits<T>::max_exponent - 1;
  constexpr I kZero = __builtin_bit_cast(I, ExpConstants<T>::kMagic) - kBias;
  return bitcast<T>((as_int(t) - Vec<I>(kZero)) << kMantissa);
}

/// x = n ln 2 + r, |r| <= ln(2) / 2.
template <class T>
struct ExpReduction {
  Vec<T> t;  ///< n + kMagic
  Vec<T> n;
  Pair<T> r;
};

template <class T>
LANEWISE_INLINE ExpReduction<T> reduce_exp(Vec<T> x) {
  using C = ExpConstants<T>;
  ExpReduction<T> e;
  e.t = fma(x, Vec<T>(C::kLog2E), Vec<T>(C::kMagic));
  e.n = e.t - Vec<T>(C::kMagic);
  const Vec<T> r = fnma(e.n, Vec<T>(C::kLn2Hi), x);  // exact
  const Vec<T> low = e.n * Vec<T>(C::kLn2Lo);
  e.r.hi = r - low;
  e.r.lo = (r - e.r.hi) - low;
  return e;
}

/// e^r - 1 for a reduced argument, about 2^-60 (f64), 2^-30 (f32) of it in the pair.
template <class T>
LANEWISE_INLINE Pair<T> expm1_reduced(Pair<T> r) {
  const Vec<T> square = r.hi * r.hi;
  Pair<T> p = fast_two_sum(r.hi, square * exp_tail(r.hi));
  p.lo = p.lo + fma(r.hi, r.lo, r.lo);
  return p;
}

/// e^r for |r| <= ln(2) / 2, rounded.
template <class T>
LANEWISE_INLINE Vec<T> exp_reduced(Vec<T> r) {
  const Vec<T> one(T(1));
  if constexpr (kFusedFma) {
    return fma(r, fma(r, exp_tail(r), one), one);  // no square of r, which may be denormal
  } else {
    return one + (r * r * exp_tail(r) + r);
  }
}

/// 2^r for |r| <= 1/2, rounded.
LANEWISE_INLINE Vec<float> exp2_reduced(Vec<float> r) {
  using V = Vec<float>;
  // (2^r - 1 - r ln 2) / r^2, minimax to 2^-28 of 2^r
  const V tail =
      polynomial(r, 0x1.ebfbdcp-3f, 0x1.c6af82p-5f, 0x1.3b2daap-7f, 0x1.5f0876p-10f, 0x1.41b434p-13f);
  return fma(r, fma(r, tail, V(0x1.62e430p-1f)), V(1.0f));  // no square of r, which may be denormal
}

/// Added to an argument it shows in no power, but leaves no denormal.
template <class T>
inline constexpr T kBesideOne = sizeof(T) == 4 ? T(0x1p-60f) : T(0x1p-200);

/// e^x where nothing over- or underflows: |x| < 80 (f32), < 700 (f64).
template <class T>
LANEWISE_INLINE Vec<T> exp_moderate(Vec<T> x) {
  using C = ExpConstants<T>;
  const Vec<T> t = fma(x, Vec<T>(C::kLog2E), Vec<T>(C::kMagic));
  const Vec<T> n = t - Vec<T>(C::kMagic);
  const Vec<T> r = fnma(n, Vec<T>(C::kLn2Lo), fnma(n, Vec<T>(C::kLn2Hi), x));
  return exp_reduced(r) * power_of_two(t);
}

/// (e^x - 1) / 2 and (e^x + 1) / 2 as pairs, for kExpm1Low <= x <= kOverflow. Halved, so that they do not
/// overflow before e^x does.
template <class T>
struct HalfExp {
  Pair<T> minus_one;
  Pair<T> plus_one;
};
template <class T>
LANEWISE_INLINE HalfExp<T> half_exp(Vec<T> x) {
  const ExpReduction<T> e = reduce_exp(x);
  const Pair<T> p = expm1_reduced(e.r);
  const Vec<T> half(T(0.5));
  const Vec<T> scale = power_of_two(e.t - Vec<T>(T(1)));
  const Vec<T> fraction = scale * p.hi;  // smaller than scale -+ 1/2, or that is 0
  const Vec<T> low = scale * p.lo;
  const Vec<T> minus = scale - half;
  const Vec<T> plus = scale + half;
  HalfExp<T> r{fast_two_sum(minus, fraction), fast_two_sum(plus, fraction)};
  r.minus_one.lo = r.minus_one.lo + (low + ((scale - minus) - half));
  r.plus_one.lo = r.plus_one.lo + (low + ((scale - plus) + half));
  return r;
}

}  // namespace detail

/// e^x. Error: 0.90 ULP (f32), 0.95 ULP (f64), also where the result is denormal; without fma 1.00 and 1.01 ULP.
template <Real T>
LANEWISE_INLINE Vec<T> exp(Vec<T> x) {
  using C = detail::ExpConstants<T>;
  const Vec<T> kept =
      detail::keep_above(C::kUnderflow, C::kVanished, detail::min_or_second(Vec<T>(C::kOverflow), x)) +
      Vec<T>(detail::kBesideOne<T>);
  const Vec<T> t = fma(kept, Vec<T>(C::kLog2E), Vec<T>(C::kMagic));
  const Vec<T> n = t - Vec<T>(C::kMagic);
  const Vec<T> r = fnma(n, Vec<T>(C::kLn2Lo), fnma(n, Vec<T>(C::kLn2Hi), kept));
  return detail::scale_above(C::kUnderflow, x, detail::exp_reduced(r), t, n);
}

/// 2^x. Error: 0.88 ULP (f32), 0.96 ULP (f64), without fma 1.15 ULP; exact for integers.
LANEWISE_INLINE Vec<float> exp2(Vec<float> x) {
  using V = Vec<float>;
  const V kept = detail::keep_above(-151.0f, -254.0f, detail::min_or_second(V(129.0f), x)) +
                 V(detail::kBesideOne<float>);
  const V t = kept + V(detail::ExpConstants<float>::kMagic);
  const V n = t - V(detail::ExpConstants<float>::kMagic);
  return detail::scale_above(-151.0f, x, detail::exp2_reduced(kept - n), t, n);
}
LANEWISE_INLINE Vec<double> exp2(Vec<double> x) {
  using V = Vec<double>;
  const V kept = detail::keep_above(-1077.0, -2046.0, detail::min_or_second(V(1025.0), x)) +
                 V(detail::kBesideOne<double>);
  const V t = kept + V(detail::ExpConstants<double>::kMagic);
  const V n = t - V(detail::ExpConstants<double>::kMagic);
  const V r = kept - n;
  const V tail = detail::polynomial(r, 0x1.ebfbdff82c5a1p-3, 0x1.c6b08d704a041p-5, 0x1.3b2ab6fba0791p-7,
                                    0x1.5d87fe78c4b7cp-10, 0x1.4309130dc970ap-13, 0x1.ffcbfbc0a3140p-17,
                                    0x1.62bfc9e26317ep-20, 0x1.b526631827cf1p-24, 0x1.e617e5ee328b4p-28,
                                    0x1.e7ad5d13d5cb2p-32);
  const V p = fma(r, fma(r, tail, V(0x1.62e42fefa39efp-1)), V(1.0));
  return detail::scale_above(-1077.0, x, p, t, n);
}

/// e^x - 1. Error: 0.96 ULP (f32), 1.00 ULP (f64). -0 gives -0.
template <Real T>
LANEWISE_INLINE Vec<T> expm1(Vec<T> x) {
  using C = detail::ExpConstants<T>;
  // What is tiny stays itself, -0 too.
  const Mask<T> tiny = abs(x) < Vec<T>(T(0x1p-60f));
  const Vec<T> kept =
      detail::max_or_second(Vec<T>(C::kExpm1Low), detail::min_or_second(Vec<T>(C::kOverflow), x));
  const detail::Pair<T> half = detail::half_exp(select(tiny, Vec<T>(T(0)), kept)).minus_one;
  const Vec<T> sum = half.hi + half.lo;
  return select(tiny, x, sum + sum);
}

namespace detail {
/// 2^n / (2^n + e^-r) for x = n ln 2 + r: the sum in a pair, the quotient of a power of two refined. Error: 0.98 ULP
/// for |x| <= kNormal; below, the result is e^x.
template <class T>
LANEWISE_INLINE Vec<T> sigmoid_refined(Vec<T> x) {
  using V = Vec<T>;
  using C = ExpConstants<T>;
  const V one(T(1));
  const V limit(C::kNormal);
  const V kept = max_or_second(-limit, min_or_second(limit, x)) + V(kBesideOne<T>);
  const V t = fma(kept, V(C::kLog2E), V(C::kMagic));
  const V n = t - V(C::kMagic);
  const V minus_r = fma(n, V(C::kLn2Lo), fms(n, V(C::kLn2Hi), kept));
  const V e = fma(minus_r, minus_r * exp_tail(minus_r), minus_r);  // e^-r - 1
  const V power = power_of_two(t);
  // In d_lo only the last sum may round, or it loses what is below half an ULP of d.
  const V d = (one + power) + e;
  const V d_lo = ((one - d) + power) + e;
  const V inverse = one / d;
  const V lost = fnma(inverse, d_lo, residual(inverse, d, one));
  return power * fma(lost, inverse, inverse);
}

/// Where a lane is beyond the range of the method used for most: E / (1 + E) for E = e^-|x| is E - E^2, and 1 / (1 + E) is
/// 1 - E, as far as can be told.
template <class T>
[[gnu::noinline, gnu::cold]] Vec<T> sigmoid_far(Vec<T> x, Vec<T> inside, Mask<T> near) {
  const Mask<T> below = x < Vec<T>(T(0));
  const Vec<T> e =
      exp(select(below, x, maximum(-x, Vec<T>(T(-80)))));  // 1 - e^-80 is 1; e^-100 would be a denormal
  const Vec<T> outside = select(below, fnma(e, e, e), Vec<T>(T(1)) - e);
  return select(near, inside, outside);
}
}  // namespace detail

/// 1 / (1 + e^-x). Error: 0.98 ULP; f32 with fma 1.44 ULP, up to |x| = 14 as a / (a + a 2^-n (1 + e)) with
/// 1 + e = e^-r for x = n ln 2 - r. Of the divisor all but its last rounding is exact, and a = 1.25 keeps it from where
/// that counts most. The refined quotient of 0.98 ULP takes 1.3 times as long.
template <Real T>
LANEWISE_INLINE Vec<T> sigmoid(Vec<T> x) {
  using V = Vec<T>;
  using C = detail::ExpConstants<T>;
  if constexpr (sizeof(T) == 4 && kFusedFma) {
    const V limit(14.0f);
    const V kept = detail::clamp_magnitude(x, limit);
    const V magic(C::kMagic + 127.0f);  // the exponent of 2^-n, with its bias
    const V t = fma(kept, V(-C::kLog2E), magic);
    const V minus_n = t - magic;
    const V r = fnma(minus_n, V(C::kLn2Lo), fnma(minus_n, V(C::kLn2Hi), -kept));
    // The third number hides a denormal product, and evens out the errors at r = -0.28, which are the largest.
    const V e = fma(r, fma(r, detail::exp_tail(r), V(-0x1.8p-27f)), r);
    const V a(1.25f);
    const V power = bitcast<float>((detail::as_int(t) << 23) | Vec<std::int32_t>(0x200000));  // 1.25 2^-n
    const V result = a / fma(e, power, a + power);
    const Mask<T> near = kept == x;
    if (__builtin_expect(!near.all(), 0)) return detail::sigmoid_far(x, result, near);
    return result;
  } else {
    const V result = detail::sigmoid_refined(x);
    const Mask<T> near = x >= V(-C::kNormal);
    if (__builtin_expect(!near.all(), 0)) return detail::sigmoid_far(x, result, near);
    return result;
  }
}

}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
