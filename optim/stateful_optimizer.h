#pragma once

#include <cstddef>
#include <cstdint>
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
ParameterState saved_state(const State& state, const StateField<State> (&fields)[N]) {
  ParameterState all;
  if (!(state.*fields[0].tensor).defined()) return all;
  for (const StateField<State>& field : fields) {
    if (const Tensor& t = state.*field.tensor; t.defined()) all[field.name] = t;
  }
  if constexpr (requires { state.step; }) all["step"] = Optimizer::saved_step(state.step);
  return all;
}

/// Throws ValueError if a field that every state has is missing.
template <class State, std::size_t N>
State restored_state(const char* name, const ParameterState& saved, const StateField<State> (&fields)[N]) {
  State state;
  if (saved.empty()) return state;
  const auto of = [&](const char* key, bool always) {
    const auto found = saved.find(key);
    LANEWISE_CHECK(ValueError, found != saved.end() || !always, name, "::load_state_dict: ", key,
                   " is missing");
    return found == saved.end() ? Tensor() : found->second;
  };
  for (const StateField<State>& field : fields) state.*field.tensor = of(field.name, field.always);
  if constexpr (requires { state.step; }) state.step = Optimizer::restored_step(of("step", true));
  return state;
}

/// An optimizer with settings of one type and a `State` for each parameter, whose `State::kFields` lists its
/// tensors; what is left to an optimizer is the check of its settings and its formula.
template <class Options, class State>
class StatefulOptimizer : public Optimizer {
 public:
  /// Of the first group.
  Options& options() { return static_cast<Options&>(param_groups().front().options()); }

 protected:
  StatefulOptimizer(const char* name, const Options& defaults) : Optimizer(name, defaults.clone()) {}

  virtual void check_settings(const Options& options) const = 0;
  virtual void apply(State& state, Tensor& parameter, const Tensor& grad, const Options& options) = 0;

 private:
  void check(const OptimizerOptions& options) const final { check_settings(as<Options>(options)); }
  void resize_state(std::size_t count) final { states_.resize(count); }
  void update(std::size_t index, Tensor& parameter, const Tensor& grad,
              const OptimizerOptions& options) final {
    apply(states_[index], parameter, grad, static_cast<const Options&>(options));
  }
  ParameterState state_of(std::size_t index) const final {
    return saved_state(states_[index], State::kFields);
  }
  void set_state(std::size_t index, const ParameterState& state) final {
    states_[index] = restored_state<State>(name(), state, State::kFields);
  }

  std::vector<State> states_;
};

}  // namespace lanewise::optim
