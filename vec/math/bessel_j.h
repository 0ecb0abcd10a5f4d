#pragma once

#include <lanewise/vec/math/bessel_tables.h>
#include <lanewise/vec/math/log.h>
#include <lanewise/vec/math/oscillation.h>

// Bessel functions of the first and second kind, of orders 0 and 1, and the spherical one of order 0. Up to 4 pi they
// are polynomials by intervals, centred at the zeros; from there modulus(x) cos(phase(x)), with the phase in a pair
// (Abramowitz and Stegun, 9.2.17). Y up to pi is split into a part with log(x/r) and one with x^2 - r^2 for the first
// zero r: the parts have the same sign.

namespace lanewise::vec {
inline namespace LANEWISE_ISA {
namespace detail {

/// Just below 4 pi, where the last interval ends.
inline constexpr double kBesselFar = 0x1.91ep+3;

/// The interval of x >= 0 for by_pieces.
LANEWISE_INLINE Vec<double> quarter_turn(Vec<double> x) {
  return fma(x, Vec<double>(0x1.45f306dc9c883p-1), Vec<double>(-0.5));
}
/// J or Y of x >= kBesselFar, `turns` quarter turns behind J0.
template <int kOrder>
LANEWISE_INLINE Vec<double> bessel_far(Vec<double> x, std::int64_t turns) {
  using V = Vec<double>;
  const TwoPolynomials<10>& wave = kOrder == 0 ? kBessel0Wave : kBessel1Wave;
  const V r = oscillation(wave, -turns, {x, V(0.0)}, V(1.0) / x) / sqrt(x);
  return select(x > V(std::numeric_limits<double>::max()), V(0.0), r);
}

template <int kOrder>
[[gnu::noinline]] Vec<double> bessel_j(Vec<double> x) {
  using V = Vec<double>;
  const V limit(kBesselFar);
  const V ax = abs(x);
  const Mask<double> far = ax > limit;
  V r;
  if (!far.all()) {
    const V kept = min_or_second(limit, ax);
    r = kOrder == 0 ? by_pieces(kJ0Pieces, FirstPiece::kEven, kept, quarter_turn(kept))
                    : by_pieces(kJ1Pieces, FirstPiece::kOdd, kept, quarter_turn(kept));
    if (far.any()) r = select(far, bessel_far<kOrder>(ax, kOrder), r);
  } else {
    r = bessel_far<kOrder>(ax, kOrder);
  }
  if constexpr (kOrder == 1) r = bitcast<double>(as_int(r) ^ as_int(bit_and(x, sign_mask<double>())));
  return r;
}

/// log(x / r) for 0 < x < 4 and r = 2^`doublings` m, m in [sqrt(1/2), sqrt(2)): accurate next to r.
LANEWISE_INLINE Vec<double> log_over(Vec<double> x, double m_hi, double m_lo, double doublings) {
  using V = Vec<double>;
  using C = LogConstants<double>;
  const Mask<double> tiny = x < V(0x1p-1000);
  const LogReduction<double> l = reduce_log(select(tiny, x * V(0x1p100), x));
  const V e = l.e - select(tiny, V(100.0 + doublings), V(doublings));
  const V s = ((l.m - V(m_hi)) - V(m_lo)) / (l.m + V(m_hi));
  const V z = s * s;
  const V tail = s * (z * polynomial(z, 0x1.5555555555555p-1, 0x1.9999999999923p-2, 0x1.24924924a15fp-2,
                                     0x1.c71c71af6757ep-3, 0x1.745d20969e0e8p-3, 0x1.3b11a42c634dcp-3,
                                     0x1.1154afae61ee7p-3, 0x1.d7d0a32f28692p-4, 0x1.0a4193d27ca72p-3));
  return fma(e, V(C::kLn2Hi), (s + s) + fma(e, V(C::kLn2Lo), tail));
}

/// Y of 0 <= x < 4; any finite number at 0.
template <int kOrder>
LANEWISE_INLINE Vec<double> bessel_y_near(Vec<double> x) {
  using V = Vec<double>;
  constexpr double kZero = kOrder == 0 ? 0x1.c982eb8d417eap-1 : 0x1.193bed4dff243p+1;
  constexpr double kZeroLow = kOrder == 0 ? 0x1.ea9d270347f83p-56 : -0x1.bd1e50d219bfdp-55;
  constexpr double kPower = kOrder == 0 ? 1 : 2;
  constexpr double kSquare = kOrder == 0 ? 0x1.98d257f93404ap-1 : 0x1.34f49cfc780a9p+2;  // of the zero
  constexpr double kSquareLow = kOrder == 0 ? 0x1.b7acb8a94e405p-55 : -0x1.65d88128c73dfp-52;
  const TwoValues p = evaluate(kOrder == 0 ? kY0Near : kY1Near, fma(x, x, V(kOrder == 0 ? -4.3125 : -2.5)));
  const V log = log_over(x, kZero / kPower, kZeroLow / kPower, kOrder);
  const V apart = -residual(x, x, V(kSquare)) - V(kSquareLow);
  if constexpr (kOrder == 0) return fma(apart, p.second, log * p.first);
  return fma(log * x, p.first, apart * p.second / x);
}
template <int kOrder>
[[gnu::noinline]] Vec<double> bessel_y(Vec<double> x) {
  using V = Vec<double>;
  const V pi(0x1.921fb54442d18p+1);
  const V limit(kBesselFar);
  const Mask<double> near = x < pi;
  const Mask<double> far = x > limit;
  V r(std::numeric_limits<double>::quiet_NaN());
  if (near.any()) r = bessel_y_near<kOrder>(min_or_second(pi, x));
  if (!(near | far).all()) {
    const V kept = max_or_second(pi, min_or_second(limit, x));
    r = select(
        near, r,
        by_pieces(kOrder == 0 ? kY0Pieces : kY1Pieces, FirstPiece::kLikeOthers, kept, quarter_turn(kept)));
  }
  if (far.any()) r = select(far, bessel_far<kOrder>(x, kOrder + 1), r);
  r = select(x == V(0.0), V(-std::numeric_limits<double>::infinity()), r);
  return select(x < V(0.0), V(std::numeric_limits<double>::quiet_NaN()), r);
}

[[gnu::noinline]] inline Vec<double> spherical_j0(Vec<double> x) {
  using V = Vec<double>;
  const V r = select(x == V(0.0), V(1.0), sin(x) / x);
  return select(isinf(x), V(0.0), r);
}

}  // namespace detail

// Error of J0, J1, Y0 and Y1: 4 ULP (f64; Y0 without fma 6), 0.51 ULP (f32), of arguments of any size. Up to 12.5 this
// holds next to the zeros too; from there, what is below 1/64 of the modulus sqrt(2 / (pi x)) has the error of that.

/// J0, an even function; 0 at the infinities.
template <Real T>
LANEWISE_INLINE Vec<T> bessel_j0(Vec<T> x) {
  return detail::in_f64(
      x, [](Vec<double> d) __attribute__((always_inline)) { return detail::bessel_j<0>(d); });
}
/// J1, an odd function; 0 at the infinities.
template <Real T>
LANEWISE_INLINE Vec<T> bessel_j1(Vec<T> x) {
  return detail::in_f64(
      x, [](Vec<double> d) __attribute__((always_inline)) { return detail::bessel_j<1>(d); });
}
/// Y0 for x >= 0: -infinity at 0, 0 at infinity; NaN left of 0. The same for Y1.
template <Real T>
LANEWISE_INLINE Vec<T> bessel_y0(Vec<T> x) {
  return detail::in_f64(
      x, [](Vec<double> d) __attribute__((always_inline)) { return detail::bessel_y<0>(d); });
}
template <Real T>
LANEWISE_INLINE Vec<T> bessel_y1(Vec<T> x) {
  return detail::in_f64(
      x, [](Vec<double> d) __attribute__((always_inline)) { return detail::bessel_y<1>(d); });
}
/// sin(x) / x, 1 at 0 and 0 at the infinities. Error: 1.5 ULP (f64), 0.51 ULP (f32).
template <Real T>
LANEWISE_INLINE Vec<T> spherical_bessel_j0(Vec<T> x) {
  return detail::in_f64(
      x, [](Vec<double> d) __attribute__((always_inline)) { return detail::spherical_j0(d); });
}

}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
