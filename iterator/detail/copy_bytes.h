#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace lanewise::detail {

/// memcpy. Where `to` lies up to 31 bytes behind `from` but for whole pages, each load waits for a store that seems to be to
/// the same memory, and the string instructions that memcpy uses on Zen 3 go byte by byte (2.9 bytes/ns); from the end
/// to the begin no load comes after such a store (25).
inline void copy_bytes(char* to, const char* from, std::size_t bytes) {
  constexpr std::uintptr_t kPage = 4096, kNear = 32;
  constexpr std::size_t kLong = 2048;
  struct Line {
    char bytes[64];
  };
  const std::uintptr_t behind =
      (reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from)) % kPage;
  if (bytes >= kLong && behind - 1 < kNear - 1) {
    for (; bytes >= sizeof(Line); bytes -= sizeof(Line)) {
      Line line;
      std::memcpy(&line, from + bytes - sizeof line, sizeof line);
      std::memcpy(to + bytes - sizeof line, &line, sizeof line);
    }
  }
  std::memcpy(to, from, bytes);
}

}  // namespace lanewise::detail
