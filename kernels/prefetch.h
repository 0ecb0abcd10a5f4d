#pragma once

#include <cstdint>

/// What reductions and scans ask of memory ahead of time. Plain: per-ISA files include this header.
namespace lanewise::kernels {

/// Bytes from what is read to what is asked for: far enough ahead for memory to answer.
inline constexpr std::int64_t kPrefetchBytes = 4096;

/// The same in rows of `row_bytes` that lie `stride` bytes apart: into a row to come, not into the gap behind this one. Rows
/// that are longer than a few times kPrefetchBytes lose little to the gap.
constexpr std::int64_t prefetch_distance(std::int64_t row_bytes, std::int64_t stride) noexcept {
  if (row_bytes == stride || stride == 0 || row_bytes <= 0 || row_bytes > 4 * kPrefetchBytes)
    return kPrefetchBytes;
  return row_bytes >= kPrefetchBytes ? stride : kPrefetchBytes / row_bytes * stride;
}

/// What a walk down rows of a page each asks of memory ahead of time.
enum class RowPrefetch : bool {
  ToL2,  ///< what rows to come hold, in L2
  /// Nothing: the CPU follows a few rows side by side, each read by instructions of its own, and asking gets in its way. Kernels
  /// of more arithmetic, which keep fewer loads under way, ask L1.
  ByCpu,
};

/// Asks for the line at p where lines of many rows are under way at once: L2 waits for more of them than L1 does.
[[gnu::always_inline]] inline void prefetch_to_l2(const void* p) noexcept { __builtin_prefetch(p, 0, 2); }

}  // namespace lanewise::kernels
