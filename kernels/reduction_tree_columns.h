#pragma once

#include <array>

#include <lanewise/kernels/reduction_tree.h>

/// The fixed tree over a sequence that lies in memory column by column. Included by per-ISA files.
namespace lanewise::kernels::LANEWISE_ISA {

namespace tree_detail {

template <class R, std::size_t... I>
LANEWISE_INLINE vec::Vec<R> next_lane(vec::Vec<R> v, std::index_sequence<I...>) {
  return vec::Vec<R>(__builtin_shufflevector(v.reg, v.reg, ((I + sizeof...(I) - 1) % sizeof...(I))...));
}
/// Lane l takes the value of lane l - 1.
template <class R>
LANEWISE_INLINE vec::Vec<R> next_lane(vec::Vec<R> v) {
  return next_lane(v, std::make_index_sequence<static_cast<std::size_t>(vec::Vec<R>::size)>{});
}
template <class R>
LANEWISE_INLINE vec::Vec<std::complex<R>> next_lane(vec::Vec<std::complex<R>> v) {
  return {next_lane(v.re), next_lane(v.im)};
}

}  // namespace tree_detail

/// Leaves of many columns at a time, lane by lane, so that what is stored besides is a stack of a few registers a column.
template <class Op>
struct TreeColumns {
  using T = typename Op::Element;
  using V = vec::Vec<T>;
  static constexpr int kLanes = kTreeLanes<T>;

  /// Elements [first, first + n) of columns of `length` elements, see ReductionKernel::columns.
  static T reduce(const char* x, std::int64_t length, std::int64_t stride, std::int64_t first,
                  std::int64_t n) {
    const bool tall = length > kReductionBlock;
    const int rows = static_cast<int>(tall ? kReductionBlock : length);
    const int columns = static_cast<int>(kReductionBlock) / rows;  // of a leaf
    const std::int64_t leaves = tall ? length / kReductionBlock : 1;
    const std::int64_t begin = first / length, end = begin + n / length / columns * columns;
    TreeCounter<Op> counter;
    T value[kMostColumnLeaves][kStripe];
    for (std::int64_t c = begin; c < end; c += kStripe) {
      // The last stripe has columns of the one before.
      const std::int64_t from = c + kStripe <= end ? c : end - kStripe;
      const char* at = x + from * static_cast<std::int64_t>(sizeof(T));
      for (std::int64_t l = 0; l < leaves; ++l, at += kReductionBlock * stride)
        leaf(at, rows, stride, columns, value[l]);
      for (std::int64_t i = c - from + columns - 1; i < kStripe; i += columns) {
        for (std::int64_t l = 0; l < leaves; ++l) counter.push(value[l][i], 0);
      }
    }
    const std::int64_t rest = n - (end - begin) * length;
    if (rest > 0)
      counter.push(short_leaf(x + end * static_cast<std::int64_t>(sizeof(T)), length, stride, rest), 0);
    return counter.finish();
  }

 private:
  static_assert(V::size >= kMostLeafColumns);
  /// So many that half of the registers there are hold sums.
  static constexpr int kWidth = (sizeof(V) >= 64 ? 1024 : 256) / static_cast<int>(sizeof(V));
  static constexpr int kStripe = kWidth * V::size;
  static_assert(kStripe * sizeof(T) <= kColumnStripeBytes);

  /// The leaves of so many columns each, in elements columns - 1, 2 * columns - 1, ... of `to`. The halving puts lane l +
  /// L/2 next to lane l, so that lanes come in the order of their bits reversed; the next is asked for while one is added up.
  static LANEWISE_INLINE void leaf(const char* x, int rows, std::int64_t stride, int columns, T* to) {
    const std::int64_t round = kLanes * stride;
    const int rounds = rows / kLanes;
    V pending[kLevels + 1][kWidth];
    for (int i = 0; i < kLanes; ++i) {
      const char* const lane = x + kReversed[i] * stride;
      const char* const next = x + kReversed[i + 1] * stride;
      V v[kWidth];
      for (int j = 0; j < kWidth; ++j) v[j] = V(Op::identity());
      for (int c = 0; c < columns; ++c) {
        if (c > 0) {
          for (int j = 0; j < kWidth; ++j) v[j] = tree_detail::next_lane(v[j]);
        }
        for (int r = 0; r < rounds; ++r) {
          const T* p = reinterpret_cast<const T*>(lane + r * round);
          for (int j = 0; j < kWidth; ++j) {
            __builtin_prefetch(next + r * round + j * static_cast<int>(sizeof(V)));
            v[j] = Op::apply(v[j], V::load(p + j * V::size));
          }
        }
      }
      int level = 0;
      for (; (i >> level) & 1; ++level) {
        for (int j = 0; j < kWidth; ++j) v[j] = Op::apply(pending[level][j], v[j]);
      }
      for (int j = 0; j < kWidth; ++j) pending[level][j] = v[j];
    }
    for (int j = 0; j < kWidth; ++j) pending[kLevels][j].store(to + j * V::size);
  }
  static constexpr int kLevels = __builtin_ctz(kLanes);
  /// And once more the last one.
  static constexpr auto kReversed = [] {
    std::array<int, kLanes + 1> order{};
    for (int i = 0; i < kLanes; ++i) {
      for (int bit = 1; bit < kLanes; bit *= 2) {
        if (i & bit) order[static_cast<std::size_t>(i)] += kLanes / 2 / bit;
      }
    }
    order[kLanes] = order[kLanes - 1];
    return order;
  }();

  /// The last n elements, fewer than a leaf.
  static T short_leaf(const char* x, std::int64_t length, std::int64_t stride, std::int64_t n) {
    T leaf[kReductionBlock];
    for (std::int64_t i = 0; i < n; ++i)
      leaf[i] = *reinterpret_cast<const T*>(x + i / length * static_cast<std::int64_t>(sizeof(T)) +
                                            i % length * stride);
    return TreeRun<Op>::short_leaf(leaf, static_cast<int>(n));
  }
};

}  // namespace lanewise::kernels::LANEWISE_ISA
