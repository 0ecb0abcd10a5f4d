#include <mutex>
#include <thread>

#include <lanewise/autograd/accumulate_grad.h>
#include <lanewise/autograd/autograd_meta.h>
#include <lanewise/autograd/detail/spare_gradient.h>
#include <lanewise/autograd/grad_mode.h>
#include <lanewise/autograd/hooks.h>
#include <lanewise/generated/functions.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/make_tensor.h>

namespace lanewise::autograd {

AccumulateGrad::AccumulateGrad(const Tensor& variable)
    : Node(kMaxSequenceNr, {}), leaf_(variable.unsafeGetTensorImpl()) {
  add_input_metadata(variable);
  const AutogradMeta* meta = get_autograd_meta(variable);
  if (meta != nullptr && meta->hooks_ != nullptr) mutable_hooks().of_tensors.push_back({meta->hooks_, 0});
}

namespace {

/// Gradients are laid out as the variable if that is dense, else contiguous.
bool has_layout_of(const Tensor& grad, const Tensor& variable) {
  if (grad.is_contiguous() && variable.is_contiguous()) return true;
  if (!variable.is_non_overlapping_and_dense()) return grad.is_contiguous();
  for (std::int64_t d = 0; d < variable.dim(); ++d) {
    const auto i = static_cast<std::size_t>(d);
    if (variable.sizes()[i] > 1 && grad.strides()[i] != variable.strides()[i]) return false;
  }
  return true;
}

Tensor copy_in_layout_of(const Tensor& grad, const Tensor& variable) {
  if (!variable.is_non_overlapping_and_dense()) return grad.clone(MemoryFormat::Contiguous);
  Tensor copy = lanewise::detail::empty_strided_cpu(variable.sizes(), variable.strides(), grad.scalar_type());
  copy.copy_(grad);
  return copy;
}

}  // namespace

void accumulate_grad(const Tensor& variable, Tensor& grad, Tensor incoming) {
  if (!grad.defined()) {
    if (!GradMode::is_enabled()) {
      if (is_free(incoming) && has_layout_of(incoming, variable)) {
        incoming.unsafeGetTensorImpl()->set_autograd_meta(nullptr);
        grad = std::move(incoming);
      } else {
        grad = copy_in_layout_of(incoming.detach(), variable);
      }
    } else {
      grad = has_layout_of(incoming, variable) ? incoming.clone() : copy_in_layout_of(incoming, variable);
    }
  } else if (!GradMode::is_enabled()) {
    grad.add_(incoming);
  } else {
    grad = grad + incoming;
  }
}

Tensor AccumulateGrad::variable() const {
  for (;;) {
    {
      const std::lock_guard<NodeMutex> lock(mutex_);
      if (leaf_ == nullptr) return {};
      if (leaf_->try_retain()) return Tensor(leaf_);
    }
    std::this_thread::yield();
  }
}

void AccumulateGrad::keep(const Tensor& leaf) {
  const std::lock_guard<NodeMutex> lock(mutex_);
  kept_ = leaf;
}

bool AutogradMeta::survives(TensorImpl& impl) noexcept {
  // What may hold the last reference to the node that holds the leaf goes after the lock.
  std::shared_ptr<AccumulateGrad> node = accumulator_;
  if (node == nullptr) return false;
  const std::lock_guard<NodeMutex> lock(node->mutex_);
  if (impl.release_unless_last()) return true;
  constexpr long kOwn = 2;  // accumulator_ and node
  if (node.use_count() > kOwn) {
    keeper_ = node;
    has_accumulator_.store(false, std::memory_order_relaxed);
    accumulator_.reset();
    impl.set_reachable(false);
    node->kept_ = Tensor(&impl);
    return true;
  }
  node->leaf_ = nullptr;
  return false;
}

variable_list AccumulateGrad::apply(variable_list&& grads) {
  if (!grads[0].defined()) return {};
  const Tensor leaf = variable();
  if (!leaf.defined() || !leaf.requires_grad()) return {};  // dead or frozen since
  AutogradMeta& meta = *get_autograd_meta(leaf);
  LANEWISE_CHECK(AutogradError, meta.grad_fn_ == nullptr,
                 "backward: leaf variable has been moved into the graph interior: it was modified in place "
                 "after it was detached");
  {
    const std::lock_guard<NodeMutex> lock(mutex_);
    accumulate_grad(leaf, meta.grad_, std::move(grads[0]));
  }
  if (meta.hooks_ != nullptr) [[unlikely]] {
    const std::shared_ptr<TensorHookList> hooks = meta.hooks_;
    for (std::size_t i = 0; i < hooks->post_accumulate.size(); ++i) {
      if (const auto hook = hooks->post_accumulate[i]) hook(leaf);
    }
  }
  return {};
}

}  // namespace lanewise::autograd
