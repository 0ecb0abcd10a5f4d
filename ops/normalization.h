#pragma once

#include <tuple>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/tensor/tensor.h>

/// Elements less a mean, over a standard deviation, times weight plus bias; without autograd. Results: the
/// output, and the means and reciprocal standard deviations that were used.
///
/// Dtypes   floating; halves are computed in f32. Weight, bias and running statistics have self's dtype or,
/// for halves, may be f32 Throws   ShapeError, DtypeError; ValueError where statistics are missing
namespace lanewise::ops {

/// Over the last dims, of shape normalized_shape, which weight and bias have too.
LANEWISE_API std::tuple<Tensor, Tensor, Tensor> native_layer_norm(const Tensor& input,
                                                                  IntArrayRef normalized_shape,
                                                                  const Tensor& weight, const Tensor& bias,
                                                                  double eps);
/// Over all dims but the second, of size C, the shape of the other arguments. Training takes the statistics
/// of the input and moves the running ones towards them (by momentum; the running variance is the unbiased
/// one); else the running ones are taken, and the second and third result are empty.
LANEWISE_API std::tuple<Tensor, Tensor, Tensor> native_batch_norm(const Tensor& input, const Tensor& weight,
                                                                  const Tensor& bias,
                                                                  const Tensor& running_mean,
                                                                  const Tensor& running_var, bool training,
                                                                  double momentum, double eps);
/// Over groups of C / group neighbouring channels of each of the N samples; weight and bias have shape [C].
LANEWISE_API std::tuple<Tensor, Tensor, Tensor> native_group_norm(const Tensor& input, const Tensor& weight,
                                                                  const Tensor& bias, std::int64_t N,
                                                                  std::int64_t C, std::int64_t HxW,
                                                                  std::int64_t group, double eps);

}  // namespace lanewise::ops
