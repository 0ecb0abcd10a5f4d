#pragma once

#include <lanewise/iterator/detail/tile_job.h>

namespace lanewise::detail {

/// Whether an operand is one element for all.
inline bool is_one_element(const TileJob& job, const TileOperand& operand) {
  for (int d = 0; d < job.ndim; ++d) {
    if (operand.strides[d] != 0) return false;
  }
  return true;
}

/// Gives the job of a kernel that calculates in f32 for the halves `dtype` the kernel's own loop over halves, if it has one and
/// all operands are such halves, or one element for all: tiles hold halves then, and rows need none. An operand that repeats
/// along some dimensions might be one element for a row, which that loop takes as f32.
[[gnu::noinline]] inline void take_halves(TileJob& job, const kernels::ElementwiseKernel& kernel,
                                          ScalarType dtype) {
  const ScalarType compute = kernels::compute_type(dtype);
  const kernels::ElementwiseFn fn = kernel.fn[static_cast<std::size_t>(dtype)];
  if (fn == nullptr || job.ndim == 0 || job.fn != kernel.fn[static_cast<std::size_t>(compute)]) return;
  std::uint32_t tensors = 0;
  for (int k = 0; k < job.operands; ++k) {
    const TileOperand& operand = job.operand[static_cast<std::size_t>(k)];
    if (k >= job.outputs && is_one_element(job, operand)) continue;
    if (operand.memory != dtype) return;
    for (int d = 0; d < job.ndim; ++d) {
      if (operand.strides[d] == 0) return;
    }
    tensors |= 1u << k;
  }
  for (int k = 0; k < job.operands; ++k) {
    if ((tensors >> k & 1) != 0) job.operand[static_cast<std::size_t>(k)].tile = dtype;
  }
  job.fn = fn;
  job.streams = true;
}

}  // namespace lanewise::detail
