#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace lanewise::ops {

/// out[i] = how many of n ascending keys are below wanted[i], or not above it if kRight, for `count` of them.
/// Binary search without branches, which nothing could predict: those of a group take the same steps, and
/// wait for memory together.
template <bool kRight, class Key>
[[gnu::noinline]] void count_before(const Key* keys, std::int64_t n, const Key* wanted, std::int64_t count,
                                    std::int64_t* out) {
  constexpr std::size_t kGroup = 8;
  for (std::int64_t i = 0; i < count; i += kGroup) {
    const std::int64_t some = std::min<std::int64_t>(kGroup, count - i);
    std::array<Key, kGroup> key{};
    std::array<std::int64_t, kGroup> at{};
    std::copy_n(wanted + i, some, key.data());
    const auto step = [&](std::int64_t by) {
#pragma GCC unroll 8
      for (std::size_t j = 0; j < kGroup; ++j) {
        const Key middle = keys[at[j] + by - 1];
        const bool before = kRight ? middle <= key[j] : middle < key[j];
        at[j] += by & -static_cast<std::int64_t>(before);
      }
    };
    std::int64_t left = n;
    for (; left > 1; left -= left / 2) step(left / 2);
    if (left == 1) step(1);
    std::copy_n(at.data(), some, out + i);
  }
}

}  // namespace lanewise::ops
