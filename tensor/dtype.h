#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <type_traits>
#include <utility>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/tensor/half.h>
#include <lanewise/tensor/scalar_type.h>

namespace lanewise {

using Dtype = ScalarType;

inline constexpr ScalarType kBool = ScalarType::Bool;
inline constexpr ScalarType kByte = ScalarType::Byte, kUInt8 = kByte;
inline constexpr ScalarType kChar = ScalarType::Char, kInt8 = kChar;
inline constexpr ScalarType kShort = ScalarType::Short, kInt16 = kShort;
inline constexpr ScalarType kInt = ScalarType::Int, kInt32 = kInt;
inline constexpr ScalarType kLong = ScalarType::Long, kInt64 = kLong;
inline constexpr ScalarType kHalf = ScalarType::Half, kFloat16 = kHalf;
inline constexpr ScalarType kBFloat16 = ScalarType::BFloat16;
inline constexpr ScalarType kFloat = ScalarType::Float, kFloat32 = kFloat;
inline constexpr ScalarType kDouble = ScalarType::Double, kFloat64 = kDouble;
inline constexpr ScalarType kComplexFloat = ScalarType::ComplexFloat, kComplex64 = kComplexFloat;
inline constexpr ScalarType kU8 = kByte, kI8 = kChar, kI16 = kShort, kI32 = kInt, kI64 = kLong;
inline constexpr ScalarType kF16 = kHalf, kF32 = kFloat, kF64 = kDouble;
inline constexpr ScalarType kComplexDouble = ScalarType::ComplexDouble, kComplex128 = kComplexDouble;

namespace detail {
inline constexpr std::uint8_t kElementSizes[] = {1, 1, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16, 0};
}

/// Bytes of one element; 0 for Undefined.
constexpr std::size_t element_size(ScalarType t) noexcept {
  return detail::kElementSizes[static_cast<std::size_t>(t)];
}

constexpr bool is_complex(ScalarType t) noexcept {
  return t == ScalarType::ComplexFloat || t == ScalarType::ComplexDouble;
}
/// One of the four real floating types.
constexpr bool is_floating_point(ScalarType t) noexcept {
  return t >= ScalarType::Half && t <= ScalarType::Double;
}
constexpr bool is_integral(ScalarType t, bool include_bool) noexcept {
  return (t >= ScalarType::Byte && t <= ScalarType::Long) || (include_bool && t == ScalarType::Bool);
}
/// Half or BFloat16: stored in 16 bits, computed in Float.
constexpr bool is_reduced_floating_point(ScalarType t) noexcept {
  return t == ScalarType::Half || t == ScalarType::BFloat16;
}
constexpr bool is_signed(ScalarType t) noexcept { return t != ScalarType::Bool && t != ScalarType::Byte; }
/// Floating or complex: the types that can require a gradient.
constexpr bool is_differentiable(ScalarType t) noexcept { return is_floating_point(t) || is_complex(t); }

/// The real type with the precision of `t`: Float for ComplexFloat; real types are their own.
constexpr ScalarType to_real_type(ScalarType t) noexcept {
  return t == kComplexFloat ? kFloat : t == kComplexDouble ? kDouble : t;
}
/// The complex type that holds `t`: ComplexDouble for Double, ComplexFloat for the other floating types.
constexpr ScalarType to_complex_type(ScalarType t) noexcept {
  return is_complex(t) ? t : t == kDouble ? kComplexDouble : kComplexFloat;
}

/// "Float", "ComplexDouble"...: the names that tensors print.
LANEWISE_API const char* to_string(ScalarType t) noexcept;
/// "f32", "i64", "bool"...: the names that errors print.
LANEWISE_API const char* short_name(ScalarType t) noexcept;
LANEWISE_API std::ostream& operator<<(std::ostream& out, ScalarType t);

// libtorch's spellings.
constexpr std::size_t elementSize(ScalarType t) noexcept { return element_size(t); }
constexpr bool isComplexType(ScalarType t) noexcept { return is_complex(t); }
constexpr bool isFloatingType(ScalarType t) noexcept { return is_floating_point(t); }
constexpr bool isIntegralType(ScalarType t, bool include_bool = false) noexcept {
  return is_integral(t, include_bool);
}
constexpr bool isReducedFloatingType(ScalarType t) noexcept { return is_reduced_floating_point(t); }
constexpr bool isSignedType(ScalarType t) noexcept { return is_signed(t); }
constexpr ScalarType toRealValueType(ScalarType t) noexcept { return to_real_type(t); }
constexpr ScalarType toComplexType(ScalarType t) noexcept { return to_complex_type(t); }
inline const char* toString(ScalarType t) noexcept { return to_string(t); }

/// ScalarType of a C++ element type; Undefined for any other type.
template <class T>
inline constexpr ScalarType scalar_type_of = ScalarType::Undefined;
template <>
inline constexpr ScalarType scalar_type_of<bool> = ScalarType::Bool;
template <>
inline constexpr ScalarType scalar_type_of<std::uint8_t> = ScalarType::Byte;
template <>
inline constexpr ScalarType scalar_type_of<std::int8_t> = ScalarType::Char;
template <>
inline constexpr ScalarType scalar_type_of<std::int16_t> = ScalarType::Short;
template <>
inline constexpr ScalarType scalar_type_of<std::int32_t> = ScalarType::Int;
template <>
inline constexpr ScalarType scalar_type_of<long> = ScalarType::Long;
template <>
inline constexpr ScalarType scalar_type_of<long long> = ScalarType::Long;
template <>
inline constexpr ScalarType scalar_type_of<Half> = ScalarType::Half;
template <>
inline constexpr ScalarType scalar_type_of<BFloat16> = ScalarType::BFloat16;
template <>
inline constexpr ScalarType scalar_type_of<float> = ScalarType::Float;
template <>
inline constexpr ScalarType scalar_type_of<double> = ScalarType::Double;
template <>
inline constexpr ScalarType scalar_type_of<std::complex<float>> = ScalarType::ComplexFloat;
template <>
inline constexpr ScalarType scalar_type_of<std::complex<double>> = ScalarType::ComplexDouble;

/// The same as a type with a `value`, libtorch's name.
template <class T>
struct CppTypeToScalarType : std::integral_constant<ScalarType, scalar_type_of<T>> {};

/// Calls f.template operator()<T>() with the C++ type of `t`, which is not Undefined.
template <class F>
decltype(auto) visit_dtype(ScalarType t, F&& f) {
  switch (t) {
    case ScalarType::Bool: return f.template operator()<bool>();
    case ScalarType::Byte: return f.template operator()<std::uint8_t>();
    case ScalarType::Char: return f.template operator()<std::int8_t>();
    case ScalarType::Short: return f.template operator()<std::int16_t>();
    case ScalarType::Int: return f.template operator()<std::int32_t>();
    case ScalarType::Long: return f.template operator()<std::int64_t>();
    case ScalarType::Half: return f.template operator()<Half>();
    case ScalarType::BFloat16: return f.template operator()<BFloat16>();
    case ScalarType::Float: return f.template operator()<float>();
    case ScalarType::Double: return f.template operator()<double>();
    case ScalarType::ComplexFloat: return f.template operator()<std::complex<float>>();
    case ScalarType::ComplexDouble: return f.template operator()<std::complex<double>>();
    case ScalarType::Undefined: break;
  }
  __builtin_unreachable();  // tensors always have a dtype
}

/// The type that factories use when none is given, and that integers become in true division, exp,
/// mean... Float at start. Process-wide.
LANEWISE_API ScalarType get_default_dtype() noexcept;
/// Any type of elements, as in libtorch; with one that is no floating type, what needs floating elements finds no
/// kernel and throws. Throws DtypeError for Undefined.
LANEWISE_API void set_default_dtype(ScalarType t);
inline ScalarType get_default_dtype_as_scalartype() noexcept { return get_default_dtype(); }
/// The complex type of get_default_dtype().
inline ScalarType get_default_complex_dtype() noexcept { return to_complex_type(get_default_dtype()); }

}  // namespace lanewise
