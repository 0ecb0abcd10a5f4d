#pragma once

#include <tuple>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/tensor/tensor.h>

/// Medians, without autograd.
///
/// Shapes   0-dim, or without `dim`, or with size 1 there if keepdim; positions in int64
/// Dtypes   real, not bool
/// Throws   DtypeError; IndexError if dim is out of range or has no elements
namespace lanewise::ops {

/// The element with as many before as after it when sorted; of the two middle ones the lower. NaN wins;
/// nanmedian leaves it out unless there is nothing else. Of no elements at all: NaN.
LANEWISE_API Tensor median(const Tensor& self);
LANEWISE_API Tensor nanmedian(const Tensor& self);
LANEWISE_API std::tuple<Tensor, Tensor> median(const Tensor& self, std::int64_t dim, bool keepdim = false);
LANEWISE_API std::tuple<Tensor, Tensor> nanmedian(const Tensor& self, std::int64_t dim, bool keepdim = false);

}  // namespace lanewise::ops
