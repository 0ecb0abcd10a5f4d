#pragma once

#include <lanewise/iterator/reduction.h>
#include <lanewise/kernels/kernel.h>

namespace lanewise::detail {

/// The type that a reduction of `self` as if it were `given` computes in: that, or another that is faster and gives the same values.
ScalarType reduction_element(const kernels::ReductionKernel& kernel, ScalarType given, const Tensor& self,
                             DimMask dims);

}  // namespace lanewise::detail
