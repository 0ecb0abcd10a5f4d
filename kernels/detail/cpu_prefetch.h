#pragma once

#include <cstdint>

#include <lanewise/kernels/prefetch.h>

/// What this CPU gains by being asked for memory ahead of time. Kernels get it as arguments.
namespace lanewise::kernels {

/// Whether it follows streams of lines better by itself than if it is asked for them.
extern const bool follows_streams;

/// For ScatterFn.
extern const std::int64_t scatter_ahead;

/// What walks down rows of a page each ask for.
extern const RowPrefetch row_prefetch;

}  // namespace lanewise::kernels
