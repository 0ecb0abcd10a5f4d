#pragma once

#include <lanewise/vec/math/erf.h>
#include <lanewise/vec/math/float_in_double.h>

namespace lanewise::vec {
inline namespace LANEWISE_ISA {
namespace detail {

// From 1/2 on: erfc x = e^(-x^2) G(t) / (1 + 2 x) with t = (x - 4) / (x + 4), G by Chebyshev interpolation,
// after Shepherd and Laframboise, Math. Comp. 36 (1981). Below, 1 - erf x loses nothing.

/// G for 1/2 <= x <= 28.
LANEWISE_INLINE Pair<double> erfc_factor(Vec<double> x) {
  using V = Vec<double>;
  const V four(4.0);
  const V t = (x - four) / (x + four);
  const V rest =
      polynomial(t, -0x1.1df1ad154a28ep-3, 0x1.f7f5df66fd766p-7, 0x1.16ecefcfa52c4p-4, -0x1.9ddb23c3e8dbfp-4,
                 0x1.7fee004e149c9p-4, -0x1.0fb06dfe4ec8ep-4, 0x1.3079edf624304p-5, -0x1.09623883d38e1p-6,
                 0x1.49c672a831e93p-8, -0x1.8d4a9b33a838ap-11, -0x1.a1df4366a2ba7p-13, 0x1.3be057cc389e8p-13,
                 -0x1.9955074f81f98p-16, -0x1.788a0503e859ep-17, 0x1.7ef67bbc70d7ap-18, 0x1.3aec677ce468fp-22,
                 -0x1.b80bf7a1f4987p-21, 0x1.42df02f54ccacp-24, 0x1.bbfd8daf90babp-24, -0x1.3913f77f648c2p-26,
                 -0x1.4d15019e29fbap-27, 0x1.065fac288658dp-29);
  Pair<double> sum = fast_two_sum(V(0x1.3ba5916e9fd7fp+0), t * rest);
  sum.lo = sum.lo - V(0x1.a7c78f1a306c7p-55);
  return sum;
}
/// erfc x for 1/2 <= x <= 28, the square given as a pair; quotient and product in pairs too.
LANEWISE_INLINE Vec<double> erfc_tail(Vec<double> x, Pair<double> square) {
  using V = Vec<double>;
  const V one(1.0);
  constexpr double kGone = -741.4729;  // below, from 27.23 on, erfc is 0
  const V exponent = -square.hi;
  ExpReduction<double> e = reduce_exp(keep_above(kGone, ExpConstants<double>::kVanished, exponent));
  e.r = fast_two_sum(e.r.hi, e.r.lo - square.lo);
  const Pair<double> m = expm1_reduced(e.r);
  Pair<double> power = fast_two_sum(one, m.hi);
  power.lo = power.lo + m.lo;
  const V result = divide(multiply(power, erfc_factor(x)), two_sum(x + x, one));
  return scale_above(kGone, exponent, result, e.t, e.n);
}

/// The same to 2^-27, for f32 arguments up to 10.5.
LANEWISE_INLINE Vec<double> short_erfc_tail(Vec<double> x) {
  using V = Vec<double>;
  const V four(4.0);
  const V t = (x - four) / (x + four);
  const V g =
      polynomial(t, 0x1.3ba5916d3e94dp+0, -0x1.1df1a7b3ace54p-3, 0x1.f7f65137cd4f9p-7, 0x1.16ea8ab2ea00ap-4,
                 -0x1.9dddba8961668p-4, 0x1.8012fb674378ep-4, -0x1.0f80b2e56ec06p-4, 0x1.2ed4d564e8662p-5,
                 -0x1.0ec28160c560dp-6, 0x1.60593384a4922p-8, 0x1.a4be73ee124b0p-15);
  return short_exp(-(x * x)) * g / (x + x + V(1.0));
}

/// Where one form goes over into the other.
inline constexpr double kErfcSmall = kFusedFma ? 0.65 : 0.55;

/// 1 - erf x, rounded once or nearly, where |x| is at most that.
template <class T>
LANEWISE_INLINE Vec<T> erfc_small(Vec<T> x) {
  const Pair<T> s = fast_two_sum(Vec<T>(T(1)), -x);
  return s.hi + fnma(x, erf_small(x), s.lo);
}

}  // namespace detail

/// 1 - erf x, without cancellation for large x. Error: 0.73 ULP (f32), 0.99 ULP (f64), without fma 1.15 ULP;
/// also where the result is denormal.
LANEWISE_INLINE Vec<double> erfc(Vec<double> x) {
  using V = Vec<double>;
  const V ax = abs(x);
  const V kept = detail::max_or_second(V(0.5), detail::min_or_second(V(27.5), ax));
  const V tail = detail::erfc_tail(kept, detail::two_product(kept, kept));
  const V large = select(signbit(x), V(2.0) - tail, tail);
  return select(isnan(x), x, select(ax < V(detail::kErfcSmall), detail::erfc_small(x), large));
}
LANEWISE_INLINE Vec<float> erfc(Vec<float> x) {
  using V = Vec<float>;
  const V ax = abs(x);
  const V kept = detail::max_or_second(V(0.5f), detail::min_or_second(V(10.5f), ax));
  const auto w = widen(kept);
  const V tail = narrow(detail::short_erfc_tail(w.low), detail::short_erfc_tail(w.high));
  const V large = select(signbit(x), V(2.0f) - tail, tail);
  return select(isnan(x), x, select(ax < V(0.5f), detail::erfc_small(x), large));
}

}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
