#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <lanewise/optim/optimizer.h>

namespace lanewise::optim {

/// A tensor of an optimizer's state: its name in state_dict(), where it is, and whether every state has it.
template <class State>
struct StateField {
  const char* name;
  Tensor State::*tensor;
  bool always = true;
};

/// The tensors of a state by name; the first one, which every state has, tells whether there was a step.
template <class State, std::size_t N>
[[gnu::cold]] ParameterState saved_state(const State& state, const StateField<State> (&fields)[N]) {
  ParameterState all;
  if (!(state.*fields[0].tensor).defined()) return all;
  for (const StateField<State>& field : fields) {
    if (const Tensor& t = state.*field.tensor; t.defined()) all[field.name] = t;
  }
  if constexpr (requires { state.step(); }) all["step"] = Optimizer::saved_step(state.step());
  return all;
}

/// Throws ValueError if a field that every state has is missing, or there is one that no state has.
template <class State, std::size_t N>
[[gnu::cold]] State restored_state(const char* name, const ParameterState& saved,
                                   const StateField<State> (&fields)[N]) {
  State state;
  if (saved.empty()) return state;
  const auto of = [&](const char* key, bool always) {
    const auto found = saved.find(key);
    LANEWISE_CHECK(ValueError, found != saved.end() || !always, name, "::load_state_dict: ", key,
                   " is missing");
    return found == saved.end() ? Tensor() : found->second;
  };
  for (const StateField<State>& field : fields) state.*field.tensor = of(field.name, field.always);
  constexpr bool kCounts = requires { state.step(); };
  for (const auto& [key, value] : saved) {
    const bool known = (kCounts && key == "step") ||
                       std::any_of(fields, fields + N, [&](const auto& field) { return field.name == key; });
    LANEWISE_CHECK(ValueError, known, name, "::load_state_dict: ", key, " is another optimizer's");
  }
  if constexpr (requires { state.step(); }) state.step(Optimizer::restored_step(of("step", true)));
  return state;
}

/// Whether the tensors of two states are equal, or both undefined, and so are the counts of steps.
template <class State, std::size_t N>
bool same_state(const State& a, const State& b, const StateField<State> (&fields)[N]) {
  for (const StateField<State>& field : fields) {
    const Tensor &x = a.*field.tensor, &y = b.*field.tensor;
    if (x.defined() != y.defined() || (x.defined() && !x.equal(y))) return false;
  }
  if constexpr (requires { a.step(); }) return a.step() == b.step();
  return true;
}

/// An optimizer with settings of one type and a `State` for each parameter, whose `State::kFields` lists its
/// tensors; what is left to an optimizer is the check of its settings and its formula.
template <class Options, class State>
class StatefulOptimizer : public Optimizer {
 public:
  /// Of the first group. Throws ValueError if there is none.
  Options& options() { return as<Options>(first_options()); }

  /// Updates every parameter from its gradient, in one pass over parameter, gradient and state. With a
  /// closure, that computes the loss and its gradients first; the loss is returned. Throws DtypeError or
  /// ShapeError, before anything is written, if a gradient does not match its parameter or the parameter is not floating;
  /// StorageError if it is expanded; ValueError if the settings of a group are another optimizer's.
  Tensor step(LossClosure closure = nullptr) override {
    return step_each(closure, [this](Tensor& parameter, const Tensor& grad, const OptimizerOptions& options) {
      const auto& own = static_cast<const Options&>(options);
      if (!remembers(own)) {
        State none;
        return apply(none, parameter, grad, own);
      }
      std::unique_ptr<OptimizerParamState>& state = state_[parameter.unsafeGetTensorImpl()];
      if (state == nullptr) {
        state = std::make_unique<State>();
        state->keep(parameter);
      }
      apply(static_cast<State&>(*state), parameter, grad, own);
    });
  }

 protected:
  StatefulOptimizer(const char* name, const Options& defaults) : Optimizer(name, defaults.clone()) {}

  virtual void check_settings(const Options& options) const = 0;
  void check_type(const OptimizerOptions& options) const override { as<Options>(options); }
  bool takes(ScalarType dtype) const override { return is_floating_point(dtype); }
  /// Whether there is a state with these settings.
  virtual bool remembers(const Options&) const { return true; }
  virtual void apply(State& state, Tensor& parameter, const Tensor& grad, const Options& options) = 0;

 private:
  [[gnu::cold]] void check(const OptimizerOptions& options) const final {
    check_settings(as<Options>(options));
  }
  [[gnu::cold]] ParameterState saved(const OptimizerParamState& state) const final {
    return saved_state(static_cast<const State&>(state), State::kFields);
  }
  [[gnu::cold]] std::unique_ptr<OptimizerParamState> restored(const ParameterState& state) const final {
    return std::make_unique<State>(restored_state<State>(name(), state, State::kFields));
  }
};

}  // namespace lanewise::optim
