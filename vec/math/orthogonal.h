#pragma once

#include <lanewise/vec/math/asin.h>
#include <lanewise/vec/math/exp.h>
#include <lanewise/vec/math/hyperbolic.h>
#include <lanewise/vec/math/sin_cos.h>

// Orthogonal polynomials of one degree a lane, by their recurrences (DLMF 18.9); Chebyshev's of a high degree in closed form
// (DLMF 18.5.1 to 18.5.4). Degrees are truncated to integers; below 0 the value is 0.

namespace lanewise::vec {
inline namespace LANEWISE_ISA {

enum class Chebyshev : std::uint8_t { T, U, V, W };

namespace detail {

LANEWISE_INLINE Mask<double> is_odd(Vec<double> n) {
  const Vec<double> half = Vec<double>(0.5) * n;
  return trunc(half) != half;
}

/// The polynomial of degree `n` from that of degree 1: step(k, q, p) gives number k + 1 from numbers k and k - 1. A lane rests
/// when its degree is reached, or when it is infinite, which further steps would make NaN: they only turn the sign where `growth`,
/// which has that of the quotient of two far from 0, is negative.
template <class Step>
LANEWISE_INLINE Vec<double> recurrence(Vec<double> n, Vec<double> growth, Vec<double> first, Step step) {
  using V = Vec<double>;
  const V inf(std::numeric_limits<double>::infinity());
  V p(1.0);
  V q = first;
  V reached(1.0);
  for (double k = 1;; k += 1) {
    const Mask<double> goes_on = (V(k) < n) & (abs(q) < inf);
    if (!goes_on.any()) break;
    const V next = step(k, q, p);
    p = q;
    q = select(goes_on, next, q);
    reached = select(goes_on, V(k + 1), reached);
  }
  q = select((growth < V(0.0)) & is_odd(n - reached), -q, q);
  return select(n < V(1.0), V(1.0), q);
}

/// 0 where there is no degree: below 0, or beyond all integers.
LANEWISE_INLINE Vec<double> where_degree(Vec<double> n, Vec<double> value) {
  return select((n >= Vec<double>(0.0)) & (n < Vec<double>(0x1p63)), value, Vec<double>(0.0));
}

/// Of high degree: cos(m t) / cos(h t) or sin(m t) / sin(h t) for |x| = cos t, hyperbolic beyond 1. V_n(-x) = (-1)^n W_n(x).
[[gnu::noinline]] inline Vec<double> chebyshev_closed(Chebyshev kind, Vec<double> x, Vec<double> n) {
  using V = Vec<double>;
  const V one(1.0);
  const V zero(0.0);
  const V y = abs(x);
  const Mask<double> left = x < zero;
  const Mask<double> inside = y < one;
  const V h(kind == Chebyshev::T ? 0.0 : kind == Chebyshev::U ? 1.0 : 0.5);
  const V m = n + h;
  const Mask<double> odd_function = kind == Chebyshev::T   ? zero > one
                                    : kind == Chebyshev::U ? zero < one
                                    : kind == Chebyshev::V ? left
                                                           : ~left;
  const V t = acos(select(inside, y, zero));
  const SinCos<double> above = sin_cos(m * t);
  V value = above.cos;
  if (kind != Chebyshev::T) {
    const SinCos<double> below = sin_cos(h * t);
    value = select(odd_function, above.sin, above.cos) / select(odd_function, below.sin, below.cos);
  }
  if (!inside.all()) {
    const V a = acosh(select(inside, one, y));
    const V ma = m * a;
    const V ha = h * a;
    const V divisor = select(odd_function, sinh(ha), cosh(ha));
    const V near = select(odd_function, select(a == zero, m / h, sinh(ma) / divisor), cosh(ma) / divisor);
    const V root = exp(V(0.5) * ma);  // the quotient may be finite where the dividend is not
    value = select(inside, value, select(ma > V(40.0), V(0.5) * root / divisor * root, near));
  }
  return select(left & is_odd(n), -value, value);
}

[[gnu::noinline]] inline Vec<double> chebyshev(Chebyshev kind, Vec<double> x, Vec<double> degree) {
  using V = Vec<double>;
  const V n = trunc(degree);
  const V twice = x + x;
  const V first = kind == Chebyshev::T   ? x
                  : kind == Chebyshev::U ? twice
                  : kind == Chebyshev::V ? twice - V(1.0)
                                         : twice + V(1.0);
  // Far from 1 the recurrence loses nothing, and is better than logarithms.
  const V limit = select(abs(x) < V(2.0), V(6.0), V(64.0));
  const Mask<double> high = n > limit;
  V value = recurrence(
      select(high, V(1.0), n), x,
      first, [&](double, V q, V p) __attribute__((always_inline)) { return fms(twice, q, p); });
  if (high.any()) value = select(high, chebyshev_closed(kind, x, n), value);
  return where_degree(n, value);
}

[[gnu::noinline]] inline Vec<double> hermite_h(Vec<double> x, Vec<double> degree) {
  using V = Vec<double>;
  const V n = trunc(degree);
  return where_degree(n, recurrence(
                             n, x, x + x, [&](double k, V q, V p) __attribute__((always_inline)) {
                               const V r = fms(x, q, V(k) * p);
                               return r + r;
                             }));
}

[[gnu::noinline]] inline Vec<double> hermite_he(Vec<double> x, Vec<double> degree) {
  using V = Vec<double>;
  const V n = trunc(degree);
  return where_degree(n, recurrence(
                             n, x, x, [&](double k, V q, V p) __attribute__((always_inline)) {
                               return fms(x, q, V(k) * p);
                             }));
}

/// Recurrences that no overflow ends stop here; beyond it values are NaN.
inline constexpr double kLastDegree = 0x1p24;

LANEWISE_INLINE Vec<double> within_reach(Vec<double> n) {
  return select(n > Vec<double>(kLastDegree), Vec<double>(1.0), n);
}
LANEWISE_INLINE Vec<double> where_reached(Vec<double> n, Vec<double> value) {
  using V = Vec<double>;
  const V nan(std::numeric_limits<double>::quiet_NaN());
  return where_degree(n, select(n > V(kLastDegree), nan, value));
}

/// By its differences: (k + 1) (L_k+1 - L_k) = k (L_k - L_k-1) - x L_k.
[[gnu::noinline]] inline Vec<double> laguerre_l(Vec<double> x, Vec<double> degree) {
  using V = Vec<double>;
  const V n = trunc(degree);
  V difference = -x;
  const V value = recurrence(
      within_reach(n), -x, V(1.0) - x, [&](double k, V q, V) __attribute__((always_inline)) {
        difference = fms(V(k), difference, x * q) * V(1 / (k + 1));
        return q + difference;
      });
  return where_reached(n, value);
}

/// By its differences, which do not cancel next to 1: (k + 1) (P_k+1 - P_k) = k (P_k - P_k-1) - (2k + 1) (1 - x) P_k.
/// P_n(-x) = (-1)^n P_n(x).
[[gnu::noinline]] inline Vec<double> legendre_p(Vec<double> x, Vec<double> degree) {
  using V = Vec<double>;
  const V n = trunc(degree);
  const V y = abs(x);
  const V step = y - V(1.0);
  V difference = step;
  const V value = recurrence(
      within_reach(n), y, y, [&](double k, V q, V) __attribute__((always_inline)) {
        difference = fma(V((2 * k + 1) / (k + 1)) * step, q, V(k / (k + 1)) * difference);
        return q + difference;
      });
  return where_reached(n, select((x < V(0.0)) & is_odd(n), -value, value));
}

}  // namespace detail

/// Chebyshev polynomials of the first to fourth kind: T, U, V, W; where `shifted`, of 2 x - 1. Error for degree n: about n ULP of
/// the polynomial's largest value on [-1, 1], beyond relative to the value. f32 is computed in f64.
LANEWISE_INLINE Vec<double> chebyshev(Chebyshev kind, bool shifted, Vec<double> x, Vec<double> degree) {
  return detail::chebyshev(kind, shifted ? fma(Vec<double>(2.0), x, Vec<double>(-1.0)) : x, degree);
}
LANEWISE_INLINE Vec<float> chebyshev(Chebyshev kind, bool shifted, Vec<float> x, Vec<float> degree) {
  return in_double(
      x, degree, [=](Vec<double> a, Vec<double> n) __attribute__((always_inline)) {
        return chebyshev(kind, shifted, a, n);
      });
}

enum class Polynomial : std::uint8_t { HermiteH, HermiteHe, LaguerreL, LegendreP };

/// Hermite's (physicists' H, probabilists' He), Laguerre's and Legendre's polynomials. Time grows with the degree; beyond 2^24 Laguerre's and
/// Legendre's are NaN. Error for
/// degree n: about n ULP of the largest term of the recurrence. f32 is computed in f64.
LANEWISE_INLINE Vec<double> orthogonal_polynomial(Polynomial kind, Vec<double> x, Vec<double> degree) {
  switch (kind) {
    case Polynomial::HermiteH: return detail::hermite_h(x, degree);
    case Polynomial::HermiteHe: return detail::hermite_he(x, degree);
    case Polynomial::LaguerreL: return detail::laguerre_l(x, degree);
    case Polynomial::LegendreP: break;
  }
  return detail::legendre_p(x, degree);
}
LANEWISE_INLINE Vec<float> orthogonal_polynomial(Polynomial kind, Vec<float> x, Vec<float> degree) {
  return in_double(
      x, degree, [=](Vec<double> a, Vec<double> n) __attribute__((always_inline)) {
        return orthogonal_polynomial(kind, a, n);
      });
}

}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
