#pragma once

#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <lanewise/dispatch_isa/isa.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/tensor/dtype.h>

// What the tests of kernels share: element types, values worth trying, comparison.

namespace lanewise::test {

using kernels::ElementwiseKernel;
using kernels::KernelScalar;
using kernels::KernelTable;

template <class T>
inline constexpr ScalarType kScalarType = scalar_type_of<T>;
template <class T>
inline constexpr bool kIsComplex = is_complex(scalar_type_of<T>);

template <class T>
struct RealOf {
  using type = T;
};
template <class R>
struct RealOf<std::complex<R>> {
  using type = R;
};

template <class T>
constexpr std::size_t type_index() {
  return static_cast<std::size_t>(kScalarType<T>);
}

/// A number as a parameter, readable as any type.
inline KernelScalar param(double x) { return {static_cast<std::int64_t>(x), x, 0}; }
inline KernelScalar param_int(std::int64_t x) { return {x, static_cast<double>(x), 0}; }

/// Values of T: edges of its range, small numbers that collide, and numbers of every magnitude.
template <class T>
T random_value(std::mt19937_64& random) {
  if constexpr (std::is_same_v<T, bool>) {
    return random() % 2 != 0;
  } else if constexpr (kIsComplex<T>) {
    using R = typename T::value_type;
    return T(random_value<R>(random), random_value<R>(random));
  } else if constexpr (std::is_integral_v<T>) {
    using L = std::numeric_limits<T>;
    constexpr T kEdges[] = {0, 1, static_cast<T>(-1), 2, 3, L::max(), L::min(), static_cast<T>(L::min() + 1)};
    switch (random() % 3) {
      case 0: return kEdges[random() % 8];
      case 1: return static_cast<T>(random() % 11 - 5);
      default: return static_cast<T>(random());
    }
  } else {
    using L = std::numeric_limits<T>;
    constexpr T kEdges[] = {T(0),
                            T(-0.0),
                            1,
                            -1,
                            T(0.5),
                            2,
                            3,
                            L::infinity(),
                            -L::infinity(),
                            L::quiet_NaN(),
                            L::max(),
                            -L::max(),
                            L::min(),
                            L::denorm_min(),
                            -L::denorm_min(),
                            L::epsilon()};
    std::uniform_real_distribution<double> unit(-1, 1);
    switch (random() % 4) {
      case 0: return kEdges[random() % 16];
      case 1: return static_cast<T>(static_cast<int>(random() % 17) - 8);
      case 2: return static_cast<T>(unit(random) * 10);
      default:
        return static_cast<T>(std::ldexp(
            unit(random), static_cast<int>(random() % (2 * L::max_exponent - 20)) - L::max_exponent + 10));
    }
  }
}

/// Ordinary values, away from overflow.
template <class T>
T moderate_value(std::mt19937_64& random) {
  if constexpr (kIsComplex<T>) {
    using R = typename T::value_type;
    return T(moderate_value<R>(random), moderate_value<R>(random));
  } else if constexpr (std::is_integral_v<T>) {
    return random_value<T>(random);
  } else {
    return static_cast<T>(std::uniform_real_distribution<double>(-4, 4)(random));
  }
}

/// An element, in vectors that have data() for bool too.
template <class T>
struct Cell {
  T value;
  operator T() const { return value; }
};
template <class T>
using Values = std::vector<Cell<T>>;

template <class T, class Make>
Values<T> values_of(std::size_t n, std::mt19937_64& random, Make make) {
  Values<T> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = {make(random)};
  return values;
}

template <class T>
bool same(T a, T b) {
  if constexpr (kIsComplex<T>) {
    return same(a.real(), b.real()) && same(a.imag(), b.imag());
  } else if constexpr (std::is_floating_point_v<T>) {
    return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
  } else {
    return a == b;
  }
}

/// Distance from the exact value in units of the last place of T, taken at that value.
template <class T>
double error_ulp(T got, long double exact) {
  const T rounded = static_cast<T>(exact);
  if (std::isnan(got) || std::isnan(rounded)) return std::isnan(got) == std::isnan(rounded) ? 0 : INFINITY;
  if (got == rounded) return 0;
  if (std::isinf(got) || std::isinf(rounded)) {  // the edge of the range counts as one place off
    const T other = std::isinf(got) ? rounded : got;
    return std::abs(other) >= std::numeric_limits<T>::max() * T(0.9999) &&
                   std::signbit(got) == std::signbit(rounded)
               ? 1
               : INFINITY;
  }
  int exponent = 0;
  std::frexp(static_cast<long double>(rounded), &exponent);
  const int place = std::max(exponent - std::numeric_limits<T>::digits,
                             std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits);
  return static_cast<double>(std::abs(static_cast<long double>(got) - exact) / std::ldexp(1.0L, place));
}

/// For complex numbers the distance is taken against the modulus.
template <class R>
double error_ulp(std::complex<R> got, std::complex<long double> exact) {
  const long double modulus = std::abs(exact);
  if (!std::isfinite(modulus) || modulus > static_cast<long double>(std::numeric_limits<R>::max()) / 8)
    return 0;
  int exponent = 0;
  std::frexp(modulus, &exponent);
  const int place = std::max(exponent - std::numeric_limits<R>::digits,
                             std::numeric_limits<R>::min_exponent - std::numeric_limits<R>::digits);
  const std::complex<long double> distance = std::complex<long double>(got.real(), got.imag()) - exact;
  return static_cast<double>(std::abs(distance) / std::ldexp(1.0L, place));
}

template <class F>
void for_each_isa(F&& f) {
  for (const Isa isa : available_isas()) {
    SCOPED_TRACE(name(isa));
    f(kernels::kernels_of(isa));
  }
}

}  // namespace lanewise::test
