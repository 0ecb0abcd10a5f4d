#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace lanewise::test {

/// A value of the wrong class: NaN against a number, infinite against finite, a zero of the wrong sign.
inline constexpr double kWrongClass = 1e30;

/// Error of `found` in units in the last place of the exact result. Rounding at the edge of the range is
/// forgiven: infinity where the exact result is the largest number to within an ULP, and the reverse.
template <class T>
double ulp_error(T found, long double exact) {
  if (std::isnan(exact)) return std::isnan(found) ? 0 : kWrongClass;
  if (std::isnan(found)) return kWrongClass;
  const T rounded = static_cast<T>(exact);
  const long double largest = std::numeric_limits<T>::max();
  if (std::isinf(rounded) || std::isinf(found)) {
    if (rounded == found) return 0;
    const bool at_edge = std::fabs(exact) >= largest * (1 - std::numeric_limits<T>::epsilon()) &&
                         std::fabs(exact) <= largest * (1 + 2 * std::numeric_limits<T>::epsilon());
    return at_edge && std::signbit(found) == std::signbit(rounded) ? 0.5 : kWrongClass;
  }
  if (exact == 0 || (found == 0 && std::signbit(found) != std::signbit(exact))) {
    return found == 0 && std::signbit(found) == std::signbit(exact) ? 0 : kWrongClass;
  }
  int exponent = 0;
  (void)std::frexp(exact, &exponent);
  exponent = std::max(exponent, std::numeric_limits<T>::min_exponent);
  const long double ulp = std::ldexp(1.0L, exponent - std::numeric_limits<T>::digits);
  return static_cast<double>(std::fabs(static_cast<long double>(found) - exact) / ulp);
}

}  // namespace lanewise::test
