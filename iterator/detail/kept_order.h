#pragma once

#include <lanewise/iterator/reduction.h>

namespace lanewise::detail {

/// The kept dimensions of a reduction of `self` over `dims`, in the order in which they lie in memory, if they are columns of which more lie
/// side by side so or of which there are few, and results are so few that putting them in order costs little. Else empty.
DimVector kept_in_memory_order(const Tensor& self, DimMask dims);

/// A view whose dimensions are those in `kept`, then those in `dims`.
Tensor kept_first(const Tensor& self, const DimVector& kept, DimMask dims);

/// The contiguous result, of this shape, from one whose dimensions are those in `kept`.
Tensor in_order(const char* op, const Tensor& result, const DimVector& kept, IntArrayRef shape);

}  // namespace lanewise::detail
