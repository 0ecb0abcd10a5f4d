#include <array>
#include <cmath>

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
    : StatefulOptimizer("SGD", defaults) {
  add_param_groups(groups);
}

SGD::SGD(std::vector<Tensor> parameters, const SGDOptions& options)
    : SGD(std::vector<OptimizerParamGroup>{OptimizerParamGroup(std::move(parameters))}, options) {}

void SGD::check_settings(const SGDOptions& o) const {
  check_setting("learning rate", o.lr());
  check_setting("momentum value", o.momentum());
  check_setting("weight_decay value", o.weight_decay());
  LANEWISE_CHECK(ValueError, std::isfinite(o.dampening()), "SGD: Invalid dampening value: ", o.dampening(),
                 "; expected a finite number");
  LANEWISE_CHECK(ValueError, !o.nesterov() || (o.momentum() > 0 && o.dampening() == 0),
                 "SGD: Nesterov momentum requires a momentum and zero dampening, found momentum ",
                 o.momentum(), " and dampening ", o.dampening());
}

void SGD::apply(SGDParamState& state, Tensor& parameter, const Tensor& grad, const SGDOptions& o) {
  if (o.momentum() == 0) {
    const std::array<Tensor*, 1> outs = {&parameter};
    run_step(kPlainStep, outs, {parameter, grad}, {o.lr(), o.weight_decay()});
    return;
  }
  Tensor& buffer = state.momentum_buffer();
  const bool first = !buffer.defined();
  if (first) buffer = empty_like(parameter);
  const std::array<Tensor*, 2> outs = {&parameter, &buffer};
  run_step(
      kStep, outs, {parameter, grad, buffer},
      {o.lr(), o.momentum(), o.dampening(), o.weight_decay(), o.nesterov() ? 1.0 : 0.0, first ? 1.0 : 0.0});
}

}  // namespace lanewise::optim
