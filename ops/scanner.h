#pragma once

#include <lanewise/kernels/scan_table.h>
#include <lanewise/ops/extent.h>
#include <lanewise/tensor/tensor.h>

/// How a scan goes through memory: as rows, as columns, or through tiles, whatever is quickest for the strides of both sides.
namespace lanewise::ops {

/// Whether the sequences along `dim` have one stride from one to the next before it and one behind it: what a result needs.
bool has_steps(const Tensor& t, std::int64_t dim);

/// The running reduction of `from` along `dim` into `out`, computed in `compute`, from the end if `reverse`. `out` has_steps(), has
/// elements, and is `from` itself or memory apart from it.
void run_scan(const kernels::ScanKernel& kernel, ScalarType compute, Tensor from, const Tensor& out,
              std::int64_t dim, const Extent& extent, bool reverse);

}  // namespace lanewise::ops
