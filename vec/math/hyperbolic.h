#pragma once

#include <lanewise/vec/math/exp.h>
#include <lanewise/vec/math/log.h>

// sinh, cosh and the inverse hyperbolic functions; tanh has its own file.

namespace lanewise::vec {
inline namespace LANEWISE_ISA {
namespace detail {

/// (sinh x - x) / x^3 for z = x^2, minimax to 2^-31 up to 1.2 (f32), to 2^-62 up to 1 (f64) of sinh.
template <class T>
inline constexpr T kSinhSmall = sizeof(T) == 4 ? T(1.2) : T(1);
LANEWISE_INLINE Vec<float> sinh_tail(Vec<float> z) {
  return polynomial(z, 0x1.555556p-3f, 0x1.1110dcp-7f, 0x1.a02e44p-13f, 0x1.6ecb58p-19f, 0x1.031c72p-25f);
}
LANEWISE_INLINE Vec<double> sinh_tail(Vec<double> z) {
  return polynomial(z, 0x1.5555555555556p-3, 0x1.111111111101ep-7, 0x1.a01a01a037273p-13,
                    0x1.71de3a3b05a9fp-19, 0x1.ae646ff660341p-26, 0x1.6116f3ed847f6p-33,
                    0x1.b5c8dad762cc4p-41);
}

/// (asinh x - x) / x^3 for z = x^2 <= 1/4, to 2^-29 (f32), 2^-58 (f64) of asinh.
LANEWISE_INLINE Vec<float> asinh_tail(Vec<float> z) {
  return polynomial(z, -0x1.555556p-3f, 0x1.3332eap-4f, -0x1.6d9bf0p-5f, 0x1.ee142ep-6f, -0x1.504f9cp-6f,
                    0x1.459970p-7f);
}
LANEWISE_INLINE Vec<double> asinh_tail(Vec<double> z) {
  return polynomial(z, -0x1.5555555555555p-3, 0x1.33333333332fap-4, -0x1.6db6db6db086ep-5,
                    0x1.f1c71c6d66156p-6, -0x1.6e8ba21ea4fe4p-6, 0x1.1c4eaf29403b6p-6, -0x1.c9969396f4545p-7,
                    0x1.7a633fba31150p-7, -0x1.3eb1386278c61p-7, 0x1.0c1eacb8f71b5p-7, -0x1.a851c6e415a26p-8,
                    0x1.0f3620d560e0dp-8, -0x1.88e92bd4ca98ep-10);
}
/// (atanh x - x) / x^3, likewise.
LANEWISE_INLINE Vec<float> atanh_tail(Vec<float> z) {
  return polynomial(z, 0x1.555556p-2f, 0x1.99999ep-3f, 0x1.2490cep-3f, 0x1.c779c8p-4f, 0x1.6ecd06p-4f,
                    0x1.684f14p-4f, 0x1.3208eep-6f, 0x1.4392f4p-3f);
}
LANEWISE_INLINE Vec<double> atanh_tail(Vec<double> z) {
  return polynomial(z, 0x1.5555555555555p-2, 0x1.9999999999982p-3, 0x1.249249249409cp-3, 0x1.c71c71c58156bp-4,
                    0x1.745d17a833b94p-4, 0x1.3b13a3184d90ap-4, 0x1.1112632e765f2p-4, 0x1.e1b6c1f3ca95dp-5,
                    0x1.b116e91f2dcfep-5, 0x1.76524ce0b6671p-5, 0x1.bff5d5842ce7fp-5, -0x1.7b097a148d046p-8,
                    0x1.4f3162758726ep-3, -0x1.79de6d69a866cp-3, 0x1.cff32677aa2f2p-3);
}

/// A magnitude that stands for smaller ones where only its square counts, beside 1.
template <class T>
LANEWISE_INLINE Vec<T> with_normal_square(Vec<T> ax) {
  return max_or_second(Vec<T>(sizeof(T) == 4 ? T(0x1p-30f) : T(0x1p-200)), ax);
}

/// e^|x| / 2 as a pair, infinite only where cosh is.
template <class T>
LANEWISE_INLINE Pair<T> half_exp_of_magnitude(Vec<T> ax) {
  using C = ExpConstants<T>;
  const Vec<T> kept = with_normal_square(min_or_second(Vec<T>(C::kOverflow + T(2)), ax));
  const Vec<T> t = fma(kept, Vec<T>(C::kLog2E), Vec<T>(C::kMagic));
  const Vec<T> n = t - Vec<T>(C::kMagic);
  Pair<T> r;
  const Vec<T> exact = fnma(n, Vec<T>(C::kLn2Hi), kept);
  const Vec<T> low = n * Vec<T>(C::kLn2Lo);
  r.hi = exact - low;
  r.lo = (exact - r.hi) - low;
  const Pair<T> sum = fast_two_sum(Vec<T>(T(1)), fma(r.hi, r.hi * exp_tail(r.hi), r.hi));
  const Vec<T> one(T(1));
  return {scale_by_rounded(sum.hi, t - one, n - one), scale_by_rounded(sum.lo + r.lo, t - one, n - one)};
}

/// e^-|x| / 2, given e^|x| / 2; where it would be denormal, a tiny number that does not show beside the other.
template <class T>
LANEWISE_INLINE Vec<T> half_exp_of_negative(Pair<T> e) {
  return Vec<T>(T(0.25)) / min_or_second(Vec<T>(T(0x1p60f)), e.hi);
}

/// From here on sqrt(x^2 +- 1) is x to the last bit of the logarithm.
template <class T>
inline constexpr T kFarOut = T(0x1p28f);

/// log(x + root) for a pair; log(2 x) where x is far out.
template <class T>
LANEWISE_INLINE Vec<T> log_of_sum(Vec<T> x, Pair<T> u) {
  const Mask<T> far = x > Vec<T>(kFarOut<T>);
  const Pair<T> chosen{select(far, x, u.hi), select(far, Vec<T>(T(0)), u.lo)};
  LogReduction<T> r = reduce_log(chosen.hi);
  r.e = r.e + from_mask(far);
  return log_of_pair(chosen, r);
}

}  // namespace detail

/// Hyperbolic sine. Error: 0.89 ULP (f32), 0.86 ULP (f64).
template <Real T>
LANEWISE_INLINE Vec<T> sinh(Vec<T> x) {
  const Vec<T> ax = abs(x);
  const Vec<T> z = detail::normal_square(ax);
  const Vec<T> small = fma(ax, z * detail::sinh_tail(z), ax);
  const detail::Pair<T> e = detail::half_exp_of_magnitude(ax);
  const Vec<T> large = e.hi + (e.lo - detail::half_exp_of_negative(e));
  return copysign(select(ax < Vec<T>(detail::kSinhSmall<T>), small, large), x);
}
/// Hyperbolic cosine. Error: 0.97 ULP (f32), 0.91 ULP (f64).
template <Real T>
LANEWISE_INLINE Vec<T> cosh(Vec<T> x) {
  const detail::Pair<T> e = detail::half_exp_of_magnitude(abs(x));
  return e.hi + (e.lo + detail::half_exp_of_negative(e));
}

/// Inverse hyperbolic sine: an odd polynomial up to 1/2, then log(|x| + sqrt(1 + x^2)) with the root as a
/// pair. Error: 0.9 ULP.
template <Real T>
LANEWISE_INLINE Vec<T> asinh(Vec<T> x) {
  const Vec<T> one(T(1));
  const Vec<T> half(T(0.5));
  const Vec<T> ax = abs(x);
  const Vec<T> kept = detail::with_normal_square(detail::min_or_second(Vec<T>(detail::kFarOut<T>), ax));
  const detail::Pair<T> square = detail::two_product(kept, kept);
  const Vec<T> small = fma(ax, square.hi * detail::asinh_tail(square.hi), ax);
  detail::Pair<T> v = detail::two_sum(one, square.hi);
  v.lo = v.lo + square.lo;
  const Vec<T> s = sqrt(v.hi);
  detail::Pair<T> u = detail::fast_two_sum(s, kept);
  u.lo = fma(detail::residual(s, s, v.hi) + v.lo, half / s, u.lo);
  const Vec<T> large = detail::log_of_sum(ax, u);
  const Vec<T> inf(std::numeric_limits<T>::infinity());
  return copysign(select(ax < half, small, select(ax < inf, large, ax)), x);
}

/// Inverse hyperbolic cosine, NaN below 1: log(x + sqrt((x - 1)(x + 1))). Error: 0.97 ULP (f32), 0.87 ULP
/// (f64).
template <Real T>
LANEWISE_INLINE Vec<T> acosh(Vec<T> x) {
  const Vec<T> one(T(1));
  const Vec<T> inf(std::numeric_limits<T>::infinity());
  const Vec<T> kept = detail::min_or_second(Vec<T>(detail::kFarOut<T>), x);
  const Vec<T> y = kept - one;
  const detail::Pair<T> square = detail::two_product(y, y);
  detail::Pair<T> v = detail::fast_two_sum(y + y, square.hi);
  v.lo = v.lo + square.lo;
  const Vec<T> s = sqrt(v.hi);
  const Vec<T> half_inverse = Vec<T>(T(0.5)) / detail::max_or_second(Vec<T>(T(0x1p-60f)), s);
  detail::Pair<T> u = detail::fast_two_sum(kept, s);
  u.lo = fma(detail::residual(s, s, v.hi) + v.lo, half_inverse, u.lo);
  const Vec<T> r = detail::log_of_sum(x, u);
  const Vec<T> nan(std::numeric_limits<T>::quiet_NaN());
  return select(x < inf, select(x < one, nan, r), x);
}

/// Inverse hyperbolic tangent: an odd polynomial up to 1/2, then log(1 + 2 |x| / (1 - |x|)) / 2. Infinite at
/// +-1, NaN beyond. Error: 0.8 ULP.
template <Real T>
LANEWISE_INLINE Vec<T> atanh(Vec<T> x) {
  const Vec<T> one(T(1));
  const Vec<T> ax = abs(x);
  const Vec<T> kept = detail::with_normal_square(ax);
  const detail::Pair<T> d = detail::fast_two_sum(one, -kept);
  const Vec<T> n = kept + kept;
  const Vec<T> inverse = one / d.hi;
  const Vec<T> q = n * inverse;
  const Vec<T> low = fnma(q, d.lo, detail::residual(q, d.hi, n)) * inverse;
  detail::Pair<T> u = detail::two_sum(one, q);
  u.lo = u.lo + low;
  Vec<T> r = Vec<T>(T(0.5)) * detail::log_of_pair(u);
  const Vec<T> square = kept * kept;
  const Vec<T> small = fma(ax, square * detail::atanh_tail(square), ax);
  r = select(ax < Vec<T>(T(0.5)), small, r);
  r = select(ax < one, r,
             select(ax == one, Vec<T>(std::numeric_limits<T>::infinity()),
                    Vec<T>(std::numeric_limits<T>::quiet_NaN())));
  return copysign(r, x);
}

}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
