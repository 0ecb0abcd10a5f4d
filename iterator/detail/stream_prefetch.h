#pragma once

#include <cstdint>

#include <lanewise/kernels/prefetch.h>

namespace lanewise::detail {

/// As kernels::prefetch_distance(), for the rows of a reduction. 0, which asks for what is being read, where rows are as good
/// as one stream and the CPU follows streams better by itself.
std::int64_t stream_prefetch(std::int64_t row_bytes, std::int64_t stride) noexcept;

/// What is asked of memory in walks down rows of a page each on this CPU.
kernels::RowPrefetch row_prefetch() noexcept;

}  // namespace lanewise::detail
