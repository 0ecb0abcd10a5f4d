#pragma once

#include <cstdint>
#include <tuple>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/ops/loss_reduction.h>
#include <lanewise/tensor/tensor.h>

namespace lanewise::ops {

/// Negative log likelihood: minus the log-probability of each sample's class, times the class's weight;
/// samples whose class is ignore_index count nothing. Mean divides by the sum of the weights that counted,
/// which is the second result.
///
/// Shapes   self [C], [N, C] or [N, C, d...]; target int64, self's shape without C; weight [C] or undefined.
///          Output: target's shape (None) or 0-dim; total_weight 0-dim
/// Dtypes   floating; halves are computed in f32
/// Throws   ShapeError, DtypeError; IndexError for a class outside [0, C), before anything is written
LANEWISE_API std::tuple<Tensor, Tensor> nll_loss_forward(const Tensor& self, const Tensor& target,
                                                         const Tensor& weight, std::int64_t reduction,
                                                         std::int64_t ignore_index);
/// The same of images: self [N, C, H, W], target [N, H, W].
LANEWISE_API std::tuple<Tensor, Tensor> nll_loss2d_forward(const Tensor& self, const Tensor& target,
                                                           const Tensor& weight, std::int64_t reduction,
                                                           std::int64_t ignore_index);
/// The gradient for self: zero but for -weight * grad_output (over total_weight for Mean) at each sample's
/// class.
LANEWISE_API Tensor nll_loss_backward(const Tensor& grad_output, const Tensor& self, const Tensor& target,
                                      const Tensor& weight, std::int64_t reduction, std::int64_t ignore_index,
                                      const Tensor& total_weight);

}  // namespace lanewise::ops
