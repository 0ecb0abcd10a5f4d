#pragma once

#include <lanewise/optim/optimizer.h>

namespace lanewise::optim {

/// Settings of Adagrad; each setter returns the options, so that they read as a sentence.
class AdagradOptions : public OptimizerCloneableOptions<AdagradOptions> {
 public:
  explicit AdagradOptions(double lr = 1e-2) : lr_(lr) {}

  double lr() const { return lr_; }
  double lr_decay() const { return lr_decay_; }
  double weight_decay() const { return weight_decay_; }
  double initial_accumulator_value() const { return initial_; }
  double eps() const { return eps_; }

  AdagradOptions& lr(double value) { return lr_ = value, *this; }
  AdagradOptions& lr_decay(double value) { return lr_decay_ = value, *this; }
  AdagradOptions& weight_decay(double value) { return weight_decay_ = value, *this; }
  AdagradOptions& initial_accumulator_value(double value) { return initial_ = value, *this; }
  AdagradOptions& eps(double value) { return eps_ = value, *this; }

 private:
  double lr_;
  double lr_decay_ = 0;
  double weight_decay_ = 0;
  double initial_ = 0;
  double eps_ = 1e-10;
};

/// Gradients divided by the root of the sum of their squares, in step t = 1, 2...:
///   g = grad + weight_decay * p;  s += g^2;  p -= lr / (1 + (t - 1) * lr_decay) * g / (sqrt(s) + eps).
/// State: step, sum.
/// Source: J. Duchi, E. Hazan, Y. Singer, "Adaptive subgradient methods for online learning and stochastic
/// optimization" (2011).
class LANEWISE_API Adagrad : public Optimizer {
 public:
  /// Throws   ValueError for a negative or non-finite setting
  explicit Adagrad(const std::vector<OptimizerParamGroup>& groups,
                   const AdagradOptions& defaults = AdagradOptions());
  explicit Adagrad(std::vector<Tensor> parameters, const AdagradOptions& options = AdagradOptions());

  /// Of the first group.
  AdagradOptions& options() { return static_cast<AdagradOptions&>(param_groups().front().options()); }

 protected:
  void check(const OptimizerOptions& options) const override;
  void resize_state(std::size_t count) override { states_.resize(count); }
  void update(std::size_t index, Tensor& parameter, const Tensor& grad,
              const OptimizerOptions& options) override;
  ParameterState state_of(std::size_t index) const override;
  void set_state(std::size_t index, const ParameterState& state) override;

 private:
  struct State {
    std::int64_t step = 0;
    Tensor sum;
  };
  std::vector<State> states_;
};

}  // namespace lanewise::optim
