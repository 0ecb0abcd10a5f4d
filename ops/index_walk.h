#pragma once

#include <array>
#include <cstdint>

#include <lanewise/iterator/function_ref.h>
#include <lanewise/tensor/dim_vector.h>

namespace lanewise::ops {

inline constexpr std::size_t kWalked = 3;

/// Where a run of n elements begins and how it steps, in elements, for each operand.
struct IndexRun {
  std::array<std::int64_t, kWalked> at;
  std::array<std::int64_t, kWalked> step;
  std::int64_t n;
};

/// Calls f(run) for runs that together cover `sizes`, in parallel, with the strides of three operands, for
/// gather and its kin, where `dim` is the dimension that the index chooses in. If `apart`, positions that
/// differ only in `dim` are visited by one thread, in order: what is written to one place always is. Runs go
/// along the last dimension.
void walk_index(IntArrayRef sizes, std::int64_t dim, const std::array<DimVector, kWalked>& strides,
                bool apart, FunctionRef<void(const IndexRun&)> f);

}  // namespace lanewise::ops
