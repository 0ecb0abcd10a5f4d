#pragma once

#include <lanewise/optim/stateful_optimizer.h>

namespace lanewise::optim {

/// Settings of RMSprop.
class RMSpropOptions : public OptimizerCloneableOptions<RMSpropOptions> {
 public:
  RMSpropOptions(double lr = 1e-2) : lr_(lr) {}  // implicit: a number is a learning rate
  friend bool operator==(const RMSpropOptions& a, const RMSpropOptions& b) { return a.same_settings(b); }
  std::vector<Setting> settings() override {
    return {{"lr", &lr_},
            {"alpha", &alpha_},
            {"eps", &eps_},
            {"weight_decay", &weight_decay_},
            {"momentum", &momentum_},
            {"centered", &centered_}};
  }

  LANEWISE_ARG(double, lr);
  LANEWISE_ARG(double, alpha) = 0.99;
  LANEWISE_ARG(double, eps) = 1e-8;
  LANEWISE_ARG(double, weight_decay) = 0;
  LANEWISE_ARG(double, momentum) = 0;
  LANEWISE_ARG(bool, centered) = false;
};

/// What RMSprop remembers of a parameter.
class RMSpropParamState : public OptimizerCloneableParamState<RMSpropParamState> {
 public:
  friend bool operator==(const RMSpropParamState& a, const RMSpropParamState& b) {
    return same_state(a, b, kFields);
  }

  LANEWISE_ARG(std::int64_t, step) = 0;
  LANEWISE_ARG(Tensor, square_avg);
  LANEWISE_ARG(Tensor, momentum_buffer);
  LANEWISE_ARG(Tensor, grad_avg);

 public:
  static constexpr StateField<RMSpropParamState> kFields[] = {
      {"square_avg", &RMSpropParamState::square_avg_},
      {"momentum_buffer", &RMSpropParamState::momentum_buffer_, false},
      {"grad_avg", &RMSpropParamState::grad_avg_, false}};
};

/// Gradients divided by a running root mean square:
///   g = grad + weight_decay * p;  v = alpha * v + (1 - alpha) * g^2;  centered: m = alpha * m + (1 - alpha)
///   * g, v' = v - m^2, else v' = v; d = g / (sqrt(v') + eps);  momentum: buf = momentum * buf + d, p -= lr *
///   buf;  else p -= lr * d.
/// State: step, square_avg, momentum_buffer, grad_avg.
/// Source: T. Tieleman, G. Hinton, lecture 6.5 of "Neural networks for machine learning" (2012); centered: A.
/// Graves (2013).
class LANEWISE_API RMSprop : public StatefulOptimizer<RMSpropOptions, RMSpropParamState> {
 public:
  /// Throws   ValueError for a negative or non-finite setting
  explicit RMSprop(const std::vector<OptimizerParamGroup>& groups,
                   const RMSpropOptions& defaults = RMSpropOptions());
  explicit RMSprop(std::vector<Tensor> parameters, const RMSpropOptions& options = RMSpropOptions());

 private:
  void check_settings(const RMSpropOptions& options) const override;
  void apply(RMSpropParamState& state, Tensor& parameter, const Tensor& grad,
             const RMSpropOptions& options) override;
};

}  // namespace lanewise::optim
