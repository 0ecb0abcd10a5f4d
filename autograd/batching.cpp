#include <algorithm>
#include <iterator>
#include <map>

#include <lanewise/autograd/autograd_meta.h>
#include <lanewise/autograd/detail/batching.h>
#include <lanewise/autograd/detail/forward_frame.h>
#include <lanewise/autograd/detail/forward_level.h>
#include <lanewise/autograd/record.h>
#include <lanewise/dispatch_isa/detail/per_thread.h>
#include <lanewise/generated/functions.h>
#include <lanewise/tensor/detail/fresh_like.h>
#include <lanewise/tensor/detail/read_check.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/make_tensor.h>
#include <lanewise/tensor/promotion.h>

namespace lanewise::autograd::batching {
namespace {

/// Reading a batched tensor as a number would read its first slice.
void refuse_read(const char* op, const Tensor& t) {
  LANEWISE_CHECK(AutogradError, info(t) == nullptr, op,
                 ": vmap: a batched tensor cannot be read as a number, for it stands for one per "
                 "slice; use where() instead of branches on values");
}

struct AddBatchDimBackward final : Node {
  using Node::Node;
  std::string name() const override { return "AddBatchDimBackward0"; }
  variable_list apply(variable_list&& grads) override {
    return {grads[0].defined() ? remove_dim(grads[0], dim, level, size) : Tensor()};
  }
  std::int64_t dim = 0, size = 0;
  std::uint64_t level = 0;
};

struct RemoveBatchDimBackward final : Node {
  using Node::Node;
  std::string name() const override { return "RemoveBatchDimBackward0"; }
  variable_list apply(variable_list&& grads) override {
    return {grads[0].defined() ? add_dim(grads[0], dim, level) : Tensor()};
  }
  std::int64_t dim = 0;
  std::uint64_t level = 0;
};

struct LiftBackward final : Node {
  using Node::Node;
  std::string name() const override { return "LiftBackward0"; }
  variable_list apply(variable_list&& grads) override {
    return {grads[0].defined() ? remove_dim(grads[0], 0, level, size).sum(IntArrayRef{0}) : Tensor()};
  }
  std::int64_t size = 0;
  std::uint64_t level = 0;
};

/// Levels and sizes, outermost first.
using Levels = std::map<std::uint64_t, std::int64_t>;

struct ActiveLevels {
  Levels levels;
};
Levels& active_levels() { return lanewise::detail::PerThread<ActiveLevels>::get().levels; }

void collect(const Tensor& t, Levels& levels) {
  for (const BatchInfo* batch = info(t); batch != nullptr; batch = info(batch->value)) {
    levels[batch->level] = batch->value.sizes()[static_cast<std::size_t>(batch->dim)];
  }
}

/// `t` without history and tangents.
Tensor raw(const Tensor& t) {
  const AutogradMeta* meta = get_autograd_meta(t);
  if (meta == nullptr) return t;
  const Tensor alias = lanewise::detail::make_alias(t);
  copy_batch(t, alias);
  return alias;
}

Tensor to_front(const Tensor& value, std::int64_t dim) { return dim == 0 ? value : value.movedim(dim, 0); }

/// A batch of equal slices.
Tensor lift(const Tensor& t, std::uint64_t level, std::int64_t size) {
  forward_ad::Frame frame({&t});
  Tensor lifted;
  {
    const NoGradGuard no_grad;
    const AutoFwGradMode no_forward(false);
    DimVector sizes(t.sizes());
    sizes.insert(sizes.begin(), size);
    lifted = make(raw(raw(t).unsqueeze(0).expand(sizes)), 0, level);
  }
  if (compute_requires_grad(t)) {
    auto node = make_node<LiftBackward>(collect_next_edges(t));
    node->level = level;
    node->size = size;
    set_history(lifted, std::move(node));
  }
  while (frame.next()) frame.set(lifted, lift(frame.t(0), level, size), true);
  return lifted;
}

/// `t` with a batch of every level.
Tensor lift_to(Tensor t, const Levels& levels) {
  Levels own;
  collect(t, own);
  for (auto level = own.rbegin(); level != own.rend(); ++level)
    t = remove_dim(t, 0, level->first, level->second);
  Levels all = levels;
  all.insert(own.begin(), own.end());
  for (const auto& [level, size] : all) t = own.contains(level) ? add_dim(t, 0, level) : lift(t, level, size);
  return t;
}

bool has_all(const Tensor& t, const Levels& levels) {
  Levels own;
  collect(t, own);
  return std::all_of(levels.begin(), levels.end(),
                     [&](const auto& level) { return own.contains(level.first); });
}

/// `fresh`, which has the dtype and maybe the shape of a slice of `like`, a copy of equal values for every slice.
Tensor batch_like(const Tensor& like, const Tensor& fresh) {
  if (!is_batched(like)) return fresh;
  Levels levels;
  collect(like, levels);
  Tensor batched;
  {
    const NoGradGuard no_grad;
    const AutoFwGradMode no_forward(false);
    batched = lift_to(fresh, levels).clone();
  }
  batched.set_requires_grad(fresh.requires_grad());
  return batched;
}

}  // namespace

ActiveVmap::ActiveVmap(std::uint64_t level, std::int64_t size) { active_levels()[level] = size; }
ActiveVmap::~ActiveVmap() { active_levels().erase(std::prev(active_levels().end())); }

Tensor lift_to_active(const Tensor& t) {
  return has_all(t, active_levels()) ? t : lift_to(t, active_levels());
}

Lifted::Lifted(std::initializer_list<const Tensor*> tensors, ArrayRef<Tensor> list)
    : list_begin_(static_cast<std::ptrdiff_t>(tensors.size())) {
  for (const Tensor* t : tensors) tensors_.push_back(*t);
  tensors_.insert(tensors_.end(), list.begin(), list.end());
  Levels levels;
  for (const Tensor& t : tensors_) collect(t, levels);
  for (Tensor& t : tensors_) {
    if (!t.defined() || !t.requires_grad() || has_all(t, levels)) continue;
    t = lift_to(t, levels);
    changed_ = true;
  }
}

const BatchInfo* info(const Tensor& t) noexcept {
  const AutogradMeta* meta = t.defined() ? get_autograd_meta(t) : nullptr;
  return meta == nullptr || meta->transforms_ == nullptr ? nullptr : meta->transforms_->batch.get();
}

bool any(std::initializer_list<const Tensor*> tensors, ArrayRef<Tensor> list) noexcept {
  return std::any_of(tensors.begin(), tensors.end(), [](const Tensor* t) { return is_batched(*t); }) ||
         std::any_of(list.begin(), list.end(), [](const Tensor& t) { return is_batched(t); });
}

void copy_batch(const Tensor& t, const Tensor& alias) {
  const AutogradMeta* meta = t.defined() ? get_autograd_meta(t) : nullptr;
  if (meta == nullptr || meta->transforms_ == nullptr || meta->transforms_->batch == nullptr) return;
  AutogradMeta& target = materialize_autograd_meta(alias);
  if (target.transforms_ == nullptr) target.transforms_ = std::make_unique<TransformState>();
  target.transforms_->batch = meta->transforms_->batch;
}

Tensor make(const Tensor& value, std::int64_t dim, std::uint64_t level) {
  lanewise::detail::read_check.store(&refuse_read);
  lanewise::detail::batch_like.store(&batch_like);
  DimVector sizes, strides;
  for (std::int64_t d = 0; d < value.dim(); ++d) {
    if (d == dim) continue;
    sizes.push_back(value.sizes()[static_cast<std::size_t>(d)]);
    strides.push_back(value.strides()[static_cast<std::size_t>(d)]);
  }
  const Tensor slice = lanewise::detail::make_view(value, sizes, strides, value.storage_offset());
  AutogradMeta& meta = materialize_autograd_meta(slice);
  meta.transforms_ = std::make_unique<TransformState>();
  meta.transforms_->batch = std::make_shared<const BatchInfo>(value, dim, level);
  return slice;
}

Tensor add_dim(const Tensor& t, std::int64_t dim, std::uint64_t level) {
  forward_ad::Frame frame({&t});
  Tensor batched = make(raw(t), dim, level);
  if (compute_requires_grad(t)) {
    auto node = make_node<AddBatchDimBackward>(collect_next_edges(t));
    node->dim = dim;
    node->size = t.sizes()[static_cast<std::size_t>(dim)];
    node->level = level;
    set_history(batched, std::move(node));
  }
  while (frame.next()) frame.set(batched, add_dim(frame.t(0), dim, level), true);
  return batched;
}

Tensor remove_dim(const Tensor& t, std::int64_t dim, std::uint64_t level, std::int64_t size) {
  const BatchInfo* batch = info(t);
  LANEWISE_CHECK(AutogradError, batch == nullptr || batch->level <= level,
                 "vmap: a tensor of an inner vmap has left it");
  if (batch == nullptr || batch->level < level) {
    DimVector sizes(t.sizes());
    sizes.insert(sizes.begin() + dim, size);
    return t.unsqueeze(dim).expand(sizes);
  }
  forward_ad::Frame frame({&t});
  Tensor all;
  {
    const NoGradGuard no_grad;
    const AutoFwGradMode no_forward(false);
    all = raw(batch->value.movedim(batch->dim, dim));
  }
  if (compute_requires_grad(t)) {
    auto node = make_node<RemoveBatchDimBackward>(collect_next_edges(t));
    node->dim = dim;
    node->level = level;
    set_history(all, std::move(node));
  }
  while (frame.next()) frame.set(all, remove_dim(frame.t(0), dim, level, size), true);
  return all;
}

Batch::Batch(std::initializer_list<const Tensor*> tensors, ArrayRef<Tensor> list)
    : tensors_(tensors), list_begin_(tensors.size()) {
  for (const Tensor& t : list) tensors_.push_back(&t);
  bool number = false, mixed = false;
  ScalarType first = ScalarType::Undefined;
  ResultType type;
  for (const Tensor* t : tensors_) {
    if (!t->defined()) continue;
    rank_ = std::max(rank_, t->dim());
    if (const BatchInfo* batch = info(*t)) {
      level_ = std::max(level_, batch->level);
      number = number || t->dim() == 0;
    }
    if (t->scalar_type() == kBool) continue;
    mixed = mixed || (first != ScalarType::Undefined && first != t->scalar_type());
    first = t->scalar_type();
    type.add(*t);
  }
  // A slice without dimensions gives way in promotion; all of them together would not.
  if (number && mixed) common_ = type.get();
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    const BatchInfo* batch = info_of(i);
    if (batch != nullptr) size_ = batch->value.sizes()[static_cast<std::size_t>(batch->dim)];
  }
}

