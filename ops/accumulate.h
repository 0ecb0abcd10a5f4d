#pragma once

#include <complex>
#include <type_traits>

#include <lanewise/tensor/dtype.h>
#include <lanewise/tensor/scalar.h>

/// Arithmetic of single elements, where an index says or strides are short, in every dtype.
namespace lanewise::ops {

/// The type in which elements of T are added: float for the halves.
template <class T>
using SumType = std::conditional_t<std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>, float, T>;

/// Wrapping for integers, "or" for bool; halves are rounded at every step.
template <class T>
T add_elements(T a, T b) noexcept {
  if constexpr (std::is_same_v<T, bool>) {
    return a || b;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  } else {
    return static_cast<T>(static_cast<SumType<T>>(a) + static_cast<SumType<T>>(b));
  }
}

/// a - b of numbers that are computed in their own type; wrapping for integers.
template <class T>
  requires(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>)
T subtract_elements(T a, T b) noexcept {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
  } else {
    return a - b;
  }
}

/// "and" for bool. Complex numbers by the plain formula, so that no infinity is recovered from NaN.
template <class T>
T multiply_elements(T a, T b) noexcept {
  if constexpr (std::is_same_v<T, bool>) {
    return a && b;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  } else if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) {
    return T(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
  } else {
    return static_cast<T>(static_cast<SumType<T>>(a) * static_cast<SumType<T>>(b));
  }
}

}  // namespace lanewise::ops
