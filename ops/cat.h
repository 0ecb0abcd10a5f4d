#pragma once

#include <cstdint>

#include <lanewise/ops/result.h>
#include <lanewise/tensor/tensor.h>

namespace lanewise::ops {

/// The tensors one after the other along `dim`, in their common dtype, channels last if all are. A tensor of shape [0] is skipped.
/// Throws   ValueError for an empty list, ShapeError if two differ outside of `dim`, StorageError if the destination overlaps one.
///          Raw: nothing is recorded.
Tensor cat(ArrayRef<Tensor> tensors, std::int64_t dim);
void cat_into(const Destination& to, ArrayRef<Tensor> tensors, std::int64_t dim);

}  // namespace lanewise::ops
