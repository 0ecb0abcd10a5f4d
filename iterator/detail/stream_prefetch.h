#pragma once

#include <cstdint>

#include <lanewise/kernels/detail/cpu_prefetch.h>

namespace lanewise::detail {

/// As kernels::prefetch_distance(), for the rows of a reduction. 0, which asks for what is being read, where rows are as good
/// as one stream and the CPU follows streams better by itself.
inline std::int64_t stream_prefetch(std::int64_t row_bytes, std::int64_t stride) noexcept {
  const bool stream = row_bytes == stride || row_bytes > 4 * kernels::kPrefetchBytes;
  return kernels::follows_streams && stream ? 0 : kernels::prefetch_distance(row_bytes, stride);
}

}  // namespace lanewise::detail
