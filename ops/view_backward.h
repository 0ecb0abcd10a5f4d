#pragma once

#include <cstdint>

#include <lanewise/tensor/tensor.h>

/// Derivatives of views: zeros of the input's shape with the gradient written where the view looked. Raw:
/// nothing is recorded for backward.
namespace lanewise::ops {

Tensor select_backward(const Tensor& grad_output, IntArrayRef input_sizes, std::int64_t dim,
                       std::int64_t index);
Tensor slice_backward(const Tensor& grad_output, IntArrayRef input_sizes, std::int64_t dim,
                      std::int64_t start, std::int64_t end, std::int64_t step);
Tensor diagonal_backward(const Tensor& grad_output, IntArrayRef input_sizes, std::int64_t offset,
                         std::int64_t dim1, std::int64_t dim2);

/// The gradient of as_strided(input, size, stride, storage_offset): elements that the view saw several times
/// get the sum; memory that the input itself holds several times shares it evenly.
Tensor as_strided_backward(const Tensor& grad_output, IntArrayRef input_sizes, IntArrayRef input_strides,
                           std::int64_t input_offset, IntArrayRef size, IntArrayRef stride,
                           std::int64_t storage_offset);

}  // namespace lanewise::ops
