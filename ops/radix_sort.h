#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/dispatch_isa/threads.h>

namespace lanewise::ops {

// Note [Radix sort]
// Words hold a key in their upper half and in the lower one where it was, and come in that order. Each pass
// goes by one digit of the keys, the lowest first, and keeps the order of equal digits: what comes out is the
// stable order whatever the number of threads, of which each takes a part of the words. Digits that are the
// same in all keys are passed over.

namespace detail {

template <int kDigit>
std::size_t digit_of(std::uint64_t word, int shift) noexcept {
  return static_cast<std::size_t>(word >> (32 + shift)) & ((std::size_t{1} << kDigit) - 1);
}

/// One thread: all digits are counted in one go.
template <int kDigit>
void radix_sort_alone(std::uint64_t* words, std::uint64_t* scratch, std::int64_t n, int bits) {
  constexpr int kPasses = (32 + kDigit - 1) / kDigit;
  constexpr std::size_t kBuckets = std::size_t{1} << kDigit;
  const int passes = (bits + kDigit - 1) / kDigit;
  std::array<std::uint32_t, kPasses * kBuckets> counts;
  std::fill_n(counts.data(), static_cast<std::size_t>(passes) * kBuckets, 0U);
  for (std::int64_t i = 0; i < n; ++i) {
    for (int p = 0; p < passes; ++p)
      ++counts[static_cast<std::size_t>(p) * kBuckets + digit_of<kDigit>(words[i], p * kDigit)];
  }
  std::uint64_t *from = words, *to = scratch;
  for (int p = 0; p < passes; ++p) {
    std::uint32_t* place = counts.data() + static_cast<std::size_t>(p) * kBuckets;
    const int shift = p * kDigit;
    if (place[digit_of<kDigit>(from[0], shift)] == static_cast<std::uint32_t>(n)) continue;
    std::uint32_t sum = 0;
    for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) sum += std::exchange(place[bucket], sum);
    for (std::int64_t i = 0; i < n; ++i) to[place[digit_of<kDigit>(from[i], shift)]++] = from[i];
    std::swap(from, to);
  }
  if (from != words) std::copy(from, from + n, words);
}

/// Several threads: each counts its part before each pass.
inline void radix_sort_together(std::uint64_t* words, std::uint64_t* scratch, std::int64_t n, int bits,
                                std::int64_t parts) {
  constexpr int kDigit = 11;
  constexpr std::size_t kBuckets = std::size_t{1} << kDigit;
  const auto begin_of = [&](std::int64_t part) { return n * part / parts; };
  std::vector<std::int64_t> counts(static_cast<std::size_t>(parts) * kBuckets);
  const auto each_part = [&](auto&& f) {
    parallel_for(0, parts, 1, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t part = first; part < last; ++part)
        f(counts.data() + static_cast<std::size_t>(part) * kBuckets, begin_of(part), begin_of(part + 1));
    });
  };
  std::uint64_t *from = words, *to = scratch;
  for (int shift = 0; shift < bits; shift += kDigit) {
    each_part([&](std::int64_t* count, std::int64_t begin, std::int64_t end) {
      std::fill_n(count, kBuckets, 0);
      for (std::int64_t i = begin; i < end; ++i) ++count[digit_of<kDigit>(from[i], shift)];
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
    each_part([&](std::int64_t* next, std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) to[next[digit_of<kDigit>(from[i], shift)]++] = from[i];
    });
    std::swap(from, to);
  }
  if (from != words) std::copy(from, from + n, words);
}

}  // namespace detail

/// Sorts words by the lowest `bits` bits of their keys; `scratch` holds as many words.
inline void radix_sort(std::uint64_t* words, std::uint64_t* scratch, std::int64_t n, int bits) {
  if (n < 64) {
    std::sort(words, words + n);  // by the place too, so that this order is the stable one as well
    return;
  }
  if (n <= 4096) {
    detail::radix_sort_alone<8>(words, scratch, n, bits);
    return;
  }
  const std::int64_t parts = in_parallel_region() ? 1 : std::min<std::int64_t>(n / 65536, get_num_threads());
  if (parts < 2) {
    detail::radix_sort_alone<11>(words, scratch, n, bits);
  } else {
    detail::radix_sort_together(words, scratch, n, bits, parts);
  }
}

}  // namespace lanewise::ops
