#pragma once

#include <cstdint>
#include <optional>
#include <tuple>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/ops/result.h>
#include <lanewise/tensor/tensor.h>

/// Forwards of the reductions, without autograd. Floating-point sums, means and products go through a fixed
/// tree, so their bits depend on the values and the shape only: not on layout, threads or instruction set
/// (sse4_2 excepted where it has no FMA).
///
/// Shapes   without the reduced dims, or with size 1 there if keepdim; an empty or missing list of dims means all of them
/// Throws   IndexError if a dim is out of range or repeats; DtypeError where noted
namespace lanewise::ops {

/// Integers and bool sum in int64, wrapping; floats and complex in their own type, halves in f32, rounded
/// once. With `dtype` the elements are converted first. Of no elements: 0.
LANEWISE_API Tensor sum(const Tensor& self, std::optional<ScalarType> dtype = std::nullopt);
LANEWISE_API Tensor sum(const Tensor& self, OptionalIntArrayRef dim, bool keepdim = false,
                        std::optional<ScalarType> dtype = std::nullopt);
/// Floating and complex types only, else DtypeError. Of no elements: NaN.
LANEWISE_API Tensor mean(const Tensor& self, std::optional<ScalarType> dtype = std::nullopt);
LANEWISE_API Tensor mean(const Tensor& self, OptionalIntArrayRef dim, bool keepdim = false,
                         std::optional<ScalarType> dtype = std::nullopt);
/// Types as for sum. Of no elements: 1.
LANEWISE_API Tensor prod(const Tensor& self, std::optional<ScalarType> dtype = std::nullopt);
LANEWISE_API Tensor prod(const Tensor& self, std::int64_t dim, bool keepdim = false,
                         std::optional<ScalarType> dtype = std::nullopt);

/// The sum with 0 for NaN; real.
LANEWISE_API Tensor nansum(const Tensor& self, OptionalIntArrayRef dim = std::nullopt, bool keepdim = false,
                           std::optional<ScalarType> dtype = std::nullopt);

/// Extremes of real types; NaN is above and below everything. Of no elements: IndexError.
LANEWISE_API Tensor amax(const Tensor& self, IntArrayRef dim = {}, bool keepdim = false);
LANEWISE_API Tensor amin(const Tensor& self, IntArrayRef dim = {}, bool keepdim = false);
LANEWISE_API Tensor max(const Tensor& self);
LANEWISE_API Tensor min(const Tensor& self);
/// Values and the int64 positions of their first occurrence.
LANEWISE_API std::tuple<Tensor, Tensor> max(const Tensor& self, std::int64_t dim, bool keepdim = false);
LANEWISE_API std::tuple<Tensor, Tensor> min(const Tensor& self, std::int64_t dim, bool keepdim = false);
/// The position of the first extreme: in row-major order of all elements without `dim`.
LANEWISE_API Tensor argmax(const Tensor& self, std::optional<std::int64_t> dim = std::nullopt,
                           bool keepdim = false);
LANEWISE_API Tensor argmin(const Tensor& self, std::optional<std::int64_t> dim = std::nullopt,
                           bool keepdim = false);

/// Smallest and largest.
LANEWISE_API std::tuple<Tensor, Tensor> aminmax(const Tensor& self,
                                                std::optional<std::int64_t> dim = std::nullopt,
                                                bool keepdim = false);

/// Elements that are not zero (NaN is not); int64.
LANEWISE_API Tensor count_nonzero(const Tensor& self, IntArrayRef dim);
LANEWISE_API Tensor count_nonzero(const Tensor& self, std::optional<std::int64_t> dim);

/// Whether some element, or every element, is not zero (NaN is not). Bool; Byte for Byte, as in PyTorch.
LANEWISE_API Tensor any(const Tensor& self);
LANEWISE_API Tensor any(const Tensor& self, std::int64_t dim, bool keepdim = false);
LANEWISE_API Tensor any(const Tensor& self, OptionalIntArrayRef dim, bool keepdim);
LANEWISE_API Tensor all(const Tensor& self, OptionalIntArrayRef dim, bool keepdim);
LANEWISE_API Tensor all(const Tensor& self);
LANEWISE_API Tensor all(const Tensor& self, std::int64_t dim, bool keepdim = false);
/// The same into bool or Byte, whatever self is; else DtypeError.
void any_into(const Destination& to, const Tensor& self);
void any_into(const Destination& to, const Tensor& self, std::int64_t dim, bool keepdim);
void all_into(const Destination& to, const Tensor& self);
void all_into(const Destination& to, const Tensor& self, std::int64_t dim, bool keepdim);

}  // namespace lanewise::ops
