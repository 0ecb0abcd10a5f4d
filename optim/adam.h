#pragma once

#include <tuple>

#include <lanewise/optim/optimizer.h>

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

/// What a parameter's steps of Adam and AdamW remember.
struct AdamState {
  std::int64_t step = 0;
  Tensor mean;     ///< exp_avg
  Tensor square;   ///< exp_avg_sq
  Tensor largest;  ///< max_exp_avg_sq, the largest square so far, for amsgrad
};

/// Adam: step sizes from running means of the gradient and its square, corrected for their start at zero.
/// Weight decay is added to the gradient. State: step, exp_avg, exp_avg_sq, max_exp_avg_sq. Source: D.
/// Kingma, J. Ba, "Adam: a method for stochastic optimization" (2015); amsgrad: S. Reddi, S. Kale, S. Kumar
/// (2018).
class LANEWISE_API Adam : public Optimizer {
 public:
  /// Dtypes   floating parameters
  /// Throws   ValueError for settings out of range (lr, eps, weight_decay >= 0; betas in [0, 1))
  explicit Adam(const std::vector<OptimizerParamGroup>& groups, const AdamOptions& defaults = AdamOptions());
  explicit Adam(std::vector<Tensor> parameters, const AdamOptions& options = AdamOptions());

  /// Of the first group.
  AdamOptions& options() { return static_cast<AdamOptions&>(param_groups().front().options()); }

 protected:
  void check(const OptimizerOptions& options) const override;
  void resize_state(std::size_t count) override { states_.resize(count); }
  void update(std::size_t index, Tensor& parameter, const Tensor& grad,
              const OptimizerOptions& options) override;
  ParameterState state_of(std::size_t index) const override;
  void set_state(std::size_t index, const ParameterState& state) override;

 private:
  std::vector<AdamState> states_;
};

/// Adam with weight decay applied to the parameter itself.
/// Source: I. Loshchilov, F. Hutter, "Decoupled weight decay regularization" (2019).
class LANEWISE_API AdamW : public Optimizer {
 public:
  explicit AdamW(const std::vector<OptimizerParamGroup>& groups,
                 const AdamWOptions& defaults = AdamWOptions());
  explicit AdamW(std::vector<Tensor> parameters, const AdamWOptions& options = AdamWOptions());

  AdamWOptions& options() { return static_cast<AdamWOptions&>(param_groups().front().options()); }

 protected:
  void check(const OptimizerOptions& options) const override;
  void resize_state(std::size_t count) override { states_.resize(count); }
  void update(std::size_t index, Tensor& parameter, const Tensor& grad,
              const OptimizerOptions& options) override;
  ParameterState state_of(std::size_t index) const override;
  void set_state(std::size_t index, const ParameterState& state) override;

 private:
  std::vector<AdamState> states_;
};

}  // namespace lanewise::optim
