#include <algorithm>
#include <mutex>

#include <lanewise/autograd/autograd_meta.h>
#include <lanewise/autograd/detail/forward_frame.h>
#include <lanewise/autograd/detail/forward_level.h>
#include <lanewise/autograd/forward_ad.h>
#include <lanewise/dispatch_isa/detail/per_thread.h>
#include <lanewise/generated/functions.h>
#include <lanewise/tensor/errors.h>

namespace lanewise::autograd {

constinit std::atomic<std::uint32_t> transforms_open = 0;

namespace {

struct OpenLevels {
  std::vector<std::shared_ptr<ForwardLevel>> levels;
};

/// Open levels of this thread, outermost first.
std::vector<std::shared_ptr<ForwardLevel>>& open_levels() {
  return lanewise::detail::PerThread<OpenLevels>::get().levels;
}

std::uint64_t enter() {
  static constinit std::atomic<std::uint64_t> next_id = 0;
  auto& levels = open_levels();
  levels.push_back(std::make_shared<ForwardLevel>(next_id.fetch_add(1) + 1));
  transforms_open.fetch_add(1);
  return levels.size() - 1;
}

void leave() noexcept {
  open_levels().back()->close();
  open_levels().pop_back();
  transforms_open.fetch_sub(1);
}

/// Null without an open level of that number; -1 is the innermost.
std::shared_ptr<ForwardLevel> find_level(std::int64_t level) {
  const auto& levels = open_levels();
  if (level < 0) level = static_cast<std::int64_t>(levels.size()) - 1;
  if (level < 0 || level >= static_cast<std::int64_t>(levels.size())) return nullptr;
  return levels[static_cast<std::size_t>(level)];
}

}  // namespace

void ForwardLevel::add(const std::shared_ptr<ForwardGrad>& holder) {
  const std::lock_guard lock(mutex_);
  if (holders_.size() >= prune_at_) {
    std::erase_if(holders_, [](const std::weak_ptr<ForwardGrad>& h) { return h.expired(); });
    prune_at_ = std::max<std::size_t>(64, 2 * holders_.size());
  }
  holders_.push_back(holder);
}

void ForwardLevel::close() noexcept {
  std::vector<std::weak_ptr<ForwardGrad>> holders;
  {
    const std::lock_guard lock(mutex_);
    holders.swap(holders_);
  }
  for (const auto& weak : holders) {
    const std::shared_ptr<ForwardGrad> holder = weak.lock();
    if (holder == nullptr) continue;
    auto& entries = holder->entries;
    const auto mine = std::find_if(entries.begin(), entries.end(), [this](const ForwardGrad::Entry& entry) {
      return entry.level.get() == this;
    });
    if (mine == entries.end()) continue;
    const ForwardGrad::Entry dropped = std::move(*mine);  // what dies here may hold other duals
    entries.erase(mine);
  }
}

std::uint64_t forward_ad::enter_dual_level() {
  LANEWISE_CHECK(AutogradError, open_levels().empty(),
                 "enter_dual_level: Nested forward mode AD is not supported at the moment; leave the open "
                 "level first, or use "
                 "func::jvp, which nests");
  return enter();
}

void forward_ad::exit_dual_level(std::uint64_t level) {
  LANEWISE_CHECK(AutogradError, open_levels().size() == level + 1, "exit_dual_level: level ", level,
                 " is not the innermost of ", open_levels().size(), " open levels");
  leave();
}

forward_ad::dual_level::dual_level() : level_(enter_dual_level()), own_(open_levels().back()) {}
forward_ad::dual_level::~dual_level() {
  const auto& levels = open_levels();
  if (std::find(levels.begin(), levels.end(), own_) == levels.end()) return;
  while (levels.back() != own_) leave();
  leave();
}

forward_ad::NestedLevel::NestedLevel() : level_(static_cast<std::int64_t>(enter())) {}
forward_ad::NestedLevel::~NestedLevel() { leave(); }

Tensor forward_ad::make_dual(const Tensor& primal, const Tensor& tangent, std::int64_t level) {
  const std::shared_ptr<ForwardLevel> found = find_level(level);
  LANEWISE_CHECK(AutogradError, found != nullptr,
                 "make_dual: Trying to create a dual Tensor for forward AD but no level exists, make sure to "
                 "enter_dual_level() first");
  LANEWISE_CHECK(ValueError, primal.defined() && tangent.defined(),
                 "make_dual: the primal or the tangent is undefined");
  LANEWISE_CHECK(
      ValueError, is_differentiable(primal.scalar_type()),
      "make_dual: Expected primal to be floating point or complex, but got: ", primal.scalar_type());
  LANEWISE_CHECK(
      ValueError, is_differentiable(tangent.scalar_type()),
      "make_dual: Expected tangent to be floating point or complex, but got: ", tangent.scalar_type());
  LANEWISE_CHECK(AutogradError, !tangent_of(primal, *found).defined(),
                 "make_dual: Making a dual Tensor based on a Tensor that already has a forward gradient at "
                 "the same level ",
                 level < 0 ? 0 : level, " is not supported; take unpack_dual(tensor).primal");
  LANEWISE_CHECK(AutogradError, !tangent_of(tangent, *found).defined(),
                 "make_dual: Setting a forward grad that itself has a forward gradient at the same level is "
                 "not supported");
  LANEWISE_CHECK(AutogradError, primal.sizes() == tangent.sizes(),
                 "make_dual: Trying to set a forward gradient that has a different size than that of the "
                 "original Tensor, this is "
                 "not supported. Tensor is of size ",
                 primal.sizes(), " while the given forward gradient is of size ", tangent.sizes());
  const Tensor dual = primal.view(primal.sizes());
  materialize_autograd_meta(dual).forward_view_ = false;
  if (!InferenceMode::is_enabled()) set_tangent(dual, tangent, found, /*keep=*/true);
  return dual;
}

forward_ad::UnpackedDualTensor forward_ad::unpack_dual(const Tensor& tensor, std::int64_t level) {
  const std::shared_ptr<ForwardLevel> found = find_level(level);
  if (found == nullptr) return {tensor, Tensor()};
  return {_fw_primal(tensor, level), AutoFwGradMode::is_enabled() ? tangent_of(tensor, *found) : Tensor()};
}

}  // namespace lanewise::autograd

