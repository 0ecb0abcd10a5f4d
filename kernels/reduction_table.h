#pragma once

#include <lanewise/kernels/kernel.h>

namespace lanewise::kernels {

/// The reductions of one ISA. Floating and complex sum, prod and mean go through the fixed tree
/// (Note [Fixed reduction tree] in reduction_tree.h); the others do not depend on the order.
struct ReductionTable {
  const ReductionKernel* sum;   ///< integers and bool: int64, wrapping; floats and complex in their own type
  const ReductionKernel* prod;  ///< as sum
  const ReductionKernel* mean;  ///< floats and complex; finish divides by params[0].re
  const ReductionKernel* amax;  ///< real types and bool; NaN propagates
  const ReductionKernel* amin;
  const ReductionKernel* argmax;  ///< value and index of the first extreme; the first NaN is the extreme
  const ReductionKernel* argmin;
  const ReductionKernel* any;            ///< bool out: some element is not zero (NaN is not zero)
  const ReductionKernel* all;            ///< bool out: no element is zero
  const ReductionKernel* count_nonzero;  ///< int64
  // Floats, through the tree.
  const ReductionKernel* nansum;   ///< NaN counts as 0
  const ReductionKernel* norm1;    ///< sum of the absolute values
  const ReductionKernel* norm2;    ///< root of the sum of the squares
  const ReductionKernel* abs_max;  ///< largest absolute value; NaN propagates
  const ReductionKernel* abs_min;
  /// Pairs (variance, mean) as complex numbers. params[0]: re is taken from the count before dividing by it,
  /// i asks for the root.
  const ReductionKernel* var_mean;
};

#ifdef LANEWISE_ISA
namespace LANEWISE_ISA {
extern const ReductionTable reduction_table;
}
#endif

}  // namespace lanewise::kernels
