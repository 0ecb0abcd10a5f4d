#include <lanewise/ops/pointwise_forms.h>

#include <lanewise/iterator/pointwise.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/ops/checks.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/promotion.h>

namespace lanewise::ops {
namespace {

using kernels::KernelTable;

constexpr PointwiseOp kDiv{"div", &KernelTable::div, true};
constexpr PointwiseOp kDivTrunc{"div", &KernelTable::div_trunc};
constexpr PointwiseOp kDivFloor{"div", &KernelTable::div_floor};
constexpr PointwiseOp kPow{"pow", &KernelTable::pow};
constexpr PointwiseOp kPowScalar{"pow", &KernelTable::pow_scalar};
constexpr PointwiseOp kSquare{"square", &KernelTable::square};
constexpr PointwiseOp kClamp{"clamp", &KernelTable::clamp};
constexpr PointwiseOp kClampMin{"clamp", &KernelTable::maximum};
constexpr PointwiseOp kClampMax{"clamp", &KernelTable::minimum};
constexpr PointwiseOp kGelu{"gelu", &KernelTable::gelu};
constexpr PointwiseOp kGeluTanh{"gelu", &KernelTable::gelu_tanh};
constexpr PointwiseOp kGeluBackward{"gelu_backward", &KernelTable::gelu_backward};
constexpr PointwiseOp kGeluTanhBackward{"gelu_backward", &KernelTable::gelu_tanh_backward};

template <class Other>
Tensor div_rounded(const Tensor& self, const Other& other, std::optional<std::string_view> mode) {
  if (!mode) return pointwise(kDiv, {self, other});
  LANEWISE_CHECK(ValueError, *mode == "trunc" || *mode == "floor", "div: rounding_mode is \"", *mode,
                 "\"; expected none, \"trunc\" or \"floor\"");
  check_divisor("div", self, other);
  return pointwise(*mode == "trunc" ? kDivTrunc : kDivFloor, {self, other});
}

bool is_tanh(const char* op, std::string_view approximate) {
  LANEWISE_CHECK(ValueError, approximate == "none" || approximate == "tanh", op, ": approximate is \"", approximate,
                 "\"; expected \"none\" or \"tanh\"");
  return approximate == "tanh";
}

}  // namespace

Tensor div(const Tensor& self, const Tensor& other, std::optional<std::string_view> rounding_mode) {
  return div_rounded(self, other, rounding_mode);
}

Tensor div(const Tensor& self, const Scalar& other, std::optional<std::string_view> rounding_mode) {
  return div_rounded(self, other, rounding_mode);
}

Tensor pow(const Tensor& self, const Scalar& exponent) {
  const ScalarType type = result_type(self, exponent);
  LANEWISE_CHECK(ValueError, !is_integral(type, true) || !exponent.isIntegral(false) || exponent.to_unchecked<std::int64_t>() >= 0,
                 "pow: integers to the negative power ", exponent, " are no integers; cast self to a floating dtype");
  // The kernel of one operand has short cuts for common exponents, but computes in the dtype of self.
  if (type == self.scalar_type()) return pointwise(kPowScalar, {self}, {exponent});
  return pointwise(kPow, {self, exponent});
}

Tensor square(const Tensor& self) {
  return self.scalar_type() == kBool ? pow(self, Scalar(2)) : pointwise(kSquare, {self});
}

Tensor clamp(const Tensor& self, const std::optional<Scalar>& min, const std::optional<Scalar>& max) {
  LANEWISE_CHECK(ValueError, min || max, "clamp: at least one of min and max is needed");
  if (min && max) return pointwise(kClamp, {self, *min, *max});
  return min ? pointwise(kClampMin, {self, *min}) : pointwise(kClampMax, {self, *max});
}

Tensor clamp(const Tensor& self, const Tensor& min, const Tensor& max) {
  LANEWISE_CHECK(ValueError, min.defined() || max.defined(), "clamp: at least one of min and max is needed");
  if (min.defined() && max.defined()) return pointwise(kClamp, {self, min, max});
  return min.defined() ? pointwise(kClampMin, {self, min}) : pointwise(kClampMax, {self, max});
}

Tensor gelu(const Tensor& self, std::string_view approximate) {
  return pointwise(is_tanh("gelu", approximate) ? kGeluTanh : kGelu, {self});
}

Tensor gelu_backward(const Tensor& grad_output, const Tensor& self, std::string_view approximate) {
  return pointwise(is_tanh("gelu_backward", approximate) ? kGeluTanhBackward : kGeluBackward, {grad_output, self});
}

}  // namespace lanewise::ops
