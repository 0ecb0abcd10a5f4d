#pragma once

#include <lanewise/iterator/reduction.h>
#include <lanewise/kernels/kernel.h>

namespace lanewise::detail {

/// The type that a reduction of `self` computes in: that of args, of self, or another that is faster and gives the same values.
ScalarType reduction_element(const kernels::ReductionKernel& kernel, const ReductionArgs& args,
                             const Tensor& self);

}  // namespace lanewise::detail
