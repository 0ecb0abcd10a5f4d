#include <mutex>

#include <lanewise/autograd/detail/batching.h>
#include <lanewise/autograd/grad_mode.h>
#include <lanewise/autograd/hooks.h>
#include <lanewise/autograd/record.h>
#include <lanewise/autograd/variable.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/make_tensor.h>
#include <lanewise/tensor/warnings.h>

namespace lanewise {

using autograd::AutogradMeta;
using autograd::get_autograd_meta;
using autograd::materialize_autograd_meta;

namespace {

const Tensor kUndefined;
const std::string kNoName;
const std::shared_ptr<autograd::Node> kNoNode;

/// The state of `t`, null if there is none. As in libtorch an undefined tensor is an error, not a leaf.
AutogradMeta* state_of(const char* op, const Tensor& t) {
  LANEWISE_CHECK(
      AutogradError, t.defined(), op,
      ": cannot call get_autograd_meta() on undefined tensor; assign one to it first, defined() tells "
      "whether there is one");
  return get_autograd_meta(t);
}

}  // namespace

const Tensor& Tensor::set_requires_grad(bool requires_grad) const {
  if (!defined() && !requires_grad) return *this;
  LANEWISE_CHECK(AutogradError, defined(), "requires_grad_: the tensor is undefined");
  if (!requires_grad) {
    AutogradMeta* meta = get_autograd_meta(*this);
    if (meta == nullptr) return *this;
    LANEWISE_CHECK(
        AutogradError, grad_fn() == nullptr,
        "requires_grad_(false): you can only change requires_grad flags of leaf variables. To use a computed "
        "value without its history, take detach()");
    meta->requires_grad_ = false;
    return *this;
  }
  LANEWISE_CHECK(
      DtypeError, is_differentiable(scalar_type()),
      "requires_grad_: Only Tensors of floating point and complex dtype can require gradients, not ",
      to_string(scalar_type()));
  LANEWISE_CHECK(AutogradError, !is_inference() || InferenceMode::is_enabled(),
                 "requires_grad_: Setting requires_grad=True on inference tensor outside InferenceMode is "
                 "not allowed. Clone it first");
  AutogradMeta& meta = materialize_autograd_meta(*this);
  if (meta.grad_fn_ == nullptr) meta.requires_grad_ = true;
  return *this;
}

const std::shared_ptr<autograd::Node>& Tensor::grad_fn() const {
  AutogradMeta* meta = state_of("grad_fn", *this);
  if (meta == nullptr) return kNoNode;
  return meta->is_view() ? autograd::view_grad_fn(*this, *meta) : meta->grad_fn_;
}

// Without grad_fn(), which may have to make one anew for a view, or refuse: a tensor stays a leaf until then.
bool Tensor::is_leaf() const {
  const AutogradMeta* meta = state_of("is_leaf", *this);
  return meta == nullptr || meta->grad_fn_ == nullptr;
}

std::uint32_t Tensor::output_nr() const {
  const AutogradMeta* meta = state_of("output_nr", *this);
  return meta == nullptr ? 0 : meta->output_nr_;
}

const Tensor& Tensor::grad() const {
  const AutogradMeta* meta = state_of("grad", *this);
  if (meta == nullptr) return kUndefined;
  if (meta->grad_fn_ != nullptr && meta->retained_ == nullptr && !meta->grad_.defined()) [[unlikely]] {
    warn(
        "grad: the tensor is not a leaf, so no gradient is kept for it: call retain_grad() before backward() "
        "if it is wanted, or "
        "ask the leaf");
  }
  return meta->grad_;
}

Tensor& Tensor::mutable_grad() const {
  LANEWISE_CHECK(AutogradError, defined(), "mutable_grad: the tensor is undefined");
  return materialize_autograd_meta(*this).grad_;
}

unsigned Tensor::register_hook_impl(std::function<Tensor(const Tensor&)> hook) const {
  LANEWISE_CHECK(AutogradError, defined() && requires_grad(),
                 "register_hook: cannot register a hook on a variable that doesn't require gradient");
  auto& hooks = autograd::hooks_of(*this).hooks;
  hooks.push_back(std::move(hook));
  return static_cast<unsigned>(hooks.size() - 1);
}

void Tensor::remove_hook(unsigned handle) const {
  const AutogradMeta* meta = defined() ? get_autograd_meta(*this) : nullptr;
  LANEWISE_CHECK(IndexError,
                 meta != nullptr && meta->hooks_ != nullptr && handle < meta->hooks_->hooks.size(),
                 "remove_hook: Invalid index, no hook at position ", handle);
  meta->hooks_->hooks[handle] = nullptr;
}

void Tensor::retain_grad() const {
  LANEWISE_CHECK(AutogradError, defined() && requires_grad(),
                 "retain_grad: can't retain_grad on Tensor that has requires_grad=False");
  if (is_leaf()) return;  // which keeps its grad anyway
  const std::shared_ptr<autograd::Node>& fn = grad_fn();
  AutogradMeta& meta = *get_autograd_meta(*this);
  if (meta.retained_ != nullptr) return;
  meta.retained_ = std::make_shared<autograd::RetainedGrad>();
  meta.retained_->target = &meta;
  fn->mutable_hooks().retains.push_back({meta.retained_, meta.output_nr_});
}

bool Tensor::retains_grad() const {
  const AutogradMeta* meta = state_of("retains_grad", *this);
  return meta != nullptr && meta->retained_ != nullptr;
}

Tensor Tensor::detach() const {
  LANEWISE_CHECK(AutogradError, defined(), "detach: argument 'self' is an undefined tensor");
  Tensor alias = detail::make_alias(*this);
  if (autograd::transforms_on()) autograd::batching::copy_batch(*this, alias);
  return alias;
}

Tensor& Tensor::detach_() const {
  LANEWISE_CHECK(AutogradError, defined(), "detach_: argument 'self' is an undefined tensor");
  AutogradMeta* meta = get_autograd_meta(*this);
  if (meta == nullptr || InferenceMode::is_enabled()) return const_cast<Tensor&>(*this);
  LANEWISE_CHECK(
      AutogradError, !meta->is_view(),
      "detach_: can't detach views in-place; use detach(), or detach the base before taking the view");
  meta->grad_fn_.reset();
  meta->requires_grad_ = false;
  meta->output_nr_ = 0;
  meta->hooks_.reset();
  if (meta->retained_ != nullptr) {
    const std::shared_ptr<autograd::RetainedGrad> retained = std::move(meta->retained_);
    const std::lock_guard<autograd::NodeMutex> lock(retained->mutex);
    retained->target = nullptr;
  }
  return const_cast<Tensor&>(*this);
}

Tensor Tensor::variable_data() const {
  LANEWISE_CHECK(AutogradError, defined(), "variable_data: the tensor is undefined");
  Tensor alias = detail::make_alias(*this, /*share_version=*/false);
  if (autograd::transforms_on()) autograd::batching::copy_batch(*this, alias);
  return alias;
}

Tensor Tensor::tensor_data() const { return detach(); }

void Tensor::set_data(const Tensor& other) const {
  LANEWISE_CHECK(AutogradError, defined() && other.defined(), "set_data: a tensor is undefined");
  LANEWISE_CHECK(
      DtypeError, !requires_grad() || is_differentiable(other.scalar_type()),
      "set_data: data set to a tensor that requires gradients must be floating point or complex dtype, "
      "not ",
      to_string(other.scalar_type()));
  unsafeGetTensorImpl()->set_data_from(*other.unsafeGetTensorImpl());
}

std::int64_t Tensor::_version() const {
  LANEWISE_CHECK(AutogradError, defined(), "_version: the tensor is undefined");
  return unsafeGetTensorImpl()->version();
}

const std::string& Tensor::name() const {
  const AutogradMeta* meta = state_of("name", *this);
  return meta == nullptr || meta->name_ == nullptr ? kNoName : *meta->name_;
}

bool Tensor::_is_view() const {
  const AutogradMeta* meta = state_of("is_view", *this);
  return meta != nullptr && meta->is_view();
}

const Tensor& Tensor::_base() const {
  const AutogradMeta* meta = state_of("_base", *this);
  LANEWISE_CHECK(AutogradError, meta != nullptr && meta->is_view(),
                 "_base: can't get base of non-view tensor");
  return meta->base_;
}

namespace autograd {

Tensor make_variable(const Tensor& data, bool requires_grad) {
  if (!data.defined()) return {};
  Tensor variable = lanewise::detail::make_alias(data, /*share_version=*/false);
  if (requires_grad) variable.set_requires_grad(true);
  return variable;
}

Tensor make_variable(const Tensor& data, Edge gradient_edge) {
  if (!data.defined()) return {};
  Tensor variable = lanewise::detail::make_alias(data, /*share_version=*/false);
  if (gradient_edge.is_valid()) set_gradient_edge(variable, std::move(gradient_edge));
  return variable;
}

}  // namespace autograd
}  // namespace lanewise
