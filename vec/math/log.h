#pragma once

#include <lanewise/vec/math/pair.h>

namespace lanewise::vec {
inline namespace LANEWISE_ISA {
namespace detail {

/// x = 2^e * m with m in [sqrt(1/2), sqrt(2)), for normal positive x.
template <class T>
struct LogReduction {
  Vec<T> e;
  Vec<T> m;
};

LANEWISE_INLINE LogReduction<float> reduce_log(Vec<float> x) {
  const auto i = as_int(x) - Vec<std::int32_t>(0x3f3504f3);
  const auto e = i >> 23;
  return {convert<float>(e), bitcast<float>(as_int(x) - (e << 23))};
}
LANEWISE_INLINE LogReduction<double> reduce_log(Vec<double> x) {
  const Vec<std::int64_t> i = as_int(x) - Vec<std::int64_t>(0x3fe6a09e667f3bcd);
  const Vec<std::int64_t> mantissa = as_int(x) - (i & Vec<std::int64_t>(std::int64_t(0xfff0000000000000u)));
#if defined(LANEWISE_ISA_AVX512) || defined(LANEWISE_ISA_NEON)
  return {convert<double>(i >> 52), bitcast<double>(mantissa)};
#else
  // The exponent, made positive, in the low bits of 2^52.
  const auto biased = (i + Vec<std::int64_t>(std::int64_t{1} << 62)).shift_right_logical(52);
  const auto shifted = bitcast<double>(biased | Vec<std::int64_t>(0x4330000000000000));
  return {shifted - Vec<double>(0x1p52 + 1024), bitcast<double>(mantissa)};
#endif
}

template <class T>
struct LogConstants;
template <>
struct LogConstants<float> {
  static constexpr float kLn2Hi = 0x1.62e4p-1f;  // times an exponent: exact
  static constexpr float kLn2Lo = 0x1.7f7d1cp-20f;
  static constexpr float kLog2EHi = 0x1.715476p+0f;
  static constexpr float kLog2ELo = 0x1.4ae0c0p-26f;
  static constexpr float kLog10EHi = 0x1.bcb7b2p-2f;
  static constexpr float kLog10ELo = -0x1.5b235ep-27f;
  static constexpr float kLog10Of2Hi = 0x1.344p-2f;  // times an exponent: exact
  static constexpr float kLog10Of2Lo = 0x1.3509f8p-18f;
};
template <>
struct LogConstants<double> {
  static constexpr double kLn2Hi = 0x1.62e42feep-1;
  static constexpr double kLn2Lo = 0x1.a39ef35793c76p-33;
  static constexpr double kLog2EHi = 0x1.71547652b82fep+0;
  static constexpr double kLog2ELo = 0x1.777d0ffda0d24p-56;
  static constexpr double kLog10EHi = 0x1.bcb7b1526e50ep-2;
  static constexpr double kLog10ELo = 0x1.95355baaafad3p-57;
  static constexpr double kLog10Of2Hi = 0x1.3441350ap-2;
  static constexpr double kLog10Of2Lo = -0x1.0c0219dc1da99p-39;
};

/// log(1 + f) = f - f^2 / 2 + tail, for 1 + f in [sqrt(1/2), sqrt(2)].
LANEWISE_INLINE Vec<float> log1p_tail(Vec<float> f, Vec<float> square, Vec<float> /*half_square*/) {
  // (log(1 + f) - f + f^2 / 2) / f^3, minimax to 2^-29 of the logarithm
  const Vec<float> p =
      polynomial(f, 0x1.555548p-2f, -0x1.000012p-2f, 0x1.99a456p-3f, -0x1.555836p-3f, 0x1.233c1ep-3f,
                 -0x1.fc9b84p-4f, 0x1.e72fc0p-4f, -0x1.dc2390p-4f, 0x1.117d82p-4f);
  return p * f * square;
}
LANEWISE_INLINE Vec<double> log1p_tail(Vec<double> f, Vec<double> /*square*/, Vec<double> half_square) {
  // With s = f / (2 + f): log(1 + f) = 2 s + s R(s^2) = f - f^2/2 + s (f^2/2 + R); R minimax to 2^-59 of the
  // logarithm.
  const Vec<double> s = f / (Vec<double>(2.0) + f);
  const Vec<double> z = s * s;
  const Vec<double> r =
      z * polynomial(z, 0x1.5555555555593p-1, 0x1.999999997f9c3p-2, 0x1.249249422f2aap-2,
                     0x1.c71c51d298c22p-3, 0x1.74664af7762dfp-3, 0x1.39a06fb733decp-3, 0x1.2f13281df04acp-3);
  return s * (half_square + r);
}

/// e log 2 + log m.
template <class T>
LANEWISE_INLINE Vec<T> log_reduced(Vec<T> e, Vec<T> m) {
  using C = LogConstants<T>;
  const Vec<T> f = m - Vec<T>(T(1));
  const Vec<T> square = f * f;
  const Vec<T> half_square = Vec<T>(T(0.5)) * square;
  const Vec<T> low = fma(e, Vec<T>(C::kLn2Lo), log1p_tail(f, square, half_square));
  return fma(e, Vec<T>(C::kLn2Hi), f - (half_square - low));
}

/// log m as a pair, times a constant given as a pair: the logarithm of m to another base.
template <class T>
LANEWISE_INLINE Pair<T> log_mantissa_times(Vec<T> m, T factor_hi, T factor_lo) {
  const Vec<T> f = m - Vec<T>(T(1));
  const Vec<T> square = f * f;
  const Vec<T> half_square = Vec<T>(T(0.5)) * square;
  Pair<T> p = fast_two_sum(f, -half_square);
  p.lo = p.lo + log1p_tail(f, square, half_square);
  return multiply(p, Pair<T>{Vec<T>(factor_hi), Vec<T>(factor_lo)});
}

/// e + log2 m.
template <class T>
LANEWISE_INLINE Vec<T> log2_reduced(Vec<T> e, Vec<T> m) {
  using C = LogConstants<T>;
  const Pair<T> p = log_mantissa_times(m, C::kLog2EHi, C::kLog2ELo);
  const Pair<T> s = fast_two_sum(e, p.hi);
  return s.hi + (s.lo + p.lo);
}
/// e log10 2 + log10 m.
template <class T>
LANEWISE_INLINE Vec<T> log10_reduced(Vec<T> e, Vec<T> m) {
  using C = LogConstants<T>;
  const Pair<T> p = log_mantissa_times(m, C::kLog10EHi, C::kLog10ELo);
  const Pair<T> s = fast_two_sum(e * Vec<T>(C::kLog10Of2Hi), p.hi);
  return s.hi + fma(e, Vec<T>(C::kLog10Of2Lo), s.lo + p.lo);
}

/// Lanes that are positive, normal and finite.
template <class T>
LANEWISE_INLINE Mask<T> positive_normal(Vec<T> x) {
  return (x >= Vec<T>(std::numeric_limits<T>::min())) & (x < Vec<T>(std::numeric_limits<T>::infinity()));
}

/// The binary logarithm of the factor that makes integers of denormals.
template <class T>
inline constexpr int kDenormalShift = sizeof(T) == 4 ? 149 : 1074;
/// x where it is not denormal, else its bits as an integer: x times 2^kDenormalShift, without an operation on a
/// denormal, which takes processors some hundred cycles.
template <class T>
LANEWISE_INLINE Vec<T> scale_denormal(Vec<T> x, Mask<T> denormal) {
  const Vec<T> magic(sizeof(T) == 4 ? T(0x1p23f) : T(0x1p52));
  return select(denormal, bitcast<T>(as_int(x) | as_int(magic)) - magic, x);
}

/// The base of a logarithm, as the function that puts it together from exponent and mantissa.
struct BaseE {
  template <class T>
  static LANEWISE_INLINE Vec<T> of(Vec<T> e, Vec<T> m) {
    return log_reduced(e, m);
  }
};
struct Base2 {
  template <class T>
  static LANEWISE_INLINE Vec<T> of(Vec<T> e, Vec<T> m) {
    return log2_reduced(e, m);
  }
};
struct Base10 {
  template <class T>
  static LANEWISE_INLINE Vec<T> of(Vec<T> e, Vec<T> m) {
    return log10_reduced(e, m);
  }
};

/// Special values in place of `result` where x is zero, negative, infinite or NaN.
template <class T>
LANEWISE_INLINE Vec<T> log_specials(Vec<T> x, Vec<T> result) {
  const Vec<T> inf(std::numeric_limits<T>::infinity());
  const Vec<T> zero(T(0));
  Vec<T> r = select(x == inf, inf, result);
  r = select(x == zero, -inf, r);
  return select((x < zero) | isnan(x), Vec<T>(std::numeric_limits<T>::quiet_NaN()), r);
}

/// Where a lane is zero, denormal, negative, infinite or NaN.
template <class Base, class T>
[[gnu::noinline, gnu::cold]] Vec<T> log_slow(Vec<T> x) {
  const Mask<T> denormal = x < Vec<T>(std::numeric_limits<T>::min());
  const Vec<T> scaled = scale_denormal(x, denormal);
  const Vec<T> shift = select(denormal, Vec<T>(T(-kDenormalShift<T>)), Vec<T>(T(0)));
  const LogReduction<T> r = reduce_log(scaled);
  return log_specials(x, Base::of(r.e + shift, r.m));
}
template <class Base, class T>
LANEWISE_INLINE Vec<T> log_of(Vec<T> x) {
  if (__builtin_expect(!positive_normal(x).all(), 0)) return log_slow<Base>(x);
  const LogReduction<T> r = reduce_log(x);
  return Base::of(r.e, r.m);
}

/// log(u.hi + u.lo) for normal positive u.hi with reduction r, good to the accuracy of u - 1 near 1.
template <class T>
LANEWISE_INLINE Vec<T> log_of_pair(Pair<T> u, LogReduction<T> r) {
  using C = LogConstants<T>;
  using I = SignedOf<T>;
  const Vec<T> f = r.m - Vec<T>(T(1));
  // lo / u = (lo * 2^-e) / m, and 1 / m is near 1 - f + f^2 where it matters. 2^-e is m / u; four times that is
  // a normal number.
  const Vec<T> inverse_power = bitcast<T>(as_int(r.m) - as_int(u.hi) + Vec<I>(__builtin_bit_cast(I, T(4))));
  const Vec<T> lost = u.lo * inverse_power;
  const Vec<T> quarter(T(0.25));
  const Vec<T> square = f * f;
  const Vec<T> half_square = Vec<T>(T(0.5)) * square;
  const Vec<T> weight = fma(quarter, square, fnma(quarter, f, quarter));
  const Vec<T> low = fma(r.e, Vec<T>(C::kLn2Lo), fma(lost, weight, log1p_tail(f, square, half_square)));
  const Pair<T> s = fast_two_sum(r.e * Vec<T>(C::kLn2Hi), f);
  return s.hi + (s.lo - (half_square - low));
}
template <class T>
LANEWISE_INLINE Vec<T> log_of_pair(Pair<T> u) {
  return log_of_pair(u, reduce_log(u.hi));
}
template <class T>
[[gnu::noinline, gnu::cold]] Vec<T> log1p_slow(Vec<T> x, Vec<T> inside) {
  return log_specials(x + Vec<T>(T(1)), inside);
}

}  // namespace detail

/// Natural logarithm. Error: 0.84 ULP (f32), 0.76 ULP (f64). log(+-0) is -infinity, of negative numbers NaN;
/// so for the others.
template <Real T>
LANEWISE_INLINE Vec<T> log(Vec<T> x) {
  return detail::log_of<detail::BaseE>(x);
}
/// Binary logarithm, exact for powers of two. Error: 0.85 ULP (f32), 0.73 ULP (f64).
template <Real T>
LANEWISE_INLINE Vec<T> log2(Vec<T> x) {
  return detail::log_of<detail::Base2>(x);
}
/// Decimal logarithm. Error: 0.73 ULP.
template <Real T>
LANEWISE_INLINE Vec<T> log10(Vec<T> x) {
  return detail::log_of<detail::Base10>(x);
}
/// log(1 + x) without cancellation near 0. Error: 0.92 ULP.
template <Real T>
LANEWISE_INLINE Vec<T> log1p(Vec<T> x) {
  // The logarithm of 1 + x rounded, corrected by what the rounding lost.
  const Mask<T> tiny = abs(x) < Vec<T>(T(0x1p-60f));
  const Vec<T> kept = select(tiny, Vec<T>(T(0)), x);
  const Vec<T> inside = detail::log_of_pair(detail::two_sum(Vec<T>(T(1)), kept));
  const Mask<T> valid = (x > Vec<T>(T(-1))) & (x < Vec<T>(std::numeric_limits<T>::infinity()));
  const Vec<T> r = select(tiny, x, inside);
  if (__builtin_expect(!valid.all(), 0)) return detail::log1p_slow(x, r);
  return r;
}

}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
