#pragma once

#include <cstddef>
#include <cstring>

namespace lanewise::detail {

/// memcpy of so many bytes that how memory is walked matters.
void copy_long_run(char* to, const char* from, std::size_t bytes);
/// The same from the end to the begin.
void copy_backwards(char* to, const char* from, std::size_t bytes);

/// memcpy, of long runs by copy_long_run().
inline void copy_bytes(char* to, const char* from, std::size_t bytes) {
  constexpr std::size_t kLong = 2048;
  bytes < kLong ? static_cast<void>(std::memcpy(to, from, bytes)) : copy_long_run(to, from, bytes);
}

}  // namespace lanewise::detail
