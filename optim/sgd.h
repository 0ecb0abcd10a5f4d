#pragma once

#include <lanewise/optim/stateful_optimizer.h>

namespace lanewise::optim {

/// Settings of SGD; each setter returns the options, so that they read as a sentence.
class SGDOptions : public OptimizerCloneableOptions<SGDOptions> {
 public:
  explicit SGDOptions(double lr) : lr_(lr) {}

  double lr() const { return lr_; }
  double momentum() const { return momentum_; }
  double dampening() const { return dampening_; }
  double weight_decay() const { return weight_decay_; }
  bool nesterov() const { return nesterov_; }

  SGDOptions& lr(double value) { return lr_ = value, *this; }
  SGDOptions& momentum(double value) { return momentum_ = value, *this; }
  SGDOptions& dampening(double value) { return dampening_ = value, *this; }
  SGDOptions& weight_decay(double value) { return weight_decay_ = value, *this; }
  SGDOptions& nesterov(bool value) { return nesterov_ = value, *this; }

 private:
  double lr_;
  double momentum_ = 0;
  double dampening_ = 0;
  double weight_decay_ = 0;
  bool nesterov_ = false;
};

/// What SGD remembers of a parameter.
struct SGDState {
  Tensor buffer;  ///< undefined until the first step with momentum

  static constexpr StateField<SGDState> kFields[] = {{"momentum_buffer", &SGDState::buffer}};
};

/// Stochastic gradient descent with momentum:
///   g = grad + weight_decay * p;  buf = momentum * buf + (1 - dampening) * g (the first time buf = g);
///   p -= lr * (nesterov ? g + momentum * buf : momentum ? buf : g).
/// State: momentum_buffer.
/// Source: I. Sutskever, J. Martens, G. Dahl, G. Hinton, "On the importance of initialization and momentum in
/// deep learning" (2013).
class LANEWISE_API SGD : public StatefulOptimizer<SGDOptions, SGDState> {
 public:
  /// Throws   ValueError for a negative or non-finite setting, or nesterov without momentum or with dampening
  SGD(const std::vector<OptimizerParamGroup>& groups, const SGDOptions& defaults);
  SGD(std::vector<Tensor> parameters, const SGDOptions& options);

 private:
  void check_settings(const SGDOptions& options) const override;
  void apply(SGDState& state, Tensor& parameter, const Tensor& grad, const SGDOptions& options) override;
};

}  // namespace lanewise::optim
