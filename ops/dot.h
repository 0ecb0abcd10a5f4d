#pragma once

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/ops/result.h>
#include <lanewise/tensor/scalar.h>
#include <lanewise/tensor/tensor.h>

/// Forwards of products of vectors, without autograd. dot and vdot as in matmul.h.
namespace lanewise::ops {

/// Sum of the products of two vectors, without conjugation; 0-dim.
LANEWISE_API Tensor dot(const Tensor& self, const Tensor& tensor);
/// dot of the conjugate of self.
LANEWISE_API Tensor vdot(const Tensor& self, const Tensor& other);

/// beta * self + alpha * (vec1 as a column x vec2 as a row) -> [n, m]; self broadcasts. Any dtypes, with
/// their promotion; of bools, `and` multiplies and `or` adds.
///
/// Throws   ShapeError, DtypeError for a factor of a higher category than the operands
LANEWISE_API Tensor addr(const Tensor& self, const Tensor& vec1, const Tensor& vec2, const Scalar& beta = 1,
                         const Scalar& alpha = 1);
void addr_into(const Destination& to, const Tensor& self, const Tensor& vec1, const Tensor& vec2,
               const Scalar& beta, const Scalar& alpha);

/// Products of vectors of 3 along `dim`, the others broadcast: (a1 b2 - a2 b1, a2 b0 - a0 b2, a0 b1 - a1 b0).
/// Of one dtype, not bool.
///
/// Throws   ShapeError unless both have the same number of dimensions and 3 elements along `dim`
LANEWISE_API Tensor linalg_cross(const Tensor& self, const Tensor& other, std::int64_t dim = -1);

/// Sum of the diagonal of a matrix; integers sum in int64. Not for bool.
LANEWISE_API Tensor trace(const Tensor& self);

}  // namespace lanewise::ops
