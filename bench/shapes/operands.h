#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "../cases/library.h"

/// Operands that are the same in both libraries.
namespace shapes {

using lib::Tensor;
using Dims = std::vector<std::int64_t>;

inline lib::ScalarType type_of(std::string_view name) {
  if (name == "f32") return lib::kFloat;
  if (name == "f64") return lib::kDouble;
  if (name == "bf16") return lib::kBFloat16;
  if (name == "u8") return lib::kByte;
  if (name == "i64") return lib::kLong;
  return lib::kComplexFloat;
}

inline Tensor integers(std::int64_t n) { return lib::arange(0, n, lib::TensorOptions().dtype(lib::kLong)); }

/// Numbers from 0.5 to 3.5 without an order that a CPU could foresee, the same in both libraries.
inline Tensor scattered(const Dims& shape, std::int64_t factor, lib::ScalarType type) {
  constexpr std::int64_t kPrime = 2147483647;
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count *= size;
  Tensor x = lib::remainder(integers(count) * factor + 1, kPrime);
  for (int i = 0; i < 2; ++i) x = lib::remainder(x * x + factor, kPrime);
  return (lib::remainder(x, 8191).to(lib::kDouble) * 3 / 8190 + 0.5).view(shape).to(type);
}

}  // namespace shapes
