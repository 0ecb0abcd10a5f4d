#include <lanewise/optim/optimizer.h>

#include <cmath>
#include <utility>

#include <lanewise/autograd/grad_mode.h>
#include <lanewise/generated/functions.h>
#include <lanewise/tensor/errors.h>

namespace lanewise::optim {

Optimizer::Optimizer(std::vector<Tensor> parameters) : parameters_(std::move(parameters)) {
  LANEWISE_CHECK(ValueError, !parameters_.empty(), "Optimizer: the list of parameters is empty");
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const Tensor& parameter = parameters_[i];
    LANEWISE_CHECK(ValueError, parameter.defined(), "Optimizer: parameter ", i, " is undefined");
    LANEWISE_CHECK(ValueError, parameter.is_leaf(), "Optimizer: parameter ", i,
                   " is not a leaf; optimize the tensor that it was computed from");
    LANEWISE_CHECK(ValueError, parameter.requires_grad(), "Optimizer: parameter ", i,
                   " does not require grad; call requires_grad_() first");
  }
}

void Optimizer::zero_grad(bool set_to_none) {
  for (Tensor& parameter : parameters_) {
    Tensor& grad = parameter.mutable_grad();
    if (!grad.defined()) continue;
    if (set_to_none) {
      grad = Tensor();
    } else {
      NoGradGuard no_grad;
      grad = grad.detach();
      grad.zero_();
    }
  }
}

void Optimizer::check_setting(const char* optimizer, const char* what, double value) {
  LANEWISE_CHECK(ValueError, std::isfinite(value) && value >= 0, optimizer, ": ", what, " is ", value,
                 ", expected a finite number >= 0");
}

Tensor Optimizer::checked_grad(const char* op, std::size_t i) const {
  const Tensor& parameter = parameters_[i];
  const Tensor& grad = parameter.grad();
  if (!grad.defined()) return {};
  LANEWISE_CHECK(ShapeError, grad.sizes() == parameter.sizes(), op, ": the gradient of parameter ", i, " has shape ",
                 grad.sizes(), ", expected ", parameter.sizes());
  LANEWISE_CHECK(DtypeError, grad.scalar_type() == parameter.scalar_type(), op, ": the gradient of parameter ", i, " is ",
                 grad.scalar_type(), ", expected ", parameter.scalar_type());
  return grad;
}

}  // namespace lanewise::optim
