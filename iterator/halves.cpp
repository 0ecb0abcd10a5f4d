#include <algorithm>

#include <lanewise/iterator/detail/halves.h>

namespace lanewise::detail {

void take_halves(TileJob& job, const kernels::ElementwiseKernel& kernel, ScalarType dtype) {
  const ScalarType compute = kernels::compute_type(dtype);
  const kernels::ElementwiseFn fn = kernel.fn[static_cast<std::size_t>(dtype)];
  if (fn == nullptr || job.ndim == 0 || job.fn != kernel.fn[static_cast<std::size_t>(compute)]) return;
  std::uint32_t tensors = 0;
  for (int k = 0; k < job.operands; ++k) {
    const TileOperand& o = job.operand[static_cast<std::size_t>(k)];
    if (k >= job.outputs && job.repeats_from(0, o)) continue;
    if (o.memory != dtype || std::find(o.strides, o.strides + job.ndim, 0) != o.strides + job.ndim) return;
    tensors |= 1u << k;
  }
  for (int k = 0; k < job.operands; ++k) {
    if ((tensors >> k & 1) != 0) job.operand[static_cast<std::size_t>(k)].tile = dtype;
  }
  job.fn = fn;
  job.streams = true;
  job.rows = false;
}

}  // namespace lanewise::detail
