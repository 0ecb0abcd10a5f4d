#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/tensor/tensor.h>

namespace lanewise::autograd {

// Note [Transforms]
// Forward mode and vmap are properties of tensors: a dual tensor carries tangents, a batched one the tensor
// that it is a slice of. Ops look for them only while some dual level is open or some batched tensor lives,
// anywhere in the process: one load and one test of transforms_on(). Then they ask the functions that the
// generator writes into transforms_*.cpp, far from the hot code, and go on as usual if no argument is dual or
// batched.

/// Open dual levels and living batched tensors.
extern LANEWISE_API std::atomic<std::uint32_t> transforms_open;

inline bool transforms_on() noexcept {
  return __builtin_expect(transforms_open.load(std::memory_order_relaxed) != 0, 0);
}

struct ForwardLevel;
struct BatchInfo;

/// The tangents of a tensor, outermost level first. A tangent of a level has tangents of levels outside of it
/// only.
struct ForwardGrad {
  struct Entry {
    std::shared_ptr<ForwardLevel> level;
    Tensor tangent;
  };
  std::vector<Entry> entries;
};

/// What transforms attach to a tensor.
struct TransformState {
  std::shared_ptr<ForwardGrad> forward;  ///< shared with what a node saved of the same tensor
  std::shared_ptr<const BatchInfo> batch;
};

}  // namespace lanewise::autograd
