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
    : Optimizer("RMSprop", defaults.clone()) {
  add_param_groups(groups);
}

RMSprop::RMSprop(std::vector<Tensor> parameters, const RMSpropOptions& options)
    : RMSprop(std::vector<OptimizerParamGroup>{OptimizerParamGroup(std::move(parameters))}, options) {}

void RMSprop::check(const OptimizerOptions& options) const {
  const auto& o = as<RMSpropOptions>(options);
  check_setting("lr", o.lr());
  check_setting("alpha", o.alpha());
  check_setting("eps", o.eps());
  check_setting("weight_decay", o.weight_decay());
  check_setting("momentum", o.momentum());
}

void RMSprop::update(std::size_t index, Tensor& parameter, const Tensor& grad,
                     const OptimizerOptions& options) {
  const auto& o = static_cast<const RMSpropOptions&>(options);
  State& state = states_[index];
  const auto make = [&](Tensor& t) {
    if (!t.defined()) t = zeros_like(parameter);
  };
  make(state.square);
  ++state.step;
  if (o.momentum() == 0 && !o.centered()) {
    const std::array<Tensor*, 2> outs = {&parameter, &state.square};
    run_step(kStep, outs, {parameter, grad, state.square},
                    {o.lr(), o.alpha(), o.eps(), o.weight_decay()});
    return;
  }
  // What the settings do not ask for is carried along: one kernel for all of them.
  make(state.buffer);
  make(state.mean);
  const std::array<Tensor*, 4> outs = {&parameter, &state.square, &state.buffer, &state.mean};
  run_step(kFullStep, outs, {parameter, grad, state.square, state.buffer, state.mean},
                  {o.lr(), o.alpha(), o.eps(), o.weight_decay(), o.momentum(), o.centered() ? 1.0 : 0.0});
}

ParameterState RMSprop::state_of(std::size_t index) const {
  const State& state = states_[index];
  if (!state.square.defined()) return {};
  ParameterState all = {{"step", full({}, state.step, kLong)}, {"square_avg", state.square}};
  if (state.buffer.defined()) all["momentum_buffer"] = state.buffer;
  if (state.mean.defined()) all["grad_avg"] = state.mean;
  return all;
}

void RMSprop::set_state(std::size_t index, const ParameterState& state) {
  const auto of = [&](const char* key) {
    const auto found = state.find(key);
    return found == state.end() ? Tensor() : found->second;
  };
  const Tensor step = of("step");
  states_[index] = {step.defined() ? step.item().to<std::int64_t>() : 0, of("square_avg"),
                    of("momentum_buffer"), of("grad_avg")};
}

}  // namespace lanewise::optim
