#include <lanewise/autograd/autograd_meta.h>
#include <lanewise/autograd/detail/spare_gradient.h>
#include <lanewise/autograd/grad_mode.h>
#include <lanewise/autograd/transforms.h>

namespace lanewise::autograd {

bool is_free(const Tensor& t) noexcept {
  return t.use_count() == 1 && t.storage().use_count() == 1 && t.storage()->resizable() && is_plain(t) &&
         t.is_non_overlapping_and_dense();
}

bool SpareGradient::may_be_spent(const Tensor& grad) noexcept {
  return !GradMode::is_enabled() && !transforms_on() && is_free(grad);
}

}  // namespace lanewise::autograd