namespace lanewise {

using autograd::forward_ad::Frame;

Tensor _make_dual(const Tensor& primal, const Tensor& tangent, std::int64_t level) {
  return autograd::forward_ad::make_dual(primal, tangent, level);
}

std::tuple<Tensor, Tensor> _unpack_dual(const Tensor& dual, std::int64_t level) {
  auto [primal, tangent] = autograd::forward_ad::unpack_dual(dual, level);
  return {primal, tangent};
}

Tensor Tensor::_fw_grad(std::uint64_t level) const {
  const bool visible = defined() && AutoFwGradMode::is_enabled();
  const auto found = visible ? autograd::find_level(static_cast<std::int64_t>(level)) : nullptr;
  return found == nullptr ? Tensor() : autograd::forward_ad::tangent_of(*this, *found);
}

Tensor Tensor::_fw_primal(std::int64_t level) const { return lanewise::_fw_primal(*this, level); }

Tensor _fw_primal(const Tensor& self, std::int64_t level) {
  LANEWISE_CHECK(ValueError, self.defined(), "_fw_primal: an undefined tensor");
  const std::shared_ptr<autograd::ForwardLevel> found = autograd::find_level(level);
  if (found == nullptr || !is_differentiable(self.scalar_type())) return self;
  Frame::skip_next();
  const Tensor primal = self.view(self.sizes());
  autograd::materialize_autograd_meta(primal).forward_view_ = false;
  autograd::forward_ad::copy_outer_tangents(self, primal, *found);
  return primal;
}

}  // namespace lanewise
