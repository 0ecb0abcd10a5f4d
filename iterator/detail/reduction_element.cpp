#include <lanewise/iterator/detail/reduction_element.h>
#include <lanewise/iterator/detail/reduction_functions.h>
#include <lanewise/iterator/detail/reduction_plan.h>

namespace lanewise::detail {
namespace {

/// Shorter runs of halves, and rows of fewer columns that lie end to end, are better widened together.
constexpr std::int64_t kLeastHalves = 16, kLeastHalfColumns = 24;

/// Longer runs of narrow integers are better looked through as they are.
constexpr std::int64_t kMostInInt32 = 160;

/// Whether a kernel takes halves where they lie: it can, and runs are not so short that they are better widened together.
bool reads_halves(const kernels::ReductionKernel& kernel, const Tensor& self, DimMask dims) {
  const ScalarType type = self.scalar_type();
  if (kernel.inner[static_cast<std::size_t>(type)] == nullptr) return false;
  const ReductionFunctions f(kernel, type);
  const ReductionPlan plan(self, dims, type, false, f);
  const bool end_to_end = plan.strides[0] == plan.column.size * plan.from_size();
  return plan.path == ReductionPath::Sequence ||
         (plan.path == ReductionPath::Inner && plan.length >= kLeastHalves && !plan.packs) ||
         (plan.path == ReductionPath::Outer && plan.length > kFewColumns &&
          plan.column.size >= (end_to_end ? kLeastHalfColumns : kFewColumns));
}

/// Whether runs of narrow integers are so short that positions in them are better found in int32, many runs at once.
bool finds_in_int32(const kernels::ReductionKernel& kernel, const Tensor& self, DimMask dims) {
  if (!kernel.has_index || element_size(self.scalar_type()) >= sizeof(std::int32_t)) return false;
  const ReductionFunctions f(kernel, kInt);
  if (f.short_rows == nullptr) return false;
  const ReductionPlan plan(self, dims, kInt, false, f);
  return plan.path == ReductionPath::Inner && plan.width > 1 && plan.length <= kMostInInt32;
}

}  // namespace

ScalarType reduction_element(const kernels::ReductionKernel& kernel, ScalarType given, const Tensor& self,
                             DimMask dims) {
  const ScalarType compute = kernels::compute_type(given);
  if (given != self.scalar_type() || self.numel() == 0) return compute;
  if (compute != given) return reads_halves(kernel, self, dims) ? given : compute;
  return is_integral(given, true) && finds_in_int32(kernel, self, dims) ? kInt : given;
}

}  // namespace lanewise::detail
