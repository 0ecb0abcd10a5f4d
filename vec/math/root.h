#pragma once

#include <lanewise/vec/math/pair.h>

namespace lanewise::vec {
inline namespace LANEWISE_ISA {
namespace detail {

template <class T>
inline constexpr T kRsqrtLimit = sizeof(T) == 4 ? T(0x1p126f) : T(0x1p1022);

/// Where 1 / x is denormal, infinite or the root of a negative number.
template <class T>
[[gnu::noinline, gnu::cold]] Vec<T> rsqrt_slow(Vec<T> x) {
  const Mask<T> huge = x > Vec<T>(T(1));
  const Vec<T> down(T(0x1p-48f));
  const Vec<T> up(T(0x1p48f));
  const Mask<T> moved = ((x > Vec<T>(kRsqrtLimit<T>)) & isfinite(x)) |
                        ((x < Vec<T>(std::numeric_limits<T>::min())) & (x > Vec<T>(T(0))));
  const Vec<T> scale = select(moved, select(huge, down, up), Vec<T>(T(1)));
  const Vec<T> back = select(moved, select(huge, Vec<T>(T(0x1p-24f)), Vec<T>(T(0x1p24f))), Vec<T>(T(1)));
  const Vec<T> r = sqrt(Vec<T>(T(1)) / (x * scale)) * back;
  const Vec<T> nan(std::numeric_limits<T>::quiet_NaN());
  return select(x == Vec<T>(T(0)), Vec<T>(T(1)) / x, select(x < Vec<T>(T(0)), nan, r));
}

}  // namespace detail

/// 1 / sqrt(x), as the root of the reciprocal: halving its relative error is what keeps this within 1 ULP.
/// rsqrt(+-0) is +-infinity, of infinity 0, of negative numbers NaN.
template <Real T>
LANEWISE_INLINE Vec<T> rsqrt(Vec<T> x) {
  const Mask<T> inside = (x >= Vec<T>(std::numeric_limits<T>::min())) & (x <= Vec<T>(detail::kRsqrtLimit<T>));
  if (__builtin_expect(!inside.all(), 0)) return detail::rsqrt_slow(x);
  return sqrt(Vec<T>(T(1)) / x);
}

}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
