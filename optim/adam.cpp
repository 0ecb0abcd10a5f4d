#include <array>
#include <cmath>

#include <lanewise/iterator/pointwise.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/ops/factories.h>
#include <lanewise/optim/adam.h>
#include <lanewise/optim/detail/run_step.h>
#include <lanewise/tensor/errors.h>

namespace lanewise::optim {
namespace {

constexpr PointwiseOp kStep{"Adam::step", &kernels::KernelTable::adam_step};
constexpr PointwiseOp kAmsgradStep{"Adam::step", &kernels::KernelTable::adam_step_amsgrad};

template <class Options>
void check_betas(const char* name, const Options& options) {
  const auto [beta1, beta2] = options.betas();
  for (const double beta : {beta1, beta2}) {
    LANEWISE_CHECK(ValueError, beta >= 0 && beta < 1, name, ": a beta is ", beta, ", expected 0 <= beta < 1");
  }
}

template <class Options>
void update_one(AdamState& state, Tensor& parameter, const Tensor& grad, const Options& options,
                bool decoupled_weight_decay) {
  if (!state.mean.defined()) {
    state.mean = zeros_like(parameter);
    state.square = zeros_like(parameter);
  }
  if (options.amsgrad() && !state.largest.defined()) state.largest = zeros_like(parameter);
  const auto t = static_cast<double>(++state.step);
  const auto [beta1, beta2] = options.betas();
  const std::initializer_list<Scalar> params = {options.lr(),
                                                beta1,
                                                beta2,
                                                options.eps(),
                                                options.weight_decay(),
                                                decoupled_weight_decay ? 1.0 : 0.0,
                                                1 - std::pow(beta1, t),
                                                1 - std::pow(beta2, t)};
  if (options.amsgrad()) {
    const std::array<Tensor*, 4> outs = {&parameter, &state.mean, &state.square, &state.largest};
    run_step(kAmsgradStep, outs, {parameter, grad, state.mean, state.square, state.largest}, params);
  } else {
    const std::array<Tensor*, 3> outs = {&parameter, &state.mean, &state.square};
    run_step(kStep, outs, {parameter, grad, state.mean, state.square}, params);
  }
}

ParameterState saved(const AdamState& state) {
  if (!state.mean.defined()) return {};
  ParameterState all = {
      {"step", full({}, state.step, kLong)}, {"exp_avg", state.mean}, {"exp_avg_sq", state.square}};
  if (state.largest.defined()) all["max_exp_avg_sq"] = state.largest;
  return all;
}

AdamState restored(const char* name, const ParameterState& state) {
  if (state.empty()) return {};
  const auto of = [&](const char* key) {
    const auto found = state.find(key);
    LANEWISE_CHECK(ValueError, found != state.end(), name, "::load_state_dict: ", key, " is missing");
    return found->second;
  };
  AdamState own{of("step").item().to<std::int64_t>(), of("exp_avg"), of("exp_avg_sq"), {}};
  if (state.contains("max_exp_avg_sq")) own.largest = of("max_exp_avg_sq");
  return own;
}

}  // namespace

Adam::Adam(const std::vector<OptimizerParamGroup>& groups, const AdamOptions& defaults)
    : Optimizer("Adam", defaults.clone()) {
  add_param_groups(groups);
}

Adam::Adam(std::vector<Tensor> parameters, const AdamOptions& options)
    : Adam(std::vector<OptimizerParamGroup>{OptimizerParamGroup(std::move(parameters))}, options) {}

void Adam::check(const OptimizerOptions& options) const {
  const auto& o = as<AdamOptions>(options);
  check_setting("lr", o.lr());
  check_setting("eps", o.eps());
  check_setting("weight_decay", o.weight_decay());
  check_betas("Adam", o);
}

void Adam::update(std::size_t index, Tensor& parameter, const Tensor& grad, const OptimizerOptions& options) {
  update_one(states_[index], parameter, grad, static_cast<const AdamOptions&>(options), false);
}

ParameterState Adam::state_of(std::size_t index) const { return saved(states_[index]); }

void Adam::set_state(std::size_t index, const ParameterState& state) {
  states_[index] = restored("Adam", state);
}

AdamW::AdamW(const std::vector<OptimizerParamGroup>& groups, const AdamWOptions& defaults)
    : Optimizer("AdamW", defaults.clone()) {
  add_param_groups(groups);
}

AdamW::AdamW(std::vector<Tensor> parameters, const AdamWOptions& options)
    : AdamW(std::vector<OptimizerParamGroup>{OptimizerParamGroup(std::move(parameters))}, options) {}

void AdamW::check(const OptimizerOptions& options) const {
  const auto& o = as<AdamWOptions>(options);
  check_setting("lr", o.lr());
  check_setting("eps", o.eps());
  check_setting("weight_decay", o.weight_decay());
  check_betas("AdamW", o);
}

void AdamW::update(std::size_t index, Tensor& parameter, const Tensor& grad,
                   const OptimizerOptions& options) {
  update_one(states_[index], parameter, grad, static_cast<const AdamWOptions&>(options), true);
}

ParameterState AdamW::state_of(std::size_t index) const { return saved(states_[index]); }

void AdamW::set_state(std::size_t index, const ParameterState& state) {
  states_[index] = restored("AdamW", state);
}

}  // namespace lanewise::optim
