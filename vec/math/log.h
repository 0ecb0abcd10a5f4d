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
};
template <>
struct LogConstants<double> {
  static constexpr double kLn2Hi = 0x1.62e42feep-1;
  static constexpr double kLn2Lo = 0x1.a39ef35793c76p-33;
};

/// log(1 + f) = f - f^2 / 2 + tail, for 1 + f in [sqrt(1/2), sqrt(2)].
LANEWISE_INLINE Vec<float> log1p_tail(Vec<float> f, Vec<float> square, Vec<float> /*half_square*/) {
  // (log(1 + f) - f + f^2 / 2) / f^3, minimax to 2^-29 of the logarithm
  const Vec<float> p =
      polynomial(f, 0x1.555548p-2f, -0x1.000012p-2f, 0x1.99a456p-3f, -0x1.555836p-3f, 0x1.233c1ep-3f, -0x1.fc9b84p-4f,
                 0x1.e72fc0p-4f, -0x1.dc2390p-4f, 0x1.117d82p-4f);
  return p * f * square;
}
LANEWISE_INLINE Vec<double> log1p_tail(Vec<double> f, Vec<double> /*square*/, Vec<double> half_square) {
  // With s = f / (2 + f): log(1 + f) = 2 s + s R(s^2) = f - f^2/2 + s (f^2/2 + R); R minimax to 2^-59 of the logarithm.
  const Vec<double> s = f / (Vec<double>(2.0) + f);
  const Vec<double> z = s * s;
  const Vec<double> r =
      z * polynomial(z, 0x1.5555555555593p-1, 0x1.999999997f9c3p-2, 0x1.249249422f2aap-2, 0x1.c71c51d298c22p-3,
                     0x1.74664af7762dfp-3, 0x1.39a06fb733decp-3, 0x1.2f13281df04acp-3);
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

/// Lanes that are positive, normal and finite.
template <class T>
LANEWISE_INLINE Mask<T> positive_normal(Vec<T> x) {
  return (x >= Vec<T>(std::numeric_limits<T>::min())) & (x < Vec<T>(std::numeric_limits<T>::infinity()));
}

/// A factor that makes denormals normal, and its binary logarithm.
template <class T>
inline constexpr int kDenormalShift = sizeof(T) == 4 ? 24 : 54;
template <class T>
inline constexpr T kDenormalScale = sizeof(T) == 4 ? T(0x1p24) : T(0x1p54);

/// What every logarithm does outside the normal numbers: result for log(x * scale) where x is denormal, else the special value.
template <class T>
LANEWISE_INLINE Vec<T> log_specials(Vec<T> x, Vec<T> result) {
  const Vec<T> inf(std::numeric_limits<T>::infinity());
  const Vec<T> nan(std::numeric_limits<T>::quiet_NaN());
  const Vec<T> zero(T(0));
  Vec<T> r = select(x == inf, inf, result);
  r = select(x == zero, -inf, r);
  r = select((x < zero) | isnan(x), nan, r);
  return r;
}

/// log x where a lane is zero, denormal, negative, infinite or NaN.
template <class T>
[[gnu::noinline, gnu::cold]] Vec<T> log_slow(Vec<T> x) {
  const Mask<T> denormal = x < Vec<T>(std::numeric_limits<T>::min());
  const Vec<T> scaled = select(denormal, x * Vec<T>(kDenormalScale<T>), x);
  const Vec<T> shift = select(denormal, Vec<T>(T(-kDenormalShift<T>)), Vec<T>(T(0)));
  const LogReduction<T> r = reduce_log(scaled);
  return log_specials(x, log_reduced(r.e + shift, r.m));
}

}  // namespace detail

/// Natural logarithm. Error: 0.75 ULP. log(+-0) is -infinity, of negative numbers NaN.
template <Real T>
LANEWISE_INLINE Vec<T> log(Vec<T> x) {
  if (__builtin_expect(!detail::positive_normal(x).all(), 0)) return detail::log_slow(x);
  const detail::LogReduction<T> r = detail::reduce_log(x);
  return detail::log_reduced(r.e, r.m);
}

}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
