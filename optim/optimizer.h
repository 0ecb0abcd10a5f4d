#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <lanewise/optim/options.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/named_tensors.h>
#include <lanewise/tensor/tensor.h>

namespace lanewise::optim {

/// What an optimizer remembers of one parameter, by PyTorch's names ("step", "exp_avg"...); empty before its
/// first step.
using ParameterState = NamedTensors;

/// What every optimizer shares: groups of parameters with their settings, what is remembered of each, and
/// clearing gradients. A parameter is a leaf; one without a gradient is left alone by step().
///
/// Your own optimizer derives from it, with options that derive from OptimizerCloneableOptions:
///
///   struct Sign : Optimizer {
///     Sign(std::vector<Tensor> parameters, double lr)
///         : Optimizer(std::move(parameters), std::make_unique<SignOptions>(lr)) {}
///     Tensor step(LossClosure closure = nullptr) override {
///       return step_each(closure, [](Tensor& p, const Tensor& grad, const OptimizerOptions& options) {
///         p.sub_(grad.sign(), options.get_lr());
///       });
///     }
///   };
class LANEWISE_API Optimizer {
 public:
  using LossClosure = std::function<Tensor()>;
  /// By the address of a parameter's TensorImpl (libtorch 1.13: by that address as text).
  using StateMap = std::unordered_map<const void*, std::unique_ptr<OptimizerParamState>>;

  /// Groups without settings get `defaults`. Throws as add_param_group() does.
  explicit Optimizer(const std::vector<OptimizerParamGroup>& groups,
                     std::unique_ptr<OptimizerOptions> defaults);
  explicit Optimizer(std::vector<Tensor> parameters, std::unique_ptr<OptimizerOptions> defaults);
  virtual ~Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  /// Updates every parameter from its gradient. With a closure, that computes the loss and its gradients
  /// first; the loss is returned.
  virtual Tensor step(LossClosure closure = nullptr) = 0;

  /// Drops the gradients, or fills them with zeros if set_to_none is false. (Dropping is the default of libtorch 2;
  /// in 1.13 it is zeros.)
  void zero_grad(bool set_to_none = true);

  /// Throws   ValueError if a parameter is undefined, not a leaf or already in a group, or if the settings are
  ///          out of range or another optimizer's
  void add_param_group(const OptimizerParamGroup& group);
  /// Parameters and settings may change between steps, for schedules.
  std::vector<OptimizerParamGroup>& param_groups() { return groups_; }
  const std::vector<OptimizerParamGroup>& param_groups() const { return groups_; }
  /// More parameters for the first group. Throws as add_param_group() does.
  void add_parameters(const std::vector<Tensor>& parameters);
  /// What groups without settings get.
  OptimizerOptions& defaults() { return *defaults_; }
  const OptimizerOptions& defaults() const { return *defaults_; }

  /// Of all groups, in order.
  std::vector<Tensor> parameters() const;
  std::size_t size() const;

  /// What is remembered of each parameter that was updated, by its TensorImpl. Whoever puts a state in calls its keep().
  StateMap& state() { return state_; }
  const StateMap& state() const { return state_; }

  /// The state of each of parameters(), as copies; load_state_dict() takes it up again.
  std::vector<ParameterState> state_dict() const;
  /// Throws   ValueError, ShapeError, DtypeError, before anything is changed, for states of other parameters or optimizers
  void load_state_dict(const std::vector<ParameterState>& states);

  /// What save() writes and load() takes up, so that training goes on as if it had not stopped: of group g
  /// "param_groups.g.lr" and the like and "param_groups.g.params", the numbers of its parameters among parameters();
  /// of parameter i "state.i.step" and the like.
  NamedTensors named_tensors() const;
  /// Throws   ValueError, ShapeError, DtypeError, before anything is changed, for other groups, parameters, settings or
  ///          states than this optimizer has
  void load_named_tensors(const NamedTensors& tensors);

  /// The count of steps as state_dict() holds it, a 0-dim tensor of int64, and back.
  static Tensor saved_step(std::int64_t step);
  static std::int64_t restored_step(const Tensor& step);

  /// Throws   ValueError unless `value` is finite and not negative
  void check_setting(const char* what, double value) const;
  const char* name() const { return name_; }

 protected:
  Optimizer(const char* name, std::unique_ptr<OptimizerOptions> defaults)
      : name_(name), defaults_(std::move(defaults)) {}
  /// For constructors, which can check settings by then.
  void add_param_groups(const std::vector<OptimizerParamGroup>& groups);

  using Update = std::function<void(Tensor& parameter, const Tensor& grad, const OptimizerOptions& options)>;
  /// A step, made of `update` for each parameter that has a gradient, without recording. Throws DtypeError or
  /// ShapeError, before anything is written, if a gradient does not match its parameter; StorageError if that is expanded.
  Tensor step_each(const LossClosure& closure, const Update& update);

  /// Throws ValueError.
  virtual void check(const OptimizerOptions& options) const;
  /// For state_dict() and load_state_dict(). An optimizer that does not override them has none: they throw
  /// NotImplementedError.
  virtual ParameterState saved(const OptimizerParamState& state) const;
  virtual std::unique_ptr<OptimizerParamState> restored(const ParameterState& state) const;
  /// Throws ValueError for the options of another optimizer; step_each() asks before it writes.
  virtual void check_type(const OptimizerOptions&) const {}
  /// Whether parameters that have a gradient may be of this dtype; step_each() refuses others before it writes.
  virtual bool takes(ScalarType) const { return true; }
  /// If not, there is one group, what is remembered of all is the first parameter's state, and restored() checks what is in it.
  virtual bool has_state_per_parameter() const { return true; }
  /// Throws ShapeError or DtypeError unless a tensor of a saved state is like this.
  void check_saved(const std::string& name, const Tensor& value, std::size_t index, IntArrayRef shape,
                   ScalarType dtype) const;

  /// The gradient, or an undefined tensor. Throws DtypeError or ShapeError if it does not match its parameter.
  Tensor checked_grad(const Tensor& parameter, std::size_t index) const;

  /// Throws ValueError if there is no group.
  OptimizerOptions& first_options();
  /// The settings as this optimizer's.
  template <class Options>
  Options& as(OptimizerOptions& options) const {
    return const_cast<Options&>(as<Options>(std::as_const(options)));
  }
  template <class Options>
  const Options& as(const OptimizerOptions& options) const {
    const auto* own = dynamic_cast<const Options*>(&options);
    LANEWISE_CHECK(ValueError, own != nullptr, name_, ": the options of a group are another optimizer's");
    return *own;
  }

  StateMap state_;

 private:
  void check_parameters(const std::vector<Tensor>& added) const;

  const char* name_;
  std::unique_ptr<OptimizerOptions> defaults_;
  std::vector<OptimizerParamGroup> groups_;
};

}  // namespace lanewise::optim
