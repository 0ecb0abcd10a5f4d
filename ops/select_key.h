#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include <lanewise/ops/short_line.h>
#include <lanewise/ops/sort_keys.h>

namespace lanewise::ops {

/// A key by its rank, and how many keys are below it.
template <class Key>
struct RankedKey {
  Key key;
  std::int64_t below;
};

inline constexpr std::int64_t kFewKeys = 32;

/// The same of few keys.
template <class Key>
RankedKey<Key> select_of_few(Key* keys, std::int64_t n, std::int64_t k) {
  std::nth_element(keys, keys + k, keys + n);
  const Key key = keys[k];
  return {key, std::count_if(keys, keys + k, [key](Key other) { return other < key; })};
}

/// The k-th smallest of n keys, counted from 0; the keys are used up. Counts the highest digit in which any
/// two differ and goes on with those that share the k-th's: a few steps per element, in whatever order they are.
template <class Key>
[[gnu::noinline]] RankedKey<Key> select_by_digits(Key* keys, std::int64_t n, std::int64_t k) {
  constexpr int kDigit = 8;
  std::int64_t below = 0;
  while (n > kFewKeys) {
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
  const auto [key, smaller] = select_of_few(keys, n, k);
  return {key, below + smaller};
}

/// Keys [low, high] that probably hold the one of rank k of n, as a sample of them says (Floyd and Rivest, CACM 18 (1975)).
template <class Key>
struct LikelyRange {
  Key low = 0, high = ~Key{0};

  template <class At>
  LikelyRange(At at, std::int64_t n, std::int64_t k) {
    constexpr int kMostRoot = 64;
    Key sample[kMostRoot * kMostRoot];
    const int root = n >= 1 << 20 ? kMostRoot : n >= 1 << 16 ? kMostRoot / 2 : kMostRoot / 4;
    const int size = root * root, margin = root * 5 / 4;  // 2.5 standard deviations
    const std::int64_t step = n / size;
    for (int j = 0; j < size; ++j) sample[j] = at(j * step + step / 2);
    std::sort(sample, sample + size);
    const auto middle = static_cast<int>(k * size / n);
    if (middle >= margin) low = sample[middle - margin];
    if (middle + margin < size) high = sample[middle + margin];
  }
};

/// The k-th smallest of the keys of x, counted from 0, with room for n. Of many those in a likely range are left, a sixth to a
/// twenty-fifth: of 262,144 numbers in f64 that takes 0.6 to 0.7 of the time of digits alone, in f32 0.8 to 0.95; of 4M 0.37 (f64) to
/// 0.67 (int32) of the time that a sixth of them takes.
template <class T, class Key = typename SortKey<T>::Key>
[[gnu::noinline]] RankedKey<Key> select_key(const T* x, std::int64_t n, std::int64_t k, Key* keys) {
  constexpr std::int64_t kMany = 1 << 14;
  if (sizeof(T) >= 4 && n >= kMany) {
    const LikelyRange<Key> range([x](std::int64_t i) { return SortKey<T>::of(x[i]); }, n, k);
    const Key width = range.high - range.low;
    std::int64_t below = 0, kept = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const Key key = SortKey<T>::of(x[i]);
      keys[kept] = key;
      below += key < range.low ? 1 : 0;
      kept += static_cast<Key>(key - range.low) <= width ? 1 : 0;
    }
    if (k >= below && k < below + kept) {
      const auto [key, smaller] = select_by_digits(keys, kept, k - below);
      return {key, below + smaller};
    }
  }
  for (std::int64_t i = 0; i < n; ++i) keys[i] = SortKey<T>::of(x[i]);
  return select_by_digits(keys, n, k);
}

/// Where the element of rank k is in the stable order of x; `keys` holds n.
template <class T>
std::int64_t position_of_rank(const T* x, std::int64_t n, std::int64_t k, typename SortKey<T>::Key* keys) {
  // One rank of many is found sooner by digits.
  if (ShortLine<T>::takes(2 * n)) return ShortLine<T>(x, n, false).position_of(k);
  const auto [key, below] = select_key(x, n, k, keys);
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
