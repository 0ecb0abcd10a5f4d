#pragma once

#include <lanewise/tensor/scalar.h>
#include <lanewise/tensor/tensor.h>

/// What products ask of their operands before anything is written. Each throws ShapeError, or DtypeError for
/// bool and dtypes that differ.
namespace lanewise::ops {

void check_product_types(const char* op, const Tensor& a, const Tensor& b);
/// [n, k] and [k, m].
void check_matrices(const char* op, const Tensor& a, const Tensor& b);
/// [b, n, k] and [b, k, m].
void check_batches(const char* op, const Tensor& a, const Tensor& b);
/// [n, k] and [k].
void check_matrix_vector(const char* op, const Tensor& mat, const Tensor& vec);
/// Two vectors of one length.
void check_vectors(const char* op, const Tensor& a, const Tensor& b);
/// What is added to a product of this shape: broadcasts to it and has its dtype. A factor must not lose its
/// fraction or its imaginary part.
void check_added(const char* op, const Tensor& self, IntArrayRef shape, ScalarType type, const Scalar& beta,
                 const Scalar& alpha);

}  // namespace lanewise::ops
