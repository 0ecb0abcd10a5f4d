#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/dispatch_isa/threads.h>
#include <lanewise/ops/sort_keys.h>

namespace lanewise::ops {

/// Sorts items that come in order of their index by the lowest `bits` bits of their keys; `scratch` holds as
/// many. Digits of 11 bits from the lowest; each pass keeps the order of equal digits, so that the result is
/// the stable one for any number of threads, which take a part of the items each. A digit that is the same in
/// all keys is passed over.
template <class Key>
void radix_sort(SortItem<Key>* items, SortItem<Key>* scratch, std::int64_t n, int bits) {
  constexpr int kDigit = 11;
  constexpr std::size_t kBuckets = std::size_t{1} << kDigit;
  using Item = SortItem<Key>;
  constexpr std::int64_t kSmall = 2048;  // below, counting costs more than comparing
  if (n <= kSmall) {
    std::sort(items, items + n);
    return;
  }
  const std::int64_t parts =
      std::clamp<std::int64_t>(n / 65536, 1, in_parallel_region() ? 1 : get_num_threads());
  const auto begin_of = [&](std::int64_t part) { return n * part / parts; };
  std::vector<std::int64_t> counts(static_cast<std::size_t>(parts) * kBuckets);
  Item *from = items, *to = scratch;
  for (int shift = 0; shift < bits; shift += kDigit) {
    const auto digit = [shift](const Item& item) {
      return static_cast<std::size_t>(item.get_key() >> shift) & (kBuckets - 1);
    };
    std::fill(counts.begin(), counts.end(), 0);
    parallel_for(0, parts, 1, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t part = first; part < last; ++part) {
        std::int64_t* count = counts.data() + static_cast<std::size_t>(part) * kBuckets;
        for (std::int64_t i = begin_of(part); i < begin_of(part + 1); ++i) ++count[digit(from[i])];
      }
    });
    std::int64_t place = 0;
    bool one_bucket = false;
    for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
      const std::int64_t start = place;
      for (std::int64_t part = 0; part < parts; ++part) {
        std::int64_t& count = counts[static_cast<std::size_t>(part) * kBuckets + bucket];
        place += std::exchange(count, place);
      }
      one_bucket = one_bucket || place - start == n;
    }
    if (one_bucket) continue;
    parallel_for(0, parts, 1, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t part = first; part < last; ++part) {
        std::int64_t* next = counts.data() + static_cast<std::size_t>(part) * kBuckets;
        for (std::int64_t i = begin_of(part); i < begin_of(part + 1); ++i)
          to[next[digit(from[i])]++] = from[i];
      }
    });
    std::swap(from, to);
  }
  if (from != items) std::copy(from, from + n, items);
}

}  // namespace lanewise::ops
