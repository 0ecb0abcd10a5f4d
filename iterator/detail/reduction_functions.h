#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include <lanewise/kernels/kernel.h>
#include <lanewise/tensor/dtype.h>

namespace lanewise::detail {

/// The entries of a kernel for one type.
struct ReductionFunctions {
  decltype(kernels::ReductionKernel{}.inner)::value_type inner;
  decltype(kernels::ReductionKernel{}.short_rows)::value_type short_rows;
  decltype(kernels::ReductionKernel{}.outer)::value_type outer;
  decltype(kernels::ReductionKernel{}.outer_apart)::value_type outer_apart;
  decltype(kernels::ReductionKernel{}.combine)::value_type combine;
  decltype(kernels::ReductionKernel{}.finish)::value_type finish;
  std::size_t acc_size;
  ScalarType value_type;
  bool order_free, side_by_side;
  bool joins_runs;  ///< reduce_runs() may be asked for several at once
  bool by_rows;     ///< see Note [Rows of a reduction]
  /// Sequences from and up to such lengths are taken many at once where they are contiguous.
  std::int64_t together, most_together;
  std::int64_t least_columns;  ///< the fewest that are taken well where they lie, row by row

  /// Shorter sequences whose extreme is looked for are better taken as columns.
  static constexpr std::int64_t kLeastWithIndex = 16;
  /// A call for each sequence of up to so many elements takes a tenth of the time of all that comes with a unit.
  static constexpr std::int64_t kMostTogether = 1 << 12;

  ReductionFunctions(const kernels::ReductionKernel& k, ScalarType t) {
    const auto i = static_cast<std::size_t>(t);
    inner = k.inner[i];
    short_rows = k.short_rows[i];
    outer = k.outer[i];
    outer_apart = k.outer_apart[i];
    combine = k.combine[i];
    finish = k.finish[i];
    acc_size = k.acc_size[i];
    value_type = k.value_type[i];
    order_free = k.order_free[i];
    side_by_side = k.side_by_side[i];
    by_rows = side_by_side && !order_free && !k.has_index;
    joins_runs = side_by_side || short_rows != nullptr;
    constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
    least_columns = k.joins_rows[i] ? 2 : side_by_side ? 8 : kNever;
    together = side_by_side ? k.least_row[i] : !joins_runs ? kNever : k.has_index ? kLeastWithIndex : 0;
    most_together = side_by_side ? kMostTogether : kernels::kReductionBlock;
  }

  /// Reduces each of `count` runs of n elements, `stride` bytes apart, into its own accumulators, see ReductionKernel::inner.
  void reduce_runs(const char* x, std::int64_t n, std::int64_t stride, std::int64_t count, std::int64_t base,
                   std::int64_t ahead, char* acc) const {
    // Whole leaves are as well taken one by one, if their accumulators can be.
    const std::int64_t most = kernels::kReductionBlock - (side_by_side ? 1 : 0);
    if (count > 1 && short_rows != nullptr && n <= most) return short_rows(x, n, stride, count, ahead, acc);
    for (std::int64_t i = 0; i < count; ++i)
      inner(x + i * stride, n, base, ahead, acc + static_cast<std::size_t>(i) * acc_size);
  }
};

}  // namespace lanewise::detail
