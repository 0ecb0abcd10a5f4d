#pragma once

#include <cstdint>

#include <lanewise/tensor/memory_format.h>
#include <lanewise/tensor/tensor.h>

namespace lanewise::ops {

/// See tensor/memory_format.h.
inline bool is_channels_last(const Tensor& t) { return lanewise::is_channels_last(t.sizes(), t.strides()); }

/// A dimension of a channels-last tensor, where channels come last: of channels_moved(t).
constexpr std::int64_t moved_dim(std::int64_t dim, std::int64_t rank) noexcept {
  return dim == 0 ? 0 : dim == 1 ? rank - 1 : dim - 1;
}

/// A view with dimension 1 at the end, and back.
Tensor channels_moved(const Tensor& t);
Tensor channels_back(const Tensor& t);

}  // namespace lanewise::ops
