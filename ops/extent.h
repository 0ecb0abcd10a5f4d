#pragma once

#include <cstddef>
#include <cstdint>

#include <lanewise/tensor/shape.h>
#include <lanewise/tensor/tensor.h>

namespace lanewise::ops {

/// A dense tensor seen as [batches, n, columns], n along `dim`.
struct Extent {
  std::int64_t batches = 1, n = 1, columns = 1;
  Extent(const char* op, const Tensor& self, std::int64_t dim) {
    const auto axis = static_cast<std::size_t>(wrap_dim(op, dim, self.dim()));
    const IntArrayRef sizes = self.sizes();
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      (i < axis ? batches : i > axis ? columns : n) *= sizes[i];
    }
  }
};

}  // namespace lanewise::ops
