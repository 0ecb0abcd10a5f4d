#pragma once

#include <lanewise/iterator/detail/spare_input.h>

namespace lanewise::autograd {

/// True if `t` may be overwritten: no other tensor sees it or its memory, which is the library's own.
bool is_free(const Tensor& t) noexcept;

/// For the last formula of a node that reads its incoming gradient: lends that gradient's memory to the result. Not where
/// a graph is recorded, since that may keep the gradient, and not where somebody else holds it: a caller, a hook,
/// another node.
class SpareGradient {
 public:
  explicit SpareGradient(const Tensor& grad, bool is_last = true) noexcept
      : spare_(is_last && may_be_spent(grad) ? &grad : nullptr) {}

 private:
  static bool may_be_spent(const Tensor& grad) noexcept;

  lanewise::detail::SpareInput spare_;
};

}  // namespace lanewise::autograd
