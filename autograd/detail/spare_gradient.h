#pragma once

#include <lanewise/autograd/autograd_meta.h>
#include <lanewise/autograd/grad_mode.h>
#include <lanewise/autograd/transforms.h>
#include <lanewise/iterator/detail/spare_input.h>

namespace lanewise::autograd {

/// True if `t` may be overwritten: no other tensor sees it or its memory, which is the library's own.
inline bool is_free(const Tensor& t) noexcept {
  return t.use_count() == 1 && t.storage().use_count() == 1 && t.storage()->resizable() && is_plain(t) &&
         t.is_non_overlapping_and_dense();
}

/// For the last formula of a node that reads its incoming gradient: lends that gradient's memory to the result. Not where
/// a graph is recorded, since that may keep the gradient, and not where somebody else holds it: a caller, a hook,
/// another node.
class SpareGradient {
 public:
  explicit SpareGradient(const Tensor& grad, bool is_last = true) noexcept
      : spare_(is_last && !GradMode::is_enabled() && !transforms_on() && is_free(grad) ? &grad : nullptr) {}

 private:
  lanewise::detail::SpareInput spare_;
};

}  // namespace lanewise::autograd
