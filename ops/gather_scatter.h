#pragma once

#include <cstdint>
#include <string_view>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/ops/result.h>
#include <lanewise/tensor/tensor.h>

/// Elements chosen along one dimension by an index of the same rank. No autograd.
///
/// Index    int64 or int32, within [0, size of dim); not larger than self in the other dimensions, nor than src in any
/// Order    where several elements go to one place, they are written or added in order of their position along dim
/// Throws   ShapeError, IndexError, DtypeError, StorageError if what is written to overlaps itself or, both being dense, what
///          is read (gather: an index may be its result), all before anything is written. Strided tensors that meet are read as they were.
namespace lanewise::ops {

/// out[i][j][k] = self[index[i][j][k]][j][k] for dim 0.
LANEWISE_API Tensor gather(const Tensor& self, std::int64_t dim, const Tensor& index);
void gather_into(const Destination& to, const Tensor& self, std::int64_t dim, const Tensor& index,
                 bool sparse_grad);
/// The slices of dim that index lists, a vector; `op` begins errors.
void select_into(const Destination& to, const char* op, const Tensor& self, std::int64_t dim,
                 const Tensor& index);
/// Zeros of `sizes` to which grad is added where gather read.
LANEWISE_API Tensor gather_backward(const Tensor& grad, IntArrayRef sizes, std::int64_t dim,
                                    const Tensor& index);

/// self[index[i][j][k]][j][k] = src[i][j][k] for dim 0.
LANEWISE_API Tensor scatter(const Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& src);
LANEWISE_API Tensor scatter(const Tensor& self, std::int64_t dim, const Tensor& index, const Scalar& value);
LANEWISE_API void scatter_(Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& src);
LANEWISE_API void scatter_(Tensor& self, std::int64_t dim, const Tensor& index, const Scalar& value);
LANEWISE_API Tensor scatter_add(const Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& src);
LANEWISE_API void scatter_add_(Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& src);
/// reduce is "sum", "prod", "mean", "amax" or "amin"; without include_self the places that are written to
/// begin anew.
LANEWISE_API Tensor scatter_reduce(const Tensor& self, std::int64_t dim, const Tensor& index,
                                   const Tensor& src, std::string_view reduce, bool include_self = true);
LANEWISE_API void scatter_reduce_(Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& src,
                                  std::string_view reduce, bool include_self = true);

}  // namespace lanewise::ops
