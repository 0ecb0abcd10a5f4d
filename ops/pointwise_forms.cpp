#include <cmath>
#include <limits>
#include <numbers>

#include <lanewise/iterator/pointwise.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/ops/checks.h>
#include <lanewise/ops/copy.h>
#include <lanewise/ops/dense.h>
#include <lanewise/ops/pointwise_forms.h>
#include <lanewise/ops/views.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/make_tensor.h>
#include <lanewise/tensor/promotion.h>
#include <lanewise/tensor/shape.h>

namespace lanewise::ops {
namespace {

using kernels::KernelTable;

constexpr PointwiseOp exact(PointwiseOp op) {
  op.exact_out = true;
  return op;
}

constexpr PointwiseOp of_doubles(PointwiseOp op) {
  op.numbers_are_doubles = true;
  return op;
}

constexpr PointwiseOp kDiv{"div", &KernelTable::div, true};
constexpr PointwiseOp kDivTrunc{"div", &KernelTable::div_trunc};
constexpr PointwiseOp kDivFloor{"div", &KernelTable::div_floor};
constexpr PointwiseOp kPow = exact({"pow", &KernelTable::pow});
constexpr PointwiseOp kPowScalar = of_doubles(exact({"pow", &KernelTable::pow_scalar}));
constexpr PointwiseOp kPowScalarOfIntegers = of_doubles(exact({"pow", &KernelTable::pow_scalar, true}));
constexpr PointwiseOp kSquare = exact({"square", &KernelTable::square});
constexpr PointwiseOp kClamp{"clamp", &KernelTable::clamp};
constexpr PointwiseOp kClampMin{"clamp", &KernelTable::maximum};
constexpr PointwiseOp kClampMax{"clamp", &KernelTable::minimum};
constexpr PointwiseOp kGelu{"gelu", &KernelTable::gelu};
constexpr PointwiseOp kGeluTanh{"gelu", &KernelTable::gelu_tanh};
constexpr PointwiseOp kGeluBackward{"gelu_backward", &KernelTable::gelu_backward};
constexpr PointwiseOp kGeluTanhBackward{"gelu_backward", &KernelTable::gelu_tanh_backward};
constexpr PointwiseOp kIsNan{"isnan", &KernelTable::isnan};
constexpr PointwiseOp kIsInf{"isinf", &KernelTable::isinf};
constexpr PointwiseOp kIsPosInf = exact({"isposinf", &KernelTable::isposinf});
constexpr PointwiseOp kIsNegInf = exact({"isneginf", &KernelTable::isneginf});
constexpr PointwiseOp kIsFinite{"isfinite", &KernelTable::isfinite};
constexpr PointwiseOp kIsClose = of_doubles({"isclose", &KernelTable::is_close});
constexpr PointwiseOp kHypotBackward{"hypot backward", &KernelTable::hypot_backward, true};
constexpr PointwiseOp kAtan2Backward{"atan2 backward", &KernelTable::atan2_backward, true};
constexpr PointwiseOp kMaximumBackward{"maximum backward", &KernelTable::maximum_backward, true};
constexpr PointwiseOp kLogit{"logit", &KernelTable::logit, true};
constexpr PointwiseOp kLogitBackward{"logit_backward", &KernelTable::logit_backward};
constexpr PointwiseOp kNanToNum = of_doubles({"nan_to_num", &KernelTable::nan_to_num});
constexpr PointwiseOp kNextafter{"nextafter", &KernelTable::nextafter};
constexpr PointwiseOp kDeg2Rad{"deg2rad", &KernelTable::mul, true};
constexpr PointwiseOp kRad2Deg{"rad2deg", &KernelTable::mul, true};
constexpr PointwiseOp kAdd{"mvlgamma", &KernelTable::add, true};
constexpr PointwiseOp kLgamma{"mvlgamma", &KernelTable::lgamma, true};
constexpr PointwiseOp kPolygamma{"polygamma_", &KernelTable::polygamma, true};
constexpr PointwiseOp kConjPhysical{"conj_physical_", &KernelTable::conj_physical};
constexpr PointwiseOp kFrexp{"frexp", &KernelTable::frexp};

template <class Other>
Tensor div_rounded(const Tensor& self, const Other& other, std::optional<std::string_view> mode) {
  if (!mode) return pointwise(kDiv, {self, other});
  LANEWISE_CHECK(ValueError, *mode == "trunc" || *mode == "floor",
                 "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '", *mode, "'");
  check_divisor("div", self, other);
  return pointwise(*mode == "trunc" ? kDivTrunc : kDivFloor, {self, other});
}

/// The op of one operand, which has short cuts for common exponents and takes others as exactly as a double has them, if it
/// computes in the dtype of the power; else null.
const PointwiseOp* power_by_number(const Tensor& self, const Scalar& exponent) {
  const ScalarType type = result_type(self, exponent);
  LANEWISE_CHECK(
      ValueError,
      !is_integral(type, true) || !exponent.isIntegral(false) || exponent.to_unchecked<std::int64_t>() >= 0,
      "pow: Integers to negative integer powers are not allowed. The power is ", exponent,
      "; cast self to a floating dtype");
  if (is_integral(type, false)) exponent.check_fits(type, "pow");
  if (type == self.scalar_type()) return &kPowScalar;
  return is_floating_point(type) ? &kPowScalarOfIntegers : nullptr;
}

/// What writes to an in-place or out= form.
auto writer(const Destination& to) { return to.resizable ? &pointwise_out : &pointwise_inplace; }

void check_limits(bool any) {
  LANEWISE_CHECK(ValueError, any, "clamp: At least one of 'min' or 'max' must not be None; both are missing");
}
void check_limits(const Tensor& self, const std::optional<Scalar>& min, const std::optional<Scalar>& max) {
  check_limits(min || max);
  check_fits("clamp", self, {min ? *min : *max, max ? *max : *min});
}

Tensor tested(const PointwiseOp& op, const Tensor& self, bool of_integers) {
  if (!is_integral(self.scalar_type(), true)) return pointwise(op, {self});
  Tensor result = lanewise::detail::empty_like_cpu(self, kBool);
  fill_(result, of_integers);
  return result;
}

bool is_tanh(const char* op, std::string_view approximate) {
  LANEWISE_CHECK(ValueError, approximate == "none" || approximate == "tanh", op, ": approximate is \"",
                 approximate, "\"; expected \"none\" or \"tanh\"");
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
  const PointwiseOp* op = power_by_number(self, exponent);
  return op != nullptr ? pointwise(*op, {self}, {exponent}) : pointwise(kPow, {self, exponent});
}

void pow_into(const Destination& to, const Tensor& self, const Scalar& exponent) {
  if (const PointwiseOp* op = power_by_number(self, exponent)) {
    const bool in_place = to.tensor.defined() && to.tensor.is_same(self);
    if (in_place && exponent.equal(1) && result_type(self, exponent) == self.scalar_type()) return;
    writer(to)(*op, to.tensor, {self}, {exponent});
  } else {
    writer(to)(kPow, to.tensor, {self, exponent}, {});
  }
}

Tensor square(const Tensor& self) {
  return self.scalar_type() == kBool ? pow(self, Scalar(2)) : pointwise(kSquare, {self});
}

void square_into(const Destination& to, const Tensor& self) {
  if (self.scalar_type() == kBool) return pow_into(to, self, Scalar(2));
  writer(to)(kSquare, to.tensor, {self}, {});
}

namespace {

/// The one that there is; NaN limits nothing, as in PyTorch, while clamp_min() and clamp_max() by it give NaN.
Scalar only_limit(const std::optional<Scalar>& min, const std::optional<Scalar>& max) {
  const Scalar& limit = min ? *min : *max;
  if (!limit.isFloatingPoint() || !std::isnan(limit.to_unchecked<double>())) return limit;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return min ? -kInfinity : kInfinity;
}

}  // namespace

Tensor clamp(const Tensor& self, const std::optional<Scalar>& min, const std::optional<Scalar>& max) {
  check_limits(self, min, max);
  if (min && max) return pointwise(kClamp, {self, *min, *max});
  return pointwise(min ? kClampMin : kClampMax, {self, only_limit(min, max)});
}

Tensor clamp(const Tensor& self, const Tensor& min, const Tensor& max) {
  check_limits(min.defined() || max.defined());
  if (min.defined() && max.defined()) return pointwise(kClamp, {self, min, max});
  return min.defined() ? pointwise(kClampMin, {self, min}) : pointwise(kClampMax, {self, max});
}

void clamp_into(const Destination& to, const Tensor& self, const std::optional<Scalar>& min,
                const std::optional<Scalar>& max) {
  check_limits(self, min, max);
  if (min && max) {
    writer(to)(exact(kClamp), to.tensor, {self, *min, *max}, {});
  } else {
    writer(to)(exact(min ? kClampMin : kClampMax), to.tensor, {self, only_limit(min, max)}, {});
  }
}

void clamp_into(const Destination& to, const Tensor& self, const Tensor& min, const Tensor& max) {
  check_limits(min.defined() || max.defined());
  if (min.defined() && max.defined()) {
    writer(to)(kClamp, to.tensor, {self, min, max}, {});
  } else {
    writer(to)(min.defined() ? kClampMin : kClampMax, to.tensor, {self, min.defined() ? min : max}, {});
  }
}

Tensor isnan(const Tensor& self) { return tested(kIsNan, self, false); }
Tensor isinf(const Tensor& self) { return tested(kIsInf, self, false); }
Tensor isfinite(const Tensor& self) { return tested(kIsFinite, self, true); }
Tensor isposinf(const Tensor& self) { return tested(kIsPosInf, self, false); }
Tensor isneginf(const Tensor& self) { return tested(kIsNegInf, self, false); }
Tensor isclose(const Tensor& self, const Tensor& other, double rtol, double atol, bool equal_nan) {
  return pointwise(kIsClose, {self, other}, {rtol, atol, equal_nan});
}
void isposinf_into(const Destination& to, const Tensor& self) {
  writer(to)(kIsPosInf, to.tensor, {self}, {});
}
void isneginf_into(const Destination& to, const Tensor& self) {
  writer(to)(kIsNegInf, to.tensor, {self}, {});
}

Tensor gelu(const Tensor& self, std::string_view approximate) {
  return pointwise(is_tanh("gelu", approximate) ? kGeluTanh : kGelu, {self});
}

Tensor gelu_backward(const Tensor& grad_output, const Tensor& self, std::string_view approximate) {
  return pointwise(is_tanh("gelu_backward", approximate) ? kGeluTanhBackward : kGeluBackward,
                   {grad_output, self});
}

Tensor hypot_backward(const Tensor& grad, const Tensor& self, const Tensor& result) {
  return pointwise(kHypotBackward, {grad, self, result});
}

Tensor atan2_backward(const Tensor& grad, const Tensor& numerator, const Tensor& self, const Tensor& other) {
  return pointwise(kAtan2Backward, {grad, numerator, self, other});
}

Tensor maximum_backward(const Tensor& grad, const Tensor& self, const Tensor& other) {
  return pointwise(kMaximumBackward, {grad, self, other});
}

Tensor logit(const Tensor& self, std::optional<double> eps) {
  return pointwise(kLogit, {self}, {eps.value_or(-1)});
}

Tensor logit_backward(const Tensor& grad_output, const Tensor& self, std::optional<double> eps) {
  return pointwise(kLogitBackward, {grad_output, self}, {eps.value_or(-1)});
}

Tensor nan_to_num(const Tensor& self, std::optional<double> nan, std::optional<double> posinf,
                  std::optional<double> neginf) {
  if (is_integral(self.scalar_type(), true)) return clone(self);
  double largest = std::numeric_limits<double>::max();
  if (self.scalar_type() == kFloat) largest = std::numeric_limits<float>::max();
  if (self.scalar_type() == kHalf) largest = 65504;
  if (self.scalar_type() == kBFloat16) largest = 0x1.fep127;
  return pointwise(kNanToNum, {self}, {nan.value_or(0), posinf.value_or(largest), neginf.value_or(-largest)});
}

namespace {

/// The neighbour of x towards y among the numbers of a 16-bit format; `infinity` is its bits.
std::uint16_t next_half(std::uint16_t x, std::uint16_t y, std::uint16_t infinity) {
  const auto magnitude = [](std::uint16_t v) { return static_cast<int>(v & 0x7fff); };
  const auto order = [&](std::uint16_t v) { return (v & 0x8000) != 0 ? -magnitude(v) : magnitude(v); };
  if (magnitude(x) > infinity || magnitude(y) > infinity)
    return static_cast<std::uint16_t>(infinity | 1);  // a NaN
  if (order(x) == order(y)) return y;
  const int next = order(x) + (order(y) > order(x) ? 1 : -1);
  const bool negative = next < 0 || (next == 0 && order(x) < 0);
  return static_cast<std::uint16_t>((next < 0 ? -next : next) | (negative ? 0x8000 : 0));
}

}  // namespace

Tensor nextafter(const Tensor& self, const Tensor& other) {
  const ScalarType type = result_type(self, other);
  if (type != kHalf && type != kBFloat16) return pointwise(kNextafter, {self, other});
  // Kernels compute halves in f32, whose neighbours are others.
  const DimVector sizes = broadcast_shapes("nextafter", self.sizes(), other.sizes());
  const Tensor x = dense(expand(self, sizes), type);
  const Tensor y = dense(expand(other, sizes), type);
  Tensor result = lanewise::detail::empty_cpu(sizes, type);
  const auto* from = static_cast<const std::uint16_t*>(x.const_data_ptr());
  const auto* to = static_cast<const std::uint16_t*>(y.const_data_ptr());
  auto* out = static_cast<std::uint16_t*>(result.data_ptr());
  const std::uint16_t infinity = type == kHalf ? 0x7c00 : 0x7f80;
  for (std::int64_t i = 0; i < result.numel(); ++i) out[i] = next_half(from[i], to[i], infinity);
  return result;
}

Tensor& conj_physical_(Tensor& self) {
  return self.is_complex() ? pointwise_inplace(kConjPhysical, self, {self}) : self;
}

Tensor& polygamma_(Tensor& self, std::int64_t n) {
  check_order("polygamma_", n);
  return pointwise_inplace(kPolygamma, self, {self}, {n});
}

Tensor mvlgamma(const Tensor& self, std::int64_t p) {
  constexpr std::int64_t kMostTerms = 1 << 20;  // each is a pass over self
  LANEWISE_CHECK(DtypeError, self.scalar_type() != kBool, "mvlgamma: not for bool tensors");
  LANEWISE_CHECK(ValueError, p >= 1 && p <= kMostTerms, "mvlgamma: p must be from 1 to ", kMostTerms,
                 ", it is ", p);
  Tensor result = pointwise(kLgamma, {self});
  for (std::int64_t j = 1; j < p; ++j) {
    const Tensor term = pointwise(kLgamma, {pointwise(kAdd, {self, Scalar(-0.5 * static_cast<double>(j))})});
    pointwise_inplace(kAdd, result, {result, term});
  }
  const auto q = static_cast<double>(p);
  const double log_pi = 1.1447298858494001741434273513531;
  return pointwise_inplace(kAdd, result, {result, Scalar(q * (q - 1) / 4 * log_pi)});
}

Tensor deg2rad(const Tensor& self) {
  LANEWISE_CHECK(DtypeError, !self.is_complex(), "deg2rad: not for complex tensors");
  return pointwise(kDeg2Rad, {self, Scalar(std::numbers::pi / 180)});
}

Tensor rad2deg(const Tensor& self) {
  LANEWISE_CHECK(DtypeError, !self.is_complex(), "rad2deg: not for complex tensors");
  return pointwise(kRad2Deg, {self, Scalar(180 / std::numbers::pi)});
}

std::tuple<Tensor, Tensor> frexp(const Tensor& self) {
  LANEWISE_CHECK(DtypeError, self.is_floating_point(), "frexp: expected a floating tensor, found ",
                 to_string(self.scalar_type()));
  Tensor mantissa = lanewise::detail::empty_like_cpu(self, self.scalar_type());
  Tensor exponent = lanewise::detail::empty_like_cpu(self, self.scalar_type());
  Tensor* const outs[] = {&mantissa, &exponent};
  pointwise_multi(kFrexp, outs, {self});
  return {mantissa, to_copy(exponent, kInt)};
}

}  // namespace lanewise::ops
