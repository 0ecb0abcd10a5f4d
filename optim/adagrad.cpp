#include <array>

#include <lanewise/iterator/pointwise.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/ops/factories.h>
#include <lanewise/optim/adagrad.h>
#include <lanewise/optim/detail/run_step.h>
#include <lanewise/tensor/errors.h>

namespace lanewise::optim {
namespace {

constexpr PointwiseOp kStep{"Adagrad::step", &kernels::KernelTable::adagrad_step};

}  // namespace

Adagrad::Adagrad(const std::vector<OptimizerParamGroup>& groups, const AdagradOptions& defaults)
    : Optimizer("Adagrad", defaults.clone()) {
  add_param_groups(groups);
}

Adagrad::Adagrad(std::vector<Tensor> parameters, const AdagradOptions& options)
    : Adagrad(std::vector<OptimizerParamGroup>{OptimizerParamGroup(std::move(parameters))}, options) {}

void Adagrad::check(const OptimizerOptions& options) const {
  const auto& o = as<AdagradOptions>(options);
  check_setting("lr", o.lr());
  check_setting("lr_decay", o.lr_decay());
  check_setting("weight_decay", o.weight_decay());
  check_setting("initial_accumulator_value", o.initial_accumulator_value());
  check_setting("eps", o.eps());
}

void Adagrad::update(std::size_t index, Tensor& parameter, const Tensor& grad,
                     const OptimizerOptions& options) {
  const auto& o = static_cast<const AdagradOptions&>(options);
  State& state = states_[index];
  if (!state.sum.defined()) state.sum = full_like(parameter, o.initial_accumulator_value());
  const double lr = o.lr() / (1 + static_cast<double>(state.step++) * o.lr_decay());
  const std::array<Tensor*, 2> outs = {&parameter, &state.sum};
  run_step(kStep, outs, {parameter, grad, state.sum}, {lr, o.eps(), o.weight_decay()});
}

ParameterState Adagrad::state_of(std::size_t index) const {
  const State& state = states_[index];
  if (!state.sum.defined()) return {};
  return {{"step", full({}, state.step, kLong)}, {"sum", state.sum}};
}

void Adagrad::set_state(std::size_t index, const ParameterState& state) {
  const auto step = state.find("step"), sum = state.find("sum");
  states_[index] = {step == state.end() ? 0 : step->second.item().to<std::int64_t>(),
                    sum == state.end() ? Tensor() : sum->second};
}

}  // namespace lanewise::optim
