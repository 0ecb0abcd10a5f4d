#pragma once

#include <lanewise/vec/math/pow.h>

namespace lanewise::vec {
inline namespace LANEWISE_ISA {
namespace detail {

/// Between these x^2.5, and all bits of the products on the way, are normal numbers.
template <class T>
inline constexpr T kHalfPowerLeast = sizeof(T) == 4 ? T(0x1p-30f) : T(0x1p-300);
template <class T>
inline constexpr T kHalfPowerMost = sizeof(T) == 4 ? T(0x1p50f) : T(0x1p400);

template <int Whole, class T>
LANEWISE_INLINE Vec<T> half_power_inside(Vec<T> x) {
  const Vec<T> root = sqrt(x);
  // With d = x - root^2 the root is root + d / (2 root), and x / root is root.
  const Vec<T> correction = Vec<T>(T(0.5)) * residual(root, root, x) * root;
  if constexpr (Whole == 1) {
    const Pair<T> p = two_product(x, root);
    return p.hi + (p.lo + correction);
  } else {
    const Pair<T> square = two_product(x, x);
    const Pair<T> p = two_product(square.hi, root);
    return p.hi + fma(square.lo, root, fma(correction, x, p.lo));
  }
}
template <int Whole, class T>
[[gnu::noinline]] Vec<T> half_power_slow(Vec<T> x, Mask<T> inside) {
  const Vec<T> y = half_power_inside<Whole>(select(inside, x, Vec<T>(T(1))));
  return select(inside, y, pow(x, Vec<T>(T(Whole + 0.5))));
}

}  // namespace detail

/// x^(Whole + 1/2), Whole 1 or 2: powers of x times its root, the root's error made good by what its square leaves of x.
/// Error: 0.51 ULP; outside of [2^-30, 2^50] (f64: [2^-300, 2^400]) and 0 that of pow.
template <int Whole, Real T>
LANEWISE_INLINE Vec<T> half_power(Vec<T> x) {
  static_assert(Whole == 1 || Whole == 2);
  using V = Vec<T>;
  const Mask<T> inside =
      ((x >= V(detail::kHalfPowerLeast<T>)) & (x <= V(detail::kHalfPowerMost<T>))) | (x == V(T(0)));
  if (__builtin_expect(!inside.all(), 0)) return detail::half_power_slow<Whole>(x, inside);
  return detail::half_power_inside<Whole>(x);
}

}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
