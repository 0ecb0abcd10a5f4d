#include <lanewise/autograd/grad_mode.h>

#include <lanewise/tensor/detail/inference_mode.h>

namespace lanewise {

namespace {

#if defined(__GNUC__)
[[gnu::tls_model("initial-exec")]]
#endif
constinit thread_local bool grad_enabled = true;

}  // namespace

bool GradMode::is_enabled() noexcept { return grad_enabled; }
void GradMode::set_enabled(bool enabled) noexcept { grad_enabled = enabled; }

bool InferenceMode::is_enabled() noexcept { return detail::inference_mode; }

InferenceMode::InferenceMode(bool enabled) noexcept
    : previous_inference_(detail::inference_mode), previous_grad_(grad_enabled) {
  detail::inference_mode = enabled;
  grad_enabled = !enabled;
}

InferenceMode::~InferenceMode() {
  detail::inference_mode = previous_inference_;
  grad_enabled = previous_grad_;
}

}  // namespace lanewise
