#pragma once

#include <initializer_list>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/kernels/kernel.h>
#include <lanewise/tensor/tensor.h>

namespace lanewise {

namespace kernels {
struct KernelTable;
}

namespace ops {

/// Writes `value` to every element of a dense tensor.
void fill_dense(const Tensor& t, const Scalar& value);

/// Runs a kernel that makes values from positions over a dense tensor, in memory order. Halves are computed
/// in f32; with `downward` they are rounded down instead of to nearest, so that a half-open range stays half-open.
/// Throws   DtypeError, beginning with `op`, if the kernel has no form for the dtype
void fill_indexed(const char* op, const Tensor& t,
                  const kernels::IndexedKernel* kernels::KernelTable::*kernel,
                  std::initializer_list<Scalar> params, bool downward = false);

}  // namespace ops
}  // namespace lanewise
