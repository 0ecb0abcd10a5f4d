#pragma once

#include <memory>
#include <vector>

#include <lanewise/tensor/tensor.h>

namespace lanewise::optim {

/// Settings of an optimizer for a group of parameters.
class LANEWISE_API OptimizerOptions {
 public:
  OptimizerOptions() = default;
  OptimizerOptions(const OptimizerOptions&) = default;
  OptimizerOptions& operator=(const OptimizerOptions&) = default;
  virtual ~OptimizerOptions() = default;

  virtual std::unique_ptr<OptimizerOptions> clone() const = 0;
  virtual double get_lr() const = 0;
  virtual void set_lr(double lr) = 0;
};

/// What the settings of each optimizer derive from, with themselves as `Derived`.
template <class Derived>
class OptimizerCloneableOptions : public OptimizerOptions {
 public:
  std::unique_ptr<OptimizerOptions> clone() const override {
    return std::make_unique<Derived>(static_cast<const Derived&>(*this));
  }
  double get_lr() const override { return static_cast<const Derived&>(*this).lr(); }
  void set_lr(double lr) override { static_cast<Derived&>(*this).lr(lr); }
};

/// Parameters that share settings; without settings of their own they get the optimizer's defaults.
class LANEWISE_API OptimizerParamGroup {
 public:
  OptimizerParamGroup(std::vector<Tensor> params)
      : params_(std::move(params)) {}  // NOLINT: a list of tensors is a group
  OptimizerParamGroup(std::vector<Tensor> params, std::unique_ptr<OptimizerOptions> options)
      : params_(std::move(params)), options_(std::move(options)) {}
  OptimizerParamGroup(const OptimizerParamGroup& other)
      : params_(other.params_), options_(other.options_ ? other.options_->clone() : nullptr) {}
  OptimizerParamGroup(OptimizerParamGroup&&) = default;
  OptimizerParamGroup& operator=(OptimizerParamGroup&&) = default;
  OptimizerParamGroup& operator=(const OptimizerParamGroup& other) {
    return *this = OptimizerParamGroup(other);
  }
  ~OptimizerParamGroup() = default;

  bool has_options() const { return options_ != nullptr; }
  /// May change between steps, for schedules. Only if has_options().
  OptimizerOptions& options() { return *options_; }
  const OptimizerOptions& options() const { return *options_; }
  void set_options(std::unique_ptr<OptimizerOptions> options) { options_ = std::move(options); }
  const std::vector<Tensor>& params() const { return params_; }

 private:
  std::vector<Tensor> params_;
  std::unique_ptr<OptimizerOptions> options_;
};

}  // namespace lanewise::optim
