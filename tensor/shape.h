#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/tensor/array_ref.h>
#include <lanewise/tensor/dim_vector.h>

namespace lanewise {

/// `dim` counted from the front, for a tensor of `rank` dimensions; a 0-dim tensor accepts 0 and -1 (as if it
/// had one). Throws IndexError that begins with `op`.
LANEWISE_API std::int64_t wrap_dim(const char* op, std::int64_t dim, std::int64_t rank);
/// The same under libtorch's name; without `wrap_scalar` a 0-dim tensor accepts no dim.
LANEWISE_API std::int64_t maybe_wrap_dim(std::int64_t dim, std::int64_t rank, bool wrap_scalar = true);
/// Every dim wrapped; throws IndexError also if one repeats.
LANEWISE_API DimVector wrap_dims(const char* op, IntArrayRef dims, std::int64_t rank);

/// The product, 1 for an empty list, unchecked: the sizes of a tensor were checked when it was made.
inline std::int64_t multiply_integers(IntArrayRef sizes) noexcept {
  std::int64_t product = 1;
  for (const std::int64_t size : sizes) product *= size;
  return product;
}

/// The sizes of both, one after the other.
inline DimVector concatenated(IntArrayRef a, IntArrayRef b) {
  DimVector all(a);
  for (const std::int64_t size : b) all.push_back(size);
  return all;
}

/// Strides of C order.
LANEWISE_API DimVector contiguous_strides(IntArrayRef sizes);
/// The strides with which a tensor of `sizes` and `strides` can be seen as `new_sizes` without moving data,
/// if it can.
LANEWISE_API std::optional<DimVector> view_strides(IntArrayRef sizes, IntArrayRef strides,
                                                   IntArrayRef new_sizes);
/// `sizes` with one -1 replaced by what `numel` leaves for it. Throws ShapeError that begins with `op`.
LANEWISE_API DimVector infer_size(const char* op, IntArrayRef sizes, std::int64_t numel);

/// The broadcast of two shapes: aligned at the end, 1 stretches. Throws ShapeError naming both and the
/// dimension.
LANEWISE_API DimVector broadcast_shapes(const char* op, IntArrayRef a, IntArrayRef b);
/// The same under libtorch's name.
LANEWISE_API std::vector<std::int64_t> infer_size(IntArrayRef a, IntArrayRef b);

}  // namespace lanewise
