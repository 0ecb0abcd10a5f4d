#include <atomic>

#include <lanewise/autograd/grad_mode.h>
#include <lanewise/tensor/detail/inference_mode.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/warnings.h>

namespace lanewise {

namespace {

#if defined(__GNUC__)
[[gnu::tls_model("initial-exec")]]
#endif
constinit thread_local bool grad_enabled = true;
#if defined(__GNUC__)
[[gnu::tls_model("initial-exec")]]
#endif
constinit thread_local bool forward_enabled = true;
constinit thread_local bool multithreading = true;

constinit std::atomic<bool> deterministic = false;
constinit std::atomic<bool> deterministic_warns = false;

}  // namespace

bool GradMode::is_enabled() noexcept { return grad_enabled; }
void GradMode::set_enabled(bool enabled) noexcept { grad_enabled = enabled && !detail::inference_mode; }

AutoFwGradMode::AutoFwGradMode(bool enabled) noexcept : previous_(forward_enabled) {
  forward_enabled = enabled;
}
AutoFwGradMode::~AutoFwGradMode() { forward_enabled = previous_; }
bool AutoFwGradMode::is_enabled() noexcept { return forward_enabled; }

bool InferenceMode::is_enabled() noexcept { return detail::inference_mode; }

InferenceMode::InferenceMode(bool enabled) noexcept
    : previous_inference_(detail::inference_mode), previous_grad_(grad_enabled), forward_(!enabled) {
  detail::inference_mode = enabled;
  grad_enabled = !enabled;
}

InferenceMode::~InferenceMode() {
  detail::inference_mode = previous_inference_;
  grad_enabled = previous_grad_;
}

bool is_multithreading_enabled() noexcept { return multithreading; }
void set_multithreading_enabled(bool enabled) noexcept { multithreading = enabled; }

void set_deterministic(bool enabled, bool warn_only) noexcept {
  deterministic = enabled;
  deterministic_warns = warn_only;
}
bool is_deterministic() noexcept { return deterministic; }
bool is_deterministic_warn_only() noexcept { return deterministic_warns; }

void alert_not_deterministic(const char* op) {
  if (!deterministic) return;
  if (deterministic_warns) {
    warn(op, " does not have a deterministic implementation, but set_deterministic(true) was called");
    return;
  }
  detail::raise<AutogradError>(
      op,
      ": does not have a deterministic implementation, but set_deterministic(true) was called; use another "
      "op, or set_deterministic(true, /*warn_only=*/true)");
}

}  // namespace lanewise
