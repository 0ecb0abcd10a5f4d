#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace lanewise::ops {

/// out[i] = how many of n ascending keys are below wanted[i], or not above it if kRight, for `count` of them.
/// Binary search without branches, which nothing could predict: those of a group take the same steps, and
/// wait for memory together.
template <bool kRight, class Key>
void count_before(const Key* keys, std::int64_t n, const Key* wanted, std::int64_t count, std::int64_t* out) {
  constexpr std::int64_t kGroup = 8;
  const auto search = [keys, n](const Key* key, std::int64_t* at, auto group) {
    const auto step = [&](std::int64_t by) {
      for (std::int64_t i = 0; i < group; ++i) {
        const Key middle = keys[at[i] + by - 1];
        const bool before = kRight ? middle <= key[i] : middle < key[i];
        at[i] += by & -static_cast<std::int64_t>(before);
      }
    };
    std::int64_t left = n;
    for (; left > 1; left -= left / 2) step(left / 2);
    if (left == 1) step(1);
  };
  std::fill_n(out, count, 0);
  std::int64_t i = 0;
  for (; i + kGroup <= count; i += kGroup)
    search(wanted + i, out + i, std::integral_constant<std::int64_t, kGroup>{});
  search(wanted + i, out + i, count - i);
}

}  // namespace lanewise::ops
