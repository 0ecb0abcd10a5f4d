#pragma once

#include <cstdint>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/ops/result.h>
#include <lanewise/tensor/tensor.h>

/// Tensors as indices: lists of them, one along a dimension, or positions among all elements. No autograd.
///
/// Order    where several values go to one place, they are written or added in the order of the indices
/// Throws   IndexError, ShapeError, DtypeError, StorageError if what is written to overlaps itself or, both being dense, what
///          is read, all before anything is written. Strided tensors that meet, and one value under a mask, are read as they were.
namespace lanewise::ops {

/// self[indices[0], indices[1], ...]; undefined ones take a dimension whole (Note [Indexed rows]).
LANEWISE_API Tensor index(const Tensor& self, ArrayRef<Tensor> indices);
/// Zeros of `sizes` to which grad is added where index read.
LANEWISE_API Tensor index_backward(const Tensor& grad, IntArrayRef sizes, ArrayRef<Tensor> indices);
/// self[indices] = values, or += with accumulate; values broadcast and have the dtype of self.
LANEWISE_API Tensor index_put(const Tensor& self, ArrayRef<Tensor> indices, const Tensor& values,
                              bool accumulate = false);
LANEWISE_API void index_put_(Tensor& self, ArrayRef<Tensor> indices, const Tensor& values,
                             bool accumulate = false);

/// The slices of dim that index, a vector, lists.
LANEWISE_API Tensor index_select(const Tensor& self, std::int64_t dim, const Tensor& index);
void index_select_into(const Destination& to, const Tensor& self, std::int64_t dim, const Tensor& index);
LANEWISE_API Tensor index_select_backward(const Tensor& grad, IntArrayRef sizes, std::int64_t dim,
                                          const Tensor& index);
/// The slices += alpha * source, = source or = value.
LANEWISE_API Tensor index_add(const Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& source,
                              const Scalar& alpha = 1);
LANEWISE_API void index_add_(Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& source,
                             const Scalar& alpha = 1);
LANEWISE_API Tensor index_copy(const Tensor& self, std::int64_t dim, const Tensor& index,
                               const Tensor& source);
LANEWISE_API void index_copy_(Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& source);
LANEWISE_API Tensor index_fill(const Tensor& self, std::int64_t dim, const Tensor& index,
                               const Scalar& value);
LANEWISE_API Tensor index_fill(const Tensor& self, std::int64_t dim, const Tensor& index,
                               const Tensor& value);
LANEWISE_API void index_fill_(Tensor& self, std::int64_t dim, const Tensor& index, const Scalar& value);
LANEWISE_API void index_fill_(Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& value);

/// Elements by their number in row-major order, negative ones from the end; the shape is that of index.
LANEWISE_API Tensor take(const Tensor& self, const Tensor& index);
void take_into(const Destination& to, const Tensor& self, const Tensor& index);
LANEWISE_API Tensor put(const Tensor& self, const Tensor& index, const Tensor& source,
                        bool accumulate = false);
LANEWISE_API void put_(Tensor& self, const Tensor& index, const Tensor& source, bool accumulate = false);

/// Rows of weight [n, d] by indices of any shape.
LANEWISE_API Tensor embedding(const Tensor& weight, const Tensor& indices);
/// The gradient of weight [num_weights, d]; none at row padding_idx; divided by how often a row was taken if
/// scale_grad_by_freq.
LANEWISE_API Tensor embedding_dense_backward(const Tensor& grad_output, const Tensor& indices,
                                             std::int64_t num_weights, std::int64_t padding_idx,
                                             bool scale_grad_by_freq);

}  // namespace lanewise::ops
