#pragma once

#include <lanewise/kernels/detail/cpu_prefetch.h>
#include <lanewise/kernels/kernel.h>

namespace lanewise::detail {

/// Few columns of several batches, that fill registers only together: row r of a tile holds the `columns` elements of each batch
/// that lie at r * row_step + batch * batch_step bytes in memory.
struct BatchedRows {
  std::int64_t row_step, batch_step;
  std::int64_t size;  ///< of an element
  std::int64_t rows, batches, columns;

  std::int64_t width() const { return batches * columns; }
  void load(kernels::GatherFn gather, const char* from, char* tile) const {
    for (std::int64_t r = 0; r < rows; ++r)
      gather(from + r * row_step, batch_step, size, batches, columns, tile + r * width() * size);
  }
  void store(kernels::ScatterFn scatter, const char* tile, char* to) const {
    for (std::int64_t r = 0; r < rows; ++r)
      scatter(tile + r * width() * size, to + r * row_step, batch_step, size, batches, columns,
              kernels::scatter_ahead);
  }
};

}  // namespace lanewise::detail
