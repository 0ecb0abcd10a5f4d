#include <algorithm>
#include <cmath>
#include <utility>

#include <lanewise/autograd/grad_mode.h>
#include <lanewise/autograd/record.h>
#include <lanewise/generated/functions.h>
#include <lanewise/ops/factories.h>
#include <lanewise/optim/optimizer.h>
#include <lanewise/tensor/errors.h>

namespace lanewise::optim {

Optimizer::Optimizer(const std::vector<OptimizerParamGroup>& groups,
                     std::unique_ptr<OptimizerOptions> defaults)
    : Optimizer("Optimizer", std::move(defaults)) {
  add_param_groups(groups);
}

Optimizer::Optimizer(std::vector<Tensor> parameters, std::unique_ptr<OptimizerOptions> defaults)
    : Optimizer(std::vector<OptimizerParamGroup>{OptimizerParamGroup(std::move(parameters))},
                std::move(defaults)) {}

void Optimizer::add_param_groups(const std::vector<OptimizerParamGroup>& groups) {
  for (const OptimizerParamGroup& group : groups) add_param_group(group);
}

void Optimizer::check_parameters(const std::vector<Tensor>& added) const {
  std::vector<Tensor> known = parameters();
  for (const Tensor& parameter : added) {
    const std::size_t i = known.size();
    LANEWISE_CHECK(ValueError, parameter.defined(), name_, ": parameter ", i, " is undefined");
    LANEWISE_CHECK(ValueError, parameter.is_leaf(), name_, ": can't optimize a non-leaf Tensor: parameter ",
                   i, " has a grad_fn; optimize the tensor that it was computed from");
    LANEWISE_CHECK(
        ValueError,
        std::none_of(known.begin(), known.end(), [&](const Tensor& t) { return t.is_same(parameter); }),
        name_, ": some parameters appear in more than one parameter group: parameter ", i,
        " is in one already, or twice in its own");
    known.push_back(parameter);
  }
}

void Optimizer::add_param_group(const OptimizerParamGroup& group) {
  check_parameters(group.params());
  OptimizerParamGroup own(group);
  if (!own.has_options()) {
    LANEWISE_CHECK(ValueError, defaults_ != nullptr, name_,
                   ": neither the group nor the optimizer has options");
    own.set_options(defaults_->clone());
  }
  check(own.options());
  groups_.push_back(std::move(own));
}

void Optimizer::add_parameters(const std::vector<Tensor>& parameters) {
  if (groups_.empty()) {
    add_param_group(OptimizerParamGroup(parameters));
    return;
  }
  check_parameters(parameters);
  std::vector<Tensor>& own = groups_.front().params();
  own.insert(own.end(), parameters.begin(), parameters.end());
}

Tensor Optimizer::step_each(const LossClosure& closure, const Update& update) {
  Tensor loss;
  if (closure) {
    const AutoGradMode with_grad(true);
    loss = closure();
  }
  const NoGradGuard no_grad;
  std::vector<Tensor> grads;
  grads.reserve(size());
  for (const OptimizerParamGroup& group : groups_) {
    for (const Tensor& parameter : group.params()) grads.push_back(checked_grad(parameter, grads.size()));
  }
  std::size_t index = 0;
  for (const OptimizerParamGroup& group : groups_) {
    for (const Tensor& parameter : group.params()) {
      const Tensor& grad = grads[index++];
      if (!grad.defined()) continue;
      Tensor written = parameter;
      update(written, grad, group.options());
      autograd::increment_version(written);
    }
  }
  return loss;
}

void Optimizer::check(const OptimizerOptions&) const {}

ParameterState Optimizer::saved(const OptimizerParamState&) const {
  lanewise::detail::raise<NotImplementedError>(
      name_, "::state_dict: this optimizer does not say what its state consists of; override saved()");
}

std::unique_ptr<OptimizerParamState> Optimizer::restored(const ParameterState&) const {
  lanewise::detail::raise<NotImplementedError>(
      name_, "::load_state_dict: this optimizer does not say how its state is made; override restored()");
}

void Optimizer::zero_grad(bool set_to_none) {
  for (const OptimizerParamGroup& group : groups_) {
    for (const Tensor& parameter : group.params()) {
      Tensor& grad = parameter.mutable_grad();
      if (!grad.defined()) continue;
      if (set_to_none) {
        grad = Tensor();
      } else {
        const NoGradGuard no_grad;
        grad = grad.detach();
        grad.zero_();
      }
    }
  }
}

std::vector<Tensor> Optimizer::parameters() const {
  std::vector<Tensor> all;
  for (const OptimizerParamGroup& group : groups_)
    all.insert(all.end(), group.params().begin(), group.params().end());
  return all;
}

std::size_t Optimizer::size() const {
  std::size_t count = 0;
  for (const OptimizerParamGroup& group : groups_) count += group.params().size();
  return count;
}

std::vector<ParameterState> Optimizer::state_dict() const {
  const NoGradGuard no_grad;
  std::vector<ParameterState> states;
  for (const Tensor& parameter : parameters()) {
    const auto found = state_.find(parameter.unsafeGetTensorImpl());
    states.push_back(found == state_.end() ? ParameterState() : saved(*found->second));
    for (auto& [name, value] : states.back()) value = value.clone();
  }
  return states;
}

void Optimizer::load_state_dict(const std::vector<ParameterState>& states) {
  const NoGradGuard no_grad;
  const std::vector<Tensor> all = parameters();
  LANEWISE_CHECK(ValueError, states.size() == all.size(), name_, "::load_state_dict: the state is of ",
                 states.size(), " parameters, the optimizer has ", all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const auto& [name, value] : states[i]) {
      if (name == "step") continue;
      LANEWISE_CHECK(ShapeError, value.is_same_size(all[i]), name_, "::load_state_dict: ", name,
                     " of parameter ", i, " has shape ", value.sizes(), ", expected ", all[i].sizes());
      LANEWISE_CHECK(DtypeError, value.scalar_type() == all[i].scalar_type(), name_,
                     "::load_state_dict: ", name, " of parameter ", i, " is ", value.scalar_type(),
                     ", expected ", all[i].scalar_type());
    }
  }
  StateMap taken;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (states[i].empty()) continue;
    ParameterState own;
    for (const auto& [name, value] : states[i]) own[name] = value.detach().clone();
    taken[all[i].unsafeGetTensorImpl()] = restored(own);
  }
  state_ = std::move(taken);
}

Tensor Optimizer::saved_step(std::int64_t step) { return full({}, step, kLong); }

std::int64_t Optimizer::restored_step(const Tensor& step) { return step.item().to<std::int64_t>(); }

void Optimizer::check_setting(const char* what, double value) const {
  LANEWISE_CHECK(ValueError, std::isfinite(value) && value >= 0, name_, ": Invalid ", what, ": ", value,
                 "; expected a finite number >= 0");
}

Tensor Optimizer::checked_grad(const Tensor& parameter, std::size_t index) const {
  const Tensor& grad = parameter.grad();
  if (!grad.defined()) return {};
  LANEWISE_CHECK(ShapeError, grad.sizes() == parameter.sizes(), name_, "::step: the gradient of parameter ",
                 index, " has shape ", grad.sizes(), ", expected ", parameter.sizes());
  LANEWISE_CHECK(DtypeError, grad.scalar_type() == parameter.scalar_type(), name_,
                 "::step: the gradient of parameter ", index, " is ", grad.scalar_type(), ", expected ",
                 parameter.scalar_type());
  return grad;
}

}  // namespace lanewise::optim
