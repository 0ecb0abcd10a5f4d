#include <algorithm>
#include <limits>
#include <utility>

#include <lanewise/autograd/autograd.h>
#include <lanewise/autograd/autograd_meta.h>
#include <lanewise/autograd/detail/batching.h>
#include <lanewise/autograd/detail/forward_frame.h>
#include <lanewise/autograd/detail/forward_level.h>
#include <lanewise/autograd/forward_ad.h>
#include <lanewise/autograd/grad_mode.h>
#include <lanewise/autograd/record.h>
#include <lanewise/generated/functions.h>
#include <lanewise/ops/factories.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/make_tensor.h>

namespace lanewise::autograd::forward_ad {
namespace {

#if defined(__GNUC__)
[[gnu::tls_model("initial-exec")]]
#endif
constinit thread_local bool skip = false;

const ForwardGrad* grads_of(const Tensor& t) noexcept {
  const AutogradMeta* meta = t.defined() ? get_autograd_meta(t) : nullptr;
  return meta == nullptr || meta->transforms_ == nullptr ? nullptr : meta->transforms_->forward.get();
}

ForwardGrad& materialize_grads(const Tensor& t) {
  AutogradMeta& meta = materialize_autograd_meta(t);
  if (meta.transforms_ == nullptr) meta.transforms_ = std::make_unique<TransformState>();
  if (meta.transforms_->forward == nullptr) meta.transforms_->forward = std::make_shared<ForwardGrad>();
  return *meta.transforms_->forward;
}

/// The base whose tangents are also those of the view `t`, or null.
const Tensor* forward_base(const Tensor& t) noexcept {
  const AutogradMeta* meta = t.defined() ? get_autograd_meta(t) : nullptr;
  return meta == nullptr || !meta->is_view() || !meta->forward_view_ ? nullptr : &meta->base_;
}

const Tensor* find(const ForwardGrad* grads, const ForwardLevel& level) noexcept {
  if (grads == nullptr) return nullptr;
  for (const ForwardGrad::Entry& entry : grads->entries) {
    if (entry.level.get() == &level) return &entry.tangent;
  }
  return nullptr;
}

/// The window of the base's tangent that belongs to `view`.
Tensor view_of_tangent(const Tensor& view, const Tensor& base, const Tensor& base_tangent) {
  const AutogradMeta& meta = *get_autograd_meta(view);
  const EnableGradGuard guard;  // else the view could not be modified where gradients are recorded
  if (meta.replay_ != nullptr) return (*meta.replay_)(base_tangent);
  return as_strided(base_tangent, view.sizes(), view.strides(),
                    view.storage_offset() - base.storage_offset() + base_tangent.storage_offset());
}

bool same_layout(const Tensor& a, const Tensor& b) noexcept {
  for (std::size_t d = 0; d < a.sizes().size(); ++d) {
    if (a.sizes()[d] > 1 && a.strides()[d] != b.strides()[d]) return false;
  }
  return true;
}

/// A copy of `tangent` laid out as `t`.
Tensor copy_in_layout(const Tensor& tangent, const Tensor& t) {
  for (std::size_t d = 0; d < t.sizes().size(); ++d) {
    if (t.sizes()[d] > 1 && t.strides()[d] == 0) return tangent.clone(MemoryFormat::Contiguous);
  }
  Tensor copy = lanewise::detail::empty_strided_cpu(t.sizes(), t.strides(), tangent.scalar_type());
  copy.copy_(tangent);
  return copy;
}

}  // namespace

Tensor tangent_of(const Tensor& t, const ForwardLevel& level) {
  if (const Tensor* own = find(grads_of(t), level)) return *own;
  const Tensor* base = forward_base(t);
  const Tensor* of_base = base == nullptr ? nullptr : find(grads_of(*base), level);
  return of_base == nullptr ? Tensor() : view_of_tangent(t, *base, *of_base);
}

void set_tangent(const Tensor& t, Tensor tangent, const std::shared_ptr<ForwardLevel>& level, bool keep) {
  if (batching::is_batched(tangent)) {
    if (!keep) tangent = tangent.clone();
  } else if (!same_layout(t, tangent) || !keep) {
    tangent = copy_in_layout(tangent, t);
  }
  ForwardGrad& grads = materialize_grads(t);
  auto place = grads.entries.begin();
  while (place != grads.entries.end() && place->level->id < level->id) ++place;
  if (place != grads.entries.end() && place->level == level) {
    place->tangent = std::move(tangent);
    return;
  }
  grads.entries.insert(place, {level, std::move(tangent)});
  level->add(get_autograd_meta(t)->transforms_->forward);
}

void copy_outer_tangents(const Tensor& from, const Tensor& to, const ForwardLevel& level) {
  const auto copy = [&](const ForwardGrad* grads) {
    if (grads == nullptr) return;
    for (const ForwardGrad::Entry& entry : grads->entries) {
      if (entry.level->id < level.id) set_tangent(to, tangent_of(from, *entry.level), entry.level, true);
    }
  };
  if (const Tensor* base = forward_base(from)) copy(grads_of(*base));
  copy(grads_of(from));
}

Tensor strip(const Tensor& t, const ForwardLevel& level) {
  if (!t.defined()) return t;
  const auto reaches = [&](const ForwardGrad* grads) {
    return grads != nullptr && !grads->entries.empty() && grads->entries.back().level->id >= level.id;
  };
  const Tensor* base = forward_base(t);
  if (!reaches(grads_of(t)) && (base == nullptr || !reaches(grads_of(*base)))) return t;
  const Tensor alias = lanewise::detail::make_alias(t);
  alias.unsafeGetTensorImpl()->set_wrapped_number(t.is_wrapped_number());
  if (t.requires_grad() && GradMode::is_enabled()) {
    // Its gradients flow where those of t do, into the accumulator if t is a leaf.
    Edge edge = gradient_edge(t);
    AutogradMeta& meta = materialize_autograd_meta(alias);
    meta.grad_fn_ = std::move(edge.function);
    meta.output_nr_ = edge.input_nr;
  }
  batching::copy_batch(t, alias);
  copy_outer_tangents(t, alias, level);
  return alias;
}

Tensor detached(const Tensor& t) {
  const ForwardLevel beyond(std::numeric_limits<std::uint64_t>::max());
  const Tensor alias = lanewise::detail::make_alias(t);
  batching::copy_batch(t, alias);
  copy_outer_tangents(t, alias, beyond);
  return alias;
}

void share_state(const Tensor& variable, const Tensor& alias) {
  if (!is_differentiable(variable.scalar_type())) return;
  materialize_grads(variable);
  const AutogradMeta& meta = *get_autograd_meta(variable);
  materialize_autograd_meta(alias).transforms_ = std::make_unique<TransformState>(*meta.transforms_);
}

void copy_state(const Tensor& alias, const Tensor& copy) {
  const AutogradMeta* meta = get_autograd_meta(alias);
  if (meta == nullptr || meta->transforms_ == nullptr) return;
  materialize_autograd_meta(copy).transforms_ = std::make_unique<TransformState>(*meta->transforms_);
}

Frame::Frame(std::initializer_list<const Tensor*> tensors, ArrayRef<Tensor> list) {
  if (std::exchange(skip, false) || !AutoFwGradMode::is_enabled()) return;
  for (const Tensor* t : tensors) add(*t);
  count_ = static_cast<std::ptrdiff_t>(arguments_.size());
  for (const Tensor& t : list) add(t);
  std::sort(levels_.begin(), levels_.end(), [](const auto& a, const auto& b) { return a->id < b->id; });
}

void Frame::add(const Tensor& t) {
  arguments_.push_back(t);
  const auto collect = [&](const ForwardGrad* grads) {
    if (grads == nullptr) return;
    for (const ForwardGrad::Entry& entry : grads->entries) {
      if (std::find(levels_.begin(), levels_.end(), entry.level) == levels_.end())
        levels_.push_back(entry.level);
    }
  };
  collect(grads_of(t));
  if (const Tensor* base = forward_base(t)) collect(grads_of(*base));
}

void Frame::skip_next() noexcept { skip = true; }

bool Frame::next() {
  if (std::exchange(started_, true)) ++position_;
  if (position_ >= levels_.size()) return false;
  const ForwardLevel& level = *levels_[position_];
  primals_.clear();
  tangents_.clear();
  for (const Tensor& t : arguments_) {
    primals_.push_back(strip(t, level));
    tangents_.push_back(t.defined() ? tangent_of(t, level) : Tensor());
  }
  return true;
}

bool Frame::next_inplace(ArrayRef<Tensor> written) {
  if (!next()) return false;
  const auto recorded = [](const Tensor& t) { return t.defined() && t.requires_grad(); };
  if (!GradMode::is_enabled() || (std::none_of(primals_.begin(), primals_.end(), recorded) &&
                                  std::none_of(tangents_.begin(), tangents_.end(), recorded))) {
    return true;
  }
  for (const Tensor& self : written) {
    const Tensor own = tangent_of(self, *levels_[position_]);
    if (!own.defined()) continue;
    for (Tensor& t : tangents_) {
      if (t.defined() && t.is_alias_of(own)) t = t.clone();
    }
  }
  return true;
}

Tensor Frame::z(std::size_t i) const {
  if (tangents_[i].defined() || !primals_[i].defined()) return tangents_[i];
  return zeros_like(primals_[i]);
}

std::vector<Tensor> Frame::list_z() const {
  std::vector<Tensor> tangents;
  for (std::size_t i = static_cast<std::size_t>(count_); i < primals_.size(); ++i) tangents.push_back(z(i));
  return tangents;
}

Tensor Frame::primal(const Tensor& t) const { return strip(t, *levels_[position_]); }

namespace {

/// In the shape and dtype that the tangent of `t` has.
Tensor fitted(Tensor tangent, const Tensor& t) {
  if (tangent.is_complex() && !t.is_complex()) tangent = real(tangent);
  if (tangent.scalar_type() != t.scalar_type()) tangent = tangent.to(t.scalar_type());
  if (tangent.sizes() != t.sizes()) tangent = tangent.expand(t.sizes());
  return tangent;
}

}  // namespace

void Frame::set(const Tensor& result, const Tensor& tangent, bool is_view) const {
  if (!tangent.defined() || !result.defined() || !is_differentiable(result.scalar_type())) return;
  const Tensor fit = fitted(tangent, result);
  // An op that hands its argument on hands the argument's tangent on; that one stays the argument's.
  const bool shared = std::any_of(tangents_.begin(), tangents_.end(),
                                  [&](const Tensor& t) { return t.defined() && t.is_alias_of(fit); });
  set_tangent(result, fit, levels_[position_], is_view || !shared);
}

void Frame::set(const std::vector<Tensor>& results, const std::vector<Tensor>& tangents, bool is_view) const {
  for (std::size_t i = 0; i < results.size() && i < tangents.size(); ++i)
    set(results[i], tangents[i], is_view);
}

void Frame::set_inplace(const Tensor& self, const Tensor& tangent) const {
  if (!tangent.defined() || !is_differentiable(self.scalar_type())) return;
  const std::shared_ptr<ForwardLevel>& level = levels_[position_];
  Tensor own = tangent_of(self, *level);
  if (!own.defined()) {
    const Tensor* base = forward_base(self);
    if (base == nullptr) {
      set_tangent(self, fitted(tangent, self), level, /*keep=*/false);
      return;
    }
    set_tangent(*base, zeros_like(*base), level, true);
    own = tangent_of(self, *level);
  }
  own.copy_(fitted(tangent, self));
}

bool Frame::owns_tangent(const Tensor& self) const noexcept {
  return find(grads_of(self), *levels_[position_]) != nullptr;
}

void Frame::replace_tangent(const Tensor& self, const Tensor& tangent) const {
  set_tangent(self, fitted(tangent, self), levels_[position_], /*keep=*/true);
}

Tensor before_write(const Tensor& self, const Tensor& t) {
  return t.defined() && t.is_alias_of(self) ? t.clone() : t;
}

void zero_tangents(const Tensor& self) {
  Frame frame({&self});
  while (frame.next()) frame.set_inplace(self, zeros_like(self));
}

void check_out(const char* op, std::initializer_list<const Tensor*> tensors, ArrayRef<Tensor> list) {
  LANEWISE_CHECK(
      NotImplementedError, !Frame(tensors, list).active(), op,
      "(out=): Trying to use forward AD with an out= function, which does not support it; use the form that "
      "returns its result");
  LANEWISE_CHECK(NotImplementedError, !batching::any(tensors, list), op,
                 "(out=): vmap: out= functions have no batching rule; use the form "
                 "that returns its result");
}

void raise_not_implemented(const char* op, const char* reason) {
  lanewise::detail::raise<NotImplementedError>(op, ": has no forward-mode derivative (", reason,
                                               "); unpack_dual() gives its arguments without tangents");
}

Tensor elementwise_start(const Tensor& tangent, const Tensor& result) {
  Tensor start = tangent.scalar_type() == result.scalar_type() ? tangent : tangent.to(result.scalar_type());
  if (start.sizes() != result.sizes()) start = start.expand(result.sizes());
  return conj(start);
}

void elementwise_add(Tensor& sum, const Tensor& grad) { add_to(sum, conj(grad)); }

void add_to(Tensor& sum, const Tensor& term) { sum = sum.defined() ? sum + term : term; }

Tensor elementwise_primal(const Tensor& t, const Tensor& result) {
  return t.defined() && result.is_complex() && !t.is_complex() && is_differentiable(t.scalar_type())
             ? t.to(result.scalar_type())
             : t;
}

variable_list transposed(const variable_list& results, const std::vector<bool>& differentiable,
                         const std::function<variable_list(const variable_list&)>& vjp,
                         const variable_list& tangents) {
  const bool create_graph = GradMode::is_enabled();
  const EnableGradGuard guard;
  variable_list starts(results.size()), wanted;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!differentiable[i] || !results[i].defined() || !is_differentiable(results[i].scalar_type())) continue;
    starts[i] = batching::lift_to_active(zeros_like(results[i])).requires_grad_();  // one for each slice
    wanted.push_back(starts[i]);
  }
  variable_list outputs, directions;
  const variable_list grads = vjp(starts);
  for (std::size_t i = 0; i < grads.size(); ++i) {
    if (!tangents[i].defined() || !grads[i].defined() || !grads[i].requires_grad()) continue;
    outputs.push_back(grads[i]);
    directions.push_back(tangents[i].to(grads[i].scalar_type()).expand(grads[i].sizes()));
  }
  variable_list out(results.size());
  if (outputs.empty()) return out;
  const variable_list found =
      grad(outputs, wanted, directions, /*retain_graph=*/create_graph, create_graph, /*allow_unused=*/true);
  std::size_t next = 0;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (starts[i].defined()) out[i] = found[next++];
  }
  return out;
}

}  // namespace lanewise::autograd::forward_ad
