#pragma once

#include <cstdint>
#include <optional>
#include <tuple>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/tensor/tensor.h>

/// Elements without repetition: the values, per element of self the place of its value, and how often each
/// occurs. The latter two are empty unless asked for. Every NaN is a value of its own. No autograd.
namespace lanewise::ops {

/// In ascending order.
LANEWISE_API std::tuple<Tensor, Tensor, Tensor> unique(const Tensor& self, bool return_inverse,
                                                       bool return_counts);
/// The first two.
LANEWISE_API std::tuple<Tensor, Tensor> unique_values(const Tensor& self, bool return_inverse);
/// Slices along dim, in lexicographic order.
LANEWISE_API std::tuple<Tensor, Tensor, Tensor> unique_dim(const Tensor& self, std::int64_t dim,
                                                           bool return_inverse, bool return_counts);
/// Runs of equal elements, or slices, made one.
LANEWISE_API std::tuple<Tensor, Tensor, Tensor> unique_consecutive(const Tensor& self, bool return_inverse,
                                                                   bool return_counts,
                                                                   std::optional<std::int64_t> dim);

}  // namespace lanewise::ops