const BatchInfo* Batch::info_of(std::size_t i) const noexcept {
  const BatchInfo* batch = info(*tensors_[i]);
  return batch != nullptr && batch->level == level_ ? batch : nullptr;
}

bool Batch::is_batched(std::size_t i) const noexcept { return info_of(i) != nullptr; }

Tensor Batch::front(std::size_t i) const {
  const BatchInfo* batch = info_of(i);
  return batch == nullptr ? *tensors_[i] : to_front(batch->value, batch->dim);
}

Tensor Batch::expanded(std::size_t i) const {
  if (is_batched(i)) return front(i);
  DimVector sizes(tensors_[i]->sizes());
  sizes.insert(sizes.begin(), size_);
  return tensors_[i]->unsqueeze(0).expand(sizes);
}

Tensor Batch::aligned(std::size_t i) const {
  Tensor t = front(i);
  if (!t.defined()) return t;
  if (common_ != ScalarType::Undefined && t.scalar_type() != kBool && t.scalar_type() != common_)
    t = t.to(common_);
  if (!is_batched(i)) return t;
  for (std::int64_t d = t.dim() - 1; d < rank_; ++d) t = t.unsqueeze(1);
  return t;
}

Tensor Batch::slice(std::size_t i, std::int64_t b) const {
  const BatchInfo* batch = info_of(i);
  return batch == nullptr ? *tensors_[i] : batch->value.select(batch->dim, b);
}

