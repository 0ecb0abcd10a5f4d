#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>

#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/ops/radix_sort.h>
#include <lanewise/ops/room.h>
#include <lanewise/ops/sort_keys.h>

namespace lanewise::ops {

/// Which 32 bits of the keys of a line tell its elements apart: all of them for types of up to 32 bits, else
/// those from the highest in which any two keys differ.
template <class T>
struct KeyWindow {
  using Key = typename SortKey<T>::Key;
  Key flip;       ///< inverts the keys for descending order
  Key rest = 0;   ///< the bits above the window, which all keys share
  int shift = 0;  ///< of the window
  int bits = SortKey<T>::bits;
  bool exact = true;  ///< nothing below the window differs

  KeyWindow(const T* x, std::int64_t n, bool descending) : flip(descending ? SortKey<T>::kNaN : Key{0}) {
    if constexpr (sizeof(T) == 8) {
      const Key first = key(x[0]);
      std::atomic<Key> differences{0};
      parallel_for(0, n, 65536, [&](std::int64_t begin, std::int64_t end) {
        Key found = 0;
        for (std::int64_t i = begin; i < end; ++i) found |= key(x[i]) ^ first;
        differences.fetch_or(found, std::memory_order_relaxed);
      });
      const Key differ = differences.load();
      const int high = 64 - std::countl_zero(differ), low = differ == 0 ? 0 : std::countr_zero(differ);
      exact = high - low <= 32;
      shift = exact ? low : high - 32;
      bits = std::min(high - shift, 32);
      rest = first & ~(Key{0xffffffff} << shift);
    }
  }

  Key key(T x) const noexcept { return SortKey<T>::of(x) ^ flip; }
  std::uint64_t word(T x, std::int64_t index) const noexcept {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(key(x) >> shift)) << 32U |
           static_cast<std::uint64_t>(index);
  }
  T value(std::uint64_t word, const T* x) const noexcept {
    const Key key = (rest | (static_cast<Key>(word >> 32U) << shift)) ^ flip;
    return exact && SortKey<T>::is_exact(key) ? SortKey<T>::value(key) : x[word & 0xffffffffU];
  }
};

/// Scratch for lines of up to n elements.
struct SortRoom {
  Room<std::uint64_t> words, scratch;
  explicit SortRoom(std::int64_t n) : words(n), scratch(n) {}
};

/// Puts words that look alike in the window in the order of their whole keys; they come in the order of their
/// elements. Such groups are small, unless somebody chose the elements.
template <class T>
void sort_within_window(const KeyWindow<T>& window, const T* x, std::uint64_t* words, std::uint64_t* keys,
                        std::int64_t n) {
  // All keys in one go: their memory is asked for in any order, and many at a time.
  parallel_for(0, n, 65536, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) keys[i] = window.key(x[words[i] & 0xffffffffU]);
  });
  for (std::int64_t i = 0; i < n;) {
    std::int64_t end = i + 1;
    while (end < n && words[end] >> 32U == words[i] >> 32U) ++end;
    if (end - i > 32) {
      std::sort(words + i, words + end, [&](std::uint64_t a, std::uint64_t b) {
        const auto p = window.key(x[a & 0xffffffffU]), q = window.key(x[b & 0xffffffffU]);
        return p != q ? p < q : a < b;
      });
    } else {
      for (std::int64_t j = i + 1; j < end; ++j) {
        const std::uint64_t key = keys[j], word = words[j];
        std::int64_t k = j;
        for (; k > i && keys[k - 1] > key; --k) {
          keys[k] = keys[k - 1];
          words[k] = words[k - 1];
        }
        keys[k] = key;
        words[k] = word;
      }
    }
    i = end;
  }
}

/// The first `kept` elements of one line in stable order; values may be null.
template <class T>
void sort_line(const T* x, std::int64_t n, bool descending, const SortRoom& room, std::int64_t kept,
               T* values, std::int64_t* indices) {
  if (n == 0) return;
  std::uint64_t* words = room.words.get();
  const KeyWindow<T> window(x, n, descending);
  parallel_for(0, n, 65536, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) words[i] = window.word(x[i], i);
  });
  radix_sort(words, room.scratch.get(), n, window.bits);
  if constexpr (sizeof(T) == 8) {  // narrower ones fit into the window
    if (!window.exact) sort_within_window(window, x, words, room.scratch.get(), n);
  }
  parallel_for(0, kept, 65536, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) indices[i] = static_cast<std::int64_t>(words[i] & 0xffffffffU);
    for (std::int64_t i = begin; values != nullptr && i < end; ++i) values[i] = window.value(words[i], x);
  });
}

}  // namespace lanewise::ops
