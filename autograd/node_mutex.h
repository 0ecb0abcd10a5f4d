#pragma once

#include <atomic>
#include <chrono>
#include <thread>

namespace lanewise::autograd {

/// A lock of one byte for the rare contention on a node, cheap where there is none: one exchange and one
/// store. A waiter yields, and after a while sleeps, since the holder may run a whole op. Works with
/// std::lock_guard.
class NodeMutex {
 public:
  void lock() noexcept {
    if (!held_.exchange(true, std::memory_order_acquire)) [[likely]]
      return;
    wait();
  }
  bool try_lock() noexcept { return !held_.exchange(true, std::memory_order_acquire); }
  void unlock() noexcept { held_.store(false, std::memory_order_release); }

 private:
  [[gnu::noinline, gnu::cold]] void wait() noexcept {
    for (int attempt = 0;; ++attempt) {
      if (!held_.load(std::memory_order_relaxed) && try_lock()) return;
      if (attempt < 64) {
        std::this_thread::yield();
      } else {
        std::this_thread::sleep_for(std::chrono::microseconds(50));
      }
    }
  }

  std::atomic<bool> held_ = false;
};

}  // namespace lanewise::autograd
