#pragma once

#include <cstdint>

#include <lanewise/vec/isa.h>

/// The halves as kernels see them: 16 bits in memory, f32 in registers. Included by per-ISA files.
///
/// Every tier gives the same bits. Narrowing rounds to nearest even, from f32 denormals too; a NaN becomes a
/// quiet NaN with the leading bits of its payload.
namespace lanewise::kernels::LANEWISE_ISA {

struct Half {
  std::uint16_t bits;
};
struct BFloat16 {
  std::uint16_t bits;
};

LANEWISE_INLINE float widen(BFloat16 x) {
  return __builtin_bit_cast(float, static_cast<std::uint32_t>(x.bits) << 16);
}

LANEWISE_INLINE BFloat16 narrow_bfloat16(float x) {
  const auto bits = __builtin_bit_cast(std::uint32_t, x);
  const std::uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
  const std::uint32_t quiet = bits >> 16 | 0x40;
  return {static_cast<std::uint16_t>((bits & 0x7fffffffu) > 0x7f800000u ? quiet : rounded)};
}

/// In integers and exact products: for tiers without conversion instructions.
LANEWISE_INLINE float widen(Half x) {
  const std::uint32_t magnitude = (x.bits & 0x7fffu) << 13;
  // The exponent is off by 112; the product sets it right and normalises subnormals.
  auto bits = __builtin_bit_cast(std::uint32_t, __builtin_bit_cast(float, magnitude) * 0x1p112f);
  const std::uint32_t special = 0x7f800000u | (magnitude > 0x0f800000u ? 0x00400000u : 0u);
  bits |= magnitude >= 0x0f800000u ? special : 0u;
  return __builtin_bit_cast(float, bits | (x.bits & 0x8000u) << 16);
}

LANEWISE_INLINE Half narrow_half(float x) {
  const auto bits = __builtin_bit_cast(std::uint32_t, x);
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  const std::uint32_t usual = (magnitude + 0xfffu + (magnitude >> 13 & 1) - 0x38000000u) >> 13;
  // Beside 0.5 the last place is that of the subnormals, so the sum rounds to it.
  const float shifted = __builtin_bit_cast(float, magnitude < 0x38800000u ? magnitude : 0u) + 0.5f;
  const std::uint32_t subnormal = __builtin_bit_cast(std::uint32_t, shifted) - 0x3f000000u;
  const std::uint32_t nan = 0x7e00u | (magnitude >> 13 & 0x3ffu);
  std::uint32_t result = magnitude < 0x38800000u ? subnormal : usual;
  result = magnitude >= 0x47800000u ? 0x7c00u : result;
  result = magnitude > 0x7f800000u ? nan : result;
  return {static_cast<std::uint16_t>(result | (bits >> 16 & 0x8000u))};
}

}  // namespace lanewise::kernels::LANEWISE_ISA
