#pragma once

#include <cstddef>
#include <utility>

#include <lanewise/tensor/dim_vector.h>

namespace lanewise {

/// Sorts dimensions by insertion: compare(a, b) is above 0 if dimension a belongs after b, below 0 if before, and 0 if it
/// cannot tell, in which case both are passed over. That is no order in the sense of std::sort, and the result is PyTorch's.
/// Returns whether any moved.
template <class Compare>
bool sort_dimensions(DimVector& dims, const Compare& compare) {
  bool moved = false;
  for (std::size_t i = 1; i < dims.size(); ++i) {
    std::size_t moving = i;
    for (std::size_t at = i; at-- > 0;) {
      const int found = compare(dims[at], dims[moving]);
      if (found > 0) {
        std::swap(dims[at], dims[moving]);
        moving = at;
        moved = true;
      } else if (found < 0) {
        break;
      }
    }
  }
  return moved;
}

}  // namespace lanewise
