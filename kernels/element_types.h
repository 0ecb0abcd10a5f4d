#pragma once

#include <complex>
#include <cstdint>
#include <type_traits>

#include <lanewise/kernels/kernel.h>

/// Element types of kernels and lists of them. Included by per-ISA files.
namespace lanewise::kernels::LANEWISE_ISA {

template <class... T>
struct Types {};

template <class... A, class... B>
constexpr Types<A..., B...> operator+(Types<A...>, Types<B...>) {
  return {};
}

inline constexpr Types<bool> boolean;
inline constexpr Types<std::uint8_t, std::int8_t, std::int16_t, std::int32_t, std::int64_t> integral;
inline constexpr Types<float, double> floating;
inline constexpr Types<std::complex<float>, std::complex<double>> complex_types;
inline constexpr auto floating_complex = floating + complex_types;
inline constexpr auto real = integral + floating;
inline constexpr auto numbers = real + complex_types;
inline constexpr auto every_type = boolean + numbers;

template <class T>
inline constexpr bool is_complex = false;
template <class R>
inline constexpr bool is_complex<std::complex<R>> = true;

/// f32 of complex64, f64 of complex128, else the type itself.
template <class T>
struct RealOf {
  using type = T;
};
template <class R>
struct RealOf<std::complex<R>> {
  using type = R;
};
template <class T>
using real_of = typename RealOf<T>::type;

/// A type of as many bytes, the same for all of them, but for bool, whose bytes are read as 0 or 1.
template <class T>
struct BitsOf {
  using type = std::conditional_t<
      sizeof(T) == 1, std::uint8_t,
      std::conditional_t<sizeof(T) == 2, std::int16_t,
                         std::conditional_t<sizeof(T) == 4, std::int32_t,
                                            std::conditional_t<sizeof(T) == 8, std::int64_t, T>>>>;
};
template <>
struct BitsOf<bool> {
  using type = bool;
};
template <class T>
using bits_of = typename BitsOf<T>::type;

template <class T>
constexpr ScalarType scalar_type_of() {
  if constexpr (std::is_same_v<T, bool>) return ScalarType::Bool;
  if constexpr (std::is_same_v<T, std::uint8_t>) return ScalarType::Byte;
  if constexpr (std::is_same_v<T, std::int8_t>) return ScalarType::Char;
  if constexpr (std::is_same_v<T, std::int16_t>) return ScalarType::Short;
  if constexpr (std::is_same_v<T, std::int32_t>) return ScalarType::Int;
  if constexpr (std::is_same_v<T, std::int64_t>) return ScalarType::Long;
  if constexpr (std::is_same_v<T, float>) return ScalarType::Float;
  if constexpr (std::is_same_v<T, double>) return ScalarType::Double;
  if constexpr (std::is_same_v<T, std::complex<float>>) return ScalarType::ComplexFloat;
  if constexpr (std::is_same_v<T, std::complex<double>>) return ScalarType::ComplexDouble;
}

/// Index of an element type in the arrays of a kernel.
template <class T>
inline constexpr std::size_t index_of = static_cast<std::size_t>(scalar_type_of<T>());

/// The number as an element of type T.
template <class T>
inline T scalar_as(const KernelScalar& s) noexcept {
  if constexpr (std::is_same_v<T, bool>) {
    return s.i != 0;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(s.i);
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(s.re);
  } else {
    return T(static_cast<real_of<T>>(s.re), static_cast<real_of<T>>(s.im));
  }
}

}  // namespace lanewise::kernels::LANEWISE_ISA
