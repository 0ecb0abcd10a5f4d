#pragma once

#include <lanewise/optim/optimizer.h>

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

/// Stochastic gradient descent with momentum:
///   g = grad + weight_decay * p;  buf = momentum * buf + (1 - dampening) * g (the first time buf = g);
///   p -= lr * (nesterov ? g + momentum * buf : momentum ? buf : g).
/// State: momentum_buffer.
/// Source: I. Sutskever, J. Martens, G. Dahl, G. Hinton, "On the importance of initialization and momentum in
/// deep learning" (2013).
class LANEWISE_API SGD : public Optimizer {
 public:
  /// Throws   ValueError for a negative or non-finite setting, or nesterov without momentum or with dampening
  SGD(const std::vector<OptimizerParamGroup>& groups, const SGDOptions& defaults);
  SGD(std::vector<Tensor> parameters, const SGDOptions& options);

  /// Of the first group.
  SGDOptions& options() { return static_cast<SGDOptions&>(param_groups().front().options()); }

 protected:
  void check(const OptimizerOptions& options) const override;
  void resize_state(std::size_t count) override { momentum_buffers_.resize(count); }
  void update(std::size_t index, Tensor& parameter, const Tensor& grad,
              const OptimizerOptions& options) override;
  ParameterState state_of(std::size_t index) const override;
  void set_state(std::size_t index, const ParameterState& state) override;

 private:
  std::vector<Tensor> momentum_buffers_;  // undefined until a parameter's first step with momentum
};

}  // namespace lanewise::optim
