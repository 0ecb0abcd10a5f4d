#pragma once

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/tensor/tensor.h>

/// Determinants, inverses and linear systems of dense matrices, without autograd: Gaussian elimination with
/// partial pivoting, by halves of the columns (Toledo, SIAM J. Matrix Anal. Appl. 18, 1997), in a fixed order.
///
/// Shapes   square matrices [*, n, n]
/// Dtypes   f32, f64, complex
/// Throws   ShapeError, DtypeError; ValueError for a singular matrix
namespace lanewise::ops {

/// [*, n, n] -> [*]; 0 for singular matrices, 1 for empty ones.
LANEWISE_API Tensor linalg_det(const Tensor& A);
/// [*, n, n]: the inverse times the determinant, to some ULP of its largest element; also where A is singular, from a matrix an
/// ULP away.
Tensor adjugate(const Tensor& A);
LANEWISE_API Tensor linalg_inv(const Tensor& A);
/// X with A X = B: of vectors B [n] or [*, n] (where A has those batches), else of matrices [*, n, k];
/// batches broadcast.
LANEWISE_API Tensor linalg_solve(const Tensor& A, const Tensor& B);
/// Whether linalg_solve takes B as vectors.
bool solves_vectors(const Tensor& A, const Tensor& B);

}  // namespace lanewise::ops
