#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <lanewise/optim/stateful_optimizer.h>

namespace lanewise::optim {

/// Settings of LBFGS.
class LBFGSOptions : public OptimizerCloneableOptions<LBFGSOptions> {
 public:
  LBFGSOptions(double lr = 1) : lr_(lr) {}  // implicit: a number is a learning rate
  friend bool operator==(const LBFGSOptions& a, const LBFGSOptions& b) { return a.same_settings(b); }
  std::vector<Setting> settings() override {
    return {{"lr", &lr_},
            {"max_iter", &max_iter_},
            {"max_eval", &max_eval_},
            {"tolerance_grad", &tolerance_grad_},
            {"tolerance_change", &tolerance_change_},
            {"history_size", &history_size_},
            {"line_search_fn", &line_search_fn_}};
  }

  LANEWISE_ARG(double, lr);
  /// Iterations of a step.
  LANEWISE_ARG(std::int64_t, max_iter) = 20;
  /// A step ends with the iteration that reaches this number of evaluations. LBFGS fills in max_iter * 5 / 4.
  LANEWISE_ARG(std::optional<std::int64_t>, max_eval) = std::nullopt;
  /// A step ends where no element of the gradient is larger.
  LANEWISE_ARG(double, tolerance_grad) = 1e-7;
  /// A step ends where no parameter changes by more, or the loss by less, or the slope along d is less steep.
  LANEWISE_ARG(double, tolerance_change) = 1e-9;
  /// How many changes of parameters and gradient are remembered, two vectors of all parameters each.
  LANEWISE_ARG(std::int64_t, history_size) = 100;
  /// "strong_wolfe", or nothing: steps of length lr.
  LANEWISE_ARG(std::optional<std::string>, line_search_fn) = std::nullopt;
};

/// What LBFGS remembers, of all parameters as one vector of n elements; it is kept as the first one's.
class LBFGSParamState : public OptimizerCloneableParamState<LBFGSParamState> {
 public:
  friend bool operator==(const LBFGSParamState& a, const LBFGSParamState& b) {
    const auto numbers = [](const LBFGSParamState& s) {
      return std::tie(s.func_evals_, s.n_iter_, s.t_, s.prev_loss_, s.H_diag_, s.ro_);
    };
    const auto same = [](const std::vector<Tensor>& x, const std::vector<Tensor>& y) {
      return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                        [](const Tensor& t, const Tensor& u) { return t.equal(u); });
    };
    return numbers(a) == numbers(b) && same_state(a, b, kFields) && same(a.old_dirs_, b.old_dirs_) &&
           same(a.old_stps_, b.old_stps_);
  }

  /// Over all steps.
  LANEWISE_ARG(std::int64_t, func_evals) = 0;
  LANEWISE_ARG(std::int64_t, n_iter) = 0;
  /// The last iteration moved by t * d, from where loss and gradient were these; undefined before the first one.
  LANEWISE_ARG(double, t) = 0;
  LANEWISE_ARG(double, prev_loss) = 0;
  LANEWISE_ARG(Tensor, d);
  LANEWISE_ARG(Tensor, prev_flat_grad);
  /// The inverse Hessian before any correction: this number on the diagonal.
  LANEWISE_ARG(double, H_diag) = 1;
  /// Changes y of the gradient (the name is PyTorch's), changes s of the parameters, 1 / (y . s); the oldest first.
  LANEWISE_ARG(std::vector<Tensor>, old_dirs);
  LANEWISE_ARG(std::vector<Tensor>, old_stps);
  LANEWISE_ARG(std::vector<double>, ro);

 public:
  static constexpr StateField<LBFGSParamState> kFields[] = {
      {"d", &LBFGSParamState::d_}, {"prev_flat_grad", &LBFGSParamState::prev_flat_grad_}};
};

/// Quasi-Newton steps, from an inverse Hessian that a few recent changes of the gradient tell, with limited memory:
///   p += t * d,  d = -H * grad;  t = lr (in the first iteration at most lr / sum|grad|), or what the search finds.
/// A step is up to max_iter iterations, each with an evaluation of the closure or, with strong_wolfe, up to 26.
/// State: d, prev_flat_grad, [n]; old_dirs, old_stps, [changes, n]; ro, [changes]; and, in a tensor, numbers:
/// func_evals, n_iter, t, prev_loss, H_diag.
/// Source: D. Liu, J. Nocedal, "On the limited memory BFGS method for large scale optimization" (1989); J. Nocedal,
/// S. Wright, "Numerical optimization" (2006), algorithms 7.4, 3.5 and 3.6.
class LANEWISE_API LBFGS : public Optimizer {
 public:
  /// Throws   ValueError for settings out of range (lr, tolerances, max_iter, max_eval >= 0; history_size > 0; an
  ///          unknown line_search_fn), or unless there is one group
  explicit LBFGS(const std::vector<OptimizerParamGroup>& groups,
                 const LBFGSOptions& defaults = LBFGSOptions());
  explicit LBFGS(std::vector<Tensor> parameters, const LBFGSOptions& options = LBFGSOptions())
      : LBFGS(std::vector<OptimizerParamGroup>{OptimizerParamGroup(std::move(parameters))}, options) {}

  LBFGSOptions& options() { return static_cast<LBFGSOptions&>(param_groups().front().options()); }

  /// `closure` clears the gradients, computes the loss and its gradients, and is called several times; the first
  /// loss is returned. Parameters without a gradient count as having zeros. If the closure throws, parameters and
  /// state are left as they were before.
  ///
  /// Dtypes   floating parameters
  /// Throws   ValueError without a closure, without elements to optimize or for a state of other parameters;
  ///          DtypeError or ShapeError if a gradient does not match its parameter
  Tensor step(LossClosure closure = nullptr) override;

 private:
  void check(const OptimizerOptions& options) const override;
  ParameterState saved(const OptimizerParamState& state) const override;
  std::unique_ptr<OptimizerParamState> restored(const ParameterState& state) const override;
  bool has_state_per_parameter() const override { return false; }
};

}  // namespace lanewise::optim
