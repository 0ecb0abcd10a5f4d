#include <lanewise/autograd/formulas.h>
#include <lanewise/ops/activations.h>
#include <lanewise/ops/pointwise_forms.h>

namespace lanewise::autograd::formulas {

Tensor hypot_backward(const Tensor& grad, const Tensor& self, const Tensor& result) {
  if (!differentiates_again()) return ops::hypot_backward(grad, self, result);
  const Tensor zero = result == 0;
  return grad * where(zero, 0, self / where(zero, 1, result));
}

Tensor atan2_backward(const Tensor& grad, const Tensor& numerator, const Tensor& self, const Tensor& other) {
  if (!differentiates_again()) return ops::atan2_backward(grad, numerator, self, other);
  const Tensor square = self * self + other * other;
  return grad * (numerator * where(square == 0, 0, lanewise::reciprocal(where(square == 0, 1, square))));
}

Tensor copysign_self_backward(const Tensor& grad, const Tensor& self, const Tensor& result) {
  const Tensor zero = self == 0;
  return where(zero, 0, grad * (result / where(zero, 1, self)));
}

Tensor xlogy_self_backward(const Tensor& grad, const Tensor& self, const Tensor& other) {
  return where(logical_and(self == 0, other <= 0), 0, xlogy(grad, other));
}

Tensor xlog1py_self_backward(const Tensor& grad, const Tensor& self, const Tensor& other) {
  return where(logical_and(self == 0, other <= -1.0), 0, special_xlog1py(grad, other));
}

Tensor igamma_backward(const Tensor& grad, const Tensor& self, const Tensor& other) {
  return grad * ((self - 1) * other.log() - other - self.lgamma()).exp();
}

Tensor normal_density(const Tensor& self) {
  return (self * self * -0.5).exp() * (std::numbers::inv_sqrtpi / std::numbers::sqrt2);
}

Tensor log_ndtr_backward(const Tensor& grad, const Tensor& self) {
  constexpr double kScale = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
  // density / ndtr, both scaled by exp(self^2 / 2).
  const auto scaled = [](const Tensor& x) { return special_erfcx(x * (-1 / std::numbers::sqrt2)); };
  if (!differentiates_again()) return grad / scaled(self) * kScale;
  constexpr double kFar = 9;  // ndtr is 1 there, and what scales them goes to infinity
  return grad * where(self > kFar, normal_density(self), kScale / scaled(self.clamp_max(kFar)));
}

Tensor mvlgamma_backward(const Tensor& grad, const Tensor& self, std::int64_t p) {
  Tensor slope = self.digamma();
  for (std::int64_t j = 1; j < p; ++j) slope = slope + (self - 0.5 * static_cast<double>(j)).digamma();
  return grad * slope;
}

Tensor i1_backward(const Tensor& grad, const Tensor& self, const Tensor& result) {
  const Tensor zero = self == 0;
  const Tensor safe = where(zero, 1, self);
  return grad * where(zero, 0.5, self.i0() - result / safe);
}

Tensor i1e_backward(const Tensor& grad, const Tensor& self, const Tensor& result) {
  const Tensor zero = self == 0;
  const Tensor safe = where(zero, 1, self);
  return grad * where(zero, 0.5, special_i0e(self) - result * self.sgn() - result / safe);
}

Tensor bessel_j1_backward(const Tensor& grad, const Tensor& self, const Tensor& result) {
  const Tensor zero = self == 0;
  const Tensor safe = where(zero, 1, self);
  return grad * where(zero, 0.5, special_bessel_j0(self) - result / safe);
}

Tensor spherical_bessel_j0_backward(const Tensor& grad, const Tensor& x, const Tensor& result) {
  // (cos x - result) / x; near 0, where that cancels, -x times the sum of (-x^2 / 2)^k / (k! (2 k + 3)!!).
  const Tensor near = lanewise::abs(x) < 0.5;
  const Tensor square = where(near, x * x, 0);
  const double coefficients[] = {1.0 / 46080 / 2027025, -1.0 / 3840 / 135135, 1.0 / 384 / 10395,
                                 -1.0 / 48 / 945,       1.0 / 8 / 105,        -1.0 / 2 / 15};
  Tensor series = square * coefficients[0];
  for (int i = 1; i < 6; ++i) series = (series + coefficients[i]) * square;
  return grad * where(near, -x * (series + 1.0 / 3), (x.cos() - result) / where(near, 1, x));
}

Tensor acosh_backward(const Tensor& grad, const Tensor& self) {
  if (!self.is_complex()) return grad * (self * self - 1).rsqrt();
  // Two roots: their product has the branch cut of acosh, the root of the product has others.
  return grad * lanewise::conj((self + 1).rsqrt() * (self - 1).rsqrt());
}

Tensor angle_backward(const Tensor& grad, const Tensor& self) {
  if (!self.is_complex()) return zeros_like(grad);
  const Tensor re = lanewise::real(self), im = lanewise::imag(self);
  const Tensor square = re * re + im * im;
  const Tensor zero = square == 0;
  const Tensor scaled = where(zero, 0, grad / where(zero, 1, square));
  return lanewise::complex(-im * scaled, re * scaled);
}

Tensor angle_jvp(const Tensor& self_t, const Tensor& self) {
  if (!self.is_complex()) return zeros_like(self_t);
  const Tensor turn = lanewise::imag(lanewise::conj(self) * self_t);
  const Tensor re = lanewise::real(self), im = lanewise::imag(self);
  const Tensor square = re * re + im * im;
  const Tensor zero = square == 0;
  return where(zero, 0, turn / where(zero, 1, square));
}

Tensor sinc_backward(const Tensor& grad, const Tensor& self) {
  const Tensor angle = self * std::numbers::pi;
  const Tensor square = self * angle;
  const Tensor zero = square == 0;
  const Tensor slope = (angle * angle.cos() - angle.sin()) / where(zero, 1, square);
  return where(zero, 0, grad * lanewise::conj(slope));
}

Tensor softplus_double_backward(const Tensor& both, const Tensor& self, const Scalar& beta,
                                const Scalar& threshold) {
  const Tensor scaled = self * beta;
  return where(scaled > threshold, 0, sigmoid_backward(both * beta, scaled.sigmoid()));
}

Tensor mish_double_backward(const Tensor& both, const Tensor& self) {
  const Tensor s = self.sigmoid();
  const Tensor w = softplus(self).tanh();
  return both * ((1 - w * w) * s * (self * (1 - s - w * s * 2) + 2));
}

Tensor elu_double_backward(const Tensor& grad, const Tensor& grad_output, const Scalar& alpha,
                           const Scalar& scale, const Scalar& input_scale, bool is_result,
                           const Tensor& self_or_result) {
  const Tensor both = grad * grad_output;
  const Tensor left = self_or_result < 0;  // its kink has none, as in PyTorch
  if (is_result) return where(left, both * input_scale, 0);
  const double k = input_scale.to<double>();
  const double factor = alpha.to<double>() * scale.to<double>() * k * k;
  return where(left, both * factor * (where(left, self_or_result, 0) * k).exp(), 0);
}

Tensor glu_double_backward(const Tensor& grad, const Tensor& grad_output, const Tensor& self,
                           std::int64_t dim) {
  const std::int64_t half = grad_output.size(dim);
  const Tensor a = self.narrow(dim, 0, half);
  const Tensor s = self.narrow(dim, half, half).sigmoid();
  const Tensor of_a = grad.narrow(dim, 0, half), of_gate = grad.narrow(dim, half, half);
  const Tensor slope = grad_output * s * (1 - s);
  return cat({slope * of_gate, slope * (of_a + of_gate * a * (1 - s * 2))}, dim);
}

std::tuple<Tensor, Tensor> prelu_gradients(const Tensor& grad, const Tensor& self, const Tensor& weight) {
  if (differentiates_again()) return lanewise::prelu_backward(grad, self, weight);
  const auto [of_self, of_weight] = ops::prelu_backward(grad, self, weight);
  return {of_self, of_weight.sum_to_size(ops::prelu_weight(self, weight).sizes()).reshape(weight.sizes())};
}

Tensor prelu_jvp(const Tensor& self_t, const Tensor& weight_t, const Tensor& self, const Tensor& weight) {
  const DimVector sizes(ops::prelu_weight(self, weight).sizes());
  return where(self >= 0, self_t, self_t * weight.reshape(sizes) + self * weight_t.reshape(sizes));
}

}  // namespace lanewise::autograd::formulas
