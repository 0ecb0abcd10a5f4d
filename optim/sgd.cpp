#include <array>

#include <lanewise/iterator/pointwise.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/ops/factories.h>
#include <lanewise/optim/detail/run_step.h>
#include <lanewise/optim/sgd.h>
#include <lanewise/tensor/errors.h>

namespace lanewise::optim {
namespace {

constexpr PointwiseOp kStep{"SGD::step", &kernels::KernelTable::sgd_step};
constexpr PointwiseOp kPlainStep{"SGD::step", &kernels::KernelTable::sgd_step_plain};

}  // namespace

SGD::SGD(const std::vector<OptimizerParamGroup>& groups, const SGDOptions& defaults)
    : Optimizer("SGD", defaults.clone()) {
  add_param_groups(groups);
}

SGD::SGD(std::vector<Tensor> parameters, const SGDOptions& options)
    : SGD(std::vector<OptimizerParamGroup>{OptimizerParamGroup(std::move(parameters))}, options) {}

void SGD::check(const OptimizerOptions& options) const {
  const auto& o = as<SGDOptions>(options);
  check_setting("lr", o.lr());
  check_setting("momentum", o.momentum());
  check_setting("weight_decay", o.weight_decay());
  LANEWISE_CHECK(ValueError, !o.nesterov() || (o.momentum() > 0 && o.dampening() == 0),
                 "SGD: nesterov needs momentum > 0 and dampening 0, found momentum ", o.momentum(),
                 " and dampening ", o.dampening());
}

void SGD::update(std::size_t index, Tensor& parameter, const Tensor& grad, const OptimizerOptions& options) {
  const auto& o = static_cast<const SGDOptions&>(options);
  if (o.momentum() == 0) {
    const std::array<Tensor*, 1> outs = {&parameter};
    run_step(kPlainStep, outs, {parameter, grad}, {o.lr(), o.weight_decay()});
    return;
  }
  Tensor& buffer = momentum_buffers_[index];
  const bool first = !buffer.defined();
  if (first) buffer = empty_like(parameter);
  const std::array<Tensor*, 2> outs = {&parameter, &buffer};
  run_step(
      kStep, outs, {parameter, grad, buffer},
      {o.lr(), o.momentum(), o.dampening(), o.weight_decay(), o.nesterov() ? 1.0 : 0.0, first ? 1.0 : 0.0});
}

ParameterState SGD::state_of(std::size_t index) const {
  if (!momentum_buffers_[index].defined()) return {};
  return {{"momentum_buffer", momentum_buffers_[index]}};
}

void SGD::set_state(std::size_t index, const ParameterState& state) {
  const auto buffer = state.find("momentum_buffer");
  momentum_buffers_[index] = buffer == state.end() ? Tensor() : buffer->second;
}

}  // namespace lanewise::optim
