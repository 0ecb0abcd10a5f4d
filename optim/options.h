#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <lanewise/optim/setting.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/named_tensors.h>
#include <lanewise/tensor/tensor.h>

/// A value of a class of options or of state: `o.lr()` reads it, `o.lr() = x` writes it, and `o.lr(x)` returns
/// `o`, so that several read as a sentence. Leaves the class at `private:`, before the value.
#define LANEWISE_ARG(type, name)                                                       \
 public:                                                                               \
  const type& name() const noexcept { return name##_; }                                \
  type& name() noexcept { return name##_; }                                            \
  auto name(type value)->decltype(*this) { return name##_ = std::move(value), *this; } \
                                                                                       \
 private:                                                                              \
  type name##_

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
  /// Where each setting is, so that all are saved, loaded and compared. Those that do not override it throw
  /// NotImplementedError then.
  virtual std::vector<Setting> settings();

  /// The settings as tensors by name: float64, int64 or bool, 0-dim or of two numbers; the bytes of a text.
  NamedTensors named_tensors() const;
  /// Throws ValueError, and may have taken up some, if a setting is missing, unknown or of another type.
  void load_named_tensors(const NamedTensors& tensors);

 protected:
  bool same_settings(const OptimizerOptions& other) const;
};

/// What the settings of each optimizer derive from, with themselves as `Derived`. Where those have no lr(), asking
/// for the learning rate throws NotImplementedError.
template <class Derived>
class OptimizerCloneableOptions : public OptimizerOptions {
 public:
  [[gnu::cold]] std::unique_ptr<OptimizerOptions> clone() const override {
    return std::make_unique<Derived>(static_cast<const Derived&>(*this));
  }
  double get_lr() const override {
    if constexpr (requires(const Derived& own) { static_cast<double>(own.lr()); }) {
      return static_cast<const Derived&>(*this).lr();
    } else {
      raise_no_lr();
    }
  }
  void set_lr(double lr) override {
    if constexpr (requires(Derived& own) { own.lr(lr); }) {
      static_cast<Derived&>(*this).lr(lr);
    } else {
      raise_no_lr();
    }
  }

 private:
  [[noreturn]] static void raise_no_lr() {
    lanewise::detail::raise<NotImplementedError>(
        "get_lr: these options have no lr(); give them one, or override get_lr() and set_lr()");
  }
};

/// What an optimizer remembers of one parameter.
class LANEWISE_API OptimizerParamState {
 public:
  OptimizerParamState() = default;
  OptimizerParamState(const OptimizerParamState&) = default;
  OptimizerParamState& operator=(const OptimizerParamState&) = default;
  virtual ~OptimizerParamState() = default;

  virtual std::unique_ptr<OptimizerParamState> clone() const = 0;
  /// Keeps the parameter alive, by whose address the state is found: another tensor may come to lie there.
  void keep(const Tensor& parameter) { parameter_ = parameter; }

 private:
  Tensor parameter_;
};

/// What the state classes derive from, with themselves as `Derived`.
template <class Derived>
class OptimizerCloneableParamState : public OptimizerParamState {
 public:
  [[gnu::cold]] std::unique_ptr<OptimizerParamState> clone() const override {
    return std::make_unique<Derived>(static_cast<const Derived&>(*this));
  }
};

/// Parameters that share settings; without settings of their own they get the optimizer's defaults.
class LANEWISE_API OptimizerParamGroup {
 public:
  OptimizerParamGroup(std::vector<Tensor> params)
      : params_(std::move(params)) {}  // implicit: a list of tensors is a group
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
  /// May change between steps, for schedules. Throws ValueError unless has_options().
  OptimizerOptions& options() { return check_options(), *options_; }
  const OptimizerOptions& options() const { return check_options(), *options_; }
  void set_options(std::unique_ptr<OptimizerOptions> options) { options_ = std::move(options); }
  /// May grow and shrink between steps; what is remembered of a parameter stays with it.
  std::vector<Tensor>& params() { return params_; }
  const std::vector<Tensor>& params() const { return params_; }

 private:
  void check_options() const {
    LANEWISE_CHECK(
        ValueError, has_options(),
        "OptimizerParamGroup: the group has no options; set_options(), or add it to an optimizer first");
  }

  std::vector<Tensor> params_;
  std::unique_ptr<OptimizerOptions> options_;
};

}  // namespace lanewise::optim
