#pragma once

#include <optional>

#include <lanewise/tensor/tensor_options.h>

namespace lanewise::detail {

/// The options that a factory's schema spells as arguments.
inline TensorOptions factory_options(std::optional<ScalarType> dtype, bool requires_grad) {
  return TensorOptions().dtype(dtype).requires_grad(requires_grad);
}

}  // namespace lanewise::detail
