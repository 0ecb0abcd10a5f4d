#pragma once

#include <atomic>
#include <cstdint>

#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

/// Counting references costs a locked instruction, some twenty ticks, only once the process has started a
/// second thread.
namespace lanewise::detail {

using ReferenceCount = std::atomic<std::uint32_t>;

inline bool single_threaded() noexcept {
#if __has_include(<sys/single_threaded.h>)
  return __libc_single_threaded != 0;
#else
  return false;
#endif
}

inline void add_reference(ReferenceCount& count) noexcept {
  if (single_threaded()) {
    count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  } else {
    count.fetch_add(1, std::memory_order_relaxed);
  }
}

/// Returns the count before.
inline std::uint32_t take_reference(ReferenceCount& count) noexcept {
  if (!single_threaded()) return count.fetch_sub(1, std::memory_order_acq_rel);
  const std::uint32_t before = count.load(std::memory_order_relaxed);
  count.store(before - 1, std::memory_order_relaxed);
  return before;
}

}  // namespace lanewise::detail
