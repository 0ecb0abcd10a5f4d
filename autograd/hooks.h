#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <lanewise/autograd/autograd_meta.h>
#include <lanewise/autograd/node.h>

namespace lanewise::autograd {

using TensorHook = std::function<Tensor(const Tensor& grad)>;

/// The hooks of one tensor, shared by the tensor and the node that its gradient enters. Positions are stable.
struct TensorHookList {
  std::vector<TensorHook> hooks;  ///< removed ones are empty
  /// Run after a leaf's grad was updated.
  std::vector<std::function<void(const Tensor& leaf)>> post_accumulate;
};

/// Where retain_grad() stores: the tensor's state, until the tensor dies.
struct RetainedGrad {
  NodeMutex mutex;
  AutogradMeta* target = nullptr;
};

/// Everything that runs around a node's apply(). Order, as in PyTorch: tensor hooks, retain_grad, pre-hooks, apply, post-hooks;
/// each kind in the order of registration.
struct NodeHooks {
  struct OfTensor {
    std::shared_ptr<TensorHookList> list;
    std::uint32_t input_nr;
  };
  struct Retain {
    std::shared_ptr<RetainedGrad> retained;
    std::uint32_t input_nr;
  };
  std::vector<OfTensor> tensor_hooks;
  std::vector<Retain> retains;
  std::vector<std::pair<std::uint64_t, Node::PreHook>> pre_hooks;
  std::vector<std::pair<std::uint64_t, Node::PostHook>> post_hooks;
  std::uint64_t next_key = 0;

  void run_tensor_hooks(const Node& node, variable_list& grads) const;
  void run_pre_hooks(variable_list& grads) const;
  void run_post_hooks(variable_list& outputs, const variable_list& inputs) const;
};

/// Calls `hook(leaf)` each time a backward has added into the grad of `leaf`; returns its position. Throws
/// AutogradError if the tensor is no leaf that requires a gradient.
LANEWISE_API unsigned register_post_accumulate_grad_hook(const Tensor& leaf,
                                                         std::function<void(const Tensor& leaf)> hook);
LANEWISE_API void remove_post_accumulate_grad_hook(const Tensor& leaf, unsigned position);

}  // namespace lanewise::autograd
