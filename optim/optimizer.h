#pragma once

#include <cstdint>
#include <vector>

#include <lanewise/tensor/tensor.h>

namespace lanewise::optim {

/// What every optimizer shares: the parameters, and clearing their gradients. A parameter is a leaf that requires grad; one without a
/// gradient is left alone by step().
class LANEWISE_API Optimizer {
 public:
  /// Throws   ValueError if `parameters` is empty, or one of them is undefined, not a leaf or does not require grad
  explicit Optimizer(std::vector<Tensor> parameters);
  virtual ~Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  /// Updates every parameter from its gradient, in one pass over parameter, gradient and state.
  /// Throws DtypeError or ShapeError, before anything is written, if a gradient does not match its parameter.
  virtual void step() = 0;

  /// Drops the gradients, or fills them with zeros if set_to_none is false.
  void zero_grad(bool set_to_none = true);

  const std::vector<Tensor>& parameters() const { return parameters_; }

 protected:
  /// The gradient of parameter i, detached and checked; undefined if it has none.
  Tensor checked_grad(const char* op, std::size_t i) const;

  /// Throws   ValueError unless `value` is finite and not negative
  static void check_setting(const char* optimizer, const char* what, double value);

 private:
  std::vector<Tensor> parameters_;
};

}  // namespace lanewise::optim
