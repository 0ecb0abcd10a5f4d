#pragma once

#include <lanewise/vec/math/bessel_i.h>
#include <lanewise/vec/math/bessel_tables.h>
#include <lanewise/vec/math/log.h>

// The modified Bessel functions of the second kind K0 and K1, plain and times e^x. Up to 1 a power series in x^2 with
// one of them times log x (Abramowitz and Stegun, 9.6.11); beyond, a rational function of 1 / x.

namespace lanewise::vec {
inline namespace LANEWISE_ISA {
namespace detail {

/// What the two orders differ in.
struct BesselK {
  const TwoPolynomials<9>& near;
  const TwoPolynomials<9>& far;
  double mean;
  bool first;  ///< order 1
};
inline constexpr BesselK kBesselK[] = {{kK0Near, kK0Far, kK0Mean, false}, {kK1Near, kK1Far, kK1Mean, true}};

/// K of 0 <= x <= 1.
LANEWISE_INLINE Vec<double> bessel_k_near(const BesselK& k, Vec<double> x) {
  using V = Vec<double>;
  const V w = x * x;
  const TwoValues p = evaluate(k.near, w);
  // In the order 1 the logarithm, infinite at 0, is multiplied with 0 there.
  const V l = log(k.first ? max_or_second(V(0x1p-500), x) : x);
  if (!k.first) return fnma(l, p.first, p.second);
  return fma(w, fma(l, p.first, p.second), V(1.0)) / abs(x);
}

/// One body for the four functions.
[[gnu::noinline]] inline Vec<double> bessel_k(const BesselK& k, bool scaled, Vec<double> x) {
  using V = Vec<double>;
  const V one(1.0);
  const Mask<double> far = x > one;
  V r(std::numeric_limits<double>::quiet_NaN());
  if (!far.all()) {
    const V kept = min_or_second(one, x);
    r = bessel_k_near(k, kept);
    if (scaled) r = select(isinf(r), r, exp_times(max_or_second(V(0.0), kept), r));
    r = select(x < V(0.0), V(std::numeric_limits<double>::quiet_NaN()), r);
  }
  if (far.any()) {
    const V inverse = one / max_or_second(one, x);
    const TwoValues p = evaluate(k.far, inverse);
    V beyond = (V(k.mean) + p.first / p.second) * sqrt(inverse);
    if (!scaled) beyond = decay_times(-max_or_second(one, x), beyond);
    r = select(far, beyond, r);
  }
  return r;
}
template <int kOrder, bool kScaled, Real T>
LANEWISE_INLINE Vec<T> bessel_k_of(Vec<T> x) {
  return in_f64(
      x, [](Vec<double> d) __attribute__((always_inline)) { return bessel_k(kBesselK[kOrder], kScaled, d); });
}

}  // namespace detail

/// K0(x) for x >= 0: infinite at 0, 0 at infinity; NaN left of 0, as for the three others. Error: 3 ULP (f64; without fma
/// 4), 0.51 ULP (f32).
template <Real T>
LANEWISE_INLINE Vec<T> bessel_k0(Vec<T> x) {
  return detail::bessel_k_of<0, false>(x);
}
template <Real T>
LANEWISE_INLINE Vec<T> bessel_k1(Vec<T> x) {
  return detail::bessel_k_of<1, false>(x);
}
/// e^x K0(x). Error of both: 2.5 ULP (f64; without fma 3), 0.51 ULP (f32).
template <Real T>
LANEWISE_INLINE Vec<T> bessel_k0e(Vec<T> x) {
  return detail::bessel_k_of<0, true>(x);
}
/// e^x K1(x).
template <Real T>
LANEWISE_INLINE Vec<T> bessel_k1e(Vec<T> x) {
  return detail::bessel_k_of<1, true>(x);
}

}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
