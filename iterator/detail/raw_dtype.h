#pragma once

#include <array>
#include <bit>
#include <cstddef>

#include <lanewise/tensor/dtype.h>

namespace lanewise::detail {

/// A dtype of that many bytes: what bytes mean does not matter to a copy.
constexpr ScalarType raw_dtype(std::size_t bytes) noexcept {
  constexpr std::array kDtypes = {kByte, kShort, kInt, kLong, kComplexDouble};
  return kDtypes[static_cast<std::size_t>(std::countr_zero(bytes))];
}

}  // namespace lanewise::detail
