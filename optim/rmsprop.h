#pragma once

#include <lanewise/optim/stateful_optimizer.h>

namespace lanewise::optim {

/// Settings of RMSprop; each setter returns the options, so that they read as a sentence.
class RMSpropOptions : public OptimizerCloneableOptions<RMSpropOptions> {
 public:
  explicit RMSpropOptions(double lr = 1e-2) : lr_(lr) {}

  double lr() const { return lr_; }
  double alpha() const { return alpha_; }
  double eps() const { return eps_; }
  double weight_decay() const { return weight_decay_; }
  double momentum() const { return momentum_; }
  bool centered() const { return centered_; }

  RMSpropOptions& lr(double value) { return lr_ = value, *this; }
  RMSpropOptions& alpha(double value) { return alpha_ = value, *this; }
  RMSpropOptions& eps(double value) { return eps_ = value, *this; }
  RMSpropOptions& weight_decay(double value) { return weight_decay_ = value, *this; }
  RMSpropOptions& momentum(double value) { return momentum_ = value, *this; }
  RMSpropOptions& centered(bool value) { return centered_ = value, *this; }

 private:
  double lr_;
  double alpha_ = 0.99;
  double eps_ = 1e-8;
  double weight_decay_ = 0;
  double momentum_ = 0;
  bool centered_ = false;
};

/// What RMSprop remembers of a parameter.
struct RMSpropState {
  std::int64_t step = 0;
  Tensor square, buffer, mean;

  static constexpr StateField<RMSpropState> kFields[] = {{"square_avg", &RMSpropState::square},
                                                         {"momentum_buffer", &RMSpropState::buffer, false},
                                                         {"grad_avg", &RMSpropState::mean, false}};
};

/// Gradients divided by a running root mean square:
///   g = grad + weight_decay * p;  v = alpha * v + (1 - alpha) * g^2;  centered: m = alpha * m + (1 - alpha)
///   * g, v' = v - m^2, else v' = v; d = g / (sqrt(v') + eps);  momentum: buf = momentum * buf + d, p -= lr *
///   buf;  else p -= lr * d.
/// State: step, square_avg, momentum_buffer, grad_avg.
/// Source: T. Tieleman, G. Hinton, lecture 6.5 of "Neural networks for machine learning" (2012); centered: A.
/// Graves (2013).
class LANEWISE_API RMSprop : public StatefulOptimizer<RMSpropOptions, RMSpropState> {
 public:
  /// Throws   ValueError for a negative or non-finite setting
  explicit RMSprop(const std::vector<OptimizerParamGroup>& groups,
                   const RMSpropOptions& defaults = RMSpropOptions());
  explicit RMSprop(std::vector<Tensor> parameters, const RMSpropOptions& options = RMSpropOptions());

 private:
  void check_settings(const RMSpropOptions& options) const override;
  void apply(RMSpropState& state, Tensor& parameter, const Tensor& grad,
             const RMSpropOptions& options) override;
};

}  // namespace lanewise::optim
