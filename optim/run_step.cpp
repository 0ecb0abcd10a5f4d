#include <optional>

#include <lanewise/optim/detail/run_step.h>
#include <lanewise/profiler/detail/frame.h>

namespace lanewise::optim {

void run_step(const PointwiseOp& op, std::span<Tensor* const> outs,
              std::initializer_list<PointwiseInput> inputs, ArrayRef<Scalar> params) {
  std::optional<profiler::detail::Frame> frame;
  if (profiler::detail::is_observed()) [[unlikely]] {
    frame.emplace(profiler::detail::OpInfo{op.name, profiler::detail::Work::Pointwise}, 0);
    for (const PointwiseInput& input : inputs) {
      if (!input.is_scalar()) frame->argument(input.tensor());
    }
    frame->start(false);
  }
  pointwise_multi(op, outs, inputs, params);
  if (frame) [[unlikely]] {
    for (const Tensor* out : outs) frame->result(*out);
  }
}

}  // namespace lanewise::optim
