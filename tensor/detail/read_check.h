#pragma once

#include <atomic>

namespace lanewise {
class Tensor;
}

namespace lanewise::detail {

/// Called before the values of a tensor are read as numbers, if set: vmap refuses that.
inline constinit std::atomic<void (*)(const char* op, const Tensor& t)> read_check = nullptr;

inline void check_read(const char* op, const Tensor& t) {
  if (const auto check = read_check.load(std::memory_order_relaxed)) check(op, t);
}

}  // namespace lanewise::detail
