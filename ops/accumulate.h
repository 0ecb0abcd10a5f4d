#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <type_traits>

#include <lanewise/tensor/dtype.h>
#include <lanewise/tensor/scalar.h>

/// Combining one element with another where an index says, in every dtype.
namespace lanewise::ops {

enum class Reduce : std::uint8_t { Sum, Prod, Mean, Max, Min };

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

template <class T>
bool is_nan(T x) noexcept {
  if constexpr (is_floating_point(scalar_type_of<T>)) {
    return std::isnan(static_cast<SumType<T>>(x));
  } else {
    return false;
  }
}

/// A NaN wins; of equal elements the first stays.
template <class T>
T larger_element(T a, T b) noexcept {
  return is_nan(b) || (!is_nan(a) && a < b) ? b : a;
}
template <class T>
T smaller_element(T a, T b) noexcept {
  return is_nan(b) || (!is_nan(a) && b < a) ? b : a;
}

/// f(combine) where combine(a, b) is a with one more element b; a mean's are added. Complex numbers have no order.
template <class T, class F>
void with_combine(Reduce reduce, F f) {
  switch (reduce) {
    case Reduce::Sum:
    case Reduce::Mean: return f([](T a, T b) { return add_elements(a, b); });
    case Reduce::Prod: return f([](T a, T b) { return multiply_elements(a, b); });
    default: break;
  }
  if constexpr (!is_complex(scalar_type_of<T>)) {
    if (reduce == Reduce::Max) {
      f([](T a, T b) { return larger_element(a, b); });
    } else {
      f([](T a, T b) { return smaller_element(a, b); });
    }
  }
}

}  // namespace lanewise::ops
