#pragma once

#include <cstdint>
#include <span>

#include <lanewise/dispatch_isa/api.h>

namespace lanewise {

/// Where the elements of a strided operand lie; strides in bytes, of any sign.
struct MemoryFootprint {
  const char* data = nullptr;
  std::span<const std::int64_t> sizes;
  std::span<const std::int64_t> strides;
  std::int64_t element_size = 1;
};

enum class MemoryOverlap : std::uint8_t {
  None,     ///< no byte in common
  Full,     ///< the same elements at the same positions
  Partial,  ///< some byte in common, but not Full
  Unknown,  ///< not decided within the work allowed
};

/// Whether two elements of `a` share a byte. Exact, unless the strides are so irregular that the search gives up:
/// then Unknown.
LANEWISE_API MemoryOverlap internal_overlap(const MemoryFootprint& a);

/// Whether an element of `a` shares a byte with an element of `b`. Interleaved operands (x[::2] and x[1::2]) do not.
LANEWISE_API MemoryOverlap mutual_overlap(const MemoryFootprint& a, const MemoryFootprint& b);

}  // namespace lanewise
