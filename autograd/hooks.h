#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <lanewise/autograd/anomaly_mode.h>
#include <lanewise/autograd/autograd_meta.h>
#include <lanewise/autograd/node.h>

namespace lanewise::autograd {

using TensorHook = std::function<Tensor(const Tensor& grad)>;

/// Hooks as objects, libtorch's way.
struct LANEWISE_API FunctionPreHook {
  virtual ~FunctionPreHook();
  virtual variable_list operator()(const variable_list& grads) = 0;
};
struct LANEWISE_API FunctionPostHook {
  virtual ~FunctionPostHook();
  virtual variable_list operator()(const variable_list& outputs, const variable_list& inputs) = 0;
};

/// The hooks of one tensor, shared by the tensor and the node that its gradient enters. Positions are stable.
struct TensorHookList {
  std::vector<TensorHook> hooks;  ///< removed ones are empty
  /// autograd::impl::add_hook(); run after those.
  std::vector<std::shared_ptr<FunctionPreHook>> objects;
  /// See the gradient after the hooks, also an undefined one.
  std::vector<std::function<void(const Tensor& grad)>> observers;
  /// Run after a leaf's grad was updated.
  std::vector<std::function<void(const Tensor& leaf)>> post_accumulate;
};

/// Where retain_grad() stores: the tensor's state, until the tensor dies.
struct RetainedGrad {
  NodeMutex mutex;
  AutogradMeta* target = nullptr;

  /// Adds to the tensor's grad.
  void add(const Tensor& grad);
};

/// Everything that runs around a node's apply(). Order, as in PyTorch: tensor hooks, tensor pre-hooks,
/// retain_grad, pre-hooks, apply, post-hooks; each kind in the order of registration. Undefined gradients
/// skip the hooks of leaves.
struct NodeHooks {
  struct OfTensor {
    std::shared_ptr<TensorHookList> list;
    std::uint32_t input_nr;
  };
  struct Retain {
    std::shared_ptr<RetainedGrad> retained;
    std::uint32_t input_nr;
  };
  std::vector<OfTensor> of_tensors;
  std::vector<Retain> retains;
  std::vector<std::pair<std::uint64_t, Node::PreHook>> tensor_pre_hooks;
  std::vector<std::pair<std::uint64_t, Node::PreHook>> pre_hooks;
  std::vector<std::pair<std::uint64_t, Node::PostHook>> post_hooks;
  std::unique_ptr<AnomalyMetadata> metadata;
  std::uint64_t next_key = 0;

  /// Forgets all but those of tensors.
  void clear_of_node() noexcept {
    tensor_pre_hooks.clear();
    pre_hooks.clear();
    post_hooks.clear();
    metadata.reset();
  }

  void run_tensor_hooks(const Node& node, variable_list& grads) const;
  void run_pre_hooks(const Node& node, variable_list& grads) const;
  void run_post_hooks(const Node& node, variable_list& outputs, const variable_list& inputs) const;
};

/// The hooks of a tensor that requires a gradient, made if there are none.
TensorHookList& hooks_of(const Tensor& t);

namespace impl {

/// A hook of a tensor, libtorch's way: gets a list of its gradient, and the first of the list that it returns replaces
/// that.
LANEWISE_API void add_hook(const Tensor& t, std::shared_ptr<FunctionPreHook> hook);
/// Those of add_hook(), after one object for all of Tensor::register_hook().
LANEWISE_API std::vector<std::shared_ptr<FunctionPreHook>> hooks(const Tensor& t);
/// Takes all of them away.
LANEWISE_API void clear_hooks(const Tensor& t);

}  // namespace impl

/// Takes a hook away: remove(), once or more often. Does nothing if what it was registered on is gone.
class LANEWISE_API RemovableHandle {
 public:
  RemovableHandle() = default;
  explicit RemovableHandle(std::function<void()> remove) : remove_(std::move(remove)) {}
  void remove() {
    if (const auto remove = std::exchange(remove_, nullptr)) remove();
  }

 private:
  std::function<void()> remove_;
};

/// The same as the methods of Tensor and Node, with handles. The hook of a tensor may return a replacement;
/// that of a node may return an empty list to replace nothing.
LANEWISE_API RemovableHandle register_hook(const Tensor& t, TensorHook hook);
LANEWISE_API RemovableHandle register_prehook(const std::shared_ptr<Node>& node, Node::PreHook hook);
LANEWISE_API RemovableHandle register_hook(const std::shared_ptr<Node>& node, Node::PostHook hook);

/// Calls `hook(grads)` once in a backward, when the gradients of all those of `tensors` that it computes are
/// there; undefined for the others. Throws AutogradError if a tensor requires no grad.
LANEWISE_API RemovableHandle register_multi_grad_hook(const variable_list& tensors,
                                                      std::function<void(const variable_list& grads)> hook);
/// Calls `hook(grad)` once in a backward, with the first of their gradients.
LANEWISE_API RemovableHandle register_multi_grad_hook_any(const variable_list& tensors,
                                                          std::function<void(const Tensor& grad)> hook);

/// Calls `hook(leaf)` each time a backward has added into the grad of `leaf`; returns its position. Throws
/// AutogradError if the tensor is no leaf that requires a gradient.
LANEWISE_API unsigned register_post_accumulate_grad_hook(const Tensor& leaf,
                                                         std::function<void(const Tensor& leaf)> hook);
LANEWISE_API void remove_post_accumulate_grad_hook(const Tensor& leaf, unsigned position);

}  // namespace lanewise::autograd
