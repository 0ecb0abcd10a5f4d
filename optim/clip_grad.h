#pragma once

#include <lanewise/tensor/array_ref.h>
#include <lanewise/tensor/tensor.h>

namespace lanewise::optim {

/// Multiplies the gradients by max_norm / (norm + 1e-6) if that is less than 1; `norm`, which is returned, is theirs
/// as one vector. Between backward() and step(). Parameters without a gradient are skipped; one tensor is a list, too.
/// Autograd records nothing. (torch::nn::utils in libtorch.)
///
///   norm_type 2 (or any p)   (sum |g|^p) ^ (1/p)
///   inf, -inf                the largest |g|, the smallest
///   0                        how many gradients there are, as libtorch 1.13 has it
///
/// Shapes   any
/// Dtypes   floating and complex gradients, of several dtypes if need be
/// Throws   before anything is written: ValueError for a norm that is not finite, if error_if_nonfinite (otherwise the
///          gradients get 0 or NaN); AutogradError for an undefined parameter; DtypeError; StorageError for an expanded
///          gradient
LANEWISE_API double clip_grad_norm_(TensorList parameters, double max_norm, double norm_type = 2,
                                    bool error_if_nonfinite = false);

/// Clamps the gradients to [-clip_value, clip_value].
///
/// Dtypes   floating gradients
/// Throws   as clip_grad_norm_()
LANEWISE_API void clip_grad_value_(TensorList parameters, double clip_value);

}  // namespace lanewise::optim
