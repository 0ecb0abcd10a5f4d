#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <lanewise/optim/options.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/tensor.h>

namespace lanewise::optim {

/// What an optimizer remembers of one parameter, by PyTorch's names ("step", "exp_avg"...); empty before its
/// first step.
using ParameterState = std::map<std::string, Tensor>;

/// What every optimizer shares: groups of parameters with their settings, and clearing gradients. A parameter
/// is a leaf that requires grad; one without a gradient is left alone by step().
class LANEWISE_API Optimizer {
 public:
  using LossClosure = std::function<Tensor()>;

  virtual ~Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  /// Updates every parameter from its gradient, in one pass over parameter, gradient and state. With a
  /// closure, that computes the loss and its gradients first; the loss is returned. Throws DtypeError or
  /// ShapeError, before anything is written, if a gradient does not match its parameter.
  Tensor step(const LossClosure& closure = nullptr);

  /// Drops the gradients, or fills them with zeros if set_to_none is false.
  void zero_grad(bool set_to_none = true);

  /// Throws   ValueError if a parameter is undefined, not a leaf, does not require grad or is already in a
  /// group, or if the settings are
  ///          out of range or another optimizer's
  void add_param_group(const OptimizerParamGroup& group);
  /// Settings may change between steps, for schedules; parameters may not.
  std::vector<OptimizerParamGroup>& param_groups() { return groups_; }
  const std::vector<OptimizerParamGroup>& param_groups() const { return groups_; }
  /// What groups without settings get.
  OptimizerOptions& defaults() { return *defaults_; }
  const OptimizerOptions& defaults() const { return *defaults_; }

  /// Of all groups, in order.
  std::vector<Tensor> parameters() const;
  std::size_t size() const;

  /// The state of each of parameters(), as copies; load_state_dict() takes it up again.
  std::vector<ParameterState> state_dict() const;
  /// Throws   ValueError, ShapeError, DtypeError, before anything is changed, for states of other parameters
  void load_state_dict(const std::vector<ParameterState>& states);

  /// The count of steps as state_dict() holds it, a 0-dim tensor of int64, and back.
  static Tensor saved_step(std::int64_t step);
  static std::int64_t restored_step(const Tensor& step);

  /// Throws   ValueError unless `value` is finite and not negative
  void check_setting(const char* what, double value) const;
  const char* name() const { return name_; }

 protected:
  Optimizer(const char* name, std::unique_ptr<OptimizerOptions> defaults)
      : name_(name), defaults_(std::move(defaults)) {}
  /// For constructors, which can check settings by then. Throws ValueError if there are no parameters.
  void add_param_groups(const std::vector<OptimizerParamGroup>& groups);

  /// Throws ValueError.
  virtual void check(const OptimizerOptions& options) const = 0;
  /// Room for the state of parameters up to `count`.
  virtual void resize_state(std::size_t count) = 0;
  virtual void update(std::size_t index, Tensor& parameter, const Tensor& grad,
                      const OptimizerOptions& options) = 0;
  virtual ParameterState state_of(std::size_t index) const = 0;
  virtual void set_state(std::size_t index, const ParameterState& state) = 0;

  /// The settings as this optimizer's.
  template <class Options>
  const Options& as(const OptimizerOptions& options) const {
    const auto* own = dynamic_cast<const Options*>(&options);
    LANEWISE_CHECK(ValueError, own != nullptr, name_, ": the options of a group are another optimizer's");
    return *own;
  }

 private:
  Tensor checked_grad(const Tensor& parameter, std::size_t index) const;

  const char* name_;
  std::unique_ptr<OptimizerOptions> defaults_;
  std::vector<OptimizerParamGroup> groups_;
};

}  // namespace lanewise::optim
