#include <lanewise/generated/functions.h>
#include <lanewise/ops/activations.h>
#include <lanewise/ops/checks.h>
#include <lanewise/ops/factories.h>
#include <lanewise/tensor/errors.h>

// Pointwise ops that are other public ops put together: differentiable because those are.
namespace lanewise {
namespace {

/// What float_power computes in.
ScalarType wide_type(bool complex) { return complex ? kComplexDouble : kDouble; }

void check_float_power(const Tensor& self, ScalarType wide) {
  LANEWISE_CHECK(DtypeError, self.scalar_type() == wide, "float_power_: the result is ", to_string(wide),
                 ", self is ", to_string(self.scalar_type()), " and cannot hold it");
}

constexpr double kSeluAlpha = 1.6732632423543772848170429916717;
constexpr double kSeluScale = 1.0507009873554804934193349852946;

}  // namespace

Tensor float_power(const Tensor& self, const Tensor& exponent) {
  ops::check_defined("float_power", "self", self, "exponent", exponent);
  const ScalarType wide = wide_type(self.is_complex() || exponent.is_complex());
  return self.to(wide).pow(exponent.to(wide));
}

Tensor float_power(const Tensor& self, const Scalar& exponent) {
  ops::check_defined("float_power", "self", self);
  return self.to(wide_type(self.is_complex() || exponent.isComplex())).pow(exponent);
}

Tensor float_power(const Scalar& self, const Tensor& exponent) {
  ops::check_defined("float_power", "exponent", exponent);
  return lanewise::pow(self, exponent.to(wide_type(self.isComplex() || exponent.is_complex())));
}

Tensor& float_power_(Tensor& self, const Tensor& exponent) {
  ops::check_defined("float_power_", "self", self, "exponent", exponent);
  const ScalarType wide = wide_type(self.is_complex() || exponent.is_complex());
  check_float_power(self, wide);
  return self.pow_(exponent.to(wide));
}

Tensor& float_power_(Tensor& self, const Scalar& exponent) {
  ops::check_defined("float_power_", "self", self);
  check_float_power(self, wide_type(self.is_complex() || exponent.isComplex()));
  return self.pow_(exponent);
}

Tensor ldexp(const Tensor& self, const Tensor& other) {
  ops::check_defined("ldexp", "self", self, "other", other);
  return self.mul(lanewise::pow(Scalar(2.0), other));
}

Tensor& ldexp_(Tensor& self, const Tensor& other) {
  ops::check_defined("ldexp_", "self", self, "other", other);
  return self.mul_(lanewise::pow(Scalar(2.0), other));
}

Tensor positive(const Tensor& self) {
  ops::check_defined("positive", "self", self);
  LANEWISE_CHECK(DtypeError, self.scalar_type() != kBool, "positive: not for bool tensors");
  return self;
}

Tensor isreal(const Tensor& self) {
  ops::check_defined("isreal", "self", self);
  return self.is_complex() ? imag(self) == 0 : ones_like(self, TensorOptions(kBool));
}

Tensor selu(const Tensor& self) {
  ops::check_defined("selu", "self", self);
  return elu(self, kSeluAlpha, kSeluScale);
}

Tensor& selu_(Tensor& self) {
  ops::check_defined("selu_", "self", self);
  return elu_(self, kSeluAlpha, kSeluScale);
}

Tensor tanhshrink(const Tensor& self) {
  ops::check_defined("tanhshrink", "self", self);
  return self - tanh(self);
}

Tensor softsign(const Tensor& self) {
  ops::check_defined("softsign", "self", self);
  return self / (abs(self) + 1);
}

Tensor relu6(const Tensor& self) {
  ops::check_defined("relu6", "self", self);
  return hardtanh(self, 0, 6);
}

Tensor& relu6_(Tensor& self) {
  ops::check_defined("relu6_", "self", self);
  return hardtanh_(self, 0, 6);
}

Tensor log_sigmoid(const Tensor& self) {
  ops::check_defined("log_sigmoid", "self", self);
  return std::get<0>(log_sigmoid_forward(self));
}

std::tuple<Tensor, Tensor> prelu_backward(const Tensor& grad_output, const Tensor& self,
                                          const Tensor& weight) {
  ops::check_defined("prelu_backward", "grad_output", grad_output, "self", self, "weight", weight);
  // Shaped beside self, as ops::prelu_weight does, but in the graph.
  const Tensor slope = weight.reshape(ops::prelu_weight(self, weight).sizes());
  const Tensor right = self > 0;
  const Tensor of_slope = where(right, Scalar(0), self * grad_output);
  return {where(right, grad_output, grad_output * slope),
          of_slope.sum_to_size(slope.sizes()).reshape(weight.sizes())};
}

Tensor rrelu(const Tensor& self, const Scalar& lower, const Scalar& upper, bool training) {
  ops::check_defined("rrelu", "self", self);
  return rrelu_with_noise(self, empty_like(self), lower, upper, training);
}

Tensor& rrelu_(Tensor& self, const Scalar& lower, const Scalar& upper, bool training) {
  ops::check_defined("rrelu_", "self", self);
  return rrelu_with_noise_(self, empty_like(self), lower, upper, training);
}

Tensor rrelu_with_noise_backward(const Tensor& grad_output, const Tensor& self, const Tensor& noise,
                                 const Scalar& lower, const Scalar& upper, bool training,
                                 bool self_is_result) {
  ops::check_defined("rrelu_with_noise_backward", "grad_output", grad_output, "self", self, "noise", noise);
  if (training) return grad_output * noise;
  const double slope = (lower.to<double>() + upper.to<double>()) / 2;
  return leaky_relu_backward(grad_output, self, slope, self_is_result);
}

Tensor glu_jvp(const Tensor& glu, const Tensor& x, const Tensor& dx, std::int64_t dim) {
  ops::check_defined("glu_jvp", "glu", glu, "x", x, "dx", dx);
  const std::int64_t half = glu.size(dim);
  const Tensor gate = x.narrow(dim, half, half).sigmoid();
  return dx.narrow(dim, 0, half) * gate + glu * (1 - gate) * dx.narrow(dim, half, half);
}

}  // namespace lanewise
