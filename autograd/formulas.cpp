#include <cmath>
#include <complex>
#include <numbers>

#include <lanewise/autograd/formulas.h>
#include <lanewise/autograd/record.h>
#include <lanewise/autograd/transforms.h>
#include <lanewise/ops/linear_systems.h>
#include <lanewise/tensor/errors.h>

namespace lanewise::autograd::formulas {

Tensor not_implemented(const char* op, const char* input, const char* reason) {
  lanewise::detail::raise<NotImplementedError>(op, ": the derivative for '", input, "' of '", op,
                                               "' is not implemented (", reason, "); detach() that argument");
}

Scalar subtract_from(const Scalar& a, const Scalar& b) {
  if (a.isComplex() || b.isComplex()) {
    return a.to_unchecked<std::complex<double>>() - b.to_unchecked<std::complex<double>>();
  }
  if (a.isFloatingPoint() || b.isFloatingPoint()) return a.to_unchecked<double>() - b.to_unchecked<double>();
  return a.to_unchecked<std::int64_t>() - b.to_unchecked<std::int64_t>();
}

namespace {

/// The adjugate of matrices that may be singular, by products that have derivatives: Faddeev and LeVerrier's recursion.
Tensor adjugate_by_products(const Tensor& A) {
  const std::int64_t n = A.size(-1);
  const Tensor one = eye(n, A.options().requires_grad(false));
  Tensor m = one.expand_as(A);
  for (std::int64_t k = 1; k < n; ++k) {
    const Tensor product = A.matmul(m);
    const Tensor trace = product.diagonal(0, -2, -1).sum({-1}, true).unsqueeze(-1);
    m = product - trace / k * one;
  }
  return n % 2 == 0 ? -m : m;
}

/// Whether some matrix has, but for rounding, no inverse: by the volume that rows of their lengths could span. Of large ones only 0
/// tells, for the volume of random ones shrinks by a factor of 0.6 with each row.
bool nearly_singular(const Tensor& A, const Tensor& det) {
  constexpr std::int64_t kSmall = 12;
  const Tensor size = det.detach().abs();
  if (A.size(-1) > kSmall) return (size == 0).any().item<bool>();
  const double eps = toRealValueType(A.scalar_type()) == kDouble ? 0x1p-52 : 0x1p-23;
  const Tensor most = linalg_vector_norm(A.detach(), 2, IntArrayRef(-1)).prod(-1);
  return (size <= most * (64 * eps)).any().item<bool>();
}

}  // namespace

Tensor det_backward(const Tensor& grad, const Tensor& A, const Tensor& result) {
  if (A.numel() == 0) return Tensor();
  const auto as_matrix = [](const Tensor& t) { return t.unsqueeze(-1).unsqueeze(-1); };
  const auto adjugate = [&] {
    if (!differentiates_again()) return ops::adjugate(A);
    // Numbers are read: not of batches that a transform hides.
    if (transforms_on() || !nearly_singular(A, result)) return as_matrix(result) * linalg_inv(A);
    const Tensor products = adjugate_by_products(A);
    return ops::adjugate(A.detach()) + (products - products.detach());
  };
  return as_matrix(grad) * conj(adjugate()).mT();
}

Tensor mul_tensor_backward(const Tensor& grad, const Tensor& other, ScalarType self_type) {
  return handle_r_to_c(self_type, other.is_complex() ? lanewise::mul(grad, lanewise::conj(other))
                                                     : lanewise::mul(grad, other));
}

Tensor mul_scalar_backward(const Tensor& grad, const Scalar& other, ScalarType self_type) {
  return handle_r_to_c(self_type, lanewise::mul(grad, other.conj()));
}

Tensor div_tensor_self_backward(const Tensor& grad, const Tensor& other, ScalarType self_type,
                                const std::optional<std::string>& rounding_mode) {
  if (rounding_mode) return zeros_like(grad);
  return handle_r_to_c(self_type, grad / lanewise::conj(other));
}

Tensor div_tensor_other_backward(const Tensor& grad, const Tensor& self, const Tensor& other,
                                 const std::optional<std::string>& rounding_mode) {
  if (rounding_mode) return zeros_like(grad);
  // In this order, higher derivatives do not overflow where other is small.
  return handle_r_to_c(other.scalar_type(), -grad * lanewise::conj((self / other) / other));
}

Tensor div_scalar_backward(const Tensor& grad, const Scalar& other, ScalarType self_type,
                           const std::optional<std::string>& rounding_mode) {
  if (rounding_mode) return zeros_like(grad);
  return handle_r_to_c(self_type, lanewise::div(grad, other.conj()));
}

Tensor pow_scalar_gradient(const Tensor& grad, const Tensor& self, const Scalar& exponent) {
  if (exponent.equal(0)) return zeros_like(grad);
  if (exponent.equal(1) && !compute_requires_grad(self)) return grad;
  // One kernel, except where a graph of second derivatives is made: that has PyTorch's nodes.
  if (!grad.is_complex() && !self.is_complex() && !compute_requires_grad(grad, self))
    return lanewise::pow_backward(grad, self, exponent);
  const Tensor power =
      exponent.equal(2) && !compute_requires_grad(self) ? self : self.pow(subtract_from(exponent, 1));
  return handle_r_to_c(self.scalar_type(), grad * lanewise::conj(power * exponent));
}

Tensor pow_double_backward(const Tensor& grad, const Tensor& grad_output, const Tensor& self,
                           const Scalar& exponent) {
  if (exponent.equal(0)) return zeros_like(grad);
  return pow_scalar_gradient(grad * grad_output, self, subtract_from(exponent, 1)) * exponent;
}

Tensor pow_backward_self(const Tensor& grad, const Tensor& self, const Tensor& exponent) {
  const Tensor slope = exponent * self.pow(exponent - 1);
  return handle_r_to_c(self.scalar_type(), where(exponent == 0, 0, grad * lanewise::conj(slope)));
}

namespace {

/// Where 0^exponent is 0 or 1, so that its logarithm's infinity must not show.
Tensor not_negative(const Tensor& exponent) {
  if (!exponent.is_complex()) return exponent >= 0;
  return logical_and(lanewise::imag(exponent) == 0, lanewise::real(exponent) >= 0);
}

}  // namespace

Tensor pow_backward_exponent(const Tensor& grad, const Tensor& self, const Tensor& exponent,
                             const Tensor& result) {
  // A negative real base has a logarithm where the result is complex.
  const Tensor base = result.is_complex() ? self.to(result.scalar_type()) : self;
  const Tensor slope = lanewise::conj(result * base.log());
  return handle_r_to_c(exponent.scalar_type(),
                       grad * where(logical_and(self == 0, not_negative(exponent)), 0, slope));
}

Tensor pow_backward_exponent(const Tensor& grad, const Scalar& self, const Tensor& exponent,
                             const Tensor& result) {
  const auto base = self.to_unchecked<std::complex<double>>();
  const Scalar log = result.is_complex() ? Scalar(std::log(base)) : Scalar(std::log(base.real()));
  const Tensor slope = lanewise::conj(result * log);
  return handle_r_to_c(exponent.scalar_type(),
                       grad * (base == 0.0 ? where(not_negative(exponent), 0, slope) : slope));
}

Tensor sgn_backward(const Tensor& self, const Tensor& grad, const Tensor& result) {
  if (!self.is_complex()) return zeros_like(grad);
  const Tensor modulus = self.abs();
  const Tensor zero = modulus == 0;
  const Tensor slope = (grad - result * result * lanewise::conj(grad)) / where(zero, 1, modulus * 2);
  return where(zero, 0, slope);
}

Tensor erf_backward(const Tensor& grad, const Tensor& self) {
  return grad * ((-(self * self)).exp() * (2 * std::numbers::inv_sqrtpi));
}

Tensor gelu_double_backward(const Tensor& grad, const Tensor& grad_output, const Tensor& self,
                            std::string_view approximate) {
  const Tensor both = grad * grad_output;
  if (approximate == "none") {
    const double scale = std::numbers::inv_sqrtpi / std::numbers::sqrt2;
    const Tensor density = (self * self * -0.5).exp() * scale;
    return both * density * (2 - self * self);
  }
  const double k = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
  const double c = 0.044715;
  const Tensor t = ((self + self.pow(3) * c) * k).tanh();
  const Tensor s = 1 - t * t;
  const Tensor du = (self * self * (3 * c) + 1) * k;
  const Tensor ddu = self * (6 * c * k);
  return both * s * (du + self * 0.5 * (ddu - t * du * du * 2));
}

Tensor silu_gradient(const Tensor& grad, const Tensor& self) {
  if (!self.is_complex()) return lanewise::silu_backward(grad, self);
  const Tensor s = self.sigmoid();
  return grad * lanewise::conj(s * (self * (1 - s) + 1));
}

Tensor silu_double_backward(const Tensor& grad, const Tensor& grad_output, const Tensor& self) {
  const Tensor s = self.sigmoid();
  return grad * grad_output * (s * (1 - s) * (self * (1 - s * 2) + 2));
}

}  // namespace lanewise::autograd::formulas
