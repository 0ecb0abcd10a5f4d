#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <typeinfo>
#include <unordered_map>
#include <utility>
#include <vector>

#include <lanewise/autograd/node.h>
#include <lanewise/autograd/saved_value.h>
#include <lanewise/autograd/saved_variable.h>
#include <lanewise/dispatch_isa/api.h>
#include <lanewise/tensor/tensor.h>

namespace lanewise::autograd {

class CustomNodeBase;

/// First and one past the last: [first, last).
using IndexRange = std::pair<std::size_t, std::size_t>;

/// What forward() of a custom function leaves for backward().
class LANEWISE_API AutogradContext {
 public:
  AutogradContext();  // out of line, as all that would make every user compile maps and variants
  ~AutogradContext();
  AutogradContext(const AutogradContext&) = delete;
  AutogradContext& operator=(const AutogradContext&) = delete;

  /// Keeps inputs and outputs of forward(), with version checks; call at most once. Undefined tensors are
  /// allowed. Intermediate results that need no checks can also go to saved_data.
  void save_for_backward(variable_list to_save) { to_save_ = std::move(to_save); }
  /// What jvp() gets as saved variables, if that is something else than what backward() gets.
  void save_for_forward(variable_list to_save) { to_save_for_jvp_ = std::move(to_save); }
  /// In the order of save_for_backward(). Throws AutogradError if one was modified in place, or after the
  /// graph was freed.
  variable_list get_saved_variables() const;

  /// Says that forward() modified these inputs in place; they must be returned as outputs.
  void mark_dirty(const variable_list& inputs);
  /// Says that no gradient flows through these outputs.
  void mark_non_differentiable(const variable_list& outputs);
  /// Whether backward() gets zeros (the default) or undefined tensors for outputs that nothing depends on.
  void set_materialize_grads(bool value) { materialize_grads_ = value; }
  /// Whether the gradient of the i-th tensor argument is wanted; of any in these ranges [first, last). False outside of a function.
  bool needs_input_grad(std::size_t i) const;
  bool needs_input_grad(std::initializer_list<IndexRange> ranges) const;

  /// Anything else: numbers, strings, tensors.
  std::unordered_map<std::string, SavedValue> saved_data;

 private:
  friend class CustomNodeBase;

  CustomNodeBase* node_ = nullptr;
  variable_list to_save_;
  std::optional<variable_list> to_save_for_jvp_;
  std::vector<SavedVariable> saved_;
  variable_list dirty_, non_differentiable_;  // until forward is done
  const variable_list* for_jvp_ = nullptr;  ///< what jvp() sees of the saved tensors
  bool materialize_grads_ = true;
};

/// What the nodes of all custom functions share.
class LANEWISE_API CustomNodeBase : public Node {
 public:
  CustomNodeBase();
  ~CustomNodeBase() override;

  AutogradContext& context() noexcept { return context_; }
  void release_variables() override;

  // Called by Function<T>::apply in this order.
  void add_argument(variable_list& inputs, const Tensor& t);
  void add_argument(variable_list& inputs, const std::optional<Tensor>& t);
  void add_argument(variable_list& inputs, const std::vector<Tensor>& list);
  void add_argument(variable_list& inputs, TensorList list);
  template <class Other>
  void add_argument(variable_list&, const Other&) {
    add_other_argument();
  }
  /// True if the call is recorded; then edges are collected.
  bool begin(const variable_list& inputs);
  /// Whether a tangent goes in, which the function's jvp() has to carry on.
  static bool any_dual(const variable_list& inputs);
  /// What jvp() will see; before finish().
  variable_list saved_for_jvp() const;
  /// Gives the outputs their tangents; after finish().
  void propagate(const variable_list& inputs, const variable_list& saved, const variable_list& outputs);
  /// Gives the outputs their history and saves what the context was asked to.
  void finish(const variable_list& inputs, variable_list& outputs, bool records);

 protected:
  virtual variable_list run_backward(variable_list&& grads) = 0;
  virtual variable_list run_jvp(variable_list&& tangents);
  variable_list apply(variable_list&& grads) override;
  /// The name of a type without namespaces.
  static std::string type_name(const std::type_info& type);

 private:
  friend class AutogradContext;
  void add_other_argument();
  void finish_output(Tensor& output, bool is_input, bool is_dirty, bool differentiable,
                     std::size_t num_outputs, bool records);

  AutogradContext context_;
  std::vector<bool> is_tensor_;             ///< per argument of forward()
  std::vector<InputMetadata> output_info_;  ///< to make zeros for missing gradients
};

}  // namespace lanewise::autograd