std::vector<Tensor> Batch::list_slice(std::int64_t b) const {
  std::vector<Tensor> slices;
  for (std::size_t i = list_begin_; i < tensors_.size(); ++i) slices.push_back(slice(i, b));
  return slices;
}

Tensor Batch::join(const char* op, const std::vector<Tensor>& slices) const {
  check_not_empty(op);
  return wrap(stack(slices));
}

void Batch::check_not_empty(const char* op) const {
  LANEWISE_CHECK(NotImplementedError, size_ > 0, op, ": vmap: has no rule for an empty batch");
}

void check_writable(const char* op, const Tensor& self, std::initializer_list<const Tensor*> tensors,
                    ArrayRef<Tensor> list) {
  const BatchInfo* own = info(self);
  const auto check = [&](const Tensor& t) {
    const BatchInfo* other = info(t);
    LANEWISE_CHECK(AutogradError, other == nullptr || (own != nullptr && own->level >= other->level), op,
                   ": vmap: in-place arithmetic is not possible because there exists a Tensor with a batch "
                   "that is to be written into one "
                   "without; use the form that returns its result");
  };
  for (const Tensor* t : tensors) check(*t);
  for (const Tensor& t : list) check(t);
}

void write_back(const char* op, const Tensor& self, const Tensor& result) {
  check_writable(op, self, {&result});
  const Batch batch({&self, &result});
  LANEWISE_CHECK(ShapeError, result.sizes() == self.sizes(), op, ": the result has shape ", result.sizes(),
                 ", which does not fit into ", self.sizes());
  Tensor target = batch.front(0);
  target.copy_(batch.is_batched(1) ? batch.front(1) : result);
}

void raise_no_rule(const char* op) {
  lanewise::detail::raise<NotImplementedError>(op, ": vmap: has no batching rule; call it outside of vmap");
}

}  // namespace lanewise::autograd::batching
