#pragma once

#include <cstdint>
#include <type_traits>

#include <lanewise/kernels/kernel_table.h>
#include <lanewise/ops/sort_keys.h>

namespace lanewise::ops {

/// The stable order of a line that is short enough for its ranks to be counted.
template <class T>
class ShortLine {
 public:
  using Rank = typename SortKey<T>::Key;
  static bool takes(std::int64_t n) noexcept {
    return n * static_cast<std::int64_t>(sizeof(Rank)) <= kernels::active_kernels().ranks->most_bytes;
  }

  ShortLine(const T* x, std::int64_t n, bool descending) noexcept : x_(x), n_(n) {
    const kernels::RankTable& rank = *kernels::active_kernels().ranks;
    if constexpr (std::is_same_v<T, float>) {
      rank.f32(x, n, descending, ranks_);
    } else if constexpr (std::is_same_v<T, double>) {
      rank.f64(x, n, descending, ranks_);
    } else if constexpr (sizeof(T) == 8) {
      rank.i64(x, n, descending, ranks_);
    } else if constexpr (sizeof(T) == 4) {
      rank.i32(x, n, descending, ranks_);
    } else {  // keys of 8 and 16 bits keep their order as int32
      for (std::int64_t i = 0; i < n; ++i) order_[i] = SortKey<T>::of(x[i]);
      rank.i32(order_, n, descending, ranks_);
    }
  }
  /// The same with the keys of its elements, which are of 8 or 16 bits. Of many lines they are found at once: a line's own would be waited
  /// for, two of three uint8 take 0.42 of the time.
  ShortLine(const T* x, const Rank* keys, std::int64_t n, bool descending) noexcept : x_(x), n_(n) {
    kernels::active_kernels().ranks->i32(keys, n, descending, ranks_);
  }

  /// The first `kept` elements in order; values may be null.
  void sorted(std::int64_t kept, T* values, std::int64_t* indices) noexcept {
    if (kept == n_) {
      for (std::int64_t i = 0; i < n_; ++i) indices[ranks_[i]] = i;
      for (std::int64_t i = 0; values != nullptr && i < n_; ++i) values[ranks_[i]] = x_[i];
      return;
    }
    for (std::int64_t i = 0; i < n_; ++i) order_[ranks_[i]] = static_cast<Rank>(i);
    for (std::int64_t i = 0; i < kept; ++i) indices[i] = static_cast<std::int64_t>(order_[i]);
    for (std::int64_t i = 0; values != nullptr && i < kept; ++i) values[i] = x_[order_[i]];
  }

  /// Where the element of that rank is.
  std::int64_t position_of(std::int64_t rank) noexcept {
    for (std::int64_t i = 0; i < n_; ++i) order_[ranks_[i]] = static_cast<Rank>(i);  // no branch to guess
    return static_cast<std::int64_t>(order_[rank]);
  }

 private:
  static constexpr std::int64_t kMost = kernels::kMostRankedBytes / static_cast<std::int64_t>(sizeof(Rank));
  alignas(64) Rank ranks_[kMost];
  alignas(64) Rank order_[kMost];
  const T* x_;
  std::int64_t n_;
};

/// f(l, ShortLine of line l) for lines [begin, end) of n elements at x.
template <class T, class F>
void each_short_line(const T* x, std::int64_t n, bool descending, std::int64_t begin, std::int64_t end, F f) {
  if constexpr (sizeof(T) >= 4) {
    for (std::int64_t l = begin; l < end; ++l) f(l, ShortLine<T>(x + l * n, n, descending));
  } else {
    constexpr std::int64_t kKeys = 1024;
    typename ShortLine<T>::Rank keys[kKeys];
    const std::int64_t together = kKeys / n;
    for (std::int64_t l = begin; l < end; l += together) {
      const std::int64_t lines = end - l < together ? end - l : together;
      for (std::int64_t i = 0; i < lines * n; ++i) keys[i] = SortKey<T>::of(x[l * n + i]);
      for (std::int64_t k = 0; k < lines; ++k)
        f(l + k, ShortLine<T>(x + (l + k) * n, keys + k * n, n, descending));
    }
  }
}

}  // namespace lanewise::ops
