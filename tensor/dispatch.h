#pragma once

#include <complex>
#include <cstdint>
#include <tuple>

#include <lanewise/tensor/dtype.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/half.h>

/// libtorch's macros that compile a lambda once per element type, in which the type is called `scalar_t`:
///
///     AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "scale", [&] { scale(x.data_ptr<scalar_t>(), x.numel()); });
///
/// They return what the lambda returns, and throw DtypeError for other types. visit_dtype() takes a template lambda and
/// all types.
namespace lanewise::detail {

/// In the order of ScalarType.
using ElementTypes = std::tuple<bool, std::uint8_t, std::int8_t, std::int16_t, std::int32_t, std::int64_t,
                                Half, BFloat16, float, double, std::complex<float>, std::complex<double>>;
template <ScalarType Type>
using ElementOf = std::tuple_element_t<static_cast<std::size_t>(Type), ElementTypes>;
static_assert(scalar_type_of<ElementOf<kBool>> == kBool && scalar_type_of<ElementOf<kHalf>> == kHalf &&
              scalar_type_of<ElementOf<kComplexDouble>> == kComplexDouble);

/// f.template operator()<T>() with the one of Types that is `dtype`; `op` is for the error.
template <ScalarType First, ScalarType... Rest, class F>
decltype(auto) dispatch(ScalarType dtype, const char* op, F&& f) {
  if constexpr (sizeof...(Rest) > 0) {
    if (dtype != First) return dispatch<Rest...>(dtype, op, f);
  }
  LANEWISE_CHECK(DtypeError, dtype == First, '"', op, "\" not implemented for '", to_string(dtype), "'");
  return f.template operator()<ElementOf<First>>();
}

}  // namespace lanewise::detail

#ifndef AT_DISPATCH_ALL_TYPES  // of libtorch itself, in a program that has both

#define LANEWISE_INTEGRAL_TYPES \
  ::lanewise::kByte, ::lanewise::kChar, ::lanewise::kInt, ::lanewise::kLong, ::lanewise::kShort
#define LANEWISE_FLOATING_TYPES ::lanewise::kFloat, ::lanewise::kDouble
#define LANEWISE_COMPLEX_TYPES ::lanewise::kComplexFloat, ::lanewise::kComplexDouble

// Types come in parentheses, so that they are one argument.
#define LANEWISE_DISPATCH(TYPES, TYPE, NAME, ...)                 \
  ::lanewise::detail::dispatch<LANEWISE_UNPACK TYPES>(TYPE, NAME, \
                                                      [&]<class scalar_t>() { return __VA_ARGS__(); })
#define LANEWISE_UNPACK(...) __VA_ARGS__

#define AT_DISPATCH_INTEGRAL_TYPES(TYPE, NAME, ...) \
  LANEWISE_DISPATCH((LANEWISE_INTEGRAL_TYPES), TYPE, NAME, __VA_ARGS__)
#define AT_DISPATCH_INTEGRAL_TYPES_AND(T1, TYPE, NAME, ...) \
  LANEWISE_DISPATCH((LANEWISE_INTEGRAL_TYPES, T1), TYPE, NAME, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES(TYPE, NAME, ...) \
  LANEWISE_DISPATCH((LANEWISE_FLOATING_TYPES), TYPE, NAME, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND_HALF(TYPE, NAME, ...) \
  LANEWISE_DISPATCH((LANEWISE_FLOATING_TYPES, ::lanewise::kHalf), TYPE, NAME, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND(T1, TYPE, NAME, ...) \
  LANEWISE_DISPATCH((LANEWISE_FLOATING_TYPES, T1), TYPE, NAME, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND2(T1, T2, TYPE, NAME, ...) \
  LANEWISE_DISPATCH((LANEWISE_FLOATING_TYPES, T1, T2), TYPE, NAME, __VA_ARGS__)
#define AT_DISPATCH_COMPLEX_TYPES(TYPE, NAME, ...) \
  LANEWISE_DISPATCH((LANEWISE_COMPLEX_TYPES), TYPE, NAME, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES(TYPE, NAME, ...) \
  LANEWISE_DISPATCH((LANEWISE_FLOATING_TYPES, LANEWISE_COMPLEX_TYPES), TYPE, NAME, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND2(T1, T2, TYPE, NAME, ...) \
  LANEWISE_DISPATCH((LANEWISE_FLOATING_TYPES, LANEWISE_COMPLEX_TYPES, T1, T2), TYPE, NAME, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES(TYPE, NAME, ...) \
  LANEWISE_DISPATCH((LANEWISE_INTEGRAL_TYPES, LANEWISE_FLOATING_TYPES), TYPE, NAME, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND(T1, TYPE, NAME, ...) \
  LANEWISE_DISPATCH((LANEWISE_INTEGRAL_TYPES, LANEWISE_FLOATING_TYPES, T1), TYPE, NAME, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND2(T1, T2, TYPE, NAME, ...) \
  LANEWISE_DISPATCH((LANEWISE_INTEGRAL_TYPES, LANEWISE_FLOATING_TYPES, T1, T2), TYPE, NAME, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND3(T1, T2, T3, TYPE, NAME, ...) \
  LANEWISE_DISPATCH((LANEWISE_INTEGRAL_TYPES, LANEWISE_FLOATING_TYPES, T1, T2, T3), TYPE, NAME, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX(TYPE, NAME, ...)                                                  \
  LANEWISE_DISPATCH((LANEWISE_INTEGRAL_TYPES, LANEWISE_FLOATING_TYPES, LANEWISE_COMPLEX_TYPES), TYPE, NAME, \
                    __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND(T1, TYPE, NAME, ...)                                        \
  LANEWISE_DISPATCH((LANEWISE_INTEGRAL_TYPES, LANEWISE_FLOATING_TYPES, LANEWISE_COMPLEX_TYPES, T1), TYPE, \
                    NAME, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND2(T1, T2, TYPE, NAME, ...)                                 \
  LANEWISE_DISPATCH((LANEWISE_INTEGRAL_TYPES, LANEWISE_FLOATING_TYPES, LANEWISE_COMPLEX_TYPES, T1, T2), \
                    TYPE, NAME, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND3(T1, T2, T3, TYPE, NAME, ...)                                 \
  LANEWISE_DISPATCH((LANEWISE_INTEGRAL_TYPES, LANEWISE_FLOATING_TYPES, LANEWISE_COMPLEX_TYPES, T1, T2, T3), \
                    TYPE, NAME, __VA_ARGS__)

/// Calls a macro with each C++ type and the name of its ScalarType.
#define AT_FORALL_SCALAR_TYPES(_)                                                                        \
  _(std::uint8_t, Byte)                                                                                  \
  _(std::int8_t, Char) _(std::int16_t, Short) _(std::int32_t, Int) _(std::int64_t, Long) _(float, Float) \
      _(double, Double)
#define AT_FORALL_SCALAR_TYPES_AND(T1, _) \
  AT_FORALL_SCALAR_TYPES(_) _(::lanewise::detail::ElementOf<::lanewise::ScalarType::T1>, T1)
#define AT_FORALL_SCALAR_TYPES_AND2(T1, T2, _) \
  AT_FORALL_SCALAR_TYPES_AND(T1, _) _(::lanewise::detail::ElementOf<::lanewise::ScalarType::T2>, T2)
#define AT_FORALL_SCALAR_TYPES_AND3(T1, T2, T3, _) \
  AT_FORALL_SCALAR_TYPES_AND2(T1, T2, _) _(::lanewise::detail::ElementOf<::lanewise::ScalarType::T3>, T3)

#endif  // AT_DISPATCH_ALL_TYPES
