#pragma once

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/tensor/dim_vector.h>
#include <lanewise/tensor/tensor_options.h>

/// What memory formats ask of strides, by PyTorch's rules.
namespace lanewise {

/// Strides of a dense tensor of `sizes` in this format: of [N, C, H, W] in ChannelsLast [HWC, 1, WC, C], of [N, C, D, H, W] in
/// ChannelsLast3d likewise.
/// Throws   ShapeError for another number of dimensions, ValueError for Preserve; `op` begins the message
LANEWISE_API DimVector strides_in(const char* op, IntArrayRef sizes, MemoryFormat format);

/// Whether strides are those of a dense tensor in ChannelsLast (4 dimensions) or ChannelsLast3d (5); dimensions of size 1 have any.
LANEWISE_API bool lies_in(IntArrayRef sizes, IntArrayRef strides, MemoryFormat format) noexcept;

/// Whether memory holds the channels (dimension 1) of a place next to each other, of 4 or 5 dimensions, gaps allowed. Strides alone
/// tell: contiguous tensors of one channel or of one place may pass too.
LANEWISE_API bool is_channels_last(IntArrayRef sizes, IntArrayRef strides) noexcept;

}  // namespace lanewise
