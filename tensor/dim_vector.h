#pragma once

#include <cstddef>
#include <cstdint>

#include <lanewise/tensor/array_ref.h>
#include <lanewise/tensor/inline_vector.h>

namespace lanewise {

/// Dimensions that are stored without the heap.
inline constexpr std::size_t kInlineDims = 6;

/// A short list of int64 (sizes, strides, dims): no heap up to kInlineDims elements.
using DimVector = InlineVector<std::int64_t, kInlineDims>;

}  // namespace lanewise
