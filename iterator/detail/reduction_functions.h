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
  decltype(kernels::ReductionKernel{}.joined)::value_type joined;
  decltype(kernels::ReductionKernel{}.columns)::value_type columns;
  decltype(kernels::ReductionKernel{}.outer)::value_type outer;
  decltype(kernels::ReductionKernel{}.combine)::value_type combine;
  decltype(kernels::ReductionKernel{}.finish)::value_type finish;
  std::size_t acc_size;
  ScalarType value_type;
  bool order_free, side_by_side;
  std::int64_t together, least_columns;  ///< see ReductionPlan

  /// Shorter sequences whose extreme is looked for are better taken as columns.
  static constexpr std::int64_t kLeastWithIndex = 16;

  ReductionFunctions(const kernels::ReductionKernel& k, ScalarType t) {
    const auto i = static_cast<std::size_t>(t);
    inner = k.inner[i];
    short_rows = k.short_rows[i];
    joined = k.joined[i];
    columns = k.columns[i];
    outer = k.outer[i];
    combine = k.combine[i];
    finish = k.finish[i];
    acc_size = k.acc_size[i];
    value_type = k.value_type[i];
    order_free = k.order_free[i];
    side_by_side = k.side_by_side[i];
    // Sums take rows that lie end to end as one long row.
    constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
    least_columns = joined != nullptr ? 2 : side_by_side ? 8 : kNever;
    together = short_rows != nullptr ? (k.has_index ? kLeastWithIndex : 0)
               : side_by_side        ? k.least_row[i]
                                     : kNever;
  }
};

}  // namespace lanewise::detail
