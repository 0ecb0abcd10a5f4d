#include <lanewise/autograd/accumulate_grad.h>

#include <mutex>

#include <lanewise/autograd/autograd_meta.h>
#include <lanewise/autograd/grad_mode.h>
#include <lanewise/autograd/hooks.h>
#include <lanewise/generated/functions.h>
#include <lanewise/tensor/make_tensor.h>

namespace lanewise::autograd {

AccumulateGrad::AccumulateGrad(const Tensor& variable) : Node(kMaxSequenceNr, {}), variable_(variable) {
  add_input_metadata(variable);
  const AutogradMeta* meta = get_autograd_meta(variable);
  if (meta != nullptr && meta->hooks_ != nullptr) mutable_hooks().tensor_hooks.push_back({meta->hooks_, 0});
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
      if (incoming.use_count() == 1 && incoming.storage().use_count() == 1 && is_plain(incoming) &&
          has_layout_of(incoming, variable)) {
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

variable_list AccumulateGrad::apply(variable_list&& grads) {
  if (!grads[0].defined()) return {};
  AutogradMeta& meta = *get_autograd_meta(variable_);
  {
    const std::lock_guard<NodeMutex> lock(mutex_);
    accumulate_grad(variable_, meta.grad_, std::move(grads[0]));
  }
  if (meta.hooks_ != nullptr) [[unlikely]] {
    const std::shared_ptr<TensorHookList> hooks = meta.hooks_;
    for (std::size_t i = 0; i < hooks->post_accumulate.size(); ++i) {
      if (hooks->post_accumulate[i]) hooks->post_accumulate[i](variable_);
    }
  }
  return {};
}

}  // namespace lanewise::autograd
