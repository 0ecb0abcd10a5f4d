#pragma once

#include <array>
#include <cstdint>

#include <lanewise/tensor/generator.h>

namespace lanewise::ops {

/// Random numbers for one element of a draw that takes as many as it happens to need. They are the bits of Note [Random
/// numbers from positions] (kernels/philox.h), made one block at a time: block j of element i is number i + 2^40 j of the
/// draw. So they depend on nothing but the seed, the draw and the element's logical position.
class RandomStream {
 public:
  RandomStream(Generator::State draw, std::int64_t element) noexcept
      : draw_(draw), block_(static_cast<std::uint64_t>(element)) {}

  /// Uniform in (0, 1): the middles of 2^52 intervals.
  double unit() noexcept {
    if (left_ == 0) refill();
    return (static_cast<double>(words_[--left_] >> 12) + 0.5) * 0x1p-52;
  }

 private:
  void refill() noexcept {
    std::uint64_t low = block_;
    std::uint64_t high = draw_.offset;
    auto key0 = static_cast<std::uint32_t>(draw_.seed);
    auto key1 = static_cast<std::uint32_t>(draw_.seed >> 32);
    for (int turn = 0; turn < 10; ++turn) {
      const std::uint64_t p0 = std::uint64_t{0xd2511f53u} * static_cast<std::uint32_t>(low);
      const std::uint64_t p1 = std::uint64_t{0xcd9e8d57u} * static_cast<std::uint32_t>(high);
      const auto c0 = static_cast<std::uint32_t>((p1 ^ low) >> 32) ^ key0;
      const auto c2 = static_cast<std::uint32_t>((p0 ^ high) >> 32) ^ key1;
      low = c0 | (p1 << 32);
      high = c2 | (p0 << 32);
      key0 += 0x9e3779b9u;
      key1 += 0xbb67ae85u;
    }
    words_ = {high, low};
    left_ = 2;
    block_ += std::uint64_t{1} << 40;
  }

  Generator::State draw_;
  std::uint64_t block_;
  std::array<std::uint64_t, 2> words_{};
  int left_ = 0;
};

}  // namespace lanewise::ops
