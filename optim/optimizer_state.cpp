#include <cmath>
#include <utility>

#include <lanewise/autograd/grad_mode.h>
#include <lanewise/generated/functions.h>
#include <lanewise/ops/factories.h>
#include <lanewise/optim/optimizer.h>
#include <lanewise/tensor/errors.h>

namespace lanewise::optim {

ParameterState Optimizer::saved(const OptimizerParamState&) const {
  lanewise::detail::raise<NotImplementedError>(
      name_, "::state_dict: this optimizer does not say what its state consists of; override saved()");
}

std::unique_ptr<OptimizerParamState> Optimizer::restored(const ParameterState&) const {
  lanewise::detail::raise<NotImplementedError>(
      name_, "::load_state_dict: this optimizer does not say how its state is made; override restored()");
}

void Optimizer::check_saved(const std::string& name, const Tensor& value, std::size_t index,
                            IntArrayRef shape, ScalarType dtype) const {
  LANEWISE_CHECK(ShapeError, value.sizes() == shape, name_, "::load_state_dict: ", name, " of parameter ",
                 index, " has shape ", value.sizes(), ", expected ", shape);
  LANEWISE_CHECK(DtypeError, value.scalar_type() == dtype, name_, "::load_state_dict: ", name,
                 " of parameter ", index, " is ", value.scalar_type(), ", expected ", dtype);
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
    LANEWISE_CHECK(ValueError, i == 0 || has_state_per_parameter() || states[i].empty(), name_,
                   "::load_state_dict: parameter ", i, " has a state; the first one's is that of all");
    for (const auto& [name, value] : states[i]) {
      LANEWISE_CHECK(ValueError, value.defined(), name_, "::load_state_dict: ", name, " of parameter ", i,
                     " is undefined");
      if (has_state_per_parameter() && name != "step")
        check_saved(name, value, i, all[i].sizes(), all[i].scalar_type());
    }
  }
  StateMap taken;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (states[i].empty()) continue;
    ParameterState own;
    for (const auto& [name, value] : states[i]) own[name] = value.detach().clone();
    std::unique_ptr<OptimizerParamState>& state = taken[all[i].unsafeGetTensorImpl()];
    state = restored(own);
    if (state != nullptr) state->keep(all[i]);
  }
  state_ = std::move(taken);
}

Tensor Optimizer::saved_step(std::int64_t step) { return full({}, step, kLong); }

std::int64_t Optimizer::restored_step(const Tensor& step) {
  const double value = step.defined() && step.numel() == 1 ? step.item().to<double>() : -1;
  LANEWISE_CHECK(ValueError, value >= 0 && value < 0x1p53 && value == std::floor(value),
                 "load_state_dict: step must hold one whole number >= 0");
  return static_cast<std::int64_t>(value);
}

}  // namespace lanewise::optim
