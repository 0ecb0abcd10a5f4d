#include <lanewise/autograd/grad_mode.h>
#include <lanewise/autograd/record.h>
#include <lanewise/generated/functions.h>
#include <lanewise/iterator/memory_overlap.h>
#include <lanewise/optim/optimizer.h>
#include <lanewise/tensor/errors.h>

namespace lanewise::optim {

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
    check_type(group.options());
    for (const Tensor& parameter : group.params()) {
      const std::size_t index = grads.size();
      grads.push_back(checked_grad(parameter, index));
      if (!grads.back().defined()) continue;
      LANEWISE_CHECK(DtypeError, takes(parameter.scalar_type()), name_, "::step: parameter ", index, " is ",
                     parameter.scalar_type(), ", expected a floating type");
      LANEWISE_CHECK(StorageError, has_internal_overlap(parameter) != MemOverlap::Yes, name_,
                     "::step: parameter ", index,
                     " is expanded: several of its elements share one memory location; clone() it first");
    }
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

std::size_t Optimizer::size() const {
  std::size_t count = 0;
  for (const OptimizerParamGroup& group : groups_) count += group.params().size();
  return count;
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
