#include <lanewise/iterator/pointwise.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/ops/checks.h>
#include <lanewise/tensor/promotion.h>

namespace lanewise::ops {
namespace {

void check_alpha_fits(const char* op, ScalarType result, const Scalar& alpha) {
  LANEWISE_CHECK(DtypeError, !alpha.isBoolean() || result == kBool, op, ": a bool factor (", alpha,
                 ") needs bool operands, they are ", to_string(result));
  LANEWISE_CHECK(DtypeError, !alpha.isComplex() || is_complex(result), op, ": the complex factor ", alpha,
                 " needs complex operands, they are ", to_string(result));
  LANEWISE_CHECK(
      DtypeError, !alpha.isFloatingPoint() || !is_integral(result, true), op,
      ": For integral input tensors, argument alpha must not be a floating point number: the floating "
      "factor ",
      alpha, " needs floating operands, they are ", to_string(result), "; cast them first");
  if (is_integral(result, false)) alpha.check_fits(result, op);
}

}  // namespace

void detail::raise_undefined(const char* op, const char* argument) {
  lanewise::detail::raise<ValueError>(op, ": argument '", argument,
                                      "' is an undefined tensor; assign one to it first");
}

void detail::check_list_defined(const char* op, const char* argument, ArrayRef<Tensor> list) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    LANEWISE_CHECK(ValueError, list[i].defined(), op, ": element ", i, " of argument '", argument,
                   "' is an undefined tensor; assign one to it first");
  }
}

void detail::check_alpha_of(const char* op, const Tensor& a, const Tensor& b, const Scalar& alpha) {
  check_alpha_fits(op, result_type(a, b), alpha);
}

void detail::check_alpha_of(const char* op, const Tensor& a, const Scalar& b, const Scalar& alpha) {
  check_alpha_fits(op, result_type(a, b), alpha);
}

void check_not_bool(const char* op, const Tensor& self) {
  LANEWISE_CHECK(
      DtypeError, self.scalar_type() != kBool, op,
      ": Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a "
      "mask, use the `~` or `logical_not()` operator instead");
}

namespace {

constexpr PointwiseOp kEq{"eq", &kernels::KernelTable::eq};

bool has_zero(const Tensor& t) {
  const Tensor zero = pointwise(kEq, {t, Scalar(0)});
  const auto* flags = static_cast<const unsigned char*>(zero.const_data_ptr());
  for (std::int64_t i = 0; i < zero.numel(); ++i) {
    if (flags[i] != 0) return true;
  }
  return false;
}

/// Whether the integer type, which wraps around, holds the number as 0.
bool wraps_to_zero(std::int64_t number, ScalarType type) {
  const std::size_t bits = 8 * element_size(type);
  return type == kBool || bits == 64 ? number == 0 : (number & ((std::int64_t{1} << bits) - 1)) == 0;
}

}  // namespace

void check_divisor(const char* op, const Tensor& self, const Tensor& other) {
  if (other.unsafeGetTensorImpl()->is_wrapped_number()) return check_divisor(op, self, other.item());
  if (!is_integral(self.scalar_type(), true) || !is_integral(other.scalar_type(), true) || self.numel() == 0)
    return;
  LANEWISE_CHECK(ValueError, !has_zero(other), op,
                 ": integers cannot be divided by zero, and the divisor has a zero");
}

void check_divisor(const char* op, const Tensor& self, const Scalar& other) {
  LANEWISE_CHECK(ValueError,
                 !is_integral(self.scalar_type(), true) || !other.isIntegral(true) || self.numel() == 0 ||
                     !wraps_to_zero(other.to_unchecked<std::int64_t>(), result_type(self, other)),
                 op, ": integers cannot be divided by zero");
}

void check_divisor(const char* op, const Scalar& self, const Tensor& other) {
  if (!self.isIntegral(true) || !is_integral(other.scalar_type(), true)) return;
  LANEWISE_CHECK(ValueError, !has_zero(other), op,
                 ": integers cannot be divided by zero, and the divisor has a zero");
}

void check_floating(const char* op, const Tensor& self, const Tensor& other) {
  LANEWISE_CHECK(DtypeError, is_floating_point(result_type(self, other)), op,
                 ": expected floating operands, found ", to_string(self.scalar_type()), " and ",
                 to_string(other.scalar_type()));
}

void check_same_dtype(const char* op, const Tensor& self, const Tensor& other) {
  LANEWISE_CHECK(DtypeError, self.scalar_type() == other.scalar_type(), op, ": expected one dtype, found ",
                 to_string(self.scalar_type()), " and ", to_string(other.scalar_type()));
}

void check_parts(const char* op, const Tensor& a, const Tensor& b) {
  check_same_dtype(op, a, b);
  LANEWISE_CHECK(DtypeError, a.scalar_type() == kFloat || a.scalar_type() == kDouble, op,
                 ": expected two Float or two Double tensors, found ", to_string(a.scalar_type()));
}

void check_order(const char* op, std::int64_t n) {
  LANEWISE_CHECK(ValueError, n >= 0, op, ": the order n must not be negative, it is ", n);
}

