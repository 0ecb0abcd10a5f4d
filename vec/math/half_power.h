#pragma once

#include <lanewise/vec/math/pow.h>

namespace lanewise::vec {
inline namespace LANEWISE_ISA {
namespace detail {

/// Between these x^2.5 and its low parts are normal numbers.
template <class T>
inline constexpr T kHalfPowerLeast = sizeof(T) == 4 ? T(0x1p-36f) : T(0x1p-300);
template <class T>
inline constexpr T kHalfPowerMost = sizeof(T) == 4 ? T(0x1p50f) : T(0x1p400);

template <class T>
[[gnu::noinline]] Vec<T> half_power_slow(Vec<T> x, T exponent) {
  return pow(x, Vec<T>(exponent));
}

}  // namespace detail

/// x^(Whole + 1/2), Whole 1 or 2: powers of x times its root, the root's error made good by what its square leaves of x.
/// Error: 0.51 ULP; outside of [2^-36, 2^50] (f64: [2^-300, 2^400]) and 0 that of pow.
template <int Whole, Real T>
LANEWISE_INLINE Vec<T> half_power(Vec<T> x) {
  static_assert(Whole == 1 || Whole == 2);
  using V = Vec<T>;
  const Mask<T> inside =
      ((x >= V(detail::kHalfPowerLeast<T>)) & (x <= V(detail::kHalfPowerMost<T>))) | (x == V(T(0)));
  const V root = sqrt(x);
  // With d = x - root^2 the root is root + d / (2 root), and x / root is root.
  const V d = detail::residual(root, root, x);
  const V correction = V(T(0.5)) * d * root;
  V y;
  if constexpr (Whole == 1) {
    const detail::Pair<T> p = detail::two_product(x, root);
    y = p.hi + (p.lo + correction);
  } else {
    const detail::Pair<T> square = detail::two_product(x, x);
    const detail::Pair<T> p = detail::two_product(square.hi, root);
    y = p.hi + fma(square.lo, root, fma(correction, x, p.lo));
  }
  if (__builtin_expect(!inside.all(), 0))
    return select(inside, y, detail::half_power_slow(x, T(Whole + 0.5)));
  return y;
}

}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
