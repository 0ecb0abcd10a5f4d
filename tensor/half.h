#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>
#include <ostream>
#include <type_traits>

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

/// IEEE 754 binary16 as a value: 11 bits of precision, up to 65504.
struct Half {
  std::uint16_t x = 0;  ///< the bits; libtorch's name

  /// `Half(0x3c00, Half::from_bits())`, as in libtorch.
  struct from_bits_t {};
  static constexpr from_bits_t from_bits() noexcept { return {}; }
  constexpr Half(std::uint16_t bits, from_bits_t) noexcept : x(bits) {}

  constexpr Half() noexcept = default;
  constexpr Half(float value) noexcept : x(detail::half_bits(value)) {}
  constexpr operator float() const noexcept { return detail::half_value(x); }
  constexpr Half& operator+=(float y) noexcept { return *this = Half(static_cast<float>(*this) + y); }
  constexpr Half& operator-=(float y) noexcept { return *this = Half(static_cast<float>(*this) - y); }
  constexpr Half& operator*=(float y) noexcept { return *this = Half(static_cast<float>(*this) * y); }
  constexpr Half& operator/=(float y) noexcept { return *this = Half(static_cast<float>(*this) / y); }
  static constexpr Half from_bits(std::uint16_t bits) noexcept {
    Half h;
    h.x = bits;
    return h;
  }
};

/// The upper half of a float: 8 bits of precision, float's range.
struct BFloat16 {
  std::uint16_t x = 0;  ///< the bits; libtorch's name

  /// `BFloat16(0x3c00, BFloat16::from_bits())`, as in libtorch.
  struct from_bits_t {};
  static constexpr from_bits_t from_bits() noexcept { return {}; }
  constexpr BFloat16(std::uint16_t bits, from_bits_t) noexcept : x(bits) {}

  constexpr BFloat16() noexcept = default;
  constexpr BFloat16(float value) noexcept : x(detail::bfloat16_bits(value)) {}
  constexpr operator float() const noexcept {
    return std::bit_cast<float>(static_cast<std::uint32_t>(x) << 16);
  }
  constexpr BFloat16& operator+=(float y) noexcept { return *this = BFloat16(static_cast<float>(*this) + y); }
  constexpr BFloat16& operator-=(float y) noexcept { return *this = BFloat16(static_cast<float>(*this) - y); }
  constexpr BFloat16& operator*=(float y) noexcept { return *this = BFloat16(static_cast<float>(*this) * y); }
  constexpr BFloat16& operator/=(float y) noexcept { return *this = BFloat16(static_cast<float>(*this) / y); }
  static constexpr BFloat16 from_bits(std::uint16_t bits) noexcept {
    BFloat16 b;
    b.x = bits;
    return b;
  }
};

namespace detail {

template <class T>
concept HalfType = std::same_as<T, Half> || std::same_as<T, BFloat16>;
/// Two halves of one kind, or one and an integer.
template <class A, class B>
concept HalfOperands = (HalfType<A> && (std::same_as<A, B> || std::integral<B>)) ||
                       (std::integral<A> && HalfType<B>);
template <class A, class B>
using half_of = std::conditional_t<HalfType<A>, A, B>;
/// An operand beside one of type `H`, an integer rounded to it first.
template <HalfType H, class T>
constexpr float widened(T x) noexcept {
  return static_cast<H>(static_cast<float>(x));
}

}  // namespace detail

// Rounded each time; beside float or double a half is widened.
template <class A, class B>
requires detail::HalfOperands<A, B>
constexpr auto operator+(A a, B b) noexcept {
  using H = detail::half_of<A, B>;
  return H(detail::widened<H>(a) + detail::widened<H>(b));
}
template <class A, class B>
requires detail::HalfOperands<A, B>
constexpr auto operator-(A a, B b) noexcept {
  using H = detail::half_of<A, B>;
  return H(detail::widened<H>(a) - detail::widened<H>(b));
}
template <class A, class B>
requires detail::HalfOperands<A, B>
constexpr auto operator*(A a, B b) noexcept {
  using H = detail::half_of<A, B>;
  return H(detail::widened<H>(a) * detail::widened<H>(b));
}
template <class A, class B>
requires detail::HalfOperands<A, B>
constexpr auto operator/(A a, B b) noexcept {
  using H = detail::half_of<A, B>;
  return H(detail::widened<H>(a) / detail::widened<H>(b));
}
template <detail::HalfType H>
constexpr H operator-(H a) noexcept {
  return -static_cast<float>(a);
}

inline std::ostream& operator<<(std::ostream& out, Half h) { return out << static_cast<float>(h); }
inline std::ostream& operator<<(std::ostream& out, BFloat16 b) { return out << static_cast<float>(b); }

}  // namespace lanewise

/// What is not said is as for float.
template <>
class std::numeric_limits<lanewise::Half> : public std::numeric_limits<float> {
 public:
  static constexpr int digits = 11;
  static constexpr int digits10 = 3;
  static constexpr int max_digits10 = 5;
  static constexpr int min_exponent = -13;
  static constexpr int min_exponent10 = -4;
  static constexpr int max_exponent = 16;
  static constexpr int max_exponent10 = 4;
  static constexpr lanewise::Half min() noexcept { return lanewise::Half::from_bits(0x0400); }
  static constexpr lanewise::Half lowest() noexcept { return lanewise::Half::from_bits(0xfbff); }
  static constexpr lanewise::Half max() noexcept { return lanewise::Half::from_bits(0x7bff); }
  static constexpr lanewise::Half epsilon() noexcept { return lanewise::Half::from_bits(0x1400); }
  static constexpr lanewise::Half round_error() noexcept { return lanewise::Half::from_bits(0x3800); }
  static constexpr lanewise::Half infinity() noexcept { return lanewise::Half::from_bits(0x7c00); }
  static constexpr lanewise::Half quiet_NaN() noexcept { return lanewise::Half::from_bits(0x7e00); }
  static constexpr lanewise::Half signaling_NaN() noexcept { return lanewise::Half::from_bits(0x7d00); }
  static constexpr lanewise::Half denorm_min() noexcept { return lanewise::Half::from_bits(0x0001); }
};

/// The same; its exponents are those of float.
template <>
class std::numeric_limits<lanewise::BFloat16> : public std::numeric_limits<float> {
 public:
  static constexpr bool is_iec559 = false;
  static constexpr int digits = 8;
  static constexpr int digits10 = 2;
  static constexpr int max_digits10 = 4;
  static constexpr lanewise::BFloat16 min() noexcept { return lanewise::BFloat16::from_bits(0x0080); }
  static constexpr lanewise::BFloat16 lowest() noexcept { return lanewise::BFloat16::from_bits(0xff7f); }
  static constexpr lanewise::BFloat16 max() noexcept { return lanewise::BFloat16::from_bits(0x7f7f); }
  static constexpr lanewise::BFloat16 epsilon() noexcept { return lanewise::BFloat16::from_bits(0x3c00); }
  static constexpr lanewise::BFloat16 round_error() noexcept { return lanewise::BFloat16::from_bits(0x3f00); }
  static constexpr lanewise::BFloat16 infinity() noexcept { return lanewise::BFloat16::from_bits(0x7f80); }
  static constexpr lanewise::BFloat16 quiet_NaN() noexcept { return lanewise::BFloat16::from_bits(0x7fc0); }
  static constexpr lanewise::BFloat16 signaling_NaN() noexcept {
    return lanewise::BFloat16::from_bits(0x7fa0);
  }
  static constexpr lanewise::BFloat16 denorm_min() noexcept { return lanewise::BFloat16::from_bits(0x0001); }
};
