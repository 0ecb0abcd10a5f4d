#pragma once

#include <lanewise/iterator/reduction.h>
#include <lanewise/tensor/scalar.h>

/// What forwards of reductions share.
namespace lanewise::ops {

/// The dims to reduce; none given means all. Throws IndexError, ShapeError.
DimMask mask_of(const char* op, const Tensor& self, OptionalIntArrayRef dims);
DimMask mask_of(const char* op, const Tensor& self, std::int64_t dim);

/// Elements that go into each result; the largest int64 if there are more, as there can be where there are no results.
std::int64_t reduced_count(const Tensor& self, DimMask mask);

/// A result of reductions over nothing.
Tensor filled(const Tensor& self, DimMask mask, bool keepdim, ScalarType dtype, const Scalar& value);

/// `t` seen with keepdim as without: the reduced dims, of size 1, left out.
Tensor drop_dims(const Tensor& t, DimMask mask);

/// Complex `z`, whose parts are reduced as numbers of their own; in rows if all of it is reduced into one, since parts of columns
/// would be gathered one by one: the norm of a transposed matrix of 512 x 512 complex64 takes 0.1 of the time.
Tensor for_parts(const Tensor& z, DimMask mask);

/// f32 of complex64, f64 of complex128, else the type itself.
ScalarType real_type(ScalarType t);

/// Throws DtypeError unless it is floating or complex.
void check_differentiable(const char* op, const Tensor& self);

}  // namespace lanewise::ops
