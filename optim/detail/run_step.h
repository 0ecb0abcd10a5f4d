#pragma once

#include <initializer_list>
#include <span>

#include <lanewise/iterator/pointwise.h>

namespace lanewise::optim {

/// pointwise_multi of an optimizer's kernel, which no op surrounds: recorded under the kernel's name while a
/// profiler observes.
void run_step(const PointwiseOp& op, std::span<Tensor* const> outs,
              std::initializer_list<PointwiseInput> inputs, ArrayRef<Scalar> params);

}  // namespace lanewise::optim
