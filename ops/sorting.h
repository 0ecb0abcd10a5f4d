#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/tensor/tensor.h>

/// Order statistics of real numbers along a dimension. NaN is above everything, -0 equals 0. No autograd.
///
/// Order    equal elements keep their order, also where PyTorch promises none (sort without stable, topk,
/// kthvalue) Throws   IndexError, ValueError; DtypeError for complex numbers
namespace lanewise::ops {

/// The elements in order and the int64 positions where they were.
LANEWISE_API std::tuple<Tensor, Tensor> sort(const Tensor& self, std::int64_t dim = -1,
                                             bool descending = false);
LANEWISE_API Tensor argsort(const Tensor& self, std::int64_t dim = -1, bool descending = false);
/// The first k in order, all of them if k is the size.
LANEWISE_API std::tuple<Tensor, Tensor> topk(const Tensor& self, std::int64_t k, std::int64_t dim = -1,
                                             bool largest = true);
/// The k-th smallest, counted from 1.
LANEWISE_API std::tuple<Tensor, Tensor> kthvalue(const Tensor& self, std::int64_t k, std::int64_t dim = -1,
                                                 bool keepdim = false);
/// The most frequent element, the smallest of several, and its last position.
LANEWISE_API std::tuple<Tensor, Tensor> mode(const Tensor& self, std::int64_t dim = -1, bool keepdim = false);

}  // namespace lanewise::ops
