#include <lanewise/optim/sgd.h>

#include <array>

#include <lanewise/autograd/grad_mode.h>
#include <lanewise/autograd/record.h>
#include <lanewise/iterator/pointwise.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/ops/factories.h>
#include <lanewise/tensor/errors.h>

namespace lanewise::optim {
namespace {

constexpr PointwiseOp kStep{"SGD::step", &kernels::KernelTable::sgd_step};
constexpr PointwiseOp kPlainStep{"SGD::step", &kernels::KernelTable::sgd_step_plain};

}  // namespace

SGD::SGD(std::vector<Tensor> parameters, const SGDOptions& options)
    : Optimizer(std::move(parameters)), options_(options), momentum_buffers_(this->parameters().size()) {
  check_setting("SGD", "lr", options.lr());
  check_setting("SGD", "momentum", options.momentum());
  check_setting("SGD", "weight_decay", options.weight_decay());
  LANEWISE_CHECK(ValueError, !options.nesterov() || (options.momentum() > 0 && options.dampening() == 0),
                 "SGD: nesterov needs momentum > 0 and dampening 0, found momentum ", options.momentum(), " and dampening ",
                 options.dampening());
}

void SGD::step() {
  NoGradGuard no_grad;
  std::vector<Tensor> grads(parameters().size());
  for (std::size_t i = 0; i < grads.size(); ++i) grads[i] = checked_grad("SGD::step", i);
  for (std::size_t i = 0; i < grads.size(); ++i) {
    if (!grads[i].defined()) continue;
    Tensor parameter = parameters()[i];
    if (options_.momentum() == 0) {
      const std::array<Tensor*, 1> outs = {&parameter};
      pointwise_multi(kPlainStep, outs, {parameter, grads[i]}, {options_.lr(), options_.weight_decay()});
    } else {
      Tensor& buffer = momentum_buffers_[i];
      const bool first = !buffer.defined();
      if (first) buffer = empty_like(parameter);
      const std::array<Tensor*, 2> outs = {&parameter, &buffer};
      pointwise_multi(kStep, outs, {parameter, grads[i], buffer},
                      {options_.lr(), options_.momentum(), options_.dampening(), options_.weight_decay(),
                       options_.nesterov() ? 1.0 : 0.0, first ? 1.0 : 0.0});
    }
    autograd::increment_version(parameter);
  }
}

}  // namespace lanewise::optim
