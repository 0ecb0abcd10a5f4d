#pragma once

#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include <lanewise/tensor/array_ref.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/scalar.h>
#include <lanewise/tensor/tensor.h>

/// Rules about operands that the kernels cannot see; called by the generated functions before anything is
/// written.
namespace lanewise::ops {

namespace detail {
[[noreturn]] void raise_undefined(const char* op, const char* argument);
void check_list_defined(const char* op, const char* argument, ArrayRef<Tensor> list);
/// The part of check_alpha that needs the operands' common dtype.
void check_alpha_of(const char* op, const Tensor& a, const Tensor& b, const Scalar& alpha);
void check_alpha_of(const char* op, const Tensor& a, const Scalar& b, const Scalar& alpha);
}  // namespace detail

/// Operands that must be there, are: `check_defined("mm", "self", self, "mat2", mat2)`, tensors and lists of
/// them. Throws ValueError.
template <class T, class... More>
void check_defined(const char* op, const char* argument, const T& operand, const More&... more) {
  if constexpr (std::is_same_v<T, Tensor>) {
    if (!operand.defined()) [[unlikely]]
      detail::raise_undefined(op, argument);
  } else {
    detail::check_list_defined(op, argument, operand);
  }
  if constexpr (sizeof...(more) > 0) check_defined(op, more...);
}

/// A factor must not be of a higher category than the operands: no 0.5 for integers, no 2i for reals. Throws
/// DtypeError.
template <class Other>
void check_alpha(const char* op, const Tensor& self, const Other& other, const Scalar& alpha) {
  // A small integer suits every dtype, and 1 is the default.
  const auto integer = alpha.to_unchecked<std::int64_t>();
  if (!alpha.isIntegral(false) || integer < INT8_MIN || integer > INT8_MAX) [[unlikely]]
    detail::check_alpha_of(op, self, other, alpha);
}
/// No complex factor for real operands; of a floating one integers take the integral part, as in PyTorch, and it must fit.
/// Throws DtypeError, ValueError.
void check_value(const char* op, const Tensor& self, const Tensor& a, const Tensor& b, const Scalar& value);
/// Numbers beside integers must fit into what the op computes in, and those beside real tensors must be real. Throws ValueError.
void check_fits(const char* op, const Tensor& self, std::initializer_list<Scalar> numbers);
/// Numbers that become elements of self's dtype must fit into it; fractions are cut off. Throws ValueError.
void check_fits_self(const char* op, const Tensor& self, std::initializer_list<Scalar> numbers);
/// The same of numbers that call by name has wrapped.
void check_where(const Tensor& self, const Tensor& other);

/// check_alpha, and no bool among the operands. Throws DtypeError.
template <class Other>
void check_sub(const char* op, const Tensor& self, const Other& other, const Scalar& alpha) {
  bool is_bool = self.scalar_type() == kBool;
  if constexpr (std::is_same_v<Other, Scalar>) {
    is_bool |= other.isBoolean();
  } else {
    is_bool |= other.scalar_type() == kBool;
  }
  LANEWISE_CHECK(
      DtypeError, !is_bool, op,
      ": Subtraction, the `-` operator, with a bool tensor is not supported, nor with two bool tensors; use "
      "the `^` or `logical_xor()` operator instead, or `~` or `logical_not()` to invert a mask");
  check_alpha(op, self, other, alpha);
}

void check_not_bool(const char* op, const Tensor& self);

/// Integers must not be divided by zero. Throws ValueError.
void check_divisor(const char* op, const Tensor& self, const Tensor& other);
void check_divisor(const char* op, const Tensor& self, const Scalar& other);
void check_divisor(const char* op, const Scalar& self, const Tensor& other);

void check_addcdiv(const Tensor& self, const Tensor& tensor1, const Tensor& tensor2, const Scalar& value);
void check_lerp(const Tensor& self, const Tensor& end);
void check_lerp(const Tensor& self, const Tensor& end, const Scalar& weight);
void check_lerp(const Tensor& self, const Tensor& end, const Tensor& weight);

/// Floating operands, not integers beside integers. Throws DtypeError.
void check_floating(const char* op, const Tensor& self, const Tensor& other);
/// Throws DtypeError unless both have one dtype.
void check_same_dtype(const char* op, const Tensor& self, const Tensor& other);
/// The parts of complex numbers: both f32 or both f64. Throws DtypeError.
void check_parts(const char* op, const Tensor& a, const Tensor& b);

/// Of a derivative: not negative. Throws ValueError.
void check_order(const char* op, std::int64_t n);
void check_celu(const Scalar& alpha);
/// Complex numbers have an absolute value that is none of theirs.
void check_abs_inplace(const Tensor& self);
void check_hardtanh(const Tensor& self, const Scalar& min_val, const Scalar& max_val);
void check_softshrink(const Scalar& lambd);
/// A result of in-place leaky_relu or elu says which side its input was on only where the slope is not
/// negative.
void check_leaky_relu_backward(const Scalar& negative_slope, bool self_is_result);
void check_elu_backward(const Scalar& alpha, bool is_result);

/// A limit as integral tensors see it: its integral part.
inline Scalar in_dtype(const Tensor& self, const Scalar& limit) {
  return is_integral(self.scalar_type(), true) ? Scalar(limit.to_unchecked<std::int64_t>()) : limit;
}

}  // namespace lanewise::ops
