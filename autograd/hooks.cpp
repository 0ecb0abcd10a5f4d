#include <mutex>
#include <unordered_map>

#include <lanewise/autograd/graph_task.h>
#include <lanewise/autograd/hooks.h>
#include <lanewise/autograd/record.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/make_tensor.h>

namespace lanewise::autograd {

FunctionPreHook::~FunctionPreHook() = default;
FunctionPostHook::~FunctionPostHook() = default;

namespace {

/// A hook may scale or mask a gradient, not change its shape.
void check_replacement(const Node& node, const Tensor& before, const Tensor& after) {
  LANEWISE_CHECK(AutogradError, after.sizes() == before.sizes(), node.name(),
                 ": a hook returned a gradient of shape ", after.sizes(), " for one of shape ",
                 before.sizes(), "; it may change the values only");
}

void replace(const Node& node, const char* kind, variable_list& grads, variable_list&& replaced) {
  if (replaced.empty()) return;
  LANEWISE_CHECK(AutogradError, replaced.size() == grads.size(), node.name(), ": a ", kind, " returned ",
                 replaced.size(), " gradients instead of ", grads.size());
  for (std::size_t i = 0; i < grads.size(); ++i) {
    if (grads[i].defined() && replaced[i].defined()) check_replacement(node, grads[i], replaced[i]);
  }
  grads = std::move(replaced);
}

void run_list(const Node& node, const TensorHookList& list, Tensor& grad) {
  // By index: a hook may register or remove hooks.
  for (std::size_t i = 0; i < list.hooks.size() && grad.defined(); ++i) {
    if (!list.hooks[i]) continue;
    const TensorHook hook = list.hooks[i];
    Tensor replaced = hook(grad);
    if (!replaced.defined()) continue;
    check_replacement(node, grad, replaced);
    grad = std::move(replaced);
  }
  for (std::size_t i = 0; i < list.observers.size(); ++i) {
    if (const auto observer = list.observers[i]) observer(grad);
  }
}

}  // namespace

void NodeHooks::run_tensor_hooks(const Node& node, variable_list& grads) const {
  for (std::size_t t = 0; t < of_tensors.size(); ++t) {
    const std::shared_ptr<TensorHookList> list = of_tensors[t].list;
    run_list(node, *list, grads[of_tensors[t].input_nr]);
  }
  for (std::size_t i = 0; i < tensor_pre_hooks.size(); ++i) {
    const Node::PreHook hook = tensor_pre_hooks[i].second;
    replace(node, "tensor pre-hook", grads, hook(grads));
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

void NodeHooks::run_pre_hooks(const Node& node, variable_list& grads) const {
  for (std::size_t i = 0; i < pre_hooks.size(); ++i) {
    const Node::PreHook hook = pre_hooks[i].second;
    replace(node, "pre-hook", grads, hook(grads));
  }
}

void NodeHooks::run_post_hooks(const Node& node, variable_list& outputs, const variable_list& inputs) const {
  for (std::size_t i = 0; i < post_hooks.size(); ++i) {
    const Node::PostHook hook = post_hooks[i].second;
    replace(node, "post-hook", outputs, hook(outputs, inputs));
  }
}

TensorHookList& hooks_of(const Tensor& t) {
  AutogradMeta& meta = materialize_autograd_meta(t);
  const std::shared_ptr<Node>& fn = t.grad_fn();
  if (meta.hooks_ == nullptr) {
    meta.hooks_ = std::make_shared<TensorHookList>();
    const std::shared_ptr<Node> node = fn != nullptr ? fn : detail::any_accumulator(meta);
    if (node != nullptr)
      node->mutable_hooks().of_tensors.push_back({meta.hooks_, fn != nullptr ? meta.output_nr_ : 0});
  }
  return *meta.hooks_;
}

namespace {

/// A handle that empties position `i` of a list.
template <class List>
RemovableHandle handle_of(const Tensor& t, List TensorHookList::*list, std::size_t i) {
  return RemovableHandle([hooks = std::weak_ptr<TensorHookList>(get_autograd_meta(t)->hooks_), list, i] {
    if (const auto alive = hooks.lock()) ((*alive).*list)[i] = nullptr;
  });
}

}  // namespace

RemovableHandle register_hook(const Tensor& t, TensorHook hook) {
  const unsigned position = t.register_hook(std::move(hook));
  return handle_of(t, &TensorHookList::hooks, position);
}

RemovableHandle register_prehook(const std::shared_ptr<Node>& node, Node::PreHook hook) {
  return RemovableHandle([node = std::weak_ptr<Node>(node), key = node->add_pre_hook(std::move(hook))] {
    if (const auto alive = node.lock()) alive->remove_pre_hook(key);
  });
}

RemovableHandle register_hook(const std::shared_ptr<Node>& node, Node::PostHook hook) {
  return RemovableHandle([node = std::weak_ptr<Node>(node), key = node->add_post_hook(std::move(hook))] {
    if (const auto alive = node.lock()) alive->remove_post_hook(key);
  });
}

namespace {

/// Adds observer(i, grad) to each tensor.
RemovableHandle observe(const char* op, const variable_list& tensors,
                        const std::function<void(std::size_t i, const Tensor& grad)>& observer) {
  for (const Tensor& t : tensors) {
    LANEWISE_CHECK(AutogradError, t.defined() && t.requires_grad(), op,
                   ": a tensor doesn't require gradient");
  }
  std::vector<RemovableHandle> handles;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    auto& observers = hooks_of(tensors[i]).observers;
    observers.push_back([observer, i](const Tensor& grad) { observer(i, grad); });
    handles.push_back(handle_of(tensors[i], &TensorHookList::observers, observers.size() - 1));
  }
  return RemovableHandle([handles]() mutable {
    for (RemovableHandle& handle : handles) handle.remove();
  });
}

/// The gradients that arrived in one run.
struct Arrivals {
  variable_list grads;
  std::size_t expected = 0;
  std::size_t count = 0;
};

/// How many of the nodes the running backward comes to.
std::size_t count_reached(const std::vector<std::weak_ptr<Node>>& nodes) {
  std::size_t count = 0;
  for (const auto& weak : nodes) {
    const std::shared_ptr<Node> node = weak.lock();
    if (node != nullptr && GraphTask::current()->comes_to(*node)) ++count;
  }
  return count;
}

}  // namespace

RemovableHandle register_multi_grad_hook(const variable_list& tensors,
                                         std::function<void(const variable_list& grads)> hook) {
  struct State {
    std::mutex mutex;
    std::unordered_map<std::uint64_t, Arrivals> runs;
    std::vector<std::weak_ptr<Node>> nodes;
    std::function<void(const variable_list&)> hook;
  };
  auto state = std::make_shared<State>();
  state->hook = std::move(hook);
  for (const Tensor& t : tensors) {
    if (t.defined() && t.requires_grad()) state->nodes.push_back(gradient_edge(t).function);
  }
  return observe("register_multi_grad_hook", tensors, [state](std::size_t i, const Tensor& grad) {
    const std::uint64_t run = GraphTask::current()->id();
    variable_list complete;
    {
      const std::lock_guard<std::mutex> lock(state->mutex);
      Arrivals& arrivals = state->runs[run];
      if (arrivals.count == 0) {
        arrivals.grads.resize(state->nodes.size());
        arrivals.expected = count_reached(state->nodes);
      }
      arrivals.grads[i] = grad;
      if (++arrivals.count < arrivals.expected) return;
      complete = std::move(arrivals.grads);
      state->runs.erase(run);
    }
    state->hook(complete);
  });
}

RemovableHandle register_multi_grad_hook_any(const variable_list& tensors,
                                             std::function<void(const Tensor& grad)> hook) {
  struct State {
    std::mutex mutex;
    std::uint64_t last = 0;  ///< the run in which it was called last
    std::function<void(const Tensor&)> hook;
  };
  auto state = std::make_shared<State>();
  state->hook = std::move(hook);
  return observe("register_multi_grad_hook_any", tensors, [state](std::size_t, const Tensor& grad) {
    {
      const std::uint64_t run = GraphTask::current()->id();
      const std::lock_guard<std::mutex> lock(state->mutex);
      if (std::exchange(state->last, run) == run) return;
    }
    state->hook(grad);
  });
}

unsigned register_post_accumulate_grad_hook(const Tensor& leaf,
                                            std::function<void(const Tensor& leaf)> hook) {
  LANEWISE_CHECK(AutogradError, leaf.defined() && leaf.requires_grad() && leaf.is_leaf(),
                 "register_post_accumulate_grad_hook: post accumulate grad hooks cannot be registered on "
                 "non-leaf tensors or "
                 "tensors that do not require grad; use register_hook()");
  auto& hooks = hooks_of(leaf).post_accumulate;
  hooks.push_back(std::move(hook));
  return static_cast<unsigned>(hooks.size() - 1);
}

void remove_post_accumulate_grad_hook(const Tensor& leaf, unsigned position) {
  const AutogradMeta* meta = get_autograd_meta(leaf);
  LANEWISE_CHECK(
      IndexError,
      meta != nullptr && meta->hooks_ != nullptr && position < meta->hooks_->post_accumulate.size(),
      "remove_post_accumulate_grad_hook: Invalid index, there is no hook at position ", position);
  meta->hooks_->post_accumulate[position] = nullptr;
}

AutogradMeta::~AutogradMeta() {
  if (retained_ == nullptr) return;
  const std::lock_guard<NodeMutex> lock(retained_->mutex);
  retained_->target = nullptr;
}

}  // namespace lanewise::autograd
