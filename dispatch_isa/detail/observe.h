#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

/// What the lower floors tell a profiler about the op that runs, without knowing it. While nobody observes,
/// each place costs one relaxed load and a branch that is predicted.
namespace lanewise::detail {

/// How an op walked its operands; of several loops in one op the costliest, which is the largest here.
enum class Path : std::uint8_t {
  None,        ///< no loop: a view, a shape
  Own,         ///< a loop of the op's own, or ops that it calls
  Contiguous,  ///< the kernel on the tensors' own memory
  Small,       ///< few elements, one tile
  Staged,      ///< runs through tiles that convert or repeat
  Rows,        ///< strided operands gathered row by row
  Blocked,     ///< operands that disagree about the fastest dimension: two-dimensional blocks
  Reduction,
  Product,  ///< packed matrix product
};

/// Of one op, kept by whoever observes.
struct OpNotes {
  std::string_view op;
  Path path = Path::None;
  std::uint16_t threads = 1;  ///< the most that one loop used
  std::uint32_t allocations = 0;
  std::int64_t allocated_bytes = 0;

  void note(Path p) noexcept {
    if (p > path) path = p;
  }
};

/// Bits of what is observed; 0: nobody does.
extern constinit std::atomic<std::uint32_t> observed;
inline bool is_observed() noexcept {
  return __builtin_expect(observed.load(std::memory_order_relaxed) != 0, 0);
}

/// The innermost op of this thread that is observed, or null.
extern constinit thread_local OpNotes* op_notes;

[[gnu::cold]] void note_path_slow(Path path) noexcept;
[[gnu::cold]] void note_allocation_slow(std::int64_t bytes) noexcept;

inline void note_path(Path path) noexcept {
  if (is_observed()) [[unlikely]]
    note_path_slow(path);
}
inline void note_allocation(std::size_t bytes) noexcept {
  if (is_observed()) [[unlikely]]
    note_allocation_slow(static_cast<std::int64_t>(bytes));
}

/// Told of each thread's part of a parallel loop: `begin` in the thread when it enters, with what the loop's
/// op noted, then `end`.
struct LoopObserver {
  void (*begin)(const OpNotes& op) noexcept;
  void (*end)() noexcept;
};
/// Null or for the rest of the program.
extern constinit std::atomic<const LoopObserver*> loop_observer;

}  // namespace lanewise::detail
