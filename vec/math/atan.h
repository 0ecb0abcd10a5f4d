#pragma once

#include <lanewise/vec/math/pair.h>

namespace lanewise::vec {
inline namespace LANEWISE_ISA {
namespace detail {

/// (atan(q) - q) / q^3 for z = q^2 <= 1, minimax to 2^-28 (f32) and 2^-57 (f64) of atan.
LANEWISE_INLINE Vec<float> atan_tail(Vec<float> z) {
  return horner(z, -0x1.55553ep-2f, 0x1.9991e4p-3f, -0x1.242084p-3f, 0x1.c08c16p-4f, -0x1.5807f4p-4f,
                0x1.da2408p-5f, -0x1.fd6d86p-6f, 0x1.640dc2p-7f, -0x1.d326bap-10f);
}
LANEWISE_INLINE Vec<double> atan_tail(Vec<double> z) {
  // The first terms alternate and cancel, so they go one after the other.
  const Vec<double> p =
      polynomial(z, -0x1.110e5130979d8p-4, 0x1.e1bba6f899addp-5, -0x1.ae5e759f6b5c3p-5, 0x1.82dae2b25e440p-5,
                 -0x1.59a41f7a74afbp-5, 0x1.2c2ea4cd8cb67p-5, -0x1.e9fb0423cff44p-6, 0x1.683e0d4e4506dp-6,
                 -0x1.c792545b28496p-7, 0x1.d7bced6f2f348p-8, -0x1.7a3dad1427582p-9, 0x1.b400cc1f566a8p-11,
                 -0x1.3f3bb4b1da113p-13, 0x1.bbf6972ad2f4ep-17);
  return horner_from(p, z, -0x1.5555555555526p-2, 0x1.99999999955b4p-3, -0x1.249249237f589p-3,
                     0x1.c71c717fcfe2bp-4, -0x1.745d11ae820abp-4, 0x1.3b13669b0e3d3p-4);
}

template <class T>
struct AtanConstants;
template <>
struct AtanConstants<float> {
  static constexpr float kHalfPiHi = 0x1.921fb6p+0f;
  static constexpr float kHalfPiLo = -0x1.777a5cp-25f;
  static constexpr float kFar = 0x1p40f;
  static constexpr float kTiny = 0x1p-60f;
  static constexpr float kUp = 0x1p70f;
  static constexpr float kHuge = 0x1p100f;
  static constexpr float kDown = 0x1p-30f;
};
template <>
struct AtanConstants<double> {
  static constexpr double kHalfPiHi = 0x1.921fb54442d18p+0;
  static constexpr double kHalfPiLo = 0x1.1a62633145c07p-54;
  static constexpr double kFar = 0x1p80;
  static constexpr double kTiny = 0x1p-500;
  static constexpr double kUp = 0x1p600;
  static constexpr double kHuge = 0x1p900;
  static constexpr double kDown = 0x1p-300;
};

/// atan(n / d) as a leading part and what is to be added to it, for 0 <= n <= d, d neither tiny nor huge.
template <class T>
LANEWISE_INLINE Pair<T> atan_ratio(Vec<T> n, Vec<T> d) {
  const Vec<T> inverse = Vec<T>(T(1)) / d;
  const Vec<T> q = n * inverse;
  Vec<T> low = residual(q, d, n) * inverse;
  if constexpr (!kFusedFma) {
    // The error of a product of tiny numbers is lost without fma.
    low = select(n < Vec<T>(std::numeric_limits<T>::min() / std::numeric_limits<T>::epsilon()), Vec<T>(T(0)),
                 low);
  }
  const Vec<T> z = q * q;
  // What the division lost counts 1 / (1 + q^2) times, which 1 - q^2 / 2 is near enough to.
  return {q, fma(q * z, atan_tail(z), fnma(Vec<T>(T(0.5)) * low, z, low))};
}

/// Multiples of pi/2 minus (where `minus`) or plus the angle.
template <class T>
LANEWISE_INLINE Vec<T> add_angle(Vec<T> quarters, Mask<T> minus, Pair<T> angle) {
  using C = AtanConstants<T>;
  const Vec<T> sign = select(minus, sign_mask<T>(), Vec<T>(T(0)));
  const Pair<T> s = fast_two_sum(quarters * Vec<T>(C::kHalfPiHi), bit_xor(angle.hi, sign));
  return s.hi + (s.lo + fma(quarters, Vec<T>(C::kHalfPiLo), bit_xor(angle.lo, sign)));
}

/// Angle of (x, y), y >= 0 taken as |y|, where max(|x|, |y|) is neither tiny nor huge.
template <class T>
LANEWISE_INLINE Vec<T> atan2_inside(Vec<T> ay, Vec<T> ax, Mask<T> left) {
  const Mask<T> steep = ay > ax;
  const Pair<T> angle = atan_ratio(select(steep, ax, ay), select(steep, ay, ax));
  const Vec<T> one(T(1));
  const Vec<T> zero(T(0));
  const Vec<T> quarters = select(steep, one, select(left, Vec<T>(T(2)), zero));
  return add_angle(quarters, steep ^ left, angle);
}
template <class T>
[[gnu::noinline]] Vec<T> atan2_slow(Vec<T> y, Vec<T> x) {
  using C = AtanConstants<T>;
  const Vec<T> zero(T(0));
  const Vec<T> one(T(1));
  const Vec<T> inf(std::numeric_limits<T>::infinity());
  Vec<T> ay = abs(y);
  Vec<T> ax = abs(x);
  const Vec<T> larger = max_or_second(ax, ay);
  const Vec<T> scale = select(larger > Vec<T>(C::kHuge), Vec<T>(C::kDown),
                              select(larger < Vec<T>(C::kTiny), Vec<T>(C::kUp), one));
  // Infinities weigh as 1 against 0, or 1 against 1.
  const Mask<T> infinite = (ax == inf) | (ay == inf);
  ax = select(infinite, select(ax == inf, one, zero), ax * scale);
  ay = select(infinite, select(ay == inf, one, zero), ay * scale);
  // (0, 0) lies on the axis.
  ax = select((ax == zero) & (ay == zero), one, ax);
  const Vec<T> r = atan2_inside(ay, ax, signbit(x));
  const Vec<T> nan(std::numeric_limits<T>::quiet_NaN());
  return select(isnan(x) | isnan(y), nan, r);
}

}  // namespace detail

/// Arc tangent. Error: 0.97 ULP.
template <Real T>
LANEWISE_INLINE Vec<T> atan(Vec<T> x) {
  using C = detail::AtanConstants<T>;
  const Vec<T> one(T(1));
  const Vec<T> ax = detail::min_or_second(Vec<T>(C::kFar), abs(x));  // pi/2 to the last bit from here on
  const Mask<T> steep = ax > one;
  const detail::Pair<T> angle = detail::atan_ratio(select(steep, one, ax), select(steep, ax, one));
  return copysign(detail::add_angle(from_mask(steep), steep, angle), x);
}

/// Angle of the point (x, y), in [-pi, pi]; signed zeros and infinities as in C99. Error: 1.0 ULP, 1.4 where
/// y or x is denormal.
template <Real T>
LANEWISE_INLINE Vec<T> atan2(Vec<T> y, Vec<T> x) {
  using C = detail::AtanConstants<T>;
  const Vec<T> ay = abs(y);
  const Vec<T> ax = abs(x);
  const Vec<T> larger = detail::max_or_second(ax, ay);
  // The sum is there for NaN in x, which the maximum may have passed over.
  const Mask<T> inside = (larger >= Vec<T>(C::kTiny)) & (ax + ay <= Vec<T>(C::kHuge));
  if (__builtin_expect(!inside.all(), 0)) return copysign(detail::atan2_slow(y, x), y);
  return copysign(detail::atan2_inside(ay, ax, signbit(x)), y);
}

}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
