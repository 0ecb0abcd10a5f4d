#include <sstream>

#include <lanewise/autograd/autograd_meta.h>
#include <lanewise/autograd/detail/forward_frame.h>
#include <lanewise/autograd/grad_mode.h>
#include <lanewise/autograd/record.h>
#include <lanewise/autograd/saved_variable.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/make_tensor.h>

namespace lanewise::autograd {

namespace {

/// "which is output 0 of TanhBackward0", with what is known of the tensor.
std::string describe(const Tensor& t, const Node* producer, std::uint32_t output_nr) {
  std::ostringstream text;
  text << "[" << t.toString() << " " << t.sizes() << "]";
  if (producer != nullptr) {
    text << ", which is output " << output_nr << " of " << producer->name() << ",";
  }
  return text.str();
}

}  // namespace

void SavedVariable::save(const Tensor& variable, bool is_output) {
  if (!variable.defined()) return;
  TensorImpl* impl = variable.unsafeGetTensorImpl();
  LANEWISE_CHECK(AutogradError, !impl->is_inference(),
                 "Inference tensors cannot be saved for backward. To work around you can make a clone "
                 "outside of InferenceMode to "
                 "get a normal tensor and use it in autograd");
  was_defined_ = true;
  saved_version_ = impl->version();
  const auto* meta = static_cast<const AutogradMeta*>(impl->autograd_meta());
  if (meta != nullptr) output_nr_ = meta->output_nr_;
  if (!is_output || meta == nullptr || (meta->grad_fn_ == nullptr && !meta->is_view()) ||
      (meta->is_view() && variable.grad_fn() == nullptr)) {
    saved_original_ = true;
    data_ = variable;
  } else {
    if (meta->is_view()) {
      // After an in-place op on a view the node that saves is not the view's grad_fn (as_strided of the
      // base).
      rare_ = std::make_unique<Rare>();
      rare_->view_grad_fn = variable.grad_fn();
      output_nr_ = variable.output_nr();
    }
    data_ = lanewise::detail::make_alias(variable);
    if (transforms_on()) forward_ad::share_state(variable, data_);
  }
  if (detail::saved_tensor_hooks != nullptr && !impl->is_wrapped_number()) [[unlikely]] {
    pack(SavedTensorHooks::current());
  }
}

void SavedVariable::pack(std::unique_ptr<SavedVariableHooks>&& hooks) {
  if (rare_ == nullptr) rare_ = std::make_unique<Rare>();
  if (saved_original_) {
    const Edge edge = gradient_edge(data_);
    rare_->next = edge.function;
    output_nr_ = edge.input_nr;
  }
  if (transforms_on()) {
    // A result gets its tangents later, with those of what was saved of it.
    const Tensor dual = saved_original_ ? forward_ad::detached(data_) : data_;
    const AutogradMeta* meta = get_autograd_meta(dual);
    if (meta != nullptr && meta->transforms_ != nullptr) rare_->forward = meta->transforms_->forward;
  }
  const NoGradGuard guard;
  hooks->call_pack_hook(saved_original_ ? data_.detach() : data_);
  LANEWISE_CHECK(AutogradError, data_.unsafeGetTensorImpl()->version() == saved_version_,
                 "A saved tensor pack hook is modifying its input in place, which the forward still uses: it "
                 "has to work on a clone()");
  rare_->hooks = std::move(hooks);
  data_.reset();
}

void SavedVariable::register_hooks(std::unique_ptr<SavedVariableHooks>&& hooks) {
  LANEWISE_CHECK(AutogradError, hooks != nullptr, "register_hooks: the hooks are null");
  LANEWISE_CHECK(
      AutogradError, was_defined_,
      "Calling register_hooks on a saved tensor with value None is forbidden: nothing was saved there");
  LANEWISE_CHECK(AutogradError, rare_ == nullptr || rare_->hooks == nullptr,
                 "Calling register_hooks on a saved tensor whose hooks have already been set; only one pair "
                 "of hooks is allowed at a time");
  LANEWISE_CHECK(AutogradError, data_.defined(),
                 "Calling register_hooks on a saved tensor after it has been freed. Saved values of the "
                 "graph are freed when you call "
                 "backward() or grad(); pass retain_graph=True if they are needed afterwards");
  pack(std::move(hooks));
}

void SavedVariable::reset_data() noexcept {
  data_.reset();
  rare_.reset();
}

void SavedVariable::check(const Node* saved_for) const {
  LANEWISE_CHECK(AutogradError, data_.defined(),
                 saved_for == nullptr ? std::string("backward") : saved_for->name(),
                 ": Trying to backward through the graph a second time: the tensors that it saved were freed "
                 "by the first "
                 "backward() or grad() (or an access to them came after that). Pass retain_graph=true to the "
                 "first call if "
                 "the graph is needed again");
  const std::uint32_t version = data_.unsafeGetTensorImpl()->version();
  if (version == saved_version_) [[likely]]
    return;
  const Node* producer = saved_for;
  std::shared_ptr<Node> fn;
  if (saved_original_) {
    // Not grad_fn(): the tensor may be a view whose history an in-place op has replaced.
    const AutogradMeta* meta = get_autograd_meta(data_);
    fn = meta == nullptr ? nullptr : meta->grad_fn_;
    producer = fn.get();
  }
  lanewise::detail::raise<AutogradError>(
      saved_for == nullptr ? std::string("backward") : saved_for->name(),
      ": one of the variables needed for gradient computation has been modified by an inplace operation: ",
      describe(data_, producer, output_nr_), " is at version ", version, "; expected version ",
      saved_version_,
      " instead. Use the out-of-place form of the op that wrote it, or write to a clone(); "
      "DetectAnomalyGuard finds the forward op");
}

Tensor SavedVariable::attach_history(const Tensor& data, std::shared_ptr<Node> grad_fn) const {
  Tensor variable = lanewise::detail::make_alias(data);
  if (rare_ != nullptr) {
    if (std::shared_ptr<Node> of_view = rare_->view_grad_fn.lock()) grad_fn = std::move(of_view);
  }
  LANEWISE_CHECK(AutogradError, grad_fn != nullptr,
                 "a saved output was unpacked without the node that it belongs to");
  AutogradMeta& meta = materialize_autograd_meta(variable);
  meta.grad_fn_ = std::move(grad_fn);
  meta.output_nr_ = output_nr_;
  if (transforms_on()) forward_ad::copy_state(data, variable);
  return variable;
}

Tensor SavedVariable::unpack_with_hooks(std::shared_ptr<Node> saved_for) const {
  const Tensor data = rare_->hooks->call_unpack_hook();
  LANEWISE_CHECK(
      AutogradError, data.defined(),
      "a saved tensor's unpack hook returned an undefined tensor; expected one like that which was packed");
  if (!transforms_on()) return with_history(data, std::move(saved_for));
  Tensor variable = with_history(data, std::move(saved_for));
  if (variable.is_same(data)) variable = lanewise::detail::make_alias(data);
  forward_ad::copy_state(data, variable);
  if (rare_->forward != nullptr) {
    AutogradMeta& meta = materialize_autograd_meta(variable);
    if (meta.transforms_ == nullptr) meta.transforms_ = std::make_unique<TransformState>();
    meta.transforms_->forward = rare_->forward;
  }
  return variable;
}

Tensor SavedVariable::with_history(const Tensor& data, std::shared_ptr<Node> saved_for) const {
  if (!saved_original_) return attach_history(data, std::move(saved_for));
  if (rare_->next == nullptr) return data;
  if (rare_->next->sequence_nr() != kMaxSequenceNr) return attach_history(data, rare_->next);
  // A leaf: gradients of the copy go to the original.
  const Tensor variable = lanewise::detail::make_alias(data);
  AutogradMeta& meta = materialize_autograd_meta(variable);
  meta.requires_grad_ = true;
  meta.keeper_ = rare_->next;
  return variable;
}

const Tensor& SavedVariable::unpack(Node* saved_for, Tensor& made) const {
  if (!was_defined_) return made;
  if (!data_.defined() || data_.unsafeGetTensorImpl()->version() != saved_version_) [[unlikely]] {
    if (rare_ != nullptr && rare_->hooks != nullptr) return made = unpack_with_hooks(saved_for->getptr());
    check(saved_for);
  }
  if (saved_original_ || !GradMode::is_enabled()) return data_;
  return made = attach_history(data_, saved_for->getptr());
}

Tensor SavedVariable::unpack(std::shared_ptr<Node> saved_for, bool with_history) const {
  if (!was_defined_) return {};
  if (!data_.defined() || data_.unsafeGetTensorImpl()->version() != saved_version_) [[unlikely]] {
    if (rare_ != nullptr && rare_->hooks != nullptr) return unpack_with_hooks(std::move(saved_for));
    check(saved_for.get());
  }
  if (saved_original_ || (!with_history && !GradMode::is_enabled())) return data_;
  return attach_history(data_, std::move(saved_for));
}

std::vector<SavedVariable> save_list(ArrayRef<Tensor> list) {
  std::vector<SavedVariable> saved;
  saved.reserve(list.size());
  for (const Tensor& t : list) saved.emplace_back(t, false);
  return saved;
}

std::vector<Tensor> unpack_list(const std::vector<SavedVariable>& list, Node* saved_for) {
  std::vector<Tensor> tensors;
  tensors.reserve(list.size());
  for (const SavedVariable& saved : list) {
    Tensor made;
    tensors.push_back(saved.unpack(saved_for, made));
  }
  return tensors;
}

}  // namespace lanewise::autograd
