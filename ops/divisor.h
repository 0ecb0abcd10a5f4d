#pragma once

#include <cstdint>

namespace lanewise::ops {

/// Division by a number that stays the same: positions below 2^32 are multiplied by its reciprocal, which is
/// several times faster than dividing.
/// Source   Lemire, Kaser, Kurz, Faster remainder by direct computation (2019), theorem 1
class Divisor {
 public:
  explicit Divisor(std::int64_t d) noexcept
      : d_(static_cast<std::uint64_t>(d)),
        reciprocal_(d_ > 1 && d_ <= kWord ? ~std::uint64_t{0} / d_ + 1 : 0) {}

  /// `position` becomes the quotient; the remainder is returned. 0 <= position.
  std::int64_t split(std::int64_t& position) const noexcept {
    const auto n = static_cast<std::uint64_t>(position);
    const std::uint64_t quotient = reciprocal_ != 0 && n <= kWord ? high_half(reciprocal_, n) : n / d_;
    position = static_cast<std::int64_t>(quotient);
    return static_cast<std::int64_t>(n - quotient * d_);
  }

 private:
  static constexpr std::uint64_t kWord = 0xffffffffU;
  static std::uint64_t high_half(std::uint64_t a, std::uint64_t b) noexcept {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(a) * b) >> 64U);
  }

  std::uint64_t d_;
  std::uint64_t reciprocal_;  ///< 2^64 / d, rounded up; 0 where it is not used
};

}  // namespace lanewise::ops
