#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include <lanewise/tensor/dtype.h>

namespace lanewise::ops {

/// Numbers as unsigned integers of the same order: -0 equals 0, NaN is above all. `bits` of them count.
template <class T>
struct SortKey {
  static constexpr bool kFloating = is_floating_point(scalar_type_of<T>);
  static constexpr int bits = static_cast<int>(sizeof(T)) * 8;
  using Raw = std::conditional_t<
      sizeof(T) == 1, std::uint8_t,
      std::conditional_t<sizeof(T) == 2, std::uint16_t,
                         std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;
  /// What is sorted: 32 bits for all that fit.
  using Key = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  static constexpr Raw kSign = static_cast<Raw>(Raw{1} << (bits - 1));
  /// What all but the sign of infinity is; NaN is above it.
  static constexpr Raw kInfinity = [] {
    if constexpr (kFloating) {
      constexpr int kMantissa = std::is_same_v<T, double> ? 52
                                : std::is_same_v<T, Half> ? 10
                                : bits == 32              ? 23
                                                          : 7;
      return static_cast<Raw>(static_cast<Raw>(~kSign) >> kMantissa << kMantissa);
    } else {
      return Raw{0};
    }
  }();
  static constexpr Key kNaN = static_cast<Raw>(~Raw{0});

  static Key of(T x) noexcept {
    if constexpr (std::is_same_v<T, bool>) {
      return x ? 1 : 0;
    } else if constexpr (kFloating) {
      // By bits alone: no comparison of floats, whose answer on denormals is a matter of the mode.
      const auto raw = std::bit_cast<Raw>(x);
      const auto magnitude = static_cast<Raw>(raw & static_cast<Raw>(~kSign));
      const bool below = raw > kSign;  // not -0
      const auto ordered = static_cast<Raw>(below ? ~raw : magnitude | kSign);
      return magnitude > kInfinity ? kNaN : ordered;
    } else if constexpr (std::is_signed_v<T>) {
      return static_cast<Raw>(static_cast<Raw>(x) ^ kSign);
    } else {
      return x;
    }
  }

  /// Whether value() gives the number back to the bit: not for zeros and NaN, of which there are several.
  static bool is_exact(Key key) noexcept { return !kFloating || (key != kNaN && key != kSign); }
  static T value(Key key) noexcept {
    const auto raw = static_cast<Raw>(key);
    if constexpr (std::is_same_v<T, bool>) {
      return raw != 0;
    } else if constexpr (kFloating) {
      return std::bit_cast<T>(static_cast<Raw>((raw & kSign) != 0 ? raw & static_cast<Raw>(~kSign) : ~raw));
    } else if constexpr (std::is_signed_v<T>) {
      return static_cast<T>(raw ^ kSign);
    } else {
      return static_cast<T>(raw);
    }
  }
};

/// A key and where it was. Comparing both makes every order the stable one.
template <class Key>
struct SortItem {
  Key key;
  std::uint64_t index;

  static constexpr std::uint64_t kMaxIndex = ~std::uint64_t{0};
  static SortItem make(Key key, std::uint64_t index) noexcept { return {key, index}; }
  Key get_key() const noexcept { return key; }
  std::uint64_t get_index() const noexcept { return index; }
  friend bool operator<(const SortItem& a, const SortItem& b) noexcept {
    return a.key != b.key ? a.key < b.key : a.index < b.index;
  }
};

/// Both in one word.
template <>
struct SortItem<std::uint32_t> {
  std::uint64_t word;

  static constexpr std::uint64_t kMaxIndex = 0xffffffffU;
  static SortItem make(std::uint32_t key, std::uint64_t index) noexcept {
    return {std::uint64_t{key} << 32U | index};
  }
  std::uint32_t get_key() const noexcept { return static_cast<std::uint32_t>(word >> 32U); }
  std::uint64_t get_index() const noexcept { return word & 0xffffffffU; }
  friend bool operator<(const SortItem& a, const SortItem& b) noexcept { return a.word < b.word; }
};

}  // namespace lanewise::ops
