#pragma once

#include <cstdint>

namespace lanewise::detail {

/// Empty tensors may have sizes whose product does not fit; what comes out then is never used.
constexpr std::int64_t wrapping_product(std::int64_t a, std::int64_t b) noexcept {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

}  // namespace lanewise::detail
