#pragma once

#include <tuple>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/tensor/scalar.h>
#include <lanewise/tensor/tensor.h>

/// Losses of scores that should be a margin apart, without autograd.
///
/// Dtypes   self floating, halves in f32; target int64
/// Throws   ShapeError, DtypeError, ValueError; IndexError for a class outside [0, C), before anything is
/// written
namespace lanewise::ops {

/// sum over classes c but the target y of max(0, margin - self[y] + self[c])^p, times weight[y], over C.
///
/// Shapes   self [N, C] or [C], target [N] or 0-dim, weight [C] or undefined; output [N] or 0-dim
LANEWISE_API Tensor multi_margin_loss(const Tensor& self, const Tensor& target, const Scalar& p,
                                      const Scalar& margin, const Tensor& weight, std::int64_t reduction);
/// sum over targets t and classes c that are none of max(0, 1 - self[t] + self[c]), over C; and which classes
/// are targets, as 1 and 0.
///
/// Shapes   self and target [N, C] or [C]; the targets of a row end at the first -1
LANEWISE_API std::tuple<Tensor, Tensor> multilabel_margin_loss_forward(const Tensor& self,
                                                                       const Tensor& target,
                                                                       std::int64_t reduction);

}  // namespace lanewise::ops
