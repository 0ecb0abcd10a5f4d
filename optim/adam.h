#pragma once

#include <tuple>

#include <lanewise/optim/stateful_optimizer.h>

namespace lanewise::optim {

/// The decay of the means of the gradient and of its square.
using Betas = std::tuple<double, double>;

/// Settings of Adam.
class AdamOptions : public OptimizerCloneableOptions<AdamOptions> {
 public:
  AdamOptions(double lr = 1e-3) : lr_(lr) {}  // implicit: a number is a learning rate
  friend bool operator==(const AdamOptions& a, const AdamOptions& b) { return a.same_settings(b); }
  std::vector<Setting> settings() override {
    return {{"lr", &lr_},
            {"betas", &betas_},
            {"eps", &eps_},
            {"weight_decay", &weight_decay_},
            {"amsgrad", &amsgrad_}};
  }

  LANEWISE_ARG(double, lr);
  LANEWISE_ARG(Betas, betas) = {0.9, 0.999};
  LANEWISE_ARG(double, eps) = 1e-8;
  LANEWISE_ARG(double, weight_decay) = 0;
  LANEWISE_ARG(bool, amsgrad) = false;
};

/// Settings of AdamW: the same names, with weight decay.
class AdamWOptions : public OptimizerCloneableOptions<AdamWOptions> {
 public:
  AdamWOptions(double lr = 1e-3) : lr_(lr) {}  // implicit: a number is a learning rate
  friend bool operator==(const AdamWOptions& a, const AdamWOptions& b) { return a.same_settings(b); }
  std::vector<Setting> settings() override {
    return {{"lr", &lr_},
            {"betas", &betas_},
            {"eps", &eps_},
            {"weight_decay", &weight_decay_},
            {"amsgrad", &amsgrad_}};
  }

  LANEWISE_ARG(double, lr);
  LANEWISE_ARG(Betas, betas) = {0.9, 0.999};
  LANEWISE_ARG(double, eps) = 1e-8;
  LANEWISE_ARG(double, weight_decay) = 1e-2;
  LANEWISE_ARG(bool, amsgrad) = false;
};

/// What Adam and AdamW remember of a parameter.
class AdamParamState : public OptimizerCloneableParamState<AdamParamState> {
 public:
  friend bool operator==(const AdamParamState& a, const AdamParamState& b) {
    return same_state(a, b, kFields);
  }

  LANEWISE_ARG(std::int64_t, step) = 0;
  LANEWISE_ARG(Tensor, exp_avg);
  LANEWISE_ARG(Tensor, exp_avg_sq);
  /// The largest exp_avg_sq so far, for amsgrad.
  LANEWISE_ARG(Tensor, max_exp_avg_sq);

 public:
  static constexpr StateField<AdamParamState> kFields[] = {
      {"exp_avg", &AdamParamState::exp_avg_},
      {"exp_avg_sq", &AdamParamState::exp_avg_sq_},
      {"max_exp_avg_sq", &AdamParamState::max_exp_avg_sq_, false}};
};
using AdamWParamState = AdamParamState;

/// Adam: step sizes from running means of the gradient and its square, corrected for their start at zero.
/// Weight decay is added to the gradient. State: step, exp_avg, exp_avg_sq, max_exp_avg_sq.
/// Source: D. Kingma, J. Ba, "Adam: a method for stochastic optimization" (2015); amsgrad: S. Reddi, S. Kale,
/// S. Kumar (2018).
class LANEWISE_API Adam : public StatefulOptimizer<AdamOptions, AdamParamState> {
 public:
  /// Dtypes   floating parameters
  /// Throws   ValueError for settings out of range (lr, eps, weight_decay >= 0; betas in [0, 1))
  explicit Adam(const std::vector<OptimizerParamGroup>& groups, const AdamOptions& defaults = AdamOptions());
  explicit Adam(std::vector<Tensor> parameters, const AdamOptions& options = AdamOptions());

 private:
  void check_settings(const AdamOptions& options) const override;
  void apply(AdamParamState& state, Tensor& parameter, const Tensor& grad,
             const AdamOptions& options) override;
};

/// Adam with weight decay applied to the parameter itself; settings and state as there.
/// Source: I. Loshchilov, F. Hutter, "Decoupled weight decay regularization" (2019).
class LANEWISE_API AdamW : public StatefulOptimizer<AdamWOptions, AdamParamState> {
 public:
  explicit AdamW(const std::vector<OptimizerParamGroup>& groups,
                 const AdamWOptions& defaults = AdamWOptions());
  explicit AdamW(std::vector<Tensor> parameters, const AdamWOptions& options = AdamWOptions());

 private:
  void check_settings(const AdamWOptions& options) const override;
  void apply(AdamParamState& state, Tensor& parameter, const Tensor& grad,
             const AdamWOptions& options) override;
};

}  // namespace lanewise::optim
