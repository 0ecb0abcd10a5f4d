#pragma once

#include <lanewise/iterator/detail/tile_job.h>

namespace lanewise::detail {

/// Gives the job of a kernel that calculates in f32 for the halves `dtype` the kernel's own loop over halves, if it has one and
/// all operands are such halves, or one element for all: tiles hold halves then, and rows need none. An operand that repeats
/// along some dimensions might be one element for a row, which that loop takes as f32.
void take_halves(TileJob& job, const kernels::ElementwiseKernel& kernel, ScalarType dtype);

}  // namespace lanewise::detail
