#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <lanewise/autograd/node.h>
#include <lanewise/autograd/saved_tensor_hooks.h>
#include <lanewise/autograd/transforms.h>
#include <lanewise/dispatch_isa/api.h>
#include <lanewise/tensor/tensor.h>

namespace lanewise::autograd {

/// A tensor kept for the backward: remembers its version, and never makes a cycle with its own node.
///
/// An input is held as it is. An output of the node that holds it is held without its history; unpack() gives
/// it back with `saved_for` as its grad_fn. With hooks, what they packed is held in its place.
class LANEWISE_API SavedVariable {
 public:
  SavedVariable() noexcept = default;
  SavedVariable(const Tensor& variable, bool is_output) { save(variable, is_output); }
  /// libtorch's form; whether the op was in place on a view, save() sees for itself.
  SavedVariable(const Tensor& variable, bool is_output, bool /*is_inplace_on_view*/)
      : SavedVariable(variable, is_output) {}
  SavedVariable(SavedVariable&&) noexcept = default;
  SavedVariable& operator=(SavedVariable&&) noexcept = default;

  /// Keeps `variable`, if nothing was kept so far. For an output, call after set_history() or
  /// rebase_history(). Throws AutogradError for an inference tensor.
  void save(const Tensor& variable, bool is_output);

  /// The tensor, with its history. Outputs come without one if grad mode is off, unless `with_history`.
  /// Throws AutogradError if the tensor was modified in place since, or if it was released.
  Tensor unpack(std::shared_ptr<Node> saved_for = nullptr, bool with_history = false) const;

  /// The same, for generated nodes, which hold their lock meanwhile: what is kept itself, or else `made`,
  /// which gets what has to be made. `saved_for` is only touched if a history is needed.
  const Tensor& unpack(Node* saved_for, Tensor& made) const;

  /// Packs the tensor with these hooks and lets it go. Throws AutogradError if nothing is saved, the tensor
  /// was released, or it has hooks already.
  void register_hooks(std::unique_ptr<SavedVariableHooks>&& hooks);

  /// Releases the tensor; a later unpack() throws.
  void reset_data() noexcept;

  std::uint32_t output_nr() const noexcept { return output_nr_; }
  std::uint32_t saved_version() const noexcept { return saved_version_; }

 private:
  /// What few saved tensors need.
  struct Rare {
    std::weak_ptr<Node> view_grad_fn;  ///< of an output that is a view: not always the node that saves it
    std::unique_ptr<SavedVariableHooks> hooks;
    std::shared_ptr<Node> next;  ///< of an input with hooks: its grad_fn or accumulator
    std::shared_ptr<ForwardGrad> forward;  ///< with hooks: the tangents, which they do not see
  };

  void check(const Node* saved_for) const;
  void pack(std::unique_ptr<SavedVariableHooks>&& hooks);
  Tensor unpack_with_hooks(std::shared_ptr<Node> saved_for) const;
  /// What a hook unpacked, in the place of what was packed.
  Tensor with_history(const Tensor& data, std::shared_ptr<Node> saved_for) const;
  Tensor attach_history(const Tensor& data, std::shared_ptr<Node> grad_fn) const;

  Tensor data_;
  std::unique_ptr<Rare> rare_;
  std::uint32_t saved_version_ = 0;
  std::uint32_t output_nr_ = 0;
  bool was_defined_ = false;
  bool saved_original_ = false;  ///< data_ is the variable itself
};

/// The elements of a list that an op takes; undefined ones stay so.
std::vector<SavedVariable> save_list(ArrayRef<Tensor> list);
std::vector<Tensor> unpack_list(const std::vector<SavedVariable>& list, Node* saved_for);

}  // namespace lanewise::autograd
