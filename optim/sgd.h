#pragma once

#include <lanewise/optim/stateful_optimizer.h>

namespace lanewise::optim {

/// Settings of SGD.
class SGDOptions : public OptimizerCloneableOptions<SGDOptions> {
 public:
  SGDOptions(double lr) : lr_(lr) {}  // implicit: a number is a learning rate
  friend bool operator==(const SGDOptions& a, const SGDOptions& b) { return a.same_settings(b); }
  std::vector<Setting> settings() override {
    return {{"lr", &lr_},
            {"momentum", &momentum_},
            {"dampening", &dampening_},
            {"weight_decay", &weight_decay_},
            {"nesterov", &nesterov_}};
  }

  LANEWISE_ARG(double, lr);
  LANEWISE_ARG(double, momentum) = 0;
  LANEWISE_ARG(double, dampening) = 0;
  LANEWISE_ARG(double, weight_decay) = 0;
  LANEWISE_ARG(bool, nesterov) = false;
};

/// What SGD remembers of a parameter.
class SGDParamState : public OptimizerCloneableParamState<SGDParamState> {
 public:
  friend bool operator==(const SGDParamState& a, const SGDParamState& b) { return same_state(a, b, kFields); }

  /// Undefined until the first step with momentum.
  LANEWISE_ARG(Tensor, momentum_buffer);

 public:
  static constexpr StateField<SGDParamState> kFields[] = {
      {"momentum_buffer", &SGDParamState::momentum_buffer_}};
};

/// Stochastic gradient descent with momentum:
///   g = grad + weight_decay * p;  buf = momentum * buf + (1 - dampening) * g (the first time buf = g);
///   p -= lr * (nesterov ? g + momentum * buf : momentum ? buf : g).
/// State: momentum_buffer.
/// Source: I. Sutskever, J. Martens, G. Dahl, G. Hinton, "On the importance of initialization and momentum in
/// deep learning" (2013).
class LANEWISE_API SGD : public StatefulOptimizer<SGDOptions, SGDParamState> {
 public:
  /// Throws   ValueError for a negative or non-finite setting, or nesterov without momentum or with dampening
  SGD(const std::vector<OptimizerParamGroup>& groups, const SGDOptions& defaults);
  SGD(std::vector<Tensor> parameters, const SGDOptions& options);

 private:
  void check_settings(const SGDOptions& options) const override;
  bool remembers(const SGDOptions& options) const override { return options.momentum() != 0; }
  void apply(SGDParamState& state, Tensor& parameter, const Tensor& grad, const SGDOptions& options) override;
};

}  // namespace lanewise::optim
