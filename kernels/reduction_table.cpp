#include <lanewise/kernels/reduction_kernels.h>
#include <lanewise/kernels/reduction_table.h>

namespace lanewise::kernels::LANEWISE_ISA {

constinit const ReductionTable reduction_table = {
    .sum = &reduce_sum,
    .prod = &reduce_prod,
    .mean = &reduce_mean,
    .amax = &reduce_amax,
    .amin = &reduce_amin,
    .argmax = &reduce_argmax,
    .argmin = &reduce_argmin,
    .any = &reduce_any,
    .all = &reduce_all,
    .count_nonzero = &reduce_count_nonzero,
    .nansum = &reduce_nansum,
    .norm1 = &reduce_norm1,
    .norm2 = &reduce_norm2,
    .abs_max = &reduce_abs_max,
    .abs_min = &reduce_abs_min,
    .var_mean = &reduce_var_mean,
};

}  // namespace lanewise::kernels::LANEWISE_ISA
