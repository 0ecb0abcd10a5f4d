#pragma once

#include <cstdint>

namespace lanewise {

/// The element types of a tensor, in order of promotion category: bool, integral, floating, complex.
/// A plain enum on purpose: per-ISA files include this header.
enum class ScalarType : std::int8_t {
  Bool,
  Byte,
  Char,
  Short,
  Int,
  Long,
  Half,
  BFloat16,
  Float,
  Double,
  ComplexFloat,
  ComplexDouble,
  Undefined,
};

inline constexpr int kNumScalarTypes = 12;

}  // namespace lanewise
