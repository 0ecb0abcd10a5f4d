#pragma once

#include <cstdint>

#include <lanewise/tensor/tensor.h>

namespace lanewise::ops {

/// Whether memory holds the channels (dimension 1) of a place next to each other: PyTorch's rule for 4-D and 5-D tensors of
/// MemoryFormat ChannelsLast and ChannelsLast3d, gaps allowed. Strides alone tell: contiguous tensors of one channel or of one
/// place may pass too.
bool is_channels_last(const Tensor& t);

/// A dimension of a channels-last tensor, where channels come last: of channels_moved(t).
constexpr std::int64_t moved_dim(std::int64_t dim, std::int64_t rank) noexcept {
  return dim == 0 ? 0 : dim == 1 ? rank - 1 : dim - 1;
}

/// A view with dimension 1 at the end, and back.
Tensor channels_moved(const Tensor& t);
Tensor channels_back(const Tensor& t);

}  // namespace lanewise::ops
