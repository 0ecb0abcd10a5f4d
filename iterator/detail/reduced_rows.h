#pragma once

#include <cstdint>

#include <lanewise/iterator/detail/reduction_functions.h>
#include <lanewise/iterator/reduction.h>

// Note [Rows of a reduction]
// Where the order of operations matters, what is reduced over several dimensions is cut into rows: the innermost of those dimensions that
// hold at least kLeastRow elements. Each row goes through the fixed tree (kernels/reduction_tree.h); then row r takes row r + h for the
// largest power of two h below their number, then for h / 2, and so on. A sequence over all dimensions would have to be walked, or copied,
// element by element in most layouts; rows of a permuted tensor are often columns in memory.

namespace lanewise::detail {

/// Rows first cost a contiguous sum of rows of so many f32 or more up to a quarter, and few channels that lie last up to 2.3 times (Zen 4);
/// permuted tensors and windows take 0.16 to 0.6 of the time. The sums of rows of 65 and 100 alone take 1.3 to 1.7 times as long as one of all.
inline constexpr std::int64_t kLeastRow = 128;

/// How elements are cut into rows.
struct ReducedRows {
  DimMask inner;       ///< the dimensions of a row
  std::int64_t count;  ///< rows that make a result: 1 where the dimensions are not cut

  ReducedRows(IntArrayRef sizes, DimMask dims);
};

/// The last `count` of `dims` dimensions.
inline DimMask last_dims(std::int64_t dims, std::int64_t count) {
  return ((DimMask{1} << count) - 1) << (dims - count);
}

/// A view whose dimensions are those of `dims` that are not in `rows`, the kept ones, and those of a row.
Tensor rows_last(const Tensor& self, DimMask dims, const ReducedRows& rows);

/// Combines `count` accumulators of `width` columns each, which follow one another, into the first. They lie side by side.
void combine_rows(const ReductionFunctions& f, char* acc, std::int64_t count, std::int64_t width);

}  // namespace lanewise::detail
