#pragma once

#include <tuple>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/tensor/tensor.h>

/// The backward pass of normalizations, without autograd: of normal = (input - mean) * scale. Floating, halves in f32.
namespace lanewise::ops {

/// grad * normal; operands broadcast.
LANEWISE_API Tensor normal_products(const Tensor& grad, const Tensor& input, const Tensor& mean,
                                    const Tensor& scale);

/// The gradient by input of normal * weight, for rows of n elements with a mean and scale each.
///
/// Shapes   input and grad alike, a multiple of n elements; mean and scale one element a row; weight undefined, or a
///          multiple of n elements, which the rows take in turn -> the shape of input
LANEWISE_API Tensor normal_rows_backward(const Tensor& grad, const Tensor& input, const Tensor& mean,
                                         const Tensor& scale, const Tensor& weight, std::int64_t n);

/// Whether the elements of a channel (dimension 1) in a sample are worth a run of their own.
LANEWISE_API bool has_channel_runs(const Tensor& input);

/// The gradient by input of a normalization of each channel over all samples, and the sums over each channel of grad and of
/// normal_products(): [N, C, ...], and one element a channel; the sums as f32 for halves.
LANEWISE_API std::tuple<Tensor, Tensor, Tensor> normal_channels_backward(
    const Tensor& grad, const Tensor& input, const Tensor& mean, const Tensor& scale, const Tensor& factor);

/// The same for channels whose elements do not lie in runs, from the means over each channel of grad and of
/// normal_products(); `factor` is scale, times the weight if there is one. Operands broadcast to input's shape.
LANEWISE_API Tensor normal_backward(const Tensor& grad, const Tensor& input, const Tensor& mean,
                                    const Tensor& scale, const Tensor& mean_grad, const Tensor& mean_product,
                                    const Tensor& factor);

}  // namespace lanewise::ops
