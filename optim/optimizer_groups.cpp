#include <algorithm>
#include <cmath>
#include <utility>

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
  LANEWISE_CHECK(ValueError, has_state_per_parameter() || groups_.empty(), name_,
                 ": the number of parameter groups is ", groups_.size() + 1,
                 ", expected one; add_parameters() adds to the first");
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

OptimizerOptions& Optimizer::first_options() {
  LANEWISE_CHECK(ValueError, !groups_.empty(), name_,
                 ": there is no parameter group; add_param_group() first");
  return groups_.front().options();
}

std::vector<Tensor> Optimizer::parameters() const {
  std::vector<Tensor> all;
  for (const OptimizerParamGroup& group : groups_)
    all.insert(all.end(), group.params().begin(), group.params().end());
  return all;
}

void Optimizer::check(const OptimizerOptions&) const {}

void Optimizer::check_setting(const char* what, double value) const {
  LANEWISE_CHECK(ValueError, std::isfinite(value) && value >= 0, name_, ": Invalid ", what, ": ", value,
                 "; expected a finite number >= 0");
}

}  // namespace lanewise::optim
