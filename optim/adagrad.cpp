#include <array>
#include <memory>
#include <utility>

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
    : StatefulOptimizer("Adagrad", defaults) {
  add_param_groups(groups);
  for (const OptimizerParamGroup& group : param_groups()) {
    const double sum = static_cast<const AdagradOptions&>(group.options()).initial_accumulator_value();
    for (const Tensor& parameter : group.params()) {
      auto state = std::make_unique<AdagradParamState>();
      state->sum(full_like(parameter, sum));
      state->keep(parameter);
      state_[parameter.unsafeGetTensorImpl()] = std::move(state);
    }
  }
}

Adagrad::Adagrad(std::vector<Tensor> parameters, const AdagradOptions& options)
    : Adagrad(std::vector<OptimizerParamGroup>{OptimizerParamGroup(std::move(parameters))}, options) {}

void Adagrad::check_settings(const AdagradOptions& o) const {
  check_setting("learning rate", o.lr());
  check_setting("lr_decay value", o.lr_decay());
  check_setting("weight_decay value", o.weight_decay());
  check_setting("initial_accumulator_value value", o.initial_accumulator_value());
  check_setting("epsilon value", o.eps());
}

void Adagrad::apply(AdagradParamState& state, Tensor& parameter, const Tensor& grad,
                    const AdagradOptions& o) {
  Tensor& sum = state.sum();
  if (!sum.defined()) sum = full_like(parameter, o.initial_accumulator_value());
  const double lr = o.lr() / (1 + static_cast<double>(state.step()++) * o.lr_decay());
  const std::array<Tensor*, 2> outs = {&parameter, &sum};
  run_step(kStep, outs, {parameter, grad, sum}, {lr, o.eps(), o.weight_decay()});
}

}  // namespace lanewise::optim
