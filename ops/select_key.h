#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include <lanewise/ops/sort_keys.h>

namespace lanewise::ops {

/// A key by its rank, and how many keys are below it.
template <class Key>
struct RankedKey {
  Key key;
  std::int64_t below;
};

/// The k-th smallest of n keys, counted from 0; the keys are used up. Counts the highest digit in which any
/// two differ and goes on with those that share the k-th's: a few steps per element where nth_element waits
/// for mispredicted branches.
template <class Key>
[[gnu::noinline]] RankedKey<Key> select_key(Key* keys, std::int64_t n, std::int64_t k) {
  constexpr int kDigit = 8;
  constexpr std::int64_t kFew = 32;
  std::int64_t below = 0;
  while (n > kFew) {
    Key differ = 0;
    for (std::int64_t i = 0; i < n; ++i) differ |= keys[i] ^ keys[0];
    if (differ == 0) return {keys[0], below};
    const int shift = std::max(0, static_cast<int>(std::bit_width(differ)) - kDigit);
    const auto digit = [shift](Key key) {
      return static_cast<std::size_t>(key >> shift) & ((std::size_t{1} << kDigit) - 1);
    };
    // Two rows of counters: neighbours with the same digit need not wait for each other.
    std::array<std::array<std::int64_t, std::size_t{1} << kDigit>, 2> counts{};
    std::int64_t i = 0;
    for (; i + 2 <= n; i += 2) {
      ++counts[0][digit(keys[i])];
      ++counts[1][digit(keys[i + 1])];
    }
    if (i < n) ++counts[0][digit(keys[i])];
    std::size_t wanted = 0;
    for (;; ++wanted) {
      const std::int64_t count = counts[0][wanted] + counts[1][wanted];
      if (k < count) break;
      k -= count;
      below += count;
    }
    std::int64_t kept = 0;
    for (i = 0; i < n; ++i) {
      const Key key = keys[i];
      keys[kept] = key;
      kept += digit(key) == wanted ? 1 : 0;
    }
    n = kept;
  }
  std::nth_element(keys, keys + k, keys + n);
  const Key key = keys[k];
  return {key, below + std::count_if(keys, keys + k, [key](Key other) { return other < key; })};
}

/// Where the element of rank k is in the stable order of x; `keys` holds n.
template <class T>
std::int64_t position_of_rank(const T* x, std::int64_t n, std::int64_t k, typename SortKey<T>::Key* keys) {
  for (std::int64_t i = 0; i < n; ++i) keys[i] = SortKey<T>::of(x[i]);
  const auto [key, below] = select_key(keys, n, k);
  std::int64_t left = k - below, i = 0;  // of equal ones, so many come before it
  constexpr std::int64_t kBlock = 64;
  for (; i + kBlock <= n; i += kBlock) {
    std::int64_t found = 0;
    for (std::int64_t j = i; j < i + kBlock; ++j) found += SortKey<T>::of(x[j]) == key ? 1 : 0;
    if (found > left) break;
    left -= found;
  }
  while (SortKey<T>::of(x[i]) != key || left-- > 0) ++i;
  return i;
}

}  // namespace lanewise::ops
