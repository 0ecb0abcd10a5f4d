#pragma once

#include <tuple>

#include <lanewise/optim/stateful_optimizer.h>

namespace lanewise::optim {

/// The settings that Adam and AdamW share; each setter returns the options, so that they read as a sentence.
template <class Derived>
class AdamSettings : public OptimizerCloneableOptions<Derived> {
 public:
  double lr() const { return lr_; }
  std::tuple<double, double> betas() const { return betas_; }
  double eps() const { return eps_; }
  double weight_decay() const { return weight_decay_; }
  bool amsgrad() const { return amsgrad_; }

  Derived& lr(double value) { return lr_ = value, self(); }
  Derived& betas(std::tuple<double, double> value) { return betas_ = value, self(); }
  Derived& eps(double value) { return eps_ = value, self(); }
  Derived& weight_decay(double value) { return weight_decay_ = value, self(); }
  Derived& amsgrad(bool value) { return amsgrad_ = value, self(); }

 protected:
  AdamSettings(double lr, double weight_decay) : lr_(lr), weight_decay_(weight_decay) {}

 private:
  Derived& self() { return static_cast<Derived&>(*this); }

  double lr_;
  std::tuple<double, double> betas_ = {0.9, 0.999};
  double eps_ = 1e-8;
  double weight_decay_;
  bool amsgrad_ = false;
};

class AdamOptions : public AdamSettings<AdamOptions> {
 public:
  explicit AdamOptions(double lr = 1e-3) : AdamSettings(lr, 0) {}
};

class AdamWOptions : public AdamSettings<AdamWOptions> {
 public:
  explicit AdamWOptions(double lr = 1e-3) : AdamSettings(lr, 1e-2) {}
};

/// What Adam and AdamW remember of a parameter.
struct AdamState {
  std::int64_t step = 0;
  Tensor mean, square;
  Tensor largest;  ///< the largest square so far, for amsgrad

  static constexpr StateField<AdamState> kFields[] = {{"exp_avg", &AdamState::mean},
                                                      {"exp_avg_sq", &AdamState::square},
                                                      {"max_exp_avg_sq", &AdamState::largest, false}};
};

/// Adam: step sizes from running means of the gradient and its square, corrected for their start at zero.
/// Weight decay is added to the gradient. State: step, exp_avg, exp_avg_sq, max_exp_avg_sq.
/// Source: D. Kingma, J. Ba, "Adam: a method for stochastic optimization" (2015); amsgrad: S. Reddi, S. Kale,
/// S. Kumar (2018).
class LANEWISE_API Adam : public StatefulOptimizer<AdamOptions, AdamState> {
 public:
  /// Dtypes   floating parameters
  /// Throws   ValueError for settings out of range (lr, eps, weight_decay >= 0; betas in [0, 1))
  explicit Adam(const std::vector<OptimizerParamGroup>& groups, const AdamOptions& defaults = AdamOptions());
  explicit Adam(std::vector<Tensor> parameters, const AdamOptions& options = AdamOptions());

 private:
  void check_settings(const AdamOptions& options) const override;
  void apply(AdamState& state, Tensor& parameter, const Tensor& grad, const AdamOptions& options) override;
};

/// Adam with weight decay applied to the parameter itself; settings and state as there.
/// Source: I. Loshchilov, F. Hutter, "Decoupled weight decay regularization" (2019).
class LANEWISE_API AdamW : public StatefulOptimizer<AdamWOptions, AdamState> {
 public:
  explicit AdamW(const std::vector<OptimizerParamGroup>& groups,
                 const AdamWOptions& defaults = AdamWOptions());
  explicit AdamW(std::vector<Tensor> parameters, const AdamWOptions& options = AdamWOptions());

 private:
  void check_settings(const AdamWOptions& options) const override;
  void apply(AdamState& state, Tensor& parameter, const Tensor& grad, const AdamWOptions& options) override;
};

}  // namespace lanewise::optim
