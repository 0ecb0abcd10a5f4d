#pragma once

#include <lanewise/vec/math/look_up.h>
#include <lanewise/vec/math/trig_reduce.h>

// sin and cos of f32: in f32 up to 6400 where there is fma, else in f64.

namespace lanewise::vec {
inline namespace LANEWISE_ISA {
namespace detail {

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
LANEWISE_INLINE Vec<double> sin_in_double(Vec<double> x) {
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

/// Where a lane is too large for sin_in_double, infinite or NaN: those lanes one by one, then all through the same polynomial.
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
LANEWISE_INLINE Vec<float> sin_in_double(Vec<float> x) {
  const WidePair w = widen(x);
  const Vec<float> result = narrow(sin_in_double<kCosine>(w.low), sin_in_double<kCosine>(w.high));
  const Mask<float> near = abs(x) <= Vec<float>(kFloatTrigLimit);
  if (__builtin_expect(!near.all(), 0)) return sin_of_large_float<kCosine>(x, result);
  return result;
}

/// A function and its derivative at n pi/4. The root of 1/2 is `kHalfRoot` (1 + 1.7e-8); kRest is minus the part of
/// that which counts most: where the result is small.
struct SineTables {
  static constexpr bool kCosine = false;
  static constexpr float kHalfRoot = 0x1.6a09e6p-1f;
  static constexpr float kPart = 7.9e-9f;
  static constexpr Eight kValue = {-0.0f, kHalfRoot, 1.0f, kHalfRoot, -0.0f, -kHalfRoot, -1.0f, -kHalfRoot};
  static constexpr Eight kSlope = {1.0f, kHalfRoot, -0.0f, -kHalfRoot, -1.0f, -kHalfRoot, -0.0f, kHalfRoot};
  static constexpr Eight kRest = {0.0f, -kPart, 0.0f, -kPart, 0.0f, kPart, 0.0f, kPart};
};
struct CosineTables {
  static constexpr bool kCosine = true;
  static constexpr float kHalfRoot = SineTables::kHalfRoot;
  static constexpr float kPart = SineTables::kPart;
  static constexpr Eight kValue = SineTables::kSlope;
  static constexpr Eight kSlope = {-0.0f, -kHalfRoot, -1.0f, -kHalfRoot, -0.0f, kHalfRoot, 1.0f, kHalfRoot};
  static constexpr Eight kRest = {0.0f, -kPart, 0.0f, kPart, 0.0f, kPart, 0.0f, -kPart};
};

/// Up to here the parts of pi/4 below multiply exactly.
inline constexpr float kNearTrigLimit = 6400.0f;

template <class Tables>
[[gnu::noinline, gnu::cold]] Vec<float> sin_of_far_float(Vec<float> x, Vec<float> result) {
  const Mask<float> near = abs(x) <= Vec<float>(kNearTrigLimit);
  return select(near, result, sin_in_double<Tables::kCosine>(x));
}

/// x = n pi/4 + r - rest, |r| <= pi/8, and sin x = value + (slope r - correction), of which only the last two sums
/// round a number that counts. -0 gives -0.
template <class Tables>
LANEWISE_INLINE Vec<float> sin_of_float(Vec<float> x) {
  if constexpr (!kFusedFma) return sin_in_double<Tables::kCosine>(x);
  using V = Vec<float>;
  const V magic(0x1.8p23f);
  const V t = fma(x, V(0x1.45f306p+0f), magic);
  const V n = t - magic;
  const V first = fnma(n, V(0x1.921fb4p-1f), x);  // exact
  const V second(0x1.444p-25f);                   // times n: exact
  const V r = fnma(n, second, first);
  const V rest = fma(n, V(0x1.68c234p-40f), fma(n, second, r - first));
  // 0 where z would be so small that a product with it is denormal.
  const V apart(0x1p-48f);
  const V z = fma(r, r, apart) - apart;
  const V sin_tail = horner(z, 0x1.555556p-3f, -0x1.11119ap-7f, 0x1.9fb0acp-13f);  // (r - sin r) / r^3
  const V cos_tail = horner(z, 0.5f, -0x1.55549ep-5f, 0x1.6a8688p-10f);            // (1 - cos r) / r^2
  const auto octant = as_int(t);
  const V value = look_up(Tables::kValue, octant);
  const V slope = look_up(Tables::kSlope, octant);
  const V low = fma(fnma(value, r, slope), rest, look_up(Tables::kRest, octant));
  const V correction = fma(value, z * cos_tail, fma(slope * r * z, sin_tail, low));
  const V result = value + fms(slope, r, correction);
  const Mask<float> near = abs(x) <= V(kNearTrigLimit);
  if (__builtin_expect(!near.all(), 0)) return sin_of_far_float<Tables>(x, result);
  return result;
}

}  // namespace detail
}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
