#pragma once

#include <cstdint>
#include <tuple>

#include <lanewise/tensor/scalar.h>
#include <lanewise/tensor/tensor.h>

/// Activations that are more than one kernel call. Raw: nothing is recorded for backward.
namespace lanewise::ops {

/// log(sigmoid(self)), and exp(-|self|), from which the backward is cheap.
std::tuple<Tensor, Tensor> log_sigmoid_forward(const Tensor& self);

/// `weight` as an operand beside `self`: one number, or one per channel in dimension 1. Throws ShapeError.
Tensor prelu_weight(const Tensor& self, const Tensor& weight);
Tensor prelu(const Tensor& self, const Tensor& weight);
/// Derivatives times grad_output for self and, element by element, for `weight` as it is beside self.
std::tuple<Tensor, Tensor> prelu_backward(const Tensor& grad_output, const Tensor& self,
                                          const Tensor& weight);

/// In training the slopes are drawn from [lower, upper) and left in `noise` (1 where self is positive), else
/// all are (lower + upper) / 2.
Tensor rrelu_with_noise(const Tensor& self, const Tensor& noise, const Scalar& lower, const Scalar& upper,
                        bool training);

/// a * sigmoid(b) for the halves a and b of self along dim. Throws ShapeError if there are no halves.
Tensor glu(const Tensor& self, std::int64_t dim);
Tensor glu_backward(const Tensor& grad_output, const Tensor& self, std::int64_t dim);

}  // namespace lanewise::ops
