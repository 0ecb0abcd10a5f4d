#pragma once

#include <complex>
#include <numbers>
#include <tuple>

#include <lanewise/generated/functions.h>
#include <lanewise/tensor/scalar.h>
#include <lanewise/tensor/tensor.h>

/// Derivatives of pointwise ops that do not fit a line of derivatives.yaml; see formulas.h.
namespace lanewise::autograd::formulas {

// Binary.

/// grad * self / result, 0 where both are 0.
Tensor hypot_backward(const Tensor& grad, const Tensor& self, const Tensor& result);
/// grad * numerator / (self^2 + other^2), 0 at the origin.
Tensor atan2_backward(const Tensor& grad, const Tensor& numerator, const Tensor& self, const Tensor& other);
Tensor copysign_self_backward(const Tensor& grad, const Tensor& self, const Tensor& result);
Tensor xlogy_self_backward(const Tensor& grad, const Tensor& self, const Tensor& other);
Tensor xlog1py_self_backward(const Tensor& grad, const Tensor& self, const Tensor& other);
/// grad times the density of the gamma distribution of shape self.
Tensor igamma_backward(const Tensor& grad, const Tensor& self, const Tensor& other);

// Unary.

/// Of the normal distribution.
Tensor normal_density(const Tensor& self);
Tensor log_ndtr_backward(const Tensor& grad, const Tensor& self);
Tensor mvlgamma_backward(const Tensor& grad, const Tensor& self, std::int64_t p);
Tensor i1_backward(const Tensor& grad, const Tensor& self, const Tensor& result);
Tensor i1e_backward(const Tensor& grad, const Tensor& self, const Tensor& result);
Tensor bessel_j1_backward(const Tensor& grad, const Tensor& self, const Tensor& result);
Tensor spherical_bessel_j0_backward(const Tensor& grad, const Tensor& x, const Tensor& result);
Tensor acosh_backward(const Tensor& grad, const Tensor& self);
Tensor angle_backward(const Tensor& grad, const Tensor& self);
Tensor angle_jvp(const Tensor& self_t, const Tensor& self);
Tensor sinc_backward(const Tensor& grad, const Tensor& self);

// Activations. `both` is the gradient of the backward's result times its grad_output.

Tensor softplus_double_backward(const Tensor& both, const Tensor& self, const Scalar& beta,
                                const Scalar& threshold);
Tensor mish_double_backward(const Tensor& both, const Tensor& self);
Tensor elu_double_backward(const Tensor& grad, const Tensor& grad_output, const Scalar& alpha,
                           const Scalar& scale, const Scalar& input_scale, bool is_result,
                           const Tensor& self_or_result);
Tensor glu_double_backward(const Tensor& grad, const Tensor& grad_output, const Tensor& self,
                           std::int64_t dim);
std::tuple<Tensor, Tensor> prelu_gradients(const Tensor& grad, const Tensor& self, const Tensor& weight);
Tensor prelu_jvp(const Tensor& self_t, const Tensor& weight_t, const Tensor& self, const Tensor& weight);

// Losses; reduction is 0 none, 1 mean, 2 sum.

/// 1, or for a mean 1 / number of terms.
double loss_share(const Tensor& self, const Tensor& target, std::int64_t reduction);
Tensor reduce_loss(const Tensor& terms, std::int64_t reduction);
Tensor smooth_l1_double_backward(const Tensor& both, const Tensor& self, const Tensor& target,
                                 std::int64_t reduction, double beta);
Tensor huber_double_backward(const Tensor& both, const Tensor& self, const Tensor& target,
                             std::int64_t reduction, double delta);
Tensor soft_margin_double_backward(const Tensor& both, const Tensor& self, const Tensor& target,
                                   std::int64_t reduction);
/// What goes with the target, its sizes as they stand beside self's (ops::bce_target_sizes); and a gradient of self's
/// sizes as the target's.
Tensor bce_beside(const Tensor& self, const Tensor& target, const Tensor& of_target);
Tensor bce_like_target(const Tensor& grad, const Tensor& self, const Tensor& target);
Tensor bce_target_backward(const Tensor& grad, const Tensor& self, const Tensor& target, const Tensor& weight,
                           std::int64_t reduction);
Tensor bce_double_backward(const Tensor& both, const Tensor& self, const Tensor& target, const Tensor& weight,
                           std::int64_t reduction);
Tensor bce_double_backward_target(const Tensor& both, const Tensor& self, const Tensor& target,
                                  const Tensor& weight, std::int64_t reduction);
Tensor bce_logits_self_backward(const Tensor& grad, const Tensor& self, const Tensor& target,
                                const Tensor& weight, const Tensor& pos_weight, std::int64_t reduction);
Tensor bce_logits_target_backward(const Tensor& grad, const Tensor& self, const Tensor& target,
                                  const Tensor& weight, const Tensor& pos_weight, std::int64_t reduction);

}  // namespace lanewise::autograd::formulas
