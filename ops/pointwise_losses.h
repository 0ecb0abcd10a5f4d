#pragma once

#include <cstdint>

#include <lanewise/tensor/dim_vector.h>
#include <lanewise/tensor/tensor.h>

/// Losses that are a sum or mean of one term per element, and their derivatives. Raw: nothing is recorded for
/// backward.
///
/// Shapes   operands broadcast; the result has their shape (reduction 0), or none (1 mean, 2 sum)
/// Throws   ValueError for another reduction, ShapeError, DtypeError
namespace lanewise::ops {

/// Throws ValueError unless it is one of Reduction.
void check_reduction(const char* op, std::int64_t reduction);

/// 1, or for a mean 1 / number of terms.
double loss_share(const Tensor& self, const Tensor& target, std::int64_t reduction);

Tensor mse_loss(const Tensor& self, const Tensor& target, std::int64_t reduction);
Tensor mse_loss_backward(const Tensor& grad_output, const Tensor& self, const Tensor& target,
                         std::int64_t reduction);

/// Throws ValueError if beta is negative.
Tensor smooth_l1_loss(const Tensor& self, const Tensor& target, std::int64_t reduction, double beta);
Tensor smooth_l1_loss_backward(const Tensor& grad_output, const Tensor& self, const Tensor& target,
                               std::int64_t reduction, double beta);

/// Throws ValueError unless delta is positive.
Tensor huber_loss(const Tensor& self, const Tensor& target, std::int64_t reduction, double delta);
Tensor huber_loss_backward(const Tensor& grad_output, const Tensor& self, const Tensor& target,
                           std::int64_t reduction, double delta);

Tensor soft_margin_loss(const Tensor& self, const Tensor& target, std::int64_t reduction);
Tensor soft_margin_loss_backward(const Tensor& grad_output, const Tensor& self, const Tensor& target,
                                 std::int64_t reduction);

/// Throws ValueError unless every element of self lies in [0, 1].
/// The sizes with which the target is seen beside self: dimensions of size 1 do not count, as in PyTorch, so that [200]
/// goes with [200, 1] element by element. Throws ShapeError for what does not broadcast to self.
DimVector bce_target_sizes(const Tensor& self, const Tensor& target);
Tensor binary_cross_entropy(const Tensor& self, const Tensor& target, const Tensor& weight,
                            std::int64_t reduction);
Tensor binary_cross_entropy_backward(const Tensor& grad_output, const Tensor& self, const Tensor& target,
                                     const Tensor& weight, std::int64_t reduction);
Tensor binary_cross_entropy_with_logits(const Tensor& self, const Tensor& target, const Tensor& weight,
                                        const Tensor& pos_weight, std::int64_t reduction);

}  // namespace lanewise::ops
