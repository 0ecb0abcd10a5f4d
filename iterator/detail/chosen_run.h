#pragma once

#include <lanewise/iterator/detail/walk_record.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/kernels/tuning.h>

namespace lanewise::detail {

/// The function of a kernel that a call runs, and what a tuning of this machine says about its walk.
struct ChosenRun {
  kernels::ElementwiseFn fn;
  std::int64_t grain = 0;  ///< as in TensorIterator::RunOptions
  std::int64_t block = 0;
  bool rows = false;  ///< as in TensorIterator::RunOptions
};

/// For so many elements of an op that computes in `dtype`, as users see it. Halves that are taken as they lie have one
/// function a tier, and no tuning.
inline ChosenRun choose_run(const kernels::ElementwiseKernel& kernel, ScalarType dtype, std::int64_t elements,
                            bool halves_as_they_lie = false) {
  const ScalarType compute = halves_as_they_lie ? dtype : kernels::compute_type(dtype);
  const kernels::TunedRun* tuned = halves_as_they_lie ? nullptr : kernels::tuned_run(kernel, dtype, elements);
  if (records_walks()) [[unlikely]]
    walk_log->isa = tuned != nullptr ? tuned->isa : lanewise::active_isa();
  return {.fn = tuned != nullptr ? tuned->fn : kernel.fn[static_cast<std::size_t>(compute)],
          .grain = tuned != nullptr ? tuned->grain : 0,
          .block = tuned != nullptr ? tuned->block : 0,
          .rows = tuned != nullptr ? tuned->rows : (kernel.rows >> static_cast<int>(compute) & 1) != 0};
}

/// Whether the function only copies: tiles may bypass it.
inline bool only_copies(const kernels::ElementwiseKernel& kernel) {
  return &kernel == kernels::active_kernels().copy;
}

}  // namespace lanewise::detail
