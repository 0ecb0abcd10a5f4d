#include <lanewise/kernels/kernel_declarations.h>

namespace lanewise::kernels::LANEWISE_ISA {

constinit const KernelTable table = {
// A line each: &<name>,
#include <lanewise/generated/kernel_table_entries.inc>
    &sgd_step,
    &sgd_step_plain,
    &adam_step,
    &adam_step_amsgrad,
    &rmsprop_step,
    &rmsprop_step_full,
    &adagrad_step,
    &uniform,
    &normal,
    &random_int,
    &bernoulli,
    &arange,
    &linspace,
    &in_bounds,
    &count_set,
    &positions_set,
    &movers,
    &add_rows_table,
    &reduction_table,
    &softmax_table,
    &scan_table,
    &gemm_table,
    &distance_table,
    &rank_table,
    &normalization_table,
};

}  // namespace lanewise::kernels::LANEWISE_ISA
