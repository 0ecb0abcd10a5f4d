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

void Optimizer::add_param_groups(const std::vector<OptimizerParamGroup>& groups) {
  for (const OptimizerParamGroup& group : groups) add_param_group(group);
  LANEWISE_CHECK(ValueError, size() > 0, name_, ": the list of parameters is empty");
}

void Optimizer::add_param_group(const OptimizerParamGroup& group) {
  std::vector<Tensor> known = parameters();
  for (const Tensor& parameter : group.params()) {
    const std::size_t i = known.size();
    LANEWISE_CHECK(ValueError, parameter.defined(), name_, ": parameter ", i, " is undefined");
    LANEWISE_CHECK(ValueError, parameter.is_leaf(), name_, ": can't optimize a non-leaf Tensor: parameter ",
                   i, " is not a leaf; optimize the tensor that it was computed from");
    LANEWISE_CHECK(ValueError, parameter.requires_grad(), name_, ": parameter ", i,
                   " does not require grad; call requires_grad_() first");
    LANEWISE_CHECK(
        ValueError,
        std::none_of(known.begin(), known.end(), [&](const Tensor& t) { return t.is_same(parameter); }),
        name_, ": parameter ", i, " appears in more than one parameter group, or twice in one");
    known.push_back(parameter);
  }
  OptimizerParamGroup own(group);
  if (!own.has_options()) own.set_options(defaults_->clone());
  check(own.options());
  groups_.push_back(std::move(own));
  resize_state(known.size());
}

Tensor Optimizer::step(const LossClosure& closure) {
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
      const Tensor& grad = grads[index];
      if (grad.defined()) {
        Tensor written = parameter;
        update(index, written, grad, group.options());
        autograd::increment_version(written);
      }
      ++index;
    }
  }
  return loss;
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
  for (std::size_t i = 0; i < size(); ++i) {
    states.push_back(state_of(i));
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
  for (std::size_t i = 0; i < all.size(); ++i) {
    ParameterState own;
    for (const auto& [name, value] : states[i]) own[name] = value.detach().clone();
    set_state(i, own);
  }
}

Tensor Optimizer::saved_step(std::int64_t step) { return full({}, step, kLong); }

std::int64_t Optimizer::restored_step(const Tensor& step) { return step.item().to<std::int64_t>(); }

void Optimizer::check_setting(const char* what, double value) const {
  LANEWISE_CHECK(ValueError, std::isfinite(value) && value >= 0, name_, ": ", what, " is ", value,
                 ", expected a finite number >= 0");
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
