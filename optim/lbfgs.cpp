#include <utility>

#include <lanewise/autograd/grad_mode.h>
#include <lanewise/generated/functions.h>
#include <lanewise/ops/factories.h>
#include <lanewise/optim/detail/check.h>
#include <lanewise/optim/detail/lbfgs_iterations.h>
#include <lanewise/optim/lbfgs.h>
#include <lanewise/tensor/errors.h>

namespace lanewise::optim {
namespace {

void check_settings(const Optimizer& optimizer, const LBFGSOptions& o) {
  optimizer.check_setting("learning rate", o.lr());
  optimizer.check_setting("tolerance_grad", o.tolerance_grad());
  optimizer.check_setting("tolerance_change", o.tolerance_change());
  optimizer.check_setting("max_iter", static_cast<double>(o.max_iter()));
  optimizer.check_setting("max_eval", static_cast<double>(o.max_eval().value_or(0)));
  check_value(o.history_size() > 0, "LBFGS", "history_size", static_cast<double>(o.history_size()),
              "a number > 0");
  if (o.line_search_fn().has_value()) {
    LANEWISE_CHECK(ValueError, *o.line_search_fn() == "strong_wolfe", "LBFGS: line_search_fn is ",
                   *o.line_search_fn(), ", expected strong_wolfe or none");
  }
}

void fill_max_eval(LBFGSOptions& o) {
  if (!o.max_eval().has_value()) o.max_eval(o.max_iter() * 5 / 4);
}

Tensor with_grad(const Optimizer::LossClosure& closure) {
  const AutoGradMode with_grad(true);
  return closure();
}

}  // namespace

LBFGS::LBFGS(const std::vector<OptimizerParamGroup>& groups, const LBFGSOptions& defaults)
    : Optimizer("LBFGS", defaults.clone()) {
  check_value(groups.size() == 1, "LBFGS", "the number of parameter groups",
              static_cast<double>(groups.size()), "one: there are no settings per group");
  add_param_groups(groups);
  for (OptimizerOptions* o : {&param_groups().front().options(), &this->defaults()}) {
    fill_max_eval(static_cast<LBFGSOptions&>(*o));
  }
}

void LBFGS::check(const OptimizerOptions& options) const {
  check_settings(*this, as<LBFGSOptions>(options));
}

Tensor LBFGS::step(LossClosure closure) {
  const std::size_t groups = param_groups().size();
  check_value(groups == 1, "LBFGS::step", "the number of parameter groups", static_cast<double>(groups),
              "one");
  LANEWISE_CHECK(
      ValueError, closure != nullptr,
      "LBFGS::step: there is no closure; pass one that clears the gradients and computes the loss and "
      "its gradients, which a step does several times");
  const std::vector<Tensor> params = param_groups().front().params();  // the closure may change the groups
  LBFGSOptions options = as<LBFGSOptions>(param_groups().front().options());
  fill_max_eval(options);
  check_settings(*this, options);
  std::int64_t count = 0;
  for (std::size_t i = 0; i < params.size(); ++i) {
    check_floating("LBFGS::step: parameter ", i, params[i].scalar_type());
    count += params[i].numel();
  }
  check_value(count > 0, "LBFGS::step", "the number of elements", 0, "a number > 0");
  const void* key = params.front().unsafeGetTensorImpl();
  std::unique_ptr<OptimizerParamState>& kept = state_[key];
  if (kept == nullptr) {
    kept = std::make_unique<LBFGSParamState>();
    kept->keep(params.front());
  }
  // Taken over when nothing can fail any more.
  const std::unique_ptr<OptimizerParamState> copy = kept->clone();
  auto& next = static_cast<LBFGSParamState&>(*copy);
  check_value(!next.d().defined() || next.d().numel() == count, "LBFGS::step", "the number of elements",
              static_cast<double>(count), "that of the steps before; state().clear() forgets them");

  const NoGradGuard no_grad;
  Tensor first_loss;
  const auto evaluate = [&] {
    const Tensor loss = with_grad(closure);
    if (!first_loss.defined()) first_loss = loss;
    ++next.func_evals();
    std::vector<Tensor> grads;
    for (const Tensor& p : params) {
      const Tensor grad = checked_grad(p, grads.size());
      grads.push_back((grad.defined() ? grad : zeros_like(p)).flatten());
    }
    return Evaluation{loss.item<double>(), cat(grads)};
  };
  lbfgs_iterations(params, options, evaluate, evaluate(), next);
  static_cast<LBFGSParamState&>(*state_.at(key)) = std::move(next);
  return first_loss;
}

}  // namespace lanewise::optim
