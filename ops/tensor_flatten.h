#pragma once

#include <vector>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/tensor/tensor.h>

/// libtorch's helpers for the parameters of a model as one vector.
namespace lanewise::utils {

/// All elements, one tensor after the other, in a new vector. The tensors must be of one dtype, else DtypeError.
LANEWISE_API Tensor flatten_dense_tensors(TensorList tensors);
/// Views of `flat` with the shapes of `tensors`, one after the other; an empty one gets memory of its own. Throws
/// ShapeError if flat is too short.
LANEWISE_API std::vector<Tensor> unflatten_dense_tensors(const Tensor& flat, TensorList tensors);

}  // namespace lanewise::utils
