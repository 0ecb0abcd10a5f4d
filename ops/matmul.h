#pragma once

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/ops/result.h>
#include <lanewise/tensor/scalar.h>
#include <lanewise/tensor/tensor.h>

/// Forwards of matrix products, without autograd. Operands of one dtype (not bool), any strides; halves are
/// computed in f32 and rounded once, integers wrap. An element of a result is a sum in a fixed order, so it
/// has the same bits on every ISA with fused multiply-add, for any number of threads and any layout. With
/// beta == 0, self is not read: its NaN do not count. Of what has no elements to sum, beta * self is left.
///
/// The *_into forms compute straight into their destination, unless it overlaps an operand.
///
/// Throws   ShapeError for shapes that do not fit, DtypeError for dtypes that differ or bool, or for a factor
///          that is no number of the dtype (PyTorch drops its fraction)
namespace lanewise::ops {

/// [n, k] x [k, m] -> [n, m].
LANEWISE_API Tensor mm(const Tensor& self, const Tensor& mat2);
void mm_into(const Destination& to, const Tensor& self, const Tensor& mat2);

/// beta * self + alpha * (mat1 x mat2); self broadcasts to [n, m].
LANEWISE_API Tensor addmm(const Tensor& self, const Tensor& mat1, const Tensor& mat2, const Scalar& beta = 1,
                          const Scalar& alpha = 1);
void addmm_into(const Destination& to, const Tensor& self, const Tensor& mat1, const Tensor& mat2,
                const Scalar& beta, const Scalar& alpha);

/// [b, n, k] x [b, k, m] -> [b, n, m].
LANEWISE_API Tensor bmm(const Tensor& self, const Tensor& mat2);
void bmm_into(const Destination& to, const Tensor& self, const Tensor& mat2);

/// beta * self + alpha * bmm(batch1, batch2); self broadcasts to [b, n, m].
LANEWISE_API Tensor baddbmm(const Tensor& self, const Tensor& batch1, const Tensor& batch2,
                            const Scalar& beta = 1, const Scalar& alpha = 1);
void baddbmm_into(const Destination& to, const Tensor& self, const Tensor& batch1, const Tensor& batch2,
                  const Scalar& beta, const Scalar& alpha);

/// beta * self + alpha * (sum of batch1[i] x batch2[i]); self broadcasts to [n, m].
LANEWISE_API Tensor addbmm(const Tensor& self, const Tensor& batch1, const Tensor& batch2,
                           const Scalar& beta = 1, const Scalar& alpha = 1);
void addbmm_into(const Destination& to, const Tensor& self, const Tensor& batch1, const Tensor& batch2,
                 const Scalar& beta, const Scalar& alpha);

/// [n, k] x [k] -> [n].
LANEWISE_API Tensor mv(const Tensor& self, const Tensor& vec);
void mv_into(const Destination& to, const Tensor& self, const Tensor& vec);

/// beta * self + alpha * (mat x vec); self broadcasts to [n].
LANEWISE_API Tensor addmv(const Tensor& self, const Tensor& mat, const Tensor& vec, const Scalar& beta = 1,
                          const Scalar& alpha = 1);
void addmv_into(const Destination& to, const Tensor& self, const Tensor& mat, const Tensor& vec,
                const Scalar& beta, const Scalar& alpha);

}  // namespace lanewise::ops
