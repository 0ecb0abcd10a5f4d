#pragma once

#include <cstdint>

#include <lanewise/tensor/dtype.h>

namespace lanewise::detail {

/// Of dtypes, each above the one before it: an operand of a higher category decides over those below.
enum class Category : std::uint8_t { Bool, Integral, Floating, Complex };

constexpr Category category(ScalarType t) noexcept {
  return is_complex(t)           ? Category::Complex
         : is_floating_point(t)  ? Category::Floating
         : t == ScalarType::Bool ? Category::Bool
                                 : Category::Integral;
}

}  // namespace lanewise::detail
