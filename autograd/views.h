#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <lanewise/autograd/autograd_meta.h>
#include <lanewise/autograd/node.h>
#include <lanewise/tensor/dim_vector.h>
#include <lanewise/tensor/tensor.h>

namespace lanewise::autograd {

// Note [Views and in-place]
// A differentiable view knows its base, which is never itself a view. An in-place op on a view rewrites the
// history of the base: the base gets a CopySlices node that stands for "overwrite this window of the old
// value with fn(window)". The grad_fn of every other view of that base is now stale; each view notes the
// version of the memory for which its grad_fn holds, and grad_fn() makes it anew, as as_strided of the base,
// when that has changed.

/// Marks `view`, fresh and over the memory of `base`, as a differentiable view of it (or of its base) and
/// returns it. Call before set_history(). `replay` is needed only where as_strided cannot express the view,
/// because its dtype differs. Views of integers and of inference tensors are not tracked: they never take
/// part in a graph.
LANEWISE_API Tensor as_view(const Tensor& base, Tensor view, CreationMeta creation = CreationMeta::Default,
                            ViewFunction replay = nullptr);
/// The same for the views that one op returns together; they are marked MultiOutputNode.
LANEWISE_API std::vector<Tensor> as_view(const Tensor& base, std::vector<Tensor> views);

/// The grad_fn of a view, made anew if the base was modified since. `meta` is that of `view`.
LANEWISE_API const std::shared_ptr<Node>& view_grad_fn(const Tensor& view, AutogradMeta& meta);

namespace detail {

/// Throws AutogradError: says why a view of this creation must not be modified, itself (`is_inplace`) or
/// through its base.
[[noreturn]] void raise_view_modified(const Tensor& self, const AutogradMeta& meta, const char* op,
                                      bool is_inplace = true);

/// For a tensor that has got another node. Hooks belong to the value that it had: they stay with the old node, in which
/// retain_grad() no longer stores; that follows the tensor to its new node.
void move_hooks(AutogradMeta& meta);

}  // namespace detail

/// The backward of an in-place op on a view: takes the base's gradient, passes what falls outside of the view
/// on to the base's old history, and what falls inside through `fn`, the node of the op.
struct LANEWISE_API CopySlices : Node {
  CopySlices(const Tensor& base, const Tensor& view, std::shared_ptr<Node> fn);

  std::string name() const override { return "CopySlices"; }
  void release_variables() override;
  const std::shared_ptr<Node>& function() const noexcept { return fn_; }

 protected:
  variable_list apply(variable_list&& grads) override;

 private:
  /// The part of the base's gradient, laid out like the base, that the view looks at.
  Tensor window(const Tensor& base_grad) const;

  DimVector base_sizes_, base_strides_;
  DimVector view_sizes_, view_strides_;
  std::int64_t offset_;  ///< of the view behind the base's first element, in elements
  ViewFunction replay_;
  std::shared_ptr<Node> fn_;
};

}  // namespace lanewise::autograd
