#pragma once

#include <cstdint>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/tensor/tensor.h>

/// Forwards and backwards of softmax and log-softmax over one dimension, without autograd.
///
/// Shapes   any; a 0-dim tensor counts as one element
/// Dtypes   f32, f64; halves are computed in f32 and rounded once
/// Throws   DtypeError for other types, IndexError if dim is out of range, ShapeError if the shapes of two
///          operands differ
namespace lanewise::ops {

/// exp(x - max) / sum(exp(x - max)); NaN where a row holds NaN or only -inf.
LANEWISE_API Tensor softmax(const Tensor& self, std::int64_t dim);
/// (x - max) - log(sum(exp(x - max))).
LANEWISE_API Tensor log_softmax(const Tensor& self, std::int64_t dim);
/// (grad - sum(grad * output)) * output, in input_dtype.
LANEWISE_API Tensor softmax_backward_data(const Tensor& grad_output, const Tensor& output, std::int64_t dim,
                                          ScalarType input_dtype);
/// grad - exp(output) * sum(grad), in input_dtype.
LANEWISE_API Tensor log_softmax_backward_data(const Tensor& grad_output, const Tensor& output,
                                              std::int64_t dim, ScalarType input_dtype);

}  // namespace lanewise::ops
