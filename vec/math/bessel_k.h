#pragma once

#include <lanewise/vec/math/bessel_i.h>
#include <lanewise/vec/math/bessel_tables.h>
#include <lanewise/vec/math/log.h>

// The modified Bessel functions of the second kind K0 and K1, plain and times e^x. Up to 1 a power series in x^2 with
// one of them times log x (Abramowitz and Stegun, 9.6.11); beyond, a rational function of 1 / x.

namespace lanewise::vec {
inline namespace LANEWISE_ISA {
namespace detail {

/// K of 0 <= x <= 1.
template <int kOrder>
LANEWISE_INLINE Vec<double> bessel_k_near(Vec<double> x) {
  using V = Vec<double>;
  const V w = x * x;
  const TwoValues p = evaluate(kOrder == 0 ? kK0Near : kK1Near, w);
  if constexpr (kOrder == 0) return fnma(log(x), p.first, p.second);
  // At 0 the logarithm is infinite, and what it is multiplied with 0.
  const V rest = fma(log(max_or_second(V(0x1p-500), x)), p.first, p.second);
  return fma(w, rest, V(1.0)) / abs(x);
}
/// sqrt(x) e^x K of x >= 1, for 1 / x.
template <int kOrder>
LANEWISE_INLINE Vec<double> bessel_k_far(Vec<double> inverse) {
  const TwoValues p = evaluate(kOrder == 0 ? kK0Far : kK1Far, inverse);
  return Vec<double>(kOrder == 0 ? kK0Mean : kK1Mean) + p.first / p.second;
}

template <int kOrder, bool kScaled>
[[gnu::noinline]] Vec<double> bessel_k(Vec<double> x) {
  using V = Vec<double>;
  const V one(1.0);
  const Mask<double> far = x > one;
  V r(std::numeric_limits<double>::quiet_NaN());
  if (!far.all()) {
    const V kept = min_or_second(one, x);
    r = bessel_k_near<kOrder>(kept);
    if constexpr (kScaled) r = select(isinf(r), r, exp_times(max_or_second(V(0.0), kept), r));
    r = select(x < V(0.0), V(std::numeric_limits<double>::quiet_NaN()), r);
  }
  if (far.any()) {
    const V inverse = one / max_or_second(one, x);
    V beyond = bessel_k_far<kOrder>(inverse) * sqrt(inverse);
    if constexpr (!kScaled) beyond = decay_times(-max_or_second(one, x), beyond);
    r = select(far, beyond, r);
  }
  return r;
}
template <int kOrder, bool kScaled, Real T>
LANEWISE_INLINE Vec<T> bessel_k_of(Vec<T> x) {
  return in_f64(
      x, [](Vec<double> d) __attribute__((always_inline)) { return bessel_k<kOrder, kScaled>(d); });
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
