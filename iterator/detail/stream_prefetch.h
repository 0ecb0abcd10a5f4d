#pragma once

#include <cstdint>

namespace lanewise::detail {

/// As kernels::prefetch_distance(), for rows at least a leaf long. 0, which asks for what is being read, where rows are as good
/// as one stream and the CPU follows streams better by itself.
std::int64_t stream_prefetch(std::int64_t row_bytes, std::int64_t stride) noexcept;

}  // namespace lanewise::detail
