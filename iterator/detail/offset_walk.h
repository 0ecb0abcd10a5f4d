#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#include <lanewise/tensor/dim_vector.h>

namespace lanewise::detail {

/// Walks strided memory whose inner dimensions are too short for a call each: where their elements lie is written down once, for
/// all of those dimensions and some steps along the next one. 3 x 3 matrices transposed take 0.2 of the time.
class OffsetWalk {
 public:
  /// Whether the two fastest dimensions have too few elements for a call, which takes several at once where they lie end to end, or
  /// transposes them, or which walks within the cache lines that it has. Those that are repeated are seldom read. Copies of twelve rows of six
  /// bf16, each from a line of its own, take half of the time.
  static bool suits(const DimVector& sizes, const DimVector& strides, std::int64_t element_size) {
    if (sizes.size() < 3 || strides[0] == 0 || strides[1] == 0) return false;
    constexpr std::int64_t kLine = 64;
    const std::int64_t least = strides[0] == element_size     ? 16
                               : strides[1] == element_size   ? 32
                               : std::abs(strides[0]) < kLine ? 64
                                                              : 128;
    return sizes[0] * sizes[1] < least;
  }

  /// Room for the places of the elements.
  static constexpr std::int64_t kOffsets = 256;
  using Offsets = std::int64_t[kOffsets];

  /// Dimensions from the fastest; strides in bytes. `elements` of all of them are walked. Keeps `offsets`.
  OffsetWalk(char* data, const DimVector& sizes, const DimVector& strides, std::int64_t elements,
             std::int64_t element_size, Offsets& offsets)
      : data_(data), sizes_(sizes), strides_(strides), element_size_(element_size), offsets_(offsets) {
    inner_ = sizes[0] * sizes[1];
    while (next_ + 1 < sizes.size() && inner_ * sizes[next_] <= kMostInner) inner_ *= sizes[next_++];
    const std::int64_t room = std::clamp<std::int64_t>(elements / kUses, inner_, kOffsets);
    known_ = std::min(sizes[next_], room / inner_) * inner_;
    index_.resize(sizes.size());
    DimVector at;
    at.resize(next_ + 1);
    std::int64_t offset = 0;
    for (std::int64_t i = 0; i < known_; ++i) {
      offsets_[i] = offset;
      for (std::size_t d = 0; d <= next_; ++d) {
        offset += strides[d];
        if (++at[d] < sizes[d]) break;
        offset -= at[d] * strides[d];
        at[d] = 0;
      }
    }
  }

  void seek(std::int64_t position) {
    within_ = position % inner_;
    position /= inner_;
    at_ = data_;
    for (std::size_t d = next_; d < sizes_.size(); ++d) {
      index_[d] = position % sizes_[d];
      position /= sizes_[d];
      at_ += index_[d] * strides_[d];
    }
  }

  /// The next n elements, end to end, to or from `tile`; stands behind them then.
  void load(std::int64_t n, char* tile) {
    take(n, tile, [](char* memory, char* element, auto size) { std::memcpy(element, memory, size); });
  }
  void store(std::int64_t n, const char* tile) {
    take(n, tile, [](char* memory, const char* element, auto size) { std::memcpy(memory, element, size); });
  }

 private:
  static constexpr std::int64_t kMostInner = 128, kUses = 8;

  template <class Tile, class Move>
  void take(std::int64_t n, Tile* tile, Move move) {
    switch (element_size_) {
      case 1: return take<1>(n, tile, move);
      case 2: return take<2>(n, tile, move);
      case 4: return take<4>(n, tile, move);
      case 8: return take<8>(n, tile, move);
      default: return take<16>(n, tile, move);
    }
  }
  template <std::size_t Size, class Tile, class Move>
  void take(std::int64_t n, Tile* tile, Move move) {
    while (n > 0) {
      const std::int64_t left = (sizes_[next_] - index_[next_]) * inner_;
      const std::int64_t count = std::min(n, std::min(left, known_) - within_);
      const std::int64_t* const offsets = offsets_ + within_;
      char* const at = at_;  // a member is read again after each store: 1.25 times as long
#pragma GCC unroll 4  // a loop of one element that lies across two lines of code takes 1.3 times as long
      for (std::int64_t i = 0; i < count; ++i, tile += Size)
        move(at + offsets[i], tile, std::integral_constant<std::size_t, Size>());
      n -= count;
      within_ += count;
      advance(within_ / inner_);
      within_ %= inner_;
    }
  }
  void advance(std::int64_t steps) {
    std::size_t d = next_;
    index_[d] += steps;
    at_ += steps * strides_[d];
    while (index_[d] == sizes_[d]) {
      at_ -= index_[d] * strides_[d];
      index_[d] = 0;
      if (++d == sizes_.size()) return;
      ++index_[d];
      at_ += strides_[d];
    }
  }

  char* data_;
  char* at_ = nullptr;  ///< of the first of the inner_ elements of which `within_` are done
  DimVector sizes_, strides_, index_;
  std::int64_t element_size_;
  std::size_t next_ = 2;  ///< the dimension outside of the inner ones
  std::int64_t inner_ = 1, known_ = 0, within_ = 0;
  std::int64_t* offsets_;
};

}  // namespace lanewise::detail
