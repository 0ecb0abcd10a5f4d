#pragma once

#include <lanewise/optim/stateful_optimizer.h>

namespace lanewise::optim {

/// Settings of Adagrad.
class AdagradOptions : public OptimizerCloneableOptions<AdagradOptions> {
 public:
  AdagradOptions(double lr = 1e-2) : lr_(lr) {}  // implicit: a number is a learning rate
  friend bool operator==(const AdagradOptions& a, const AdagradOptions& b) { return a.same_settings(b); }
  std::vector<Setting> settings() override {
    return {{"lr", &lr_},
            {"lr_decay", &lr_decay_},
            {"weight_decay", &weight_decay_},
            {"initial_accumulator_value", &initial_accumulator_value_},
            {"eps", &eps_}};
  }

  LANEWISE_ARG(double, lr);
  LANEWISE_ARG(double, lr_decay) = 0;
  LANEWISE_ARG(double, weight_decay) = 0;
  LANEWISE_ARG(double, initial_accumulator_value) = 0;
  LANEWISE_ARG(double, eps) = 1e-10;
};

/// What Adagrad remembers of a parameter.
class AdagradParamState : public OptimizerCloneableParamState<AdagradParamState> {
 public:
  friend bool operator==(const AdagradParamState& a, const AdagradParamState& b) {
    return same_state(a, b, kFields);
  }

  LANEWISE_ARG(std::int64_t, step) = 0;
  LANEWISE_ARG(Tensor, sum);

 public:
  static constexpr StateField<AdagradParamState> kFields[] = {{"sum", &AdagradParamState::sum_}};
};

/// Gradients divided by the root of the sum of their squares, in step t = 1, 2...:
///   g = grad + weight_decay * p;  s += g^2;  p -= lr / (1 + (t - 1) * lr_decay) * g / (sqrt(s) + eps).
/// State: step, sum; there from the start, for groups that are added later from their first step.
/// Source: J. Duchi, E. Hazan, Y. Singer, "Adaptive subgradient methods for online learning and stochastic
/// optimization" (2011).
class LANEWISE_API Adagrad : public StatefulOptimizer<AdagradOptions, AdagradParamState> {
 public:
  /// Throws   ValueError for a negative or non-finite setting
  explicit Adagrad(const std::vector<OptimizerParamGroup>& groups,
                   const AdagradOptions& defaults = AdagradOptions());
  explicit Adagrad(std::vector<Tensor> parameters, const AdagradOptions& options = AdagradOptions());

 private:
  void check_settings(const AdagradOptions& options) const override;
  void apply(AdagradParamState& state, Tensor& parameter, const Tensor& grad,
             const AdagradOptions& options) override;
};

}  // namespace lanewise::optim
