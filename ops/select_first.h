#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include <lanewise/ops/sort_keys.h>

namespace lanewise::ops {

/// Which of n keys has that rank; they are moved. The first few are found by insertion, in a fourth of the time for two of 32.
template <class Key>
[[gnu::noinline]] Key key_of_rank(Key* keys, std::int64_t n, std::size_t rank) noexcept {
  constexpr std::size_t kFew = 4;
  if (rank >= kFew) {
    std::nth_element(keys, keys + rank, keys + n);
    return keys[rank];
  }
  Key first[kFew];
  std::fill_n(first, rank + 1, std::numeric_limits<Key>::max());
  for (std::int64_t i = 0; i < n; ++i) {
    if (keys[i] >= first[rank]) continue;
    std::size_t at = rank;
    for (; at > 0 && keys[i] < first[at - 1]; --at) first[at] = first[at - 1];
    first[at] = keys[i];
  }
  return first[rank];
}

/// The first k elements of a line in stable order, for k far below its length. Candidates below a limit are
/// collected, and the limit falls: with each of them while they fit into a short sorted list, else whenever
/// there are too many. Before that it falls to what the first elements of interleaved groups say: k of these are
/// k elements, so that lines in order, where each element comes before all others, are no slower.
template <class T, bool kDescending>
class FirstOfLine {
 public:
  using Key = typename SortKey<T>::Key;
  using Item = SortItem<Key>;

  FirstOfLine(std::int64_t k, std::vector<Item>& items)
      : k_(static_cast<std::size_t>(k)),
        short_list_(k <= kShortList),
        has_groups_(k <= kMostGroups / 2),
        groups_(short_list_ ? kMostGroups / 4 : kMostGroups),
        items_(items) {
    items.clear();
  }

  void select(const T* x, std::int64_t n) {
    std::int64_t i = 0, estimated = 0;  // up to which element the limit takes groups into account
    for (; i + kBlock <= n; i += kBlock) {
      if (limited_ && !any_precedes(x + i)) continue;  // most blocks have nothing to offer
      if (i >= estimated && has_groups_) {
        const std::int64_t stretch = n - i < kStretch ? n - i : kStretch;
        if (stretch >= 2 * groups_) estimate(x + i, stretch);
        estimated = i + stretch;
        if (limited_ && !any_precedes(x + i)) continue;
      }
      for (std::int64_t j = i; j < i + kBlock; ++j) offer(x[j], j);
    }
    for (; i < n; ++i) offer(x[i], i);
    if (short_list_) return;
    shrink();
    std::sort(items_.begin(), items_.end());
  }

 private:
  static constexpr std::int64_t kBlock = 16;
  static constexpr std::int64_t kShortList = 24;
  static constexpr std::int64_t kStretch = 512;
  static constexpr std::int64_t kMostGroups = 128;
  static Key key_of(T x) noexcept { return SortKey<T>::of(x) ^ (kDescending ? SortKey<T>::kNaN : Key{0}); }

  /// Whether some x of a block might come before the limit.
  bool any_precedes(const T* x) const noexcept {
    using Count = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
    Count found = 0;
    if constexpr (std::is_floating_point_v<T>) {
      if (comparable_) {
        for (std::int64_t j = 0; j < kBlock; ++j)
          found +=
              static_cast<Count>(kDescending ? !(x[j] <= bound_) : !(x[j] >= bound_));  // NaN may be anywhere
        return found != 0;
      }
    }
    for (std::int64_t j = 0; j < kBlock; ++j) found += static_cast<Count>(key_of(x[j]) < limit_);
    return found != 0;
  }

  /// Lets the limit fall by the groups of n elements: element j is in group j % groups_.
  void estimate(const T* x, std::int64_t n) {
    Key keys[kMostGroups];
    if constexpr (std::is_arithmetic_v<T>) {  // as numbers: by keys of f64 1.3 to 1.7 times the time of it all
      T first[kMostGroups];
      std::copy(x, x + groups_, first);
      for (std::int64_t j = groups_; j + groups_ <= n; j += groups_) {
        for (std::int64_t g = 0; g < groups_; ++g) {
          const T y = x[j + g];
          first[g] = (kDescending ? y > first[g] : y < first[g]) ? y : first[g];
        }
      }
      for (std::int64_t g = 0; g < groups_; ++g) keys[g] = key_of(first[g]);
    } else {
      std::transform(x, x + groups_, keys, key_of);
      for (std::int64_t j = groups_; j + groups_ <= n; j += groups_) {
        for (std::int64_t g = 0; g < groups_; ++g) keys[g] = std::min(keys[g], key_of(x[j + g]));
      }
    }
    const Key last = key_of_rank(keys, groups_, k_ - 1);
    if (last != std::numeric_limits<Key>::max()) limit(last + 1);
  }

  void offer(T x, std::int64_t index) {
    const Key key = key_of(x);
    if (limited_ && key >= limit_) return;  // an equal one comes later, so it is not among the first
    const Item item = Item::make(key, static_cast<std::uint64_t>(index));
    if (!short_list_) {
      items_.push_back(item);
      if (items_.size() >= 2 * k_ + 64) shrink();
    } else {
      if (items_.size() == k_) items_.pop_back();
      std::size_t at = items_.size();
      items_.push_back(item);
      for (; at > 0 && item < items_[at - 1]; --at) items_[at] = items_[at - 1];
      items_[at] = item;
      if (items_.size() == k_) limit(items_.back().get_key());
    }
  }

  void shrink() {
    if (items_.size() <= k_) return;
    std::nth_element(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(k_ - 1), items_.end());
    items_.resize(k_);
    limit(items_.back().get_key());
  }

  void limit(Key key) {
    if (limited_ && limit_ <= key) return;
    limit_ = key;
    limited_ = true;
    if constexpr (std::is_floating_point_v<T>) {
      bound_ = SortKey<T>::value(static_cast<Key>(key ^ (kDescending ? SortKey<T>::kNaN : Key{0})));
      comparable_ = std::abs(bound_) >= std::numeric_limits<T>::min();
    }
  }

  std::size_t k_;
  bool short_list_, has_groups_;
  std::int64_t groups_;
  std::vector<Item>& items_;
  bool limited_ = false;
  Key limit_ = 0;
  T bound_{};  ///< the limit as an element
  bool comparable_ =
      false;  ///< not NaN, nor so small that comparing floats depends on how denormals are taken
};

/// The first k elements of x, in `items`, for 0 < k <= n.
template <class T>
void select_first(const T* x, std::int64_t n, std::int64_t k, bool descending,
                  std::vector<SortItem<typename SortKey<T>::Key>>& items) {
  if (descending) {
    FirstOfLine<T, true>(k, items).select(x, n);
  } else {
    FirstOfLine<T, false>(k, items).select(x, n);
  }
}

}  // namespace lanewise::ops
