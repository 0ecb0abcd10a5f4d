#pragma once

#include <lanewise/kernels/kernel.h>

/// The reductions that reduction_table.cpp gathers. Included by per-ISA files.
namespace lanewise::kernels::LANEWISE_ISA {

extern const ReductionKernel reduce_sum;
extern const ReductionKernel reduce_mean;
extern const ReductionKernel reduce_prod;
extern const ReductionKernel reduce_amax;
extern const ReductionKernel reduce_amin;
extern const ReductionKernel reduce_argmax;
extern const ReductionKernel reduce_argmin;
extern const ReductionKernel reduce_any;
extern const ReductionKernel reduce_all;
extern const ReductionKernel reduce_count_nonzero;
extern const ReductionKernel reduce_nansum;
extern const ReductionKernel reduce_norm1;
extern const ReductionKernel reduce_norm2;
extern const ReductionKernel reduce_abs_max;
extern const ReductionKernel reduce_abs_min;
extern const ReductionKernel reduce_var_mean;

}  // namespace lanewise::kernels::LANEWISE_ISA
