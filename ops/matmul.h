#pragma once

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/tensor/scalar.h>
#include <lanewise/tensor/tensor.h>

/// Forwards of matrix products, without autograd. Operands of one dtype (not bool), any strides; halves are computed in f32 and
/// rounded once, integers wrap. An element of a result is a sum in a fixed order, so it has the same bits on every ISA with
/// fused multiply-add, for any number of threads and any layout.
///
/// Throws   ShapeError for shapes that do not fit, DtypeError for dtypes that differ or bool
namespace lanewise::ops {

/// [n, k] x [k, m] -> [n, m].
LANEWISE_API Tensor mm(const Tensor& self, const Tensor& mat2);
/// beta * self + alpha * (mat1 x mat2); self broadcasts to [n, m] and is not read if beta is 0.
LANEWISE_API Tensor addmm(const Tensor& self, const Tensor& mat1, const Tensor& mat2, const Scalar& beta = 1,
                          const Scalar& alpha = 1);
/// [b, n, k] x [b, k, m] -> [b, n, m].
LANEWISE_API Tensor bmm(const Tensor& self, const Tensor& mat2);
/// [n, k] x [k] -> [n].
LANEWISE_API Tensor mv(const Tensor& self, const Tensor& vec);
/// Sum of the products of two vectors, without conjugation; 0-dim.
LANEWISE_API Tensor dot(const Tensor& self, const Tensor& tensor);

}  // namespace lanewise::ops
