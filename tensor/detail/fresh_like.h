#pragma once

#include <atomic>
#include <utility>

#include <lanewise/tensor/tensor.h>

namespace lanewise::detail {

/// Called with every tensor that a factory made in the likeness of another, if set: vmap gives it the batch of that one, so that in-place ops
/// may write batched tensors into it.
inline constinit std::atomic<Tensor (*)(const Tensor& like, const Tensor& fresh)> batch_like = nullptr;

inline Tensor fresh_like(const Tensor& like, Tensor&& fresh) {
  if (const auto batched = batch_like.load(std::memory_order_relaxed)) return batched(like, fresh);
  return std::move(fresh);
}

}  // namespace lanewise::detail
