#pragma once

#include <cstdint>
#include <vector>

#include <lanewise/iterator/function_ref.h>
#include <lanewise/ops/indexed_rows.h>

namespace lanewise::ops {

/// Where the elements of rows lie, in order, behind what stands before the indices: those of its inner dimensions and some steps along
/// the next one, so many that what is done for each row or block no longer matters.
struct RowPlaces {
  static constexpr std::int64_t kMost = 1024;

  std::int32_t place[kMost];           ///< elements
  std::int64_t blocks = 0;             ///< 0: rows are long enough, or these are too many
  std::int64_t in_step = 1;            ///< elements of a step along dimension `next`
  std::int64_t steps = 1, pieces = 1;  ///< of a block, and blocks of dimension `next`
  std::size_t next = 0;

  /// Whether it is worth while for runs of so many elements.
  static bool pays(const IndexedRows& rows, std::int64_t run);

  /// Of rows of runs of `run` elements, `stride` apart, that begin at `starts` behind the row.
  RowPlaces(const IndexedRows& rows, std::int64_t run, const std::vector<std::int64_t>& starts,
            std::int64_t stride);

  /// f(where a block begins, its first element in order, its elements), in parallel.
  void each_block(const IndexedRows& rows,
                  FunctionRef<void(std::int64_t, std::int64_t, std::int64_t)> f) const;
};

}  // namespace lanewise::ops
