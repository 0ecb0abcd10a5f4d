#pragma once

#include <lanewise/vec/math/log.h>

namespace lanewise::vec {
inline namespace LANEWISE_ISA {
namespace detail {

/// x = 2^(3 k) w, and an approximation of the cube root of w.
struct CbrtStart {
  Vec<double> w;
  Vec<double> root;   ///< to 2^-42
  Vec<double> power;  ///< 2^k
};

/// For normal positive x, whose binary exponent is to be lowered by `lower`, a multiple of 3.
/// A minimax polynomial to 2^-15 on [sqrt(1/2), sqrt(2)], then a step of Halley's method.
LANEWISE_INLINE CbrtStart start_cbrt(Vec<double> x, Vec<double> lower) {
  using V = Vec<double>;
  const LogReduction<double> r = reduce_log(x);
  const V e = r.e - lower;
  const V t = fma(e, V(0x1.5555555555555p-2), V(0x1.8p52));
  const V j = fnma(V(3.0), t - V(0x1.8p52), e);  // -1, 0 or 1
  const V one(1.0);
  const Mask<double> up = j > V(0.0);
  const Mask<double> down = j < V(0.0);
  CbrtStart s;
  s.w = r.m * select(up, V(2.0), select(down, V(0.5), one));
  const V y = polynomial(r.m, 0x1.ce81c3b4a8418p-2, 0x1.cf4480511b5b5p-1, -0x1.123e830b1749ap-1,
                         0x1.bc4b0465ee452p-3, -0x1.35911df572289p-5) *
              select(up, V(0x1.428a2f98d728bp+0), select(down, V(0x1.965fea53d6e3dp-1), one));
  const V cube = y * y * y;
  s.root = y * (fma(V(2.0), s.w, cube) / fma(V(2.0), cube, s.w));
  using I = Vec<std::int64_t>;
  constexpr std::int64_t kZero = __builtin_bit_cast(std::int64_t, 0x1.8p52) - 1023;
  s.power = bitcast<double>((as_int(t) - I(kZero)) << 52);
  return s;
}

}  // namespace detail

/// Cube root, also of negative numbers. Error: 0.501 ULP.
LANEWISE_INLINE Vec<double> cbrt(Vec<double> x) {
  using V = Vec<double>;
  const V ax = abs(x);
  const Mask<double> denormal = ax < V(std::numeric_limits<double>::min());
  const detail::CbrtStart s =
      detail::start_cbrt(select(denormal, ax * V(0x1p54), ax), select(denormal, V(54.0), V(0.0)));
  // One step of Newton's method on the residual w - root^3 in pairs.
  const detail::Pair<double> square = detail::two_product(s.root, s.root);
  const detail::Pair<double> cube = detail::two_product(square.hi, s.root);
  const V rest = fnma(square.lo, s.root, (s.w - cube.hi) - cube.lo);
  const V root = s.root + rest / (V(3.0) * square.hi);
  const V r = root * s.power;
  const Mask<double> inside = (ax > V(0.0)) & isfinite(ax);
  return copysign(select(inside, r, ax), x);
}
LANEWISE_INLINE Vec<float> cbrt(Vec<float> x) {
  const Vec<float> ax = abs(x);
  const Vec<float> r = in_double(
      ax, [](Vec<double> d) __attribute__((always_inline)) {
        const detail::CbrtStart s = detail::start_cbrt(d, Vec<double>(0.0));
        return s.root * s.power;
      });
  const Mask<float> inside = (ax > Vec<float>(0.0f)) & isfinite(ax);
  return copysign(select(inside, r, ax), x);
}

}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
