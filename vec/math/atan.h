#pragma once

#include <lanewise/vec/math/pair.h>

namespace lanewise::vec {
inline namespace LANEWISE_ISA {
namespace detail {

/// (atan(q) - q) / q^3 for z = q^2, minimax: of atan to 2^-30 for q <= 1 (f32), to 2^-58 for
/// q <= tan(pi / 8) (f64).
LANEWISE_INLINE Vec<float> atan_tail(Vec<float> z) {
  return horner(z, -0x1.555552p-2f, 0x1.99981cp-3f, -0x1.247620p-3f, 0x1.c51170p-4f, -0x1.6953bcp-4f,
                0x1.150a00p-4f, -0x1.7080bcp-5f, 0x1.75304cp-6f, -0x1.e6a11cp-8f, 0x1.2968c2p-10f);
}
LANEWISE_INLINE Vec<double> atan_tail(Vec<double> z) {
  return polynomial(z, -0x1.5555555555555p-2, 0x1.9999999998145p-3, -0x1.249249237c5dfp-3,
                    0x1.c71c7129ac1c9p-4, -0x1.745cff5f4a6d0p-4, 0x1.3b117e279d297p-4, -0x1.10efaf35e54c8p-4,
                    0x1.df42c6057bafap-5, -0x1.9da348885f178p-5, 0x1.39b4e00abf7cdp-5, -0x1.292443bad1ac5p-6);
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
  static constexpr float kHuge = 0x1p90f;
  static constexpr float kRaise = 0x1p36f;  // times kHuge: finite
  static constexpr float kDown = 0x1p-40f;
};
template <>
struct AtanConstants<double> {
  static constexpr double kHalfPiHi = 0x1.921fb54442d18p+0;
  static constexpr double kHalfPiLo = 0x1.1a62633145c07p-54;
  static constexpr double kFar = 0x1p80;
  static constexpr double kTiny = 0x1p-500;
  static constexpr double kUp = 0x1p600;
  static constexpr double kHuge = 0x1p900;
  static constexpr double kRaise = 0x1p100;
  static constexpr double kDown = 0x1p-300;
};

/// The angle hi + lo, or pi/4 less it (`far`, f64 only).
template <class T>
struct AtanParts {
  Mask<T> far;
  Pair<T> angle;
};

/// atan(n / d) for 0 <= n <= d, d neither tiny nor huge.
template <class T>
LANEWISE_INLINE AtanParts<T> atan_ratio(Vec<T> n, Vec<T> d) {
  using C = AtanConstants<T>;
  const Vec<T> zero(T(0));
  const Mask<T> far = n > Vec<T>(T(0.4142135623730951)) * d;
  Pair<T> upper{n, zero}, lower{d, zero};
  if constexpr (sizeof(T) == 8) {
    // pi/4 - atan((d - n) / (d + n)): the first terms of a series up to 1 would cancel.
    const Pair<T> difference = fast_two_sum(d, -n), sum = fast_two_sum(d, n);
    upper = {select(far, difference.hi, n), select(far, difference.lo, zero)};
    lower = {select(far, sum.hi, d), select(far, sum.lo, zero)};
  }
  // Of a denormal n nothing would be left to see what the division lost.
  const Vec<T> raise(C::kRaise), back(1 / C::kRaise);
  const Vec<T> raised = upper.hi * raise;
  const Vec<T> inverse = Vec<T>(T(1)) / lower.hi;
  const Vec<T> ratio = raised * inverse;
  Vec<T> lost = residual(ratio, lower.hi, raised);
  if constexpr (sizeof(T) == 8) lost = fma(upper.lo, raise, fnma(ratio, lower.lo, lost));
  Vec<T> low = lost * (inverse * back);
  if constexpr (!kFusedFma) {
    // The error of a product of tiny numbers is lost without fma.
    low =
        select(raised < Vec<T>(std::numeric_limits<T>::min() / std::numeric_limits<T>::epsilon()), zero, low);
  }
  const Vec<T> q = ratio * back;
  // The terms beyond the first do not show for small q, and would be denormal.
  const Vec<T> curved = select(q < Vec<T>(T(0x1p-30f)), zero, q);
  const Vec<T> z = curved * curved;
  // What the division lost counts 1 / (1 + q^2) times, which 1 - q^2 / 2 is near enough to.
  Vec<T> rest = fnma(Vec<T>(T(0.5)) * low, z, low);
  // What the square lost, times the slope of the correction near q = 1, where it counts.
  if constexpr (sizeof(T) == 4 && kFusedFma) {
    rest = fma(Vec<T>(T(-0.15f)) * curved, fms(curved, curved, z), rest);
  }
  return {far, {q, fma(curved * z, atan_tail(z), rest)}};
}

/// Multiples of pi/2 minus (where `minus`) or plus the angle.
template <class T>
LANEWISE_INLINE Vec<T> add_angle(Vec<T> quarters, Mask<T> minus, AtanParts<T> parts) {
  using C = AtanConstants<T>;
  const Vec<T> zero(T(0));
  Vec<T> sign = select(minus, sign_mask<T>(), zero);
  if constexpr (sizeof(T) == 8) {
    quarters = quarters + bit_xor(select(parts.far, Vec<T>(T(0.5)), zero), sign);
    sign = select(minus ^ parts.far, sign_mask<T>(), zero);
  }
  // Its last three bits are zero, so up to twice pi/2 is exact.
  const Pair<T> s = fast_two_sum(quarters * Vec<T>(C::kHalfPiHi), bit_xor(parts.angle.hi, sign));
  return s.hi + (s.lo + fma(quarters, Vec<T>(C::kHalfPiLo), bit_xor(parts.angle.lo, sign)));
}

/// Angle of (x, y), y >= 0 taken as |y|, where max(|x|, |y|) is neither tiny nor huge.
template <class T>
LANEWISE_INLINE Vec<T> atan2_inside(Vec<T> ay, Vec<T> ax, Mask<T> left) {
  const Mask<T> steep = ay > ax;
  const AtanParts<T> angle = atan_ratio(select(steep, ax, ay), select(steep, ay, ax));
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

/// Arc tangent. Error: 0.99 ULP (f32), 0.7 ULP (f64); without fma 1.18 ULP (f32).
template <Real T>
LANEWISE_INLINE Vec<T> atan(Vec<T> x) {
  using C = detail::AtanConstants<T>;
  const Vec<T> one(T(1));
  const Vec<T> ax = detail::min_or_second(Vec<T>(C::kFar), abs(x));  // pi/2 to the last bit from here on
  const Mask<T> steep = ax > one;
  const detail::AtanParts<T> angle = detail::atan_ratio(select(steep, one, ax), select(steep, ax, one));
  return copysign(detail::add_angle(from_mask(steep), steep, angle), x);
}

/// Angle of the point (x, y), in [-pi, pi]; signed zeros and infinities as in C99. Error: 1.0 ULP (f32), 0.95
/// ULP (f64); without fma 1.2 ULP, 1.4 where y or x is denormal.
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
