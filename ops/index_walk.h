#pragma once

#include <array>
#include <cstdint>

#include <lanewise/iterator/function_ref.h>
#include <lanewise/tensor/dim_vector.h>

namespace lanewise::ops {

/// What is chosen from or written to, the index, and the result or the source.
inline constexpr std::size_t kWalked = 3, kIndex = 1;

/// `rows` runs of n elements each: where the first begins, how runs step and how far the next one is, in elements, for each operand.
struct IndexBlock {
  std::array<std::int64_t, kWalked> at;
  std::array<std::int64_t, kWalked> step;
  std::array<std::int64_t, kWalked> row_step;
  std::int64_t rows;
  std::int64_t n;

  /// f(where the run begins, for each operand) for each run.
  template <class F>
  void each_row(F&& f) const {
    const auto [a_step, b_step, c_step] = row_step;
    auto [a, b, c] = at;
    for (std::int64_t r = 0; r < rows; ++r, a += a_step, b += b_step, c += c_step) f(a, b, c);
  }
};

/// Calls f(block) for blocks that together cover `sizes`, in parallel, with the strides of three operands, for
/// gather and its kin, where `dim` is the dimension that the index chooses in. If `apart`, positions that
/// differ only in `dim` are visited by one thread, in order: what is written to one place always is. Runs go
/// along the last dimension.
void walk_index(IntArrayRef sizes, std::int64_t dim, const std::array<DimVector, kWalked>& strides,
                bool apart, FunctionRef<void(const IndexBlock&)> f);

/// n elements in order of position, and where each lies behind `at`, for each operand.
struct IndexPlaces {
  std::array<std::int64_t, kWalked> at;
  std::array<const std::int64_t*, kWalked> offsets;
  std::int64_t n;
};

/// The same where the last dimensions are too short for runs: the places of their elements are written down once. False, and nothing
/// is called, if runs are long enough.
bool walk_short_dims(IntArrayRef sizes, std::int64_t dim, const std::array<DimVector, kWalked>& strides,
                     bool apart, FunctionRef<void(const IndexPlaces&)> f);

}  // namespace lanewise::ops
