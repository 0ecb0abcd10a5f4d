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
bool reads_halves(const kernels::ReductionKernel& kernel, const ReductionArgs& args, const Tensor& self) {
  const ScalarType type = self.scalar_type();
  if (kernel.inner[static_cast<std::size_t>(type)] == nullptr) return false;
  const ReductionFunctions f(kernel, type);
  const ReductionPlan plan(self, args.dims, type, false, f.together, f.least_columns);
  const bool end_to_end = plan.strides[0] == plan.column.size * plan.from_size();
  return plan.path == ReductionPath::Sequence ||
         (plan.path == ReductionPath::Inner && plan.length >= kLeastHalves) ||
         (plan.path == ReductionPath::Outer && plan.length > kFewColumns &&
          plan.column.size >= (end_to_end ? kLeastHalfColumns : kFewColumns));
}

/// Whether runs of narrow integers are so short that positions in them are better found in int32, many runs at once.
bool finds_in_int32(const kernels::ReductionKernel& kernel, const ReductionArgs& args, const Tensor& self) {
  if (!kernel.has_index || element_size(self.scalar_type()) >= sizeof(std::int32_t)) return false;
  const ReductionFunctions f(kernel, kInt);
  if (f.short_rows == nullptr) return false;
  const ReductionPlan plan(self, args.dims, kInt, false, f.together, f.least_columns);
  return plan.path == ReductionPath::Inner && plan.width > 1 && plan.length <= kMostInInt32;
}

}  // namespace

ScalarType reduction_element(const kernels::ReductionKernel& kernel, const ReductionArgs& args,
                             const Tensor& self) {
  const ScalarType given = args.element == ScalarType::Undefined ? self.scalar_type() : args.element;
  const ScalarType compute = kernels::compute_type(given);
  if (given != self.scalar_type()) return compute;
  if (compute != given) return reads_halves(kernel, args, self) ? given : compute;
  return is_integral(given, true) && finds_in_int32(kernel, args, self) ? kInt : given;
}

}  // namespace lanewise::detail
