#pragma once

#include <lanewise/autograd/forward_ad.h>
#include <lanewise/autograd/grad_mode.h>
#include <lanewise/autograd/saved_tensor_hooks.h>
#include <lanewise/tensor/warnings.h>

namespace lanewise::autograd {

/// The modes of the thread that makes it, for another one that works on its behalf while it waits.
class ThreadModes {
 public:
  ThreadModes() noexcept = default;

  class Scope {
   public:
    explicit Scope(const ThreadModes& modes) noexcept
        : inference_(modes.inference_),
          grad_(modes.grad_),
          forward_(modes.forward_),
          multithreading_(modes.multithreading_),
          hooks_(modes.hooks_),
          warnings_(modes.warnings_) {}

   private:
    InferenceMode inference_;
    AutoGradMode grad_;
    AutoFwGradMode forward_;
    MultithreadingGuard multithreading_;
    SavedTensorHooksOfThread hooks_;
    WarningUtils::WarningHandlerGuard warnings_;
  };

 private:
  bool inference_ = InferenceMode::is_enabled();
  bool grad_ = GradMode::is_enabled();
  bool forward_ = AutoFwGradMode::is_enabled();
  bool multithreading_ = is_multithreading_enabled();
  const SavedTensorHooks* hooks_ = SavedTensorHooksOfThread::innermost();
  WarningHandler* warnings_ = WarningUtils::get_warning_handler();
};

}  // namespace lanewise::autograd
