#pragma once

#include <cstdint>

#include <lanewise/iterator/detail/reduction_functions.h>
#include <lanewise/iterator/detail/reduction_plan.h>

namespace lanewise::detail {

/// Feeds the kernel with parts of sequences, where they lie or from copies, in the way that suits their memory.
class PartReducer {
 public:
  /// Keeps references. `acc_bytes`: of the accumulators of as many columns as the plan takes at once.
  PartReducer(const ReductionPlan& plan, const ReductionFunctions& functions, std::size_t acc_bytes);

  /// Elements [first, first + n) of the sequences of `width` columns, the first of which begins at `data`; `first` is a
  /// multiple of a power of two of leaves not below n.
  void reduce(const char* data, std::int64_t width, std::int64_t first, std::int64_t n, char* acc) const;

 private:
  /// `width` runs of n elements.
  void reduce_rows(const char* data, std::int64_t width, std::int64_t first, std::int64_t n, char* acc) const;
  /// Contiguous copies of `count` whole sequences of n elements.
  const char* packed_rows(const char* data, std::int64_t count, std::int64_t n) const;
  /// Contiguous converted copies of `count` rows of n elements, `stride` bytes apart.
  const char* converted_rows(const char* data, std::int64_t stride, std::int64_t count, std::int64_t n) const;

  /// Whether several contiguous rows may be taken for one.
  bool has_few_columns(std::int64_t width, std::int64_t n) const;
  void reduce_few_columns(const char* data, std::int64_t width, std::int64_t n, char* acc) const;

  /// Rows of the sequences, as many as lie in n > 0 elements, each into an accumulator of its own.
  void reduce_each_row(const char* data, std::int64_t width, std::int64_t first, std::int64_t n,
                       char* acc) const;

  /// What none of these takes: rows of two dimensions, or through a copy, in parts if it is long.
  void reduce_in_parts(const char* data, std::int64_t width, std::int64_t first, std::int64_t n,
                       char* acc) const;
  void reduce_one_part(const char* data, std::int64_t width, std::int64_t first, std::int64_t n,
                       char* acc) const;
  void reduce_copied(const char* data, std::int64_t width, std::int64_t first, std::int64_t n,
                     char* acc) const;
  /// Returns where the elements are: in `to`, or still in place if they are contiguous.
  const char* copy_sequence(const char* data, std::int64_t first, std::int64_t n, char* to) const;
  const char* copy_columns(const char* data, std::int64_t width, std::int64_t first, std::int64_t n,
                           char* to) const;

  const ReductionPlan& plan_;
  const ReductionFunctions& f_;
  std::size_t acc_bytes_;
  const kernels::Movers& movers_;
  kernels::ConvertFn convert_;  ///< from the tensor's type to the kernel's
  kernels::GatherFn gather_;
};

}  // namespace lanewise::detail
