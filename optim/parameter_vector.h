#pragma once

#include <lanewise/optim/clip_grad.h>
#include <lanewise/tensor/array_ref.h>
#include <lanewise/tensor/tensor.h>

namespace lanewise::optim {

/// The elements of all parameters, one after the other, as a vector. Differentiable.
///
/// Shapes   any; Dtypes as of cat()
/// Throws   ValueError for no parameters, AutogradError for an undefined one
LANEWISE_API Tensor parameters_to_vector(TensorList parameters);

/// The reverse: each parameter looks at its part of `vec` from now on, with set_data(), so that they share its memory.
///
/// Shapes   `vec` is contiguous, with as many elements as all parameters together
/// Throws   before anything is changed: ShapeError, DtypeError for a parameter of another dtype than vec's, AutogradError for an
///          undefined tensor
LANEWISE_API void vector_to_parameters(const Tensor& vec, TensorList parameters);

}  // namespace lanewise::optim

/// libtorch's names.
namespace lanewise::nn::utils {

using optim::clip_grad_norm_;
using optim::clip_grad_value_;
using optim::parameters_to_vector;
using optim::vector_to_parameters;

}  // namespace lanewise::nn::utils
