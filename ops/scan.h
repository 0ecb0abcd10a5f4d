#pragma once

#include <optional>
#include <tuple>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/ops/result.h>
#include <lanewise/tensor/tensor.h>

/// Running reductions along a dimension, without autograd. Elements are combined strictly in order, f32
/// carried in double precision, so bits depend on the values only.
///
/// Shapes   that of self; contiguous results
/// Throws   IndexError if dim is out of range; DtypeError where noted
namespace lanewise::ops {

/// Integers and bool in int64, wrapping; with `dtype` the elements are converted first.
LANEWISE_API Tensor cumsum(const Tensor& self, std::int64_t dim,
                           std::optional<ScalarType> dtype = std::nullopt);
LANEWISE_API Tensor cumprod(const Tensor& self, std::int64_t dim,
                            std::optional<ScalarType> dtype = std::nullopt);
LANEWISE_API void cumsum_into(const Destination& to, const Tensor& self, std::int64_t dim,
                              std::optional<ScalarType> dtype);
LANEWISE_API void cumprod_into(const Destination& to, const Tensor& self, std::int64_t dim,
                               std::optional<ScalarType> dtype);
/// log(cumsum(exp(self))) without overflow. Floating, else DtypeError.
LANEWISE_API Tensor logcumsumexp(const Tensor& self, std::int64_t dim);
/// The same from the last element to the first.
LANEWISE_API Tensor reverse_cumsum(const Tensor& self, std::int64_t dim);
LANEWISE_API Tensor reverse_logcumsumexp(const Tensor& self, std::int64_t dim);

/// Running extremes and the int64 positions of their last occurrence; NaN stays. Real, else DtypeError.
LANEWISE_API std::tuple<Tensor, Tensor> cummax(const Tensor& self, std::int64_t dim);
LANEWISE_API std::tuple<Tensor, Tensor> cummin(const Tensor& self, std::int64_t dim);

}  // namespace lanewise::ops
