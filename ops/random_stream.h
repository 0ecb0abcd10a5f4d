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
  /// Two blocks: they take no longer than one, whose steps wait for each other.
  void refill() noexcept {
    constexpr std::size_t kBlocks = 2;
    std::array<std::uint64_t, kBlocks> low{}, high{};
    for (std::size_t b = 0; b < kBlocks; ++b) {
      low[b] = block_ + (b << 40);
      high[b] = draw_.offset;
    }
    auto key0 = static_cast<std::uint32_t>(draw_.seed);
    auto key1 = static_cast<std::uint32_t>(draw_.seed >> 32);
    for (int turn = 0; turn < 10; ++turn) {
      for (std::size_t b = 0; b < kBlocks; ++b) {
        const std::uint64_t p0 = std::uint64_t{0xd2511f53u} * static_cast<std::uint32_t>(low[b]);
        const std::uint64_t p1 = std::uint64_t{0xcd9e8d57u} * static_cast<std::uint32_t>(high[b]);
        const auto c0 = static_cast<std::uint32_t>((p1 ^ low[b]) >> 32) ^ key0;
        const auto c2 = static_cast<std::uint32_t>((p0 ^ high[b]) >> 32) ^ key1;
        low[b] = c0 | (p1 << 32);
        high[b] = c2 | (p0 << 32);
      }
      key0 += 0x9e3779b9u;
      key1 += 0xbb67ae85u;
    }
    words_ = {high[1], low[1], high[0], low[0]};
    left_ = words_.size();
    block_ += std::uint64_t{kBlocks} << 40;
  }

  Generator::State draw_;
  std::uint64_t block_;
  std::array<std::uint64_t, 4> words_{};
  std::size_t left_ = 0;
};

}  // namespace lanewise::ops
