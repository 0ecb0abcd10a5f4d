#include <algorithm>
#include <mutex>

#include <lanewise/autograd/graph_task.h>
#include <lanewise/autograd/hooks.h>
#include <lanewise/autograd/record.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/make_tensor.h>

namespace lanewise::autograd {

FunctionPreHook::~FunctionPreHook() = default;
FunctionPostHook::~FunctionPostHook() = default;

namespace {

/// A hook may scale or mask a gradient, not change its shape. `node` is null for hooks that are called as objects; `kind` is empty
/// for those of a tensor, and ends in "-" for those of a node.
void check_replacement(const Node* node, const char* kind, std::size_t position, const Tensor& before,
                       const Tensor& after) {
  LANEWISE_CHECK(AutogradError, before.defined(), node == nullptr ? "a tensor" : node->name(), ": hook '",
                 position, "' can't replace an undefined gradient with a defined one; return it as it is");
  LANEWISE_CHECK(AutogradError, *kind != '\0' || after.scalar_type() == before.scalar_type(),
                 node == nullptr ? "a tensor" : node->name(), ": hook '", position,
                 "' has changed the type of value: it returned ", after.scalar_type(), " for ",
                 before.scalar_type(), "; it may change the values only");
  LANEWISE_CHECK(AutogradError, after.sizes() == before.sizes(), node == nullptr ? "a tensor" : node->name(),
                 ": ", kind, "hook '", position,
                 "' has changed the size of value: it returned a gradient of shape ", after.sizes(),
                 " for one of shape ", before.sizes(), "; it may change the values only");
}

void replace(const Node& node, const char* kind, std::size_t position, variable_list& grads,
             variable_list&& replaced) {
  if (replaced.empty()) return;
  LANEWISE_CHECK(AutogradError, replaced.size() == grads.size(), node.name(), ": a ", kind, "hook returned ",
                 replaced.size(), " gradients instead of ", grads.size());
  for (std::size_t i = 0; i < grads.size(); ++i) {
    if (grads[i].defined() && replaced[i].defined())
      check_replacement(&node, kind, position, grads[i], replaced[i]);
  }
  grads = std::move(replaced);
}

/// run(hook, position) for each hook of a node. Their keys grow, and say what comes next after a hook that removed itself or others.
template <class Hooks, class Run>
void each_hook(const Hooks& hooks, const Run& run) {
  for (auto at = hooks.begin(); at != hooks.end();) {
    const auto [key, hook] = *at;
    run(hook, static_cast<std::size_t>(at - hooks.begin()));
    at = std::upper_bound(hooks.begin(), hooks.end(), key,
                          [](std::uint64_t done, const auto& other) { return done < other.first; });
  }
}

void run_hooks(const Node* node, const TensorHookList& list, Tensor& grad) {
  const auto take = [&](std::size_t position, Tensor&& replaced) {
    if (!replaced.defined()) return;
    check_replacement(node, "", position, grad, replaced);
    grad = std::move(replaced);
  };
  // By index: a hook may register or remove hooks.
  for (std::size_t i = 0; i < list.hooks.size(); ++i) {
    if (!list.hooks[i]) continue;
    const TensorHook hook = list.hooks[i];
    take(i, hook(grad));
  }
}

void run_objects(const Node* node, const TensorHookList& list, Tensor& grad) {
  for (std::size_t i = 0; i < list.objects.size(); ++i) {
    const std::shared_ptr<FunctionPreHook> hook = list.objects[i];
    if (hook == nullptr) continue;
    variable_list replaced = (*hook)({grad});
    if (replaced.empty() || !replaced[0].defined()) continue;
    check_replacement(node, "", i, grad, replaced[0]);
    grad = std::move(replaced[0]);
  }
}

/// All hooks of register_hook() on one tensor.
struct HooksOfTensor final : FunctionPreHook {
  HooksOfTensor(std::shared_ptr<TensorHookList> of, std::uint32_t nr) : list(std::move(of)), input_nr(nr) {}
  variable_list operator()(const variable_list& grads) override {
    variable_list replaced = grads;
    run_hooks(nullptr, *list, replaced[input_nr]);
    return replaced;
  }
  std::shared_ptr<TensorHookList> list;
  std::uint32_t input_nr;
};

bool any(const std::vector<TensorHook>& hooks) {
  return std::any_of(hooks.begin(), hooks.end(), [](const TensorHook& hook) { return hook != nullptr; });
}

/// The hooks of a tensor, one of whose gradients comes in at `input_nr`.
void append_hooks(std::vector<std::shared_ptr<FunctionPreHook>>& all,
                  const std::shared_ptr<TensorHookList>& list, std::uint32_t input_nr) {
  if (any(list->hooks)) all.push_back(std::make_shared<HooksOfTensor>(list, input_nr));
  all.insert(all.end(), list->objects.begin(), list->objects.end());
}

struct PreHookFunction final : FunctionPreHook {
  explicit PreHookFunction(Node::PreHook f) : function(std::move(f)) {}
  variable_list operator()(const variable_list& grads) override { return function(grads); }
  Node::PreHook function;
};
struct PostHookFunction final : FunctionPostHook {
  explicit PostHookFunction(Node::PostHook f) : function(std::move(f)) {}
  variable_list operator()(const variable_list& outputs, const variable_list& inputs) override {
    return function(outputs, inputs);
  }
  Node::PostHook function;
};

void run_list(const Node& node, const TensorHookList& list, Tensor& grad) {
  const bool of_leaf = node.sequence_nr() == kMaxSequenceNr;
  if (grad.defined() || !of_leaf) {  // a leaf that gets no gradient is not heard of, as in PyTorch
    run_hooks(&node, list, grad);
    run_objects(&node, list, grad);
  }
  for (std::size_t i = 0; i < list.observers.size(); ++i) {
    if (const auto observer = list.observers[i]) observer(grad);
  }
}

}  // namespace

// What the gradient was may be all that keeps the tensor alive, whose end takes the mutex: it dies after it was given back.
void RetainedGrad::add(const Tensor& grad) {
  Tensor before, found, sum;
  {
    const std::lock_guard<NodeMutex> lock(mutex);
    if (target == nullptr) return;
    before = target->grad_;
  }
  for (;;) {
    // The gradient flows on to other nodes; what the user gets is a copy, which later backwards add to.
    sum = before.defined() ? before + grad : grad.clone();
    {
      const std::lock_guard<NodeMutex> lock(mutex);
      if (target == nullptr) return;
      if (target->grad_.is_same(before)) return std::swap(target->grad_, sum);
      found = target->grad_;
    }
    before = std::move(found);
  }
}

void NodeHooks::run_tensor_hooks(const Node& node, variable_list& grads) const {
  for (std::size_t t = 0; t < of_tensors.size(); ++t) {
    const std::shared_ptr<TensorHookList> list = of_tensors[t].list;
    run_list(node, *list, grads[of_tensors[t].input_nr]);
  }
  each_hook(tensor_pre_hooks, [&](const Node::PreHook& hook, std::size_t i) {
    replace(node, "tensor pre-", i, grads, hook(grads));
  });
  for (const Retain& retain : retains) {
    if (grads[retain.input_nr].defined()) retain.retained->add(grads[retain.input_nr]);
  }
}

void NodeHooks::run_pre_hooks(const Node& node, variable_list& grads) const {
  each_hook(pre_hooks,
            [&](const Node::PreHook& hook, std::size_t i) { replace(node, "pre-", i, grads, hook(grads)); });
}

void NodeHooks::run_post_hooks(const Node& node, variable_list& outputs, const variable_list& inputs) const {
  each_hook(post_hooks, [&](const Node::PostHook& hook, std::size_t i) {
    replace(node, "post-", i, outputs, hook(outputs, inputs));
  });
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

void impl::add_hook(const Tensor& t, std::shared_ptr<FunctionPreHook> hook) {
  LANEWISE_CHECK(AutogradError, t.defined(), "add_hook: the tensor is undefined");
  hooks_of(t).objects.push_back(std::move(hook));
}

std::vector<std::shared_ptr<FunctionPreHook>> impl::hooks(const Tensor& t) {
  LANEWISE_CHECK(AutogradError, t.defined(),
                 "hooks: cannot call get_autograd_meta() on undefined tensor; assign one to it first");
  std::vector<std::shared_ptr<FunctionPreHook>> all;
  const AutogradMeta* meta = autograd::get_autograd_meta(t);
  if (meta != nullptr && meta->hooks_ != nullptr) append_hooks(all, meta->hooks_, 0);
  return all;
}

void impl::clear_hooks(const Tensor& t) {
  const AutogradMeta* meta = impl::get_autograd_meta(t);
  if (meta == nullptr || meta->hooks_ == nullptr) return;
  // Positions are stable: remove_hook() of one that was cleared does nothing.
  for (TensorHook& hook : meta->hooks_->hooks) hook = nullptr;
  meta->hooks_->objects.clear();
}

std::vector<std::shared_ptr<FunctionPreHook>> Node::pre_hooks() const {
  std::vector<std::shared_ptr<FunctionPreHook>> all;
  if (hooks_ == nullptr) return all;
  for (const auto& [list, input_nr] : hooks_->of_tensors) append_hooks(all, list, input_nr);
  for (const auto& [key, hook] : hooks_->tensor_pre_hooks)
    all.push_back(std::make_shared<PreHookFunction>(hook));
  for (const auto& [key, hook] : hooks_->pre_hooks) all.push_back(std::make_shared<PreHookFunction>(hook));
  return all;
}

std::vector<std::shared_ptr<FunctionPostHook>> Node::post_hooks() const {
  std::vector<std::shared_ptr<FunctionPostHook>> all;
  if (hooks_ == nullptr) return all;
  for (const auto& [key, hook] : hooks_->post_hooks) all.push_back(std::make_shared<PostHookFunction>(hook));
  return all;
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
  LANEWISE_CHECK(AutogradError, node != nullptr, "register_prehook: the node is null");
  return RemovableHandle([node = std::weak_ptr<Node>(node), key = node->add_pre_hook(std::move(hook))] {
    if (const auto alive = node.lock()) alive->remove_pre_hook(key);
  });
}

RemovableHandle register_hook(const std::shared_ptr<Node>& node, Node::PostHook hook) {
  LANEWISE_CHECK(AutogradError, node != nullptr, "register_hook: the node is null");
  return RemovableHandle([node = std::weak_ptr<Node>(node), key = node->add_post_hook(std::move(hook))] {
    if (const auto alive = node.lock()) alive->remove_post_hook(key);
  });
}

namespace {

void check_require_gradients(const char* op, const variable_list& tensors) {
  for (const Tensor& t : tensors) {
    LANEWISE_CHECK(AutogradError, t.defined() && t.requires_grad(), op,
                   ": a tensor doesn't require gradient");
  }
}

/// Adds observer(i, grad) to each tensor.
RemovableHandle observe(const variable_list& tensors,
                        const std::function<void(std::size_t i, const Tensor& grad)>& observer) {
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
  explicit Arrivals(std::shared_ptr<void> hook) : owner(std::move(hook)) {}
  /// Its address is the key: no other hook may get it as long as the run lasts.
  std::shared_ptr<void> owner;
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
    std::vector<std::weak_ptr<Node>> nodes;
    std::function<void(const variable_list&)> hook;
  };
  check_require_gradients("register_multi_grad_hook", tensors);
  auto state = std::make_shared<State>();
  state->hook = std::move(hook);
  for (const Tensor& t : tensors) state->nodes.push_back(gradient_edge(t).function);
  return observe(tensors, [state](std::size_t i, const Tensor& grad) {
    variable_list complete;
    {
      const std::lock_guard<std::mutex> lock(state->mutex);
      std::shared_ptr<void>& kept = GraphTask::current()->kept_for(state.get());
      if (kept == nullptr) kept = std::make_shared<Arrivals>(state);
      Arrivals& arrivals = *static_cast<Arrivals*>(kept.get());
      if (arrivals.count == 0) {
        arrivals.grads.resize(state->nodes.size());
        arrivals.expected = count_reached(state->nodes);
      }
      arrivals.grads[i] = grad;
      if (++arrivals.count < arrivals.expected) return;
      complete = std::move(arrivals.grads);
      kept = nullptr;
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
  check_require_gradients("register_multi_grad_hook_any", tensors);
  auto state = std::make_shared<State>();
  state->hook = std::move(hook);
  return observe(tensors, [state](std::size_t, const Tensor& grad) {
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
  LANEWISE_CHECK(AutogradError, leaf.defined() && leaf.requires_grad() && leaf.grad_fn() == nullptr,
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
