#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include <lanewise/dispatch_isa/api.h>

namespace lanewise::autograd {

struct Node;

/// A search for the op behind a wrong gradient, for the whole process: nodes remember the stack of the call
/// that made them, a backward that throws warns with that stack, and NaN in a gradient is an error. Slow; for
/// debugging.
class LANEWISE_API AnomalyMode {
 public:
  static bool is_enabled() noexcept { return enabled_.load(std::memory_order_relaxed); }
  static bool should_check_nan() noexcept { return check_nan_.load(std::memory_order_relaxed); }
  static void set_enabled(bool enabled, bool check_nan = true) noexcept {
    check_nan_ = check_nan;
    enabled_ = enabled;
  }

 private:
  static std::atomic<bool> enabled_;
  static std::atomic<bool> check_nan_;
};

/// Anomaly mode for a scope.
class LANEWISE_API DetectAnomalyGuard {
 public:
  explicit DetectAnomalyGuard(bool check_nan = true) noexcept
      : previous_(AnomalyMode::is_enabled()), previous_check_nan_(AnomalyMode::should_check_nan()) {
    AnomalyMode::set_enabled(true, check_nan);
  }
  ~DetectAnomalyGuard() { AnomalyMode::set_enabled(previous_, previous_check_nan_); }
  DetectAnomalyGuard(const DetectAnomalyGuard&) = delete;
  DetectAnomalyGuard& operator=(const DetectAnomalyGuard&) = delete;

 private:
  bool previous_;
  bool previous_check_nan_;
};

/// Where a node comes from.
class LANEWISE_API AnomalyMetadata {
 public:
  /// Keeps the stack, and the node that this thread is running: the backward that makes a node of a higher
  /// derivative.
  void store_origin();
  /// Warns with the stack of the node called `name`, then with those of the nodes that induced it.
  void print_stack(const std::string& name) const;
  const std::shared_ptr<Node>& parent() const noexcept { return parent_; }
  /// The call that made the node, one frame a line, without those of autograd itself.
  std::string stack() const;

 private:
  std::vector<void*> frames_;
  std::shared_ptr<Node> parent_;
};

}  // namespace lanewise::autograd
