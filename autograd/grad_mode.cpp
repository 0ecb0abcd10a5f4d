#include <lanewise/autograd/grad_mode.h>

namespace lanewise {

namespace {

#if defined(__GNUC__)
[[gnu::tls_model("initial-exec")]]
#endif
constinit thread_local bool grad_enabled = true;
#if defined(__GNUC__)
[[gnu::tls_model("initial-exec")]]
#endif
constinit thread_local bool inference_enabled = false;

}  // namespace

bool GradMode::is_enabled() noexcept { return grad_enabled; }
void GradMode::set_enabled(bool enabled) noexcept { grad_enabled = enabled; }

bool InferenceMode::is_enabled() noexcept { return inference_enabled; }

InferenceMode::InferenceMode(bool enabled) noexcept
    : previous_inference_(inference_enabled), previous_grad_(grad_enabled) {
  inference_enabled = enabled;
  grad_enabled = !enabled;
}

InferenceMode::~InferenceMode() {
  inference_enabled = previous_inference_;
  grad_enabled = previous_grad_;
}

}  // namespace lanewise
