#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <lanewise/autograd/node.h>
#include <lanewise/dispatch_isa/api.h>
#include <lanewise/tensor/tensor.h>

namespace lanewise::autograd {

/// A tensor kept for the backward: remembers its version, and never makes a cycle with its own node.
///
/// An input is held as it is. An output of the node that holds it is held without its history; unpack() gives it
/// back with `saved_for` as its grad_fn.
class LANEWISE_API SavedVariable {
 public:
  SavedVariable() noexcept = default;
  /// For an output, call after set_history() or rebase_history(). Throws AutogradError for an inference tensor.
  SavedVariable(const Tensor& variable, bool is_output);

  /// The tensor, with its history. Outputs come without one if grad mode is off, unless `with_history`.
  /// Throws AutogradError if the tensor was modified in place since, or if it was released.
  Tensor unpack(std::shared_ptr<Node> saved_for = nullptr, bool with_history = false) const;

  /// The same, for generated nodes: `saved_for` is only touched if a history is needed.
  Tensor unpack(Node* saved_for) const;

  /// Releases the tensor; a later unpack() throws.
  void reset_data() noexcept;

  std::uint32_t output_nr() const noexcept { return output_nr_; }
  std::uint32_t saved_version() const noexcept { return saved_version_; }

 private:
  void check(const Node* saved_for) const;
  Tensor attach_history(std::shared_ptr<Node> grad_fn) const;

  Tensor data_;
  std::weak_ptr<Node> view_grad_fn_;  ///< of an output that is a view: not always the node that saves it
  std::uint32_t saved_version_ = 0;
  std::uint32_t output_nr_ = 0;
  bool was_defined_ = false;
  bool saved_original_ = false;  ///< data_ is the variable itself
};

/// The elements of a list that an op takes; undefined ones stay so.
std::vector<SavedVariable> save_list(ArrayRef<Tensor> list);
std::vector<Tensor> unpack_list(const std::vector<SavedVariable>& list, Node* saved_for);

}  // namespace lanewise::autograd
