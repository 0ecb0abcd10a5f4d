#include <lanewise/autograd/hooks.h>

#include <mutex>

#include <lanewise/autograd/record.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/make_tensor.h>

namespace lanewise::autograd {

namespace {

/// A hook may scale or mask a gradient, not change its shape.
void check_replacement(const Node& node, const Tensor& before, const Tensor& after) {
  LANEWISE_CHECK(AutogradError, after.sizes() == before.sizes(), node.name(), ": a hook returned a gradient of shape ",
                 after.sizes(), " for one of shape ", before.sizes());
}

}  // namespace

void NodeHooks::run_tensor_hooks(const Node& node, variable_list& grads) const {
  // By index: a hook may register or remove hooks.
  for (std::size_t t = 0; t < tensor_hooks.size(); ++t) {
    const std::shared_ptr<TensorHookList> list = tensor_hooks[t].list;
    Tensor& grad = grads[tensor_hooks[t].input_nr];
    for (std::size_t i = 0; i < list->hooks.size() && grad.defined(); ++i) {
      if (!list->hooks[i]) continue;
      const TensorHook hook = list->hooks[i];
      Tensor replaced = hook(grad);
      if (!replaced.defined()) continue;
      check_replacement(node, grad, replaced);
      grad = std::move(replaced);
    }
  }
  for (const Retain& retain : retains) {
    const Tensor& grad = grads[retain.input_nr];
    if (!grad.defined()) continue;
    const std::lock_guard<NodeMutex> lock(retain.retained->mutex);
    AutogradMeta* meta = retain.retained->target;
    if (meta == nullptr) continue;
    // The gradient flows on to other nodes; what the user gets is a copy, which later backwards add to.
    meta->grad_ = meta->grad_.defined() ? meta->grad_ + grad : grad.clone();
  }
}

void NodeHooks::run_pre_hooks(variable_list& grads) const {
  for (std::size_t i = 0; i < pre_hooks.size(); ++i) {
    const Node::PreHook hook = pre_hooks[i].second;
    variable_list replaced = hook(grads);
    LANEWISE_CHECK(AutogradError, replaced.size() == grads.size(), "a pre-hook returned ", replaced.size(),
                   " gradients instead of ", grads.size());
    grads = std::move(replaced);
  }
}

void NodeHooks::run_post_hooks(variable_list& outputs, const variable_list& inputs) const {
  for (std::size_t i = 0; i < post_hooks.size(); ++i) {
    const Node::PostHook hook = post_hooks[i].second;
    variable_list replaced = hook(outputs, inputs);
    LANEWISE_CHECK(AutogradError, replaced.size() == outputs.size(), "a post-hook returned ", replaced.size(),
                   " gradients instead of ", outputs.size());
    outputs = std::move(replaced);
  }
}

unsigned register_post_accumulate_grad_hook(const Tensor& leaf, std::function<void(const Tensor& leaf)> hook) {
  LANEWISE_CHECK(AutogradError, leaf.defined() && leaf.requires_grad() && leaf.is_leaf(),
                 "register_post_accumulate_grad_hook: the tensor is not a leaf that requires grad");
  AutogradMeta& meta = materialize_autograd_meta(leaf);
  if (meta.hooks_ == nullptr) {
    meta.hooks_ = std::make_shared<TensorHookList>();
    if (const auto node = impl::try_get_grad_accumulator(leaf)) node->mutable_hooks().tensor_hooks.push_back({meta.hooks_, 0});
  }
  meta.hooks_->post_accumulate.push_back(std::move(hook));
  return static_cast<unsigned>(meta.hooks_->post_accumulate.size() - 1);
}

void remove_post_accumulate_grad_hook(const Tensor& leaf, unsigned position) {
  const AutogradMeta* meta = get_autograd_meta(leaf);
  LANEWISE_CHECK(IndexError, meta != nullptr && meta->hooks_ != nullptr && position < meta->hooks_->post_accumulate.size(),
                 "remove_post_accumulate_grad_hook: there is no hook at position ", position);
  meta->hooks_->post_accumulate[position] = nullptr;
}

AutogradMeta::~AutogradMeta() {
  if (retained_ == nullptr) return;
  const std::lock_guard<NodeMutex> lock(retained_->mutex);
  retained_->target = nullptr;
}

}  // namespace lanewise::autograd