void check_celu(const Scalar& alpha) {
  LANEWISE_CHECK(ValueError, alpha.to_unchecked<double>() != 0, "celu: alpha must not be 0");
}

void check_value(const char* op, const Tensor& self, const Tensor& a, const Tensor& b, const Scalar& value) {
  if (value.isIntegral(false) && value.equal(1)) return;  // the default, which fits everywhere
  ResultType type;
  for (const Tensor* t : {&self, &a, &b}) type.add(*t);
  if (is_integral(type.get(), false) || value.isComplex()) value.check_fits(type.get(), op);
}

void check_fits(const char* op, const Tensor& self, std::initializer_list<Scalar> numbers) {
  for (const Scalar& number : numbers) {
    if (number.isComplex() || is_floating_point(self.scalar_type()))
      number.check_fits(self.scalar_type(), op);
  }
  if (!is_integral(self.scalar_type(), false)) return;
  ResultType type;
  type.add(self);
  for (const Scalar& number : numbers) type.add(number);
  if (!is_integral(type.get(), false)) return;
  for (const Scalar& number : numbers) number.check_fits(type.get(), op);
}

void check_fits_self(const char* op, const Tensor& self, std::initializer_list<Scalar> numbers) {
  for (const Scalar& number : numbers) number.check_fits(self.scalar_type(), op);
}

void check_where(const Tensor& self, const Tensor& other) {
  const auto check = [](const Tensor& number, const Tensor& beside) {
    if (number.unsafeGetTensorImpl()->is_wrapped_number()) [[unlikely]]
      number.item().check_fits(result_type(number, beside), "where");
  };
  check(self, other);
  check(other, self);
}

void check_hardtanh(const Tensor& self, const Scalar& min_val, const Scalar& max_val) {
  LANEWISE_CHECK(DtypeError, self.scalar_type() != kBool, "hardtanh: not for bool tensors");
  LANEWISE_CHECK(ValueError,
                 self.scalar_type() != kByte ||
                     (min_val.to_unchecked<double>() >= 0 && max_val.to_unchecked<double>() >= 0),
                 "hardtanh: the limits ", min_val, " and ", max_val,
                 " of unsigned numbers must not be negative");
  check_fits_self("hardtanh", self, {min_val, max_val});
}

void check_softshrink(const Scalar& lambd) {
  LANEWISE_CHECK(ValueError, lambd.to_unchecked<double>() >= 0,
                 "softshrink: lambd must not be negative, it is ", lambd);
}

void check_leaky_relu_backward(const Scalar& negative_slope, bool self_is_result) {
  LANEWISE_CHECK(ValueError, !self_is_result || negative_slope.to_unchecked<double>() >= 0,
                 "leaky_relu_backward: with the negative slope ", negative_slope,
                 " the result does not tell the sign of the input; call leaky_relu out of place");
}

void check_elu_backward(const Scalar& alpha, bool is_result) {
  LANEWISE_CHECK(ValueError, !is_result || alpha.to_unchecked<double>() >= 0,
                 "elu_backward: with the negative alpha ", alpha,
                 " the result does not tell the sign of the input; call elu out of place");
}

void check_addcdiv(const Tensor& self, const Tensor& tensor1, const Tensor& tensor2, const Scalar& value) {
  check_value("addcdiv", self, tensor1, tensor2, value);
  ResultType type;
  for (const Tensor* t : {&self, &tensor1, &tensor2}) type.add(*t);
  const bool integers = is_integral(tensor1.scalar_type(), true) && is_integral(tensor2.scalar_type(), true);
  LANEWISE_CHECK(DtypeError, !integers && !is_integral(type.get(), true),
                 "addcdiv: Integer division is not supported, tensor1 is ", to_string(tensor1.scalar_type()),
                 " and tensor2 ", to_string(tensor2.scalar_type()), "; cast one of them to a floating dtype");
}

void check_lerp(const Tensor& self, const Tensor& end) {
  LANEWISE_CHECK(DtypeError, is_differentiable(self.scalar_type()),
                 "lerp: expected floating or complex tensors, self is ", to_string(self.scalar_type()));
  LANEWISE_CHECK(DtypeError, self.scalar_type() == end.scalar_type(), "lerp: expected one dtype, self is ",
                 to_string(self.scalar_type()), " and end is ", to_string(end.scalar_type()));
}

void check_abs_inplace(const Tensor& self) {
  LANEWISE_CHECK(DtypeError, !self.is_complex(),
                 "abs_: In-place abs is not supported for complex tensors, found ",
                 to_string(self.scalar_type()), "; use abs(), whose result is real");
}

void check_lerp(const Tensor& self, const Tensor& end, const Scalar& weight) {
  check_lerp(self, end);
  if (weight.isComplex()) weight.check_fits(self.scalar_type(), "lerp");
}

void check_lerp(const Tensor& self, const Tensor& end, const Tensor& weight) {
  check_lerp(self, end);
  LANEWISE_CHECK(DtypeError, self.scalar_type() == weight.scalar_type(), "lerp: expected one dtype, self is ",
                 to_string(self.scalar_type()), " and weight is ", to_string(weight.scalar_type()));
}

}  // namespace lanewise::ops
