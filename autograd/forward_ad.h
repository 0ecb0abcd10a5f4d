#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <tuple>
#include <vector>

#include <lanewise/autograd/grad_mode.h>
#include <lanewise/autograd/node.h>
#include <lanewise/autograd/transforms.h>
#include <lanewise/dispatch_isa/api.h>
#include <lanewise/tensor/tensor.h>

/// Forward-mode differentiation: tensors that carry a tangent, which every op carries on to its results.
///
///   forward_ad::dual_level level;
///   const Tensor y = f(forward_ad::make_dual(x, v));
///   const Tensor jvp = forward_ad::unpack_dual(y).tangent;
///
/// It is independent of grad mode: under NoGradGuard tangents flow on, and with gradients recorded the
/// tangents are recorded too (reverse over forward). A backward inside the level works on dual tensors
/// (forward over reverse).
namespace lanewise::autograd::forward_ad {

/// Opens a dual level of this thread and returns its number, 0. Throws AutogradError if one is open: levels
/// do not nest, as in PyTorch. (func::jvp and what is built on it do.)
LANEWISE_API std::uint64_t enter_dual_level();
/// Closes it: all tangents of the level vanish. Throws AutogradError if `level` is not the innermost one.
LANEWISE_API void exit_dual_level(std::uint64_t level);

/// A dual level for a scope, unless exit_dual_level() ends it before.
class LANEWISE_API dual_level {
 public:
  dual_level();
  ~dual_level();
  dual_level(const dual_level&) = delete;
  dual_level& operator=(const dual_level&) = delete;
  std::uint64_t level() const noexcept { return level_; }

 private:
  std::uint64_t level_;
  std::shared_ptr<ForwardLevel> own_;
};
using ForwardADGuard = dual_level;

/// A view of `primal` with the tangent `tangent`, of the same shape. In-place ops on it change `tangent` too.
/// Throws AutogradError without an open level, for a primal or tangent that is dual already, or another
/// shape; ValueError for dtypes without derivatives. `level` -1 is the innermost.
LANEWISE_API Tensor make_dual(const Tensor& primal, const Tensor& tangent, std::int64_t level = -1);

struct UnpackedDualTensor {
  Tensor primal;
  Tensor tangent;  ///< undefined where there is none
};
/// The primal, a view without the tangent, and the tangent. Without an open level the tensor itself.
LANEWISE_API UnpackedDualTensor unpack_dual(const Tensor& tensor, std::int64_t level = -1);

/// A level that may lie inside another, for functional transforms.
class LANEWISE_API NestedLevel {
 public:
  NestedLevel();
  ~NestedLevel();
  NestedLevel(const NestedLevel&) = delete;
  NestedLevel& operator=(const NestedLevel&) = delete;
  std::int64_t level() const noexcept { return level_; }

 private:
  std::int64_t level_;
};

}  // namespace lanewise::autograd::forward_ad

namespace lanewise {

/// libtorch's names of make_dual and unpack_dual.
LANEWISE_API Tensor _make_dual(const Tensor& primal, const Tensor& tangent, std::int64_t level);
LANEWISE_API std::tuple<Tensor, Tensor> _unpack_dual(const Tensor& dual, std::int64_t level);
LANEWISE_API Tensor _fw_primal(const Tensor& self, std::int64_t level);

}  // namespace lanewise

namespace lanewise::autograd {

using lanewise::AutoFwGradMode;

}  // namespace lanewise::autograd
