#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include <lanewise/autograd/transforms.h>

namespace lanewise::autograd {

/// A dual level while it is open. Levels are ordered by id, since an inner one is opened later.
struct ForwardLevel {
  explicit ForwardLevel(std::uint64_t number) noexcept : id(number) {}

  /// Notes who holds a tangent of this level.
  void add(const std::shared_ptr<ForwardGrad>& holder);
  /// Takes the tangents away.
  void close() noexcept;

  const std::uint64_t id;

 private:
  std::mutex mutex_;
  std::vector<std::weak_ptr<ForwardGrad>> holders_;
  std::size_t prune_at_ = 64;
};

namespace forward_ad {

/// Gives `t` a tangent in the layout of `t`; `keep` takes the tensor itself if its layout fits.
void set_tangent(const Tensor& t, Tensor tangent, const std::shared_ptr<ForwardLevel>& level, bool keep);
/// The tangents of `from` at levels outside of `level`, for `to`, an alias of it.
void copy_outer_tangents(const Tensor& from, const Tensor& to, const ForwardLevel& level);

}  // namespace forward_ad
}  // namespace lanewise::autograd
