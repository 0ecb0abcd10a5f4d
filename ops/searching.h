#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/tensor/tensor.h>

/// Looking values up, and counting them. Real numbers. No autograd.
namespace lanewise::ops {

/// The place in the sorted last dimension of `sorted_sequence` before (right: behind) which each value
/// belongs; int64, or int32 if asked. A sequence of one dimension serves all values, else the leading
/// dimensions must match. `sorter` holds the order of a sequence that is not sorted.
LANEWISE_API Tensor searchsorted(const Tensor& sorted_sequence, const Tensor& values, bool out_int32,
                                 bool right, std::optional<std::string_view> side, const Tensor& sorter);
/// Whether each element is among test_elements (or is not, if invert).
LANEWISE_API Tensor isin(const Tensor& elements, const Tensor& test_elements, bool invert);
/// How often 0, 1, 2... occur in a vector of integers, or the sums of their weights.
LANEWISE_API Tensor bincount(const Tensor& self, const Tensor& weights, std::int64_t minlength);
/// How many elements fall into each of `bins` equal parts of [min, max]; of the range of the elements if both
/// are equal.
LANEWISE_API Tensor histc(const Tensor& self, std::int64_t bins, const Scalar& min, const Scalar& max);
/// 0 repeats[0] times, 1 repeats[1] times...
LANEWISE_API Tensor repeat_interleave(const Tensor& repeats, std::optional<std::int64_t> output_size);

}  // namespace lanewise::ops
