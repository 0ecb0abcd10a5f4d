#include <mutex>

#include <lanewise/autograd/grad_mode.h>
#include <lanewise/autograd/graph_task.h>
#include <lanewise/autograd/record.h>
#include <lanewise/autograd/views.h>
#include <lanewise/autograd/zero_backward.h>
#include <lanewise/generated/functions.h>
#include <lanewise/tensor/make_tensor.h>

namespace lanewise::autograd {

namespace {

CreationMeta creation_now() noexcept {
  if (InferenceMode::is_enabled()) return CreationMeta::InferenceMode;
  return GradMode::is_enabled() ? CreationMeta::Default : CreationMeta::NoGradMode;
}

}  // namespace

Tensor as_view(const Tensor& base, Tensor view, CreationMeta creation, ViewFunction replay) {
  TensorImpl* impl = view.unsafeGetTensorImpl();
  if (base.is_inference() != impl->is_inference()) impl->set_inference(base.is_inference());
  if (impl->is_inference() || view.is_same(base)) return view;
  if (creation == CreationMeta::Default) creation = creation_now();

  AutogradMeta& meta = materialize_autograd_meta(view);
  if (creation == CreationMeta::NoGradMode && GraphTask::current() != nullptr && !transforms_on()) {
    // A view of a gradient inside a backward that records nothing. It does not keep its base, so that whoever
    // gets it last owns the memory and may add in place; that it must not be modified under a gradient is all
    // that is kept. Not where tangents may be written into the view: they belong to the base.
    meta.creation_ = creation;
    return view;
  }
  meta.view_version_ = impl->version();
  const AutogradMeta* outer = get_autograd_meta(base);
  if (outer == nullptr || !outer->is_view()) {
    meta.base_ = base;
    meta.creation_ = creation;
    if (replay) meta.replay_ = std::make_unique<ViewFunction>(std::move(replay));
    return view;
  }
  // A view of a view: the same base, the stricter creation, the functions one after the other.
  meta.base_ = outer->base_;
  meta.forward_view_ = outer->forward_view_;  // a view of a dual or of its primal has no tangent by the base
  const bool keeps = creation == CreationMeta::Default || outer->creation_ == CreationMeta::InferenceMode;
  meta.creation_ = keeps ? outer->creation_ : creation;
  if (replay != nullptr || outer->replay_ != nullptr) {
    ViewFunction first = outer->replay_ != nullptr
                             ? *outer->replay_
                             : [sizes = DimVector(base.sizes()), strides = DimVector(base.strides()),
                                offset = base.storage_offset()](const Tensor& b) {
                                 return as_strided(b, sizes, strides, offset);
                               };
    if (replay == nullptr) {
      replay = [sizes = DimVector(view.sizes()), strides = DimVector(view.strides()),
                offset = view.storage_offset()](const Tensor& b) {
        return as_strided(b, sizes, strides, offset);
      };
    }
    // Shared, so that a long chain of views does not copy what came before at each step.
    meta.replay_ = std::make_unique<ViewFunction>(
        [first = std::make_shared<const ViewFunction>(std::move(first)),
         second = std::move(replay)](const Tensor& b) { return second((*first)(b)); });
  }
  return view;
}

std::vector<Tensor> as_view(const Tensor& base, std::vector<Tensor> views) {
  const CreationMeta now = creation_now();
  for (Tensor& view : views) {
    view = as_view(base, std::move(view), now == CreationMeta::Default ? CreationMeta::MultiOutputNode : now);
  }
  return views;
}

const std::shared_ptr<Node>& view_grad_fn(const Tensor& view, AutogradMeta& meta) {
  const std::lock_guard<NodeMutex> lock(meta.mutex_);
  const std::uint32_t version = view.unsafeGetTensorImpl()->version();
  if (meta.view_version_ == version) return meta.grad_fn_;
  const bool attached = meta.base_.requires_grad();
  if (meta.grad_fn_ == nullptr && !attached) return meta.grad_fn_;
  if (meta.creation_ != CreationMeta::Default)
    detail::raise_view_modified(view, meta, "grad_fn", /*is_inplace=*/false);
  if (!attached) {
    // The base left the graph that the view is part of, and was modified then: nothing leads there any more.
    meta.grad_fn_ = make_node<ZeroBackward>("AsStridedBackward0", edge_list(1),
                                            std::initializer_list<const Tensor*>{&view});
    meta.output_nr_ = meta.grad_fn_->add_input_metadata(view);
    meta.view_version_ = version;
    detail::move_hooks(meta);
    return meta.grad_fn_;
  }
  const InferenceMode recording(false);
  const Tensor again = meta.replay_ != nullptr
                           ? (*meta.replay_)(meta.base_)
                           : as_strided(meta.base_, view.sizes(), view.strides(), view.storage_offset());
  const AutogradMeta& made = *get_autograd_meta(again);
  meta.grad_fn_ = made.grad_fn_;
  meta.output_nr_ = made.output_nr_;
  meta.view_version_ = version;
  detail::move_hooks(meta);
  return meta.grad_fn_;
}

CopySlices::CopySlices(const Tensor& base, const Tensor& view, std::shared_ptr<Node> fn)
    : base_sizes_(base.sizes()),
      base_strides_(base.strides()),
      view_sizes_(view.sizes()),
      view_strides_(view.strides()),
      offset_(view.storage_offset() - base.storage_offset()),
      fn_(std::move(fn)) {
  if (const AutogradMeta* meta = get_autograd_meta(view); meta->replay_ != nullptr) replay_ = *meta->replay_;
  add_next_edge(gradient_edge(base));
  for (std::uint32_t i = 1; i < fn_->num_outputs(); ++i) add_next_edge(fn_->next_edge(i));
}

void CopySlices::release_variables() {
  const std::lock_guard<NodeMutex> lock(mutex_);
  fn_->release_variables();
}

Tensor CopySlices::window(const Tensor& base_grad) const {
  return replay_ ? replay_(base_grad) : as_strided(base_grad, view_sizes_, view_strides_, offset_);
}

variable_list CopySlices::apply(variable_list&& grads) {
  const std::lock_guard<NodeMutex> lock(mutex_);
  variable_list results = make_variable_list(num_outputs());
  if (!grads[0].defined()) return results;
  Tensor base_grad = lanewise::detail::empty_strided_cpu(base_sizes_, base_strides_, grads[0].scalar_type());
  base_grad.copy_(grads[0]);
  Tensor inside = window(base_grad);
  variable_list inner_grads = make_variable_list(1);
  inner_grads[0] = inside.clone();  // fn may keep it, and it is overwritten below
  variable_list inner = (*fn_)(std::move(inner_grads));
  recycle(std::move(inner_grads));
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!should_compute_output(i)) continue;
    if (i > 0) {
      results[i] = std::move(inner[i]);
    } else {
      if (inner[0].defined()) {
        inside.copy_(inner[0]);
      } else {
        inside.zero_();
      }
      results[0] = std::move(base_grad);
    }
  }
  recycle(std::move(inner));
  return results;
}

}  // namespace lanewise::autograd
