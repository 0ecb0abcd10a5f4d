#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <tuple>

#include <lanewise/tensor/scalar.h>
#include <lanewise/tensor/tensor.h>

/// Derivatives of reductions and scans. Included by formulas.h.
namespace lanewise::autograd::formulas {

/// The reduced dims put back with size 1. No dims stands for all.
Tensor restore_dims(const Tensor& reduced, IntArrayRef sizes, OptionalIntArrayRef dim, bool keepdim);
/// The number of elements in `dim` of a shape; no dims stands for all.
std::int64_t count_of(IntArrayRef sizes, OptionalIntArrayRef dim);

Tensor nansum_backward(const Tensor& grad, const Tensor& self, OptionalIntArrayRef dim, bool keepdim);
Tensor var_backward(const Tensor& grad, const Tensor& self, OptionalIntArrayRef dim,
                    const std::optional<Scalar>& correction, bool keepdim);
Tensor std_backward(const Tensor& result, const Tensor& grad, const Tensor& self, OptionalIntArrayRef dim,
                    const std::optional<Scalar>& correction, bool keepdim);
/// Of the pair (variance, mean); either gradient may be undefined.
Tensor var_mean_backward(const Tensor& grad_var, const Tensor& grad_mean, const Tensor& self,
                         OptionalIntArrayRef dim, const std::optional<Scalar>& correction, bool keepdim);
/// Of the pair (standard deviation, mean); either gradient may be undefined.
Tensor std_mean_backward(const Tensor& grad_std, const Tensor& grad_mean, const Tensor& std,
                         const Tensor& self, OptionalIntArrayRef dim, const std::optional<Scalar>& correction,
                         bool keepdim);

/// Undefined for p = 0, whose derivative is zero everywhere.
Tensor norm_backward(const Tensor& grad, const Tensor& self, const std::optional<Scalar>& p,
                     const Tensor& norm, OptionalIntArrayRef dim = std::nullopt, bool keepdim = false);
Tensor renorm_backward(const Tensor& grad, const Tensor& self, const Scalar& p, std::int64_t dim,
                       const Scalar& maxnorm);
Tensor logsumexp_backward(const Tensor& grad, const Tensor& self, const Tensor& result, IntArrayRef dim,
                          bool keepdim);
/// Ties share; either gradient may be undefined.
Tensor aminmax_backward(const Tensor& self, std::optional<std::int64_t> dim, bool keepdim,
                        const Tensor& grad_min, const Tensor& grad_max, const Tensor& min, const Tensor& max);

Tensor cumprod_backward(const Tensor& grad, const Tensor& self, std::int64_t dim, const Tensor& result);
/// Sends the gradient to the elements that the running extremes were.
Tensor cummaxmin_backward(const Tensor& grad, IntArrayRef sizes, const Tensor& indices, std::int64_t dim);
Tensor logcumsumexp_backward(const Tensor& grad, const Tensor& self, const Tensor& result, std::int64_t dim,
                             bool reverse = false);
Tensor logcumsumexp_jvp(const Tensor& self, const Tensor& tangent, const Tensor& result, std::int64_t dim,
                        bool reverse = false);

// Normalizations and distances.

std::tuple<Tensor, Tensor, Tensor> layer_norm_backward(const Tensor& grad, const Tensor& input,
                                                       IntArrayRef normalized_shape, const Tensor& mean,
                                                       const Tensor& scale, const Tensor& weight, double eps,
                                                       std::array<bool, 3> mask);
std::tuple<Tensor, Tensor, Tensor> batch_norm_backward(const Tensor& grad, const Tensor& input,
                                                       const Tensor& weight, const Tensor& running_mean,
                                                       const Tensor& running_var, const Tensor& mean,
                                                       const Tensor& scale, bool training, double eps,
                                                       std::array<bool, 3> mask);
std::tuple<Tensor, Tensor, Tensor> group_norm_backward(const Tensor& grad, const Tensor& input,
                                                       const Tensor& mean, const Tensor& scale,
                                                       const Tensor& weight, std::int64_t n,
                                                       std::int64_t channels, std::int64_t spatial,
                                                       std::int64_t groups, double eps,
                                                       std::array<bool, 3> mask);
std::tuple<Tensor, Tensor> cdist_backward(const Tensor& grad, const Tensor& x1, const Tensor& x2, double p,
                                          const Tensor& result, std::array<bool, 2> mask);
Tensor pdist_backward(const Tensor& grad, const Tensor& self, double p, const Tensor& result);

// Losses with margins.

Tensor multi_margin_loss_backward(const Tensor& grad, const Tensor& self, const Tensor& target,
                                  const Scalar& p, const Scalar& margin, const Tensor& weight,
                                  std::int64_t reduction);
Tensor multilabel_margin_loss_backward(const Tensor& grad, const Tensor& self, const Tensor& target,
                                       const Tensor& is_target, std::int64_t reduction);

}  // namespace lanewise::autograd::formulas
