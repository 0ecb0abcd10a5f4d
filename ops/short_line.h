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
  using Rank = typename SortKey<T>::Key;
  static constexpr std::int64_t kMost = kernels::kMostRankedBytes / static_cast<std::int64_t>(sizeof(Rank));
  alignas(64) Rank ranks_[kMost];
  alignas(64) Rank order_[kMost];
  const T* x_;
  std::int64_t n_;
};

}  // namespace lanewise::ops
