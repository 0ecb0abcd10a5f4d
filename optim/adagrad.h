#pragma once

#include <lanewise/optim/stateful_optimizer.h>

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

/// What Adagrad remembers of a parameter.
struct AdagradState {
  std::int64_t step = 0;
  Tensor sum;

  static constexpr StateField<AdagradState> kFields[] = {{"sum", &AdagradState::sum}};
};

/// Gradients divided by the root of the sum of their squares, in step t = 1, 2...:
///   g = grad + weight_decay * p;  s += g^2;  p -= lr / (1 + (t - 1) * lr_decay) * g / (sqrt(s) + eps).
/// State: step, sum.
/// Source: J. Duchi, E. Hazan, Y. Singer, "Adaptive subgradient methods for online learning and stochastic
/// optimization" (2011).
class LANEWISE_API Adagrad : public StatefulOptimizer<AdagradOptions, AdagradState> {
 public:
  /// Throws   ValueError for a negative or non-finite setting
  explicit Adagrad(const std::vector<OptimizerParamGroup>& groups,
                   const AdagradOptions& defaults = AdagradOptions());
  explicit Adagrad(std::vector<Tensor> parameters, const AdagradOptions& options = AdagradOptions());

 private:
  void check_settings(const AdagradOptions& options) const override;
  void apply(AdagradState& state, Tensor& parameter, const Tensor& grad,
             const AdagradOptions& options) override;
};

}  // namespace lanewise::optim
