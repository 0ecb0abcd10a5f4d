#include <cmath>
#include <vector>

#include <lanewise/autograd/grad_mode.h>
#include <lanewise/generated/functions.h>
#include <lanewise/iterator/memory_overlap.h>
#include <lanewise/optim/clip_grad.h>
#include <lanewise/optim/detail/check.h>

namespace lanewise::optim {
namespace {

/// The gradients that there are; writing to the last one will not fail after the first one is written.
std::vector<Tensor> gradients(const char* what, TensorList parameters, bool takes_complex) {
  std::vector<Tensor> grads;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Tensor& grad = parameters[i].grad();
    if (!grad.defined()) continue;
    check_floating(what, i, grad.scalar_type(), takes_complex);
    assert_no_internal_overlap(grad);
    grads.push_back(grad);
  }
  return grads;
}

}  // namespace

double clip_grad_norm_(TensorList parameters, double max_norm, double norm_type, bool error_if_nonfinite) {
  const NoGradGuard no_grad;
  std::vector<Tensor> grads = gradients("clip_grad_norm_: the gradient of parameter ", parameters, true);
  if (grads.empty()) return 0;
  std::vector<Tensor> norms;
  for (const Tensor& grad : grads) norms.push_back(grad.norm(norm_type));
  const Tensor of_all = norms.size() == 1 ? norms.front() : stack(norms).norm(norm_type);
  // PyTorch's order 0 counts gradients, not elements.
  const double norm = norm_type == 0 ? static_cast<double>(grads.size()) : of_all.item<double>();
  check_value(!error_if_nonfinite || std::isfinite(norm), "clip_grad_norm_", "the norm of all gradients",
              norm, "a finite number; error_if_nonfinite = false multiplies by what comes of it");
  const double factor = max_norm / (norm + 1e-6);
  if (factor >= 1) return norm;
  for (Tensor& grad : grads) grad.mul_(factor);  // NaN, too
  return norm;
}

void clip_grad_value_(TensorList parameters, double clip_value) {
  const NoGradGuard no_grad;
  for (Tensor& grad : gradients("clip_grad_value_: the gradient of parameter ", parameters, false))
    grad.clamp_(-clip_value, clip_value);
}

}  // namespace lanewise::optim
