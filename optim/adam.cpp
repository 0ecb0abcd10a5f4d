#include <lanewise/optim/adam.h>

#include <cmath>

#include <lanewise/autograd/grad_mode.h>
#include <lanewise/autograd/record.h>
#include <lanewise/iterator/pointwise.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/ops/factories.h>
#include <lanewise/tensor/errors.h>

namespace lanewise::optim {
namespace {

constexpr PointwiseOp kStep{"Adam::step", &kernels::KernelTable::adam_step};
constexpr PointwiseOp kAmsgradStep{"Adam::step", &kernels::KernelTable::adam_step_amsgrad};

}  // namespace

Adam::Adam(std::vector<Tensor> parameters, const AdamOptions& options) : Adam(std::move(parameters), options, false) {}

Adam::Adam(std::vector<Tensor> parameters, const AdamOptions& options, bool decoupled_weight_decay)
    : Optimizer(std::move(parameters)),
      options_(options),
      decoupled_weight_decay_(decoupled_weight_decay),
      states_(this->parameters().size()) {
  check_setting("Adam", "lr", options.lr());
  check_setting("Adam", "eps", options.eps());
  check_setting("Adam", "weight_decay", options.weight_decay());
  for (const double beta : options.betas()) {
    LANEWISE_CHECK(ValueError, beta >= 0 && beta < 1, "Adam: a beta is ", beta, ", expected 0 <= beta < 1");
  }
}

void Adam::step() {
  NoGradGuard no_grad;
  std::vector<Tensor> grads(parameters().size());
  for (std::size_t i = 0; i < grads.size(); ++i) grads[i] = checked_grad("Adam::step", i);
  for (std::size_t i = 0; i < grads.size(); ++i) {
    if (!grads[i].defined()) continue;
    Tensor parameter = parameters()[i];
    State& state = states_[i];
    if (!state.mean.defined()) {
      state.mean = zeros_like(parameter);
      state.square = zeros_like(parameter);
    }
    if (options_.amsgrad() && !state.largest.defined()) state.largest = zeros_like(parameter);
    const auto t = static_cast<double>(++state.step);
    const auto [beta1, beta2] = options_.betas();
    const std::initializer_list<Scalar> params = {options_.lr(),
                                                  beta1,
                                                  beta2,
                                                  options_.eps(),
                                                  options_.weight_decay(),
                                                  decoupled_weight_decay_ ? 1.0 : 0.0,
                                                  1 - std::pow(beta1, t),
                                                  1 - std::pow(beta2, t)};
    if (options_.amsgrad()) {
      const std::array<Tensor*, 4> outs = {&parameter, &state.mean, &state.square, &state.largest};
      pointwise_multi(kAmsgradStep, outs, {parameter, grads[i], state.mean, state.square, state.largest}, params);
    } else {
      const std::array<Tensor*, 3> outs = {&parameter, &state.mean, &state.square};
      pointwise_multi(kStep, outs, {parameter, grads[i], state.mean, state.square}, params);
    }
    autograd::increment_version(parameter);
  }
}

AdamW::AdamW(std::vector<Tensor> parameters, const AdamWOptions& options) : Adam(std::move(parameters), options, true) {}

}  // namespace lanewise::optim
