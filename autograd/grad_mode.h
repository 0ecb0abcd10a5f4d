#pragma once

#include <lanewise/dispatch_isa/api.h>

namespace lanewise {

/// Whether ops record nodes, per thread. On by default.
class LANEWISE_API GradMode {
 public:
  static bool is_enabled() noexcept;
  static void set_enabled(bool enabled) noexcept;
};

/// Sets the grad mode for a scope.
class LANEWISE_API AutoGradMode {
 public:
  explicit AutoGradMode(bool enabled) noexcept : previous_(GradMode::is_enabled()) { GradMode::set_enabled(enabled); }
  ~AutoGradMode() { GradMode::set_enabled(previous_); }
  AutoGradMode(const AutoGradMode&) = delete;
  AutoGradMode& operator=(const AutoGradMode&) = delete;

 private:
  bool previous_;
};

/// No nodes are recorded in its scope.
class LANEWISE_API NoGradGuard : public AutoGradMode {
 public:
  NoGradGuard() noexcept : AutoGradMode(false) {}
};

/// Nodes are recorded in its scope, also inside a NoGradGuard.
class LANEWISE_API EnableGradGuard : public AutoGradMode {
 public:
  EnableGradGuard() noexcept : AutoGradMode(true) {}
};

/// Tensors made in its scope are inference tensors: no version counter is kept for them, no node records them, and
/// saving one for backward is an error. InferenceMode(false) leaves it for a scope.
class LANEWISE_API InferenceMode {
 public:
  explicit InferenceMode(bool enabled = true) noexcept;
  ~InferenceMode();
  InferenceMode(const InferenceMode&) = delete;
  InferenceMode& operator=(const InferenceMode&) = delete;

  static bool is_enabled() noexcept;

 private:
  bool previous_inference_;
  bool previous_grad_;
};

}  // namespace lanewise
