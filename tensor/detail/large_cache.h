#pragma once

#include <cstddef>

/// Large blocks from a process-wide cache. A fresh block of the system costs a page fault for every 4 KiB
/// when it is first written, several times the cost of the arithmetic; a block that was used before costs
/// none.
namespace lanewise::detail {

/// The size that a request is rounded to: eight steps to a doubling.
std::size_t round_large(std::size_t bytes) noexcept;
/// `bytes` as round_large gave it. Throws AllocationError after having emptied the cache in vain.
void* allocate_large(std::size_t bytes);
void free_large(void* block, std::size_t bytes) noexcept;

}  // namespace lanewise::detail
