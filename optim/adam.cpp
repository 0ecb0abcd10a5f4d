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
void check_adam(const Optimizer& optimizer, const Options& options) {
  optimizer.check_setting("learning rate", options.lr());
  optimizer.check_setting("epsilon value", options.eps());
  optimizer.check_setting("weight_decay value", options.weight_decay());
  const auto [beta1, beta2] = options.betas();
  int index = 0;
  for (const double beta : {beta1, beta2}) {
    LANEWISE_CHECK(ValueError, beta >= 0 && beta < 1, optimizer.name(), ": Invalid beta parameter at index ",
                   index, ": ", beta, "; expected 0 <= beta < 1");
    ++index;
  }
}

template <class Options>
void apply_adam(AdamParamState& state, Tensor& parameter, const Tensor& grad, const Options& options,
                bool decoupled_weight_decay) {
  Tensor& mean = state.exp_avg();
  Tensor& square = state.exp_avg_sq();
  Tensor& largest = state.max_exp_avg_sq();
  if (!mean.defined()) {
    mean = zeros_like(parameter);
    square = zeros_like(parameter);
  }
  if (options.amsgrad() && !largest.defined()) largest = zeros_like(parameter);
  const auto t = static_cast<double>(++state.step());
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
    const std::array<Tensor*, 4> outs = {&parameter, &mean, &square, &largest};
    run_step(kAmsgradStep, outs, {parameter, grad, mean, square, largest}, params);
  } else {
    const std::array<Tensor*, 3> outs = {&parameter, &mean, &square};
    run_step(kStep, outs, {parameter, grad, mean, square}, params);
  }
}

}  // namespace

Adam::Adam(const std::vector<OptimizerParamGroup>& groups, const AdamOptions& defaults)
    : StatefulOptimizer("Adam", defaults) {
  add_param_groups(groups);
}

Adam::Adam(std::vector<Tensor> parameters, const AdamOptions& options)
    : Adam(std::vector<OptimizerParamGroup>{OptimizerParamGroup(std::move(parameters))}, options) {}

AdamW::AdamW(const std::vector<OptimizerParamGroup>& groups, const AdamWOptions& defaults)
    : StatefulOptimizer("AdamW", defaults) {
  add_param_groups(groups);
}

AdamW::AdamW(std::vector<Tensor> parameters, const AdamWOptions& options)
    : AdamW(std::vector<OptimizerParamGroup>{OptimizerParamGroup(std::move(parameters))}, options) {}

void Adam::check_settings(const AdamOptions& options) const { check_adam(*this, options); }
void AdamW::check_settings(const AdamWOptions& options) const { check_adam(*this, options); }

void Adam::apply(AdamParamState& state, Tensor& parameter, const Tensor& grad, const AdamOptions& options) {
  apply_adam(state, parameter, grad, options, false);
}

void AdamW::apply(AdamParamState& state, Tensor& parameter, const Tensor& grad, const AdamWOptions& options) {
  apply_adam(state, parameter, grad, options, true);
}

}  // namespace lanewise::optim
