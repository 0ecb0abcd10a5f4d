#include <lanewise/kernels/reduction_table.h>

#include <lanewise/kernels/reduction_kernels.h>

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
};

}  // namespace lanewise::kernels::LANEWISE_ISA
