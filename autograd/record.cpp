#include <mutex>

#include <lanewise/autograd/accumulate_grad.h>
#include <lanewise/autograd/hooks.h>
#include <lanewise/autograd/record.h>
#include <lanewise/generated/functions.h>
#include <lanewise/iterator/memory_overlap.h>
#include <lanewise/tensor/dim_vector.h>
#include <lanewise/tensor/errors.h>

namespace lanewise::autograd {

Edge detail::gradient_edge_slow(const Tensor& t, AutogradMeta& meta) {
  if (meta.is_view()) view_grad_fn(t, meta);
  if (meta.grad_fn_ != nullptr) return {meta.grad_fn_, meta.output_nr_};
  return {impl::grad_accumulator(t), 0};
}

namespace {

// Apart, so that tensors outside of the graph cost no stack frame.
[[gnu::noinline]] void append_edge_to(AutogradMeta& meta, const Tensor& t, Node& node) {
  if (meta.is_view()) view_grad_fn(t, meta);
  if (meta.grad_fn_ != nullptr) return node.add_next_edge(meta.grad_fn_, meta.output_nr_);
  if (meta.requires_grad_ && meta.has_accumulator_.load(std::memory_order_acquire)) [[likely]] {
    const AccumulateGrad& accumulator = *meta.accumulator_;
    if (accumulator.hooks() == nullptr && accumulator.input_metadata(0).matches(t)) [[likely]]
      return node.add_next_edge(Edge(meta.accumulator_, 0));
  }
  node.add_next_edge(Edge(impl::grad_accumulator(t), 0));
}

}  // namespace

void detail::append_edges(Node& node, const Tensor& t) {
  AutogradMeta* meta = t.defined() ? get_autograd_meta(t) : nullptr;
  if (meta == nullptr) return node.add_next_edge();
  append_edge_to(*meta, t, node);
}

namespace {

/// The accumulator of a graph that lives, or null. Held under meta.mutex_.
std::shared_ptr<Node> living_accumulator(AutogradMeta& meta) {
  if (meta.accumulator_ != nullptr && meta.accumulator_.use_count() > 1) return meta.accumulator_;
  return meta.keeper_.lock();
}

[[gnu::noinline]] std::shared_ptr<Node> find_accumulator(const Tensor& t, AutogradMeta& meta) {
  const std::lock_guard<NodeMutex> lock(meta.mutex_);
  std::shared_ptr<Node> node = living_accumulator(meta);
  if (node == nullptr && meta.accumulator_ != nullptr) {
    node = meta.accumulator_;  // no graph led to it
    if (node->hooks() != nullptr) node->hooks()->clear_of_node();
  }
  if (node != nullptr && node->input_metadata(0).matches(t)) return node;
  if (meta.accumulator_ != nullptr) meta.accumulator_->keep(t);
  auto made = make_node<AccumulateGrad>(t);
  meta.accumulator_ = made;
  t.unsafeGetTensorImpl()->set_reachable(true);
  meta.has_accumulator_.store(true, std::memory_order_release);
  return made;
}

}  // namespace

std::shared_ptr<Node> impl::grad_accumulator(const Tensor& t) {
  AutogradMeta* meta = t.defined() ? get_autograd_meta(t) : nullptr;
  if (meta == nullptr || !meta->requires_grad_ || meta->grad_fn_ != nullptr) return nullptr;
  if (meta->has_accumulator_.load(std::memory_order_acquire)) [[likely]] {
    const std::shared_ptr<AccumulateGrad>& node = meta->accumulator_;
    if (node->hooks() == nullptr && node->input_metadata(0).matches(t)) [[likely]]
      return node;
  }
  return find_accumulator(t, *meta);
}

std::shared_ptr<Node> impl::try_get_grad_accumulator(const Tensor& t) {
  AutogradMeta* meta = t.defined() ? get_autograd_meta(t) : nullptr;
  if (meta == nullptr) return nullptr;
  const std::lock_guard<NodeMutex> lock(meta->mutex_);
  return living_accumulator(*meta);
}

std::shared_ptr<Node> detail::any_accumulator(AutogradMeta& meta) {
  const std::lock_guard<NodeMutex> lock(meta.mutex_);
  if (meta.accumulator_ != nullptr) return meta.accumulator_;
  return meta.keeper_.lock();
}

void set_history(Tensor& output, std::shared_ptr<Node> node) {
  if (!output.defined() || !is_differentiable(output.scalar_type())) [[unlikely]] {
    node->add_input_metadata(Node::undefined_input());
    return;
  }
  AutogradMeta& meta = materialize_autograd_meta(output);
  meta.output_nr_ = node->add_input_metadata(output);
  meta.grad_fn_ = std::move(node);
  if (meta.is_view()) meta.view_version_ = output.unsafeGetTensorImpl()->version();
}

void set_history(const std::vector<Tensor>& outputs, const std::shared_ptr<Node>& node) {
  for (const Tensor& output : outputs) {
    Tensor same = output;
    set_history(same, node);
  }
}

std::uint32_t create_gradient_edge(const Tensor& t, std::shared_ptr<Node> node) {
  LANEWISE_CHECK(AutogradError, t.defined() && node != nullptr,
                 "create_gradient_edge: the tensor or the node is null");
  const std::uint32_t input_nr = node->add_input_metadata(t);
  set_gradient_edge(t, {std::move(node), input_nr});
  return input_nr;
}

void detail::move_hooks(AutogradMeta& meta) {
  meta.hooks_.reset();
  if (meta.retained_ == nullptr) return;
  const std::shared_ptr<RetainedGrad> old = std::move(meta.retained_);
  {
    const std::lock_guard<NodeMutex> lock(old->mutex);
    old->target = nullptr;
  }
  meta.retained_ = std::make_shared<RetainedGrad>();
  meta.retained_->target = &meta;
  meta.grad_fn_->mutable_hooks().retains.push_back({meta.retained_, meta.output_nr_});
}

void set_gradient_edge(const Tensor& t, Edge edge) {
  AutogradMeta& meta = materialize_autograd_meta(t);
  meta.grad_fn_ = std::move(edge.function);
  meta.output_nr_ = edge.input_nr;
  if (meta.is_view()) meta.view_version_ = t.unsafeGetTensorImpl()->version();
  if (meta.hooks_ != nullptr || meta.retained_ != nullptr) [[unlikely]]
    detail::move_hooks(meta);
}

void rebase_history(const Tensor& self, std::shared_ptr<Node> node) {
  if (!self.defined() || !is_differentiable(self.scalar_type())) return;
  AutogradMeta& meta = materialize_autograd_meta(self);
  const std::uint32_t input_nr = node->add_input_metadata(self);
  if (!meta.is_view()) {
    set_gradient_edge(self, {std::move(node), input_nr});
    return;
  }
  LANEWISE_CHECK(AutogradError, input_nr == 0, node->name(),
                 ": an in-place op on a view must have the view as its first output");
  const Tensor base = meta.base_;
  const std::shared_ptr<Node> slices = make_node<CopySlices>(base, self, std::move(node));
  set_gradient_edge(base, {slices, slices->add_input_metadata(base)});
  // Hooks and retain_grad of the view belong to its old value and its new one, as in move_hooks.
  meta.hooks_.reset();
  view_grad_fn(self, meta);
}

void set_view_history(const Tensor& self, std::shared_ptr<Node> node) {
  AutogradMeta* meta = get_autograd_meta(self);
  if (meta != nullptr && meta->replay_ != nullptr) {
    meta->replay_ = std::make_unique<ViewFunction>([before = *meta->replay_, sizes = DimVector(self.sizes()),
                                                    strides = DimVector(self.strides())](const Tensor& base) {
      const Tensor view = before(base);
      return as_strided(view, sizes, strides, view.storage_offset());
    });
  }
  if (node == nullptr) return;
  const std::uint32_t input_nr = node->add_input_metadata(self);
  set_gradient_edge(self, {std::move(node), input_nr});
}

void detail::raise_view_modified(const Tensor& self, const AutogradMeta& meta, const char* op,
                                 bool is_inplace) {
  const char* what = is_inplace ? "is being" : "its base or another view of its base has been";
  const bool inference = meta.creation_ == CreationMeta::InferenceMode;
  std::string which;
  if (meta.grad_fn_ != nullptr) {
    which = "Output " + std::to_string(meta.output_nr_) + " of " + meta.grad_fn_->name() + " is a view and " +
            what + " modified inplace";
  } else {
    which = std::string("A view was created in ") + (inference ? "inference mode" : "no_grad mode") +
            " and " + what + " modified inplace" +
            (inference ? " in normal mode" : " with grad mode enabled");
  }
  const char* why = "";
  switch (meta.creation_) {
    case CreationMeta::InCustomFunction:
      why =
          "It was made by a custom Function (or is an input that it returned), whose backward would be lost: "
          "return clones from "
          "forward(), or use the out-of-place form of the op";
      break;
    case CreationMeta::MultiOutputNode:
      why =
          "This view is the output of a function that returns multiple views. Such functions do not allow "
          "the output "
          "views to be modified inplace: use the out-of-place form of the op";
      break;
    case CreationMeta::NoGradMode:
      why =
          "Whether a gradient is wanted is ambiguous: make the view and modify it both inside of "
          "NoGradGuard, or both outside";
      break;
    case CreationMeta::InferenceMode:
      why = "Make the view and modify it both inside of InferenceMode, or both outside";
      break;
    case CreationMeta::Default: break;
  }
  lanewise::detail::raise<AutogradError>(op, ": ", which, " (shape ", self.sizes(), "). ", why);
}

void check_inplace(const Tensor& self, bool any_requires_grad, const char* op) {
  if (self.is_inference()) [[unlikely]] {
    LANEWISE_CHECK(AutogradError, InferenceMode::is_enabled(), op,
                   ": Inplace update to inference tensor outside InferenceMode is not allowed. You can make "
                   "a clone to get a "
                   "normal tensor before doing inplace update");
  }
  if (!any_requires_grad || !GradMode::is_enabled() || !is_differentiable(self.scalar_type())) return;
  const AutogradMeta* meta = get_autograd_meta(self);
  if (meta == nullptr) return;
  if (meta->creation_ != CreationMeta::Default) detail::raise_view_modified(self, *meta, op);
  if (meta->is_view()) {
    LANEWISE_CHECK(AutogradError, !(self.requires_grad() && meta->base_.is_leaf()), op,
                   ": a view of a leaf Variable that requires grad is being used in an in-place operation; "
                   "wrap the update in "
                   "NoGradGuard, or use the out-of-place form");
  }
  LANEWISE_CHECK(
      AutogradError, !(meta->requires_grad_ && meta->grad_fn_ == nullptr), op,
      ": a leaf Variable that requires grad is being used in an in-place operation; wrap the update in "
      "NoGradGuard, or use the out-of-place form");
}

void impl::set_name(const Tensor& t, const std::string& name) {
  LANEWISE_CHECK(AutogradError, t.defined(), "set_name: the tensor is undefined");
  autograd::materialize_autograd_meta(t).name_ = std::make_unique<std::string>(name);
}

void increment_version(const Tensor& t) {
  TensorImpl* impl = t.unsafeGetTensorImpl();
  if (impl->is_inference()) [[unlikely]] {
    check_inplace(t, false, "an in-place op");
    return;
  }
  impl->bump_version();
}

void check_constant(const char* op, const char* argument, const Tensor& value) {
  LANEWISE_CHECK(AutogradError, !value.defined() || !value.requires_grad() || !GradMode::is_enabled(), op,
                 ": The function '", op, "' is not differentiable with respect to argument '", argument,
                 "'. This input cannot have requires_grad True; pass its detach()");
}

void check_written(const Tensor& self, bool any_requires_grad, const char* op) {
  check_inplace(self, any_requires_grad, op);
  if (!self.is_contiguous()) assert_no_internal_overlap(op, self);
}

void check_out(const char* op, const Tensor& out, bool any_requires_grad) {
  LANEWISE_CHECK(AutogradError, !any_requires_grad, op,
                 "(): functions with out=... arguments don't support automatic differentiation, but one of "
                 "the arguments requires "
                 "grad; use the form that returns its result, or NoGradGuard");
  if (out.defined()) check_inplace(out, false, op);
}

}  // namespace lanewise::autograd
