#include <array>

#include <lanewise/iterator/pointwise.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/ops/factories.h>
#include <lanewise/optim/detail/run_step.h>
#include <lanewise/optim/rmsprop.h>
#include <lanewise/tensor/errors.h>

namespace lanewise::optim {
namespace {

constexpr PointwiseOp kStep{"RMSprop::step", &kernels::KernelTable::rmsprop_step};
constexpr PointwiseOp kFullStep{"RMSprop::step", &kernels::KernelTable::rmsprop_step_full};

}  // namespace

RMSprop::RMSprop(const std::vector<OptimizerParamGroup>& groups, const RMSpropOptions& defaults)
    : StatefulOptimizer("RMSprop", defaults) {
  add_param_groups(groups);
}

RMSprop::RMSprop(std::vector<Tensor> parameters, const RMSpropOptions& options)
    : RMSprop(std::vector<OptimizerParamGroup>{OptimizerParamGroup(std::move(parameters))}, options) {}

void RMSprop::check_settings(const RMSpropOptions& o) const {
  check_setting("learning rate", o.lr());
  check_setting("alpha value", o.alpha());
  check_setting("epsilon value", o.eps());
  check_setting("weight_decay value", o.weight_decay());
  check_setting("momentum value", o.momentum());
}

void RMSprop::apply(RMSpropParamState& state, Tensor& parameter, const Tensor& grad,
                    const RMSpropOptions& o) {
  const auto make = [&](Tensor& t) {
    if (!t.defined()) t = zeros_like(parameter);
  };
  Tensor& square = state.square_avg();
  make(square);
  ++state.step();
  if (o.momentum() == 0 && !o.centered()) {
    const std::array<Tensor*, 2> outs = {&parameter, &square};
    run_step(kStep, outs, {parameter, grad, square}, {o.lr(), o.alpha(), o.eps(), o.weight_decay()});
    return;
  }
  // What the settings do not ask for is carried along: one kernel for all of them.
  Tensor& buffer = state.momentum_buffer();
  Tensor& mean = state.grad_avg();
  make(buffer);
  make(mean);
  const std::array<Tensor*, 4> outs = {&parameter, &square, &buffer, &mean};
  run_step(kFullStep, outs, {parameter, grad, square, buffer, mean},
           {o.lr(), o.alpha(), o.eps(), o.weight_decay(), o.momentum(), o.centered() ? 1.0 : 0.0});
}

}  // namespace lanewise::optim
