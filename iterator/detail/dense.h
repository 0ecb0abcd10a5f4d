#pragma once

#include <algorithm>

#include <lanewise/tensor/tensor.h>

namespace lanewise::detail {

/// Whether a fresh tensor can take over the strides: they fill a stretch of memory, and none is negative
/// (which a dimension of size 1 may have).
inline bool has_dense_layout(const TensorImpl& t) {
  return t.is_contiguous() ||
         (t.is_non_overlapping_and_dense() && std::none_of(t.strides().begin(), t.strides().end(),
                                                           [](std::int64_t stride) { return stride < 0; }));
}

}  // namespace lanewise::detail
