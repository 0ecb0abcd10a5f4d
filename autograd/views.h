#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include <lanewise/autograd/autograd_meta.h>
#include <lanewise/tensor/dim_vector.h>
#include <lanewise/tensor/tensor.h>

namespace lanewise::autograd {

// Note [Views and in-place]
// A differentiable view knows its base (never itself a view) and its geometry in the base's memory. An in-place op on a
// view rewrites the history of the base: the base gets a CopySlices node that stands for "overwrite this window
// of the old value with fn(window)". The grad_fn of every other view of that base is now stale; each view notes the
// version at which its grad_fn was made, and grad_fn() makes it anew, as as_strided of the base, when they differ.

/// How a view came to be; decides whether it may be modified in place while gradients are recorded.
enum class CreationMeta : std::uint8_t {
  Default,             ///< in-place is fine
  InCustomFunction,    ///< made by a custom Function: an in-place change would lose its backward
  MultiOutputNode,     ///< one of several outputs of one op (unbind, split)
  NoGradMode,          ///< made where nothing was recorded, of a base that requires a gradient
  InferenceMode,       ///< made in inference mode of a normal tensor
};

/// Makes the view again from another base with the shape and dtype of the first.
using ViewFunction = std::function<Tensor(const Tensor& base)>;

/// Of a view: where it looks.
struct ViewMeta {
  Tensor base;                  ///< never a differentiable view itself
  ViewFunction replay;          ///< set if as_strided on the base cannot express the view (the dtype changes)
  std::uint32_t version = 0;    ///< of the memory when grad_fn was made
  CreationMeta creation = CreationMeta::Default;
};

/// Marks `view`, fresh and over the memory of `base`, as a differentiable view of it (or of its base), and returns
/// it. Call before set_history(). `replay` is needed only if the element type differs.
///
/// Nothing is recorded, and nothing is paid, for views of tensors that could never take part in a graph: integers.
/// If grad mode is off and the base requires a gradient, the view is marked NoGradMode.
LANEWISE_API Tensor as_view(const Tensor& base, Tensor view, CreationMeta creation = CreationMeta::Default,
                            ViewFunction replay = nullptr);

/// The view's ViewMeta or null.
inline ViewMeta* get_view_meta(const Tensor& t) noexcept {
  const AutogradMeta* meta = t.defined() ? get_autograd_meta(t) : nullptr;
  return meta == nullptr ? nullptr : meta->view_.get();
}

/// Makes the same window over another base of the geometry of `view`'s base. Differentiable.
LANEWISE_API Tensor replay_view(const Tensor& view, const Tensor& base);

/// The backward of an in-place op on a view: takes the base's gradient, passes what falls outside of the view to the
/// base's old history and what falls inside through `fn`, the node of the op.
struct LANEWISE_API CopySlices : Node {
  CopySlices(const Tensor& base, const Tensor& view, std::shared_ptr<Node> fn);

  std::string name() const override { return "CopySlices"; }
  void release_variables() override;
  const std::shared_ptr<Node>& function() const noexcept { return fn_; }

 protected:
  variable_list apply(variable_list&& grads) override;

 private:
  Tensor window(const Tensor& base_grad) const;

  DimVector base_sizes_, base_strides_;
  DimVector view_sizes_, view_strides_;
  std::int64_t offset_;  ///< of the view behind the base's first element, in elements
  ScalarType base_dtype_;
  ViewFunction replay_;
  std::shared_ptr<Node> fn_;
};

}  // namespace lanewise::autograd
