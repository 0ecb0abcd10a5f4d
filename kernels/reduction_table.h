#pragma once

#include <lanewise/kernels/kernel.h>

namespace lanewise::kernels {

/// The reductions of one ISA. Floating and complex sum, prod, mean, amax and amin go through the fixed tree
/// (Note [Fixed reduction tree] in reduction_tree.h); the others do not depend on the order.
struct ReductionTable {
  const ReductionKernel* sum;     ///< integers and bool: int64, wrapping; floats and complex in their own type
  const ReductionKernel* prod;    ///< as sum
  const ReductionKernel* mean;    ///< floats and complex; finish divides by params[0].re
  const ReductionKernel* amax;    ///< real types and bool; NaN propagates
  const ReductionKernel* amin;
  const ReductionKernel* argmax;  ///< value and index of the first extreme; the first NaN is the extreme
  const ReductionKernel* argmin;
  const ReductionKernel* any;     ///< bool out: some element is not zero (NaN is not zero)
  const ReductionKernel* all;     ///< bool out: no element is zero
};

#ifdef LANEWISE_ISA
namespace LANEWISE_ISA {
extern const ReductionTable reduction_table;
}
#endif

}  // namespace lanewise::kernels
