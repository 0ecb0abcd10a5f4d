#pragma once

#include <lanewise/vec/math/log.h>

// Logarithms in products and quotients.

namespace lanewise::vec {
inline namespace LANEWISE_ISA {

/// log(x / (1 - x)), -infinity at 0, infinity at 1, NaN beyond. Error: 0.95 ULP, also around its zero at 1/2.
template <Real T>
LANEWISE_INLINE Vec<T> logit(Vec<T> x) {
  const Vec<T> one(T(1));
  // From below the reach of quotients in pairs the logarithm of x is enough.
  const Mask<T> tiny = x < Vec<T>(sizeof(T) == 4 ? T(0x1p-60f) : T(0x1p-500));
  const Vec<T> kept = select(tiny, Vec<T>(T(0.25)), x);
  const detail::Pair<T> d = detail::fast_two_sum(one, -kept);
  const Vec<T> inverse = one / d.hi;
  const Vec<T> q = kept * inverse;
  const Vec<T> low = fnma(q, d.lo, detail::residual(q, d.hi, kept)) * inverse;
  Vec<T> r = detail::log_of_pair(detail::fast_two_sum(q, low));
  r = select(x < one, r, Vec<T>(std::numeric_limits<T>::infinity()));
  r = select((x > one) | isnan(x), Vec<T>(std::numeric_limits<T>::quiet_NaN()), r);
  if (__builtin_expect(tiny.any(), 0)) return select(tiny, log(x), r);
  return r;
}

/// x log y; 0 where x is 0 and y no NaN. Error: 1.6 ULP.
template <Real T>
LANEWISE_INLINE Vec<T> xlogy(Vec<T> x, Vec<T> y) {
  const Vec<T> zero(T(0));
  return select((x == zero) & ~isnan(y), zero, x * log(y));
}
/// x log(1 + y); 0 where x is 0 and y no NaN. Error: 2 ULP.
template <Real T>
LANEWISE_INLINE Vec<T> xlog1py(Vec<T> x, Vec<T> y) {
  const Vec<T> zero(T(0));
  return select((x == zero) & ~isnan(y), zero, x * log1p(y));
}
/// -x log x; 0 at 0, -infinity below. Error: 1.6 ULP.
template <Real T>
LANEWISE_INLINE Vec<T> entr(Vec<T> x) {
  const Vec<T> zero(T(0));
  const Vec<T> r = select(x == zero, zero, -x * log(x));
  return select(x < zero, Vec<T>(-std::numeric_limits<T>::infinity()), r);
}

}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
