#pragma once

#include <lanewise/dispatch_isa/api.h>

namespace lanewise {

/// Whether ops record nodes, per thread. On by default; off in an InferenceMode, whatever is set there (libtorch says what was
/// set, and records nothing either).
class LANEWISE_API GradMode {
 public:
  static bool is_enabled() noexcept;
  static void set_enabled(bool enabled) noexcept;
};

/// Sets the grad mode for a scope.
class LANEWISE_API AutoGradMode {
 public:
  explicit AutoGradMode(bool enabled) noexcept : previous_(GradMode::is_enabled()) {
    GradMode::set_enabled(enabled);
  }
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

/// Whether ops carry tangents on, per thread; on by default. (c10::AutoFwGradMode)
class LANEWISE_API AutoFwGradMode {
 public:
  explicit AutoFwGradMode(bool enabled) noexcept;
  ~AutoFwGradMode();
  AutoFwGradMode(const AutoFwGradMode&) = delete;
  AutoFwGradMode& operator=(const AutoFwGradMode&) = delete;
  static bool is_enabled() noexcept;

 private:
  bool previous_;
};

/// Tensors made in its scope are inference tensors: no version counter is kept for them, no node records
/// them, and saving one for backward is an error. Tangents are neither carried on nor seen there. InferenceMode(false) leaves
/// it for a scope.
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
  AutoFwGradMode forward_;
};

/// Whether a backward of this thread may use other threads, per thread; on by default. It then runs branches
/// of a graph in parallel where ParallelBackwardGuard asks for it.
LANEWISE_API bool is_multithreading_enabled() noexcept;
LANEWISE_API void set_multithreading_enabled(bool enabled) noexcept;

/// The same for a scope. (Python: set_multithreading_enabled)
class LANEWISE_API MultithreadingGuard {
 public:
  explicit MultithreadingGuard(bool enabled) noexcept : previous_(is_multithreading_enabled()) {
    set_multithreading_enabled(enabled);
  }
  ~MultithreadingGuard() { set_multithreading_enabled(previous_); }
  MultithreadingGuard(const MultithreadingGuard&) = delete;
  MultithreadingGuard& operator=(const MultithreadingGuard&) = delete;

 private:
  bool previous_;
};

/// Whether ops that say they are not deterministic are an error; with `warn_only` a warning. Every op of
/// Lanewise gives the same bits from run to run, whatever the number of threads, so it only concerns
/// functions that call alert_not_deterministic().
LANEWISE_API void set_deterministic(bool enabled, bool warn_only = false) noexcept;
LANEWISE_API bool is_deterministic() noexcept;
LANEWISE_API bool is_deterministic_warn_only() noexcept;
/// Throws AutogradError, or warns, if determinism is asked for.
LANEWISE_API void alert_not_deterministic(const char* op);

}  // namespace lanewise

namespace lanewise::autograd {

// libtorch has them here as well.
using lanewise::AutoGradMode;
using lanewise::EnableGradGuard;
using lanewise::GradMode;
using lanewise::InferenceMode;
using lanewise::NoGradGuard;

}  // namespace lanewise::autograd
