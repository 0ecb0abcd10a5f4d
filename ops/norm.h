#pragma once

#include <optional>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/tensor/scalar.h>
#include <lanewise/tensor/tensor.h>

/// Norms over elements, without autograd: (sum |x|^p)^(1/p); p = 0 counts what is not zero, p = +-inf takes
/// the largest or smallest |x|.
///
/// Shapes   without the reduced dims, or with size 1 there if keepdim; an empty or missing list of dims means all of them
/// Dtypes   floating and complex; the result is real. With `dtype` the elements are converted first
/// Throws   DtypeError, IndexError; ValueError where there is no norm of no elements (p < 0 or infinite)
namespace lanewise::ops {

/// The norm of order `ord`, of halves computed in f32. `dtype` must not be narrower than self's.
LANEWISE_API Tensor linalg_vector_norm(const Tensor& self, const Scalar& ord, OptionalIntArrayRef dim,
                                       bool keepdim, std::optional<ScalarType> dtype);
/// The same, of order 2 if p is missing; of no elements 0 whatever p is.
LANEWISE_API Tensor norm(const Tensor& self, const Scalar& p);
LANEWISE_API Tensor norm(const Tensor& self, const std::optional<Scalar>& p, ScalarType dtype);
LANEWISE_API Tensor norm(const Tensor& self, const std::optional<Scalar>& p, IntArrayRef dim, bool keepdim);
LANEWISE_API Tensor norm(const Tensor& self, const std::optional<Scalar>& p, IntArrayRef dim, bool keepdim,
                         ScalarType dtype);

/// log(sum(exp(self))) without overflow; integers become the default float. Of no elements: -inf.
LANEWISE_API Tensor logsumexp(const Tensor& self, IntArrayRef dim, bool keepdim);

/// The norm of self - other.
LANEWISE_API Tensor dist(const Tensor& self, const Tensor& other, const Scalar& p);
/// Slices along `dim` whose norm is above maxnorm scaled down to it.
LANEWISE_API Tensor renorm(const Tensor& self, const Scalar& p, std::int64_t dim, const Scalar& maxnorm);

}  // namespace lanewise::ops
