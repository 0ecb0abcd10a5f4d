#pragma once

#include <bit>
#include <cstdint>
#include <ostream>

namespace lanewise {

namespace detail {

/// IEEE binary16 bits of `value`, rounded to nearest even; overflow gives infinity, NaN stays a quiet NaN.
constexpr std::uint16_t half_bits(float value) noexcept {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u)
    return static_cast<std::uint16_t>(sign | 0x7e00u | ((magnitude >> 13) & 0x1ffu));
  if (magnitude >= 0x477ff000u) return static_cast<std::uint16_t>(sign | 0x7c00u);  // 65520 and more
  if (magnitude < 0x38800000u) {  // subnormal or zero: adding 0.5 rounds at the right bit
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3f000000u));
  }
  const std::uint32_t odd = (magnitude >> 13) & 1u;
  return static_cast<std::uint16_t>(sign | ((magnitude - 0x38000000u + 0xfffu + odd) >> 13));
}

constexpr float half_value(std::uint16_t bits) noexcept {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
  const std::uint32_t magnitude = static_cast<std::uint32_t>(bits & 0x7fffu) << 13;
  if (magnitude >= 0x0f800000u) return std::bit_cast<float>(sign | (magnitude + 0x70000000u));  // inf, NaN
  if (magnitude >= 0x00800000u) return std::bit_cast<float>(sign | (magnitude + 0x38000000u));
  const float shifted = std::bit_cast<float>(magnitude + 0x38800000u) - std::bit_cast<float>(0x38800000u);
  return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(shifted));
}

constexpr std::uint16_t bfloat16_bits(float value) noexcept {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>((bits >> 16) | 0x0040u);
  return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

}  // namespace detail

/// IEEE 754 binary16 as a value: 11 bits of precision, up to 65504. Arithmetic happens in float.
struct Half {
  std::uint16_t bits = 0;

  constexpr Half() noexcept = default;
  constexpr Half(float value) noexcept : bits(detail::half_bits(value)) {}
  constexpr operator float() const noexcept { return detail::half_value(bits); }
  constexpr Half& operator+=(float x) noexcept { return *this = Half(*this + x); }
  constexpr Half& operator-=(float x) noexcept { return *this = Half(*this - x); }
  constexpr Half& operator*=(float x) noexcept { return *this = Half(*this * x); }
  constexpr Half& operator/=(float x) noexcept { return *this = Half(*this / x); }
  static constexpr Half from_bits(std::uint16_t bits) noexcept {
    Half h;
    h.bits = bits;
    return h;
  }
};

/// The upper half of a float: 8 bits of precision, float's range. Arithmetic happens in float.
struct BFloat16 {
  std::uint16_t bits = 0;

  constexpr BFloat16() noexcept = default;
  constexpr BFloat16(float value) noexcept : bits(detail::bfloat16_bits(value)) {}
  constexpr operator float() const noexcept {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
  }
  constexpr BFloat16& operator+=(float x) noexcept { return *this = BFloat16(*this + x); }
  constexpr BFloat16& operator-=(float x) noexcept { return *this = BFloat16(*this - x); }
  constexpr BFloat16& operator*=(float x) noexcept { return *this = BFloat16(*this * x); }
  constexpr BFloat16& operator/=(float x) noexcept { return *this = BFloat16(*this / x); }
  static constexpr BFloat16 from_bits(std::uint16_t bits) noexcept {
    BFloat16 b;
    b.bits = bits;
    return b;
  }
};

inline std::ostream& operator<<(std::ostream& out, Half h) { return out << static_cast<float>(h); }
inline std::ostream& operator<<(std::ostream& out, BFloat16 b) { return out << static_cast<float>(b); }

}  // namespace lanewise
