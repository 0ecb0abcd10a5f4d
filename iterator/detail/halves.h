#pragma once

#include <lanewise/iterator/detail/tile_job.h>
#include <lanewise/tensor/tensor_impl.h>

namespace lanewise::detail {

/// Whether the elements of t may be rounded when they become those of `common`, which an op's operands are promoted to: halves, even
/// though the op calculates in f32. Constants of formulas keep their digits.
inline bool rounds_to_half(const TensorImpl& t, ScalarType common) noexcept {
  return kernels::compute_type(common) != common && t.dtype() != common && element_size(t.dtype()) > 1 &&
         !t.is_wrapped_number();
}

/// Gives the job of a kernel that calculates in f32 for the halves `dtype` the kernel's own loop over halves, if it has one and
/// all operands are such halves, or one element for all: tiles hold halves then, and rows need none. An operand that repeats
/// along some dimensions might be one element for a row, which that loop takes as f32.
void take_halves(TileJob& job, const kernels::ElementwiseKernel& kernel, ScalarType dtype);

}  // namespace lanewise::detail
