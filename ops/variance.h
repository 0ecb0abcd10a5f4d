#pragma once

#include <optional>
#include <tuple>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/tensor/scalar.h>
#include <lanewise/tensor/tensor.h>

/// Variance and standard deviation in one pass over memory, without autograd. See Note [Variance in one pass]
/// in kernels/reduction_var.cpp.
///
/// Shapes   without the reduced dims, or with size 1 there if keepdim; an empty or missing list of dims means all of them
/// Dtypes   floating and complex; of complex numbers the variance is real: that of the real plus that of the imaginary parts
/// Values   divided by max(0, count - correction), correction 1 if missing; NaN of no elements
/// Throws   DtypeError for other types; IndexError if a dim is out of range or repeats
namespace lanewise::ops {

/// The variance, its root, and either with the mean, which is complex of complex numbers.
LANEWISE_API Tensor var(const Tensor& self, OptionalIntArrayRef dim, const std::optional<Scalar>& correction,
                        bool keepdim);
LANEWISE_API Tensor std(const Tensor& self, OptionalIntArrayRef dim, const std::optional<Scalar>& correction,
                        bool keepdim);
LANEWISE_API std::tuple<Tensor, Tensor> var_mean(const Tensor& self, OptionalIntArrayRef dim,
                                                 const std::optional<Scalar>& correction, bool keepdim);
LANEWISE_API std::tuple<Tensor, Tensor> std_mean(const Tensor& self, OptionalIntArrayRef dim,
                                                 const std::optional<Scalar>& correction, bool keepdim);

}  // namespace lanewise::ops
