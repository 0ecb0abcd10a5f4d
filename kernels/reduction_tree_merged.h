#pragma once

#include <type_traits>

#include <lanewise/kernels/reduction_tree_columns.h>

/// The fixed tree over contiguous rows of few columns, as one long row. Included by per-ISA files.
namespace lanewise::kernels::LANEWISE_ISA {

template <class Op, int Lanes>
struct TreeMergedRows {
  using T = typename Op::Element;
  using V = vec::Vec<T>;
  static constexpr int kLanes = Lanes;
  static constexpr int kMostColumns = 32;

  /// out[c] = reduction of column c of `rows` > 0 rows of `cols` <= kMostColumns elements.
  static void reduce(const T* x, std::int64_t rows, int cols, T* out) {
    T lane[kLanes * kMostColumns + V::size];
    if (rows >= kLanes && rows <= kHeldRounds * kLanes) {
      const int n = static_cast<int>(rows);
      if constexpr (kGroups % V::size != 0) {
        if (kGroups * cols % V::size != 0) return few_rounds<V::size>(x, n, cols, lane, out);
      }
      return few_rounds<kGroups>(x, n, cols, lane, out);
    }
    T digit[44][kMostColumns];
    std::int64_t count = 0;
    const auto bytes = static_cast<std::size_t>(cols) * sizeof(T);
    const auto put_before = [&](const T* earlier) {
      T sum[kMostColumns];
      __builtin_memcpy(sum, earlier, bytes);
      apply_run(sum, lane, cols);
      __builtin_memcpy(lane, sum, bytes);
    };
    for (; rows > 0; rows -= kReductionBlock, x += kReductionBlock * cols, ++count) {
      leaf(x, static_cast<int>(rows < kReductionBlock ? rows : kReductionBlock), cols, lane);
      int level = 0;
      for (; (count >> level) & 1; ++level) put_before(digit[level]);
      __builtin_memcpy(digit[level], lane, bytes);
    }
    int level = 0;
    while (level < 43 && !((count >> level) & 1)) ++level;
    __builtin_memcpy(lane, digit[level], bytes);
    for (++level; count >> level; ++level) {
      if ((count >> level) & 1) put_before(digit[level]);
    }
    __builtin_memcpy(out, lane, bytes);
  }

 private:
  static constexpr int kRoundsAtOnce = 4, kGroups = 8;
  static_assert(kLanes % kGroups == 0);
  /// So many rounds are held in registers.
  static constexpr int kHeldRounds = 4;
  static_assert(kHeldRounds * kLanes <= kReductionBlock);

  // kLanes contiguous rows are one long row, whose elements are the lanes of all columns side by side.
  static LANEWISE_INLINE void apply_run(T* to, const T* later, int n) {
    int i = 0;
    for (; i + V::size <= n; i += V::size) Op::apply(V::load(to + i), V::load(later + i)).store(to + i);
    if (i < n)
      Op::apply(V::load_partial(to + i, n - i), V::load_partial(later + i, n - i))
          .store_partial(to + i, n - i);
  }
  static void leaf(const T* x, int rows, int cols, T* lane) {
    const int rounds = rows / kLanes;
    const int rest = rows % kLanes;
    const int width = kLanes * cols;
    // Some rounds at a time, which are streams that the hardware follows: lines of all of them, pages apart, took 3 times as long.
    const int first = rounds > 0 ? (rounds - 1) % kRoundsAtOnce + 1 : 0;
    for (int j = 0; j < width && rounds > 0; j += V::size) {
      V v = V::load(x + j);
      for (int r = 1; r < first; ++r) v = Op::apply(v, V::load(x + r * width + j));
      v.store(lane + j);
    }
    for (int done = first; done < rounds; done += kRoundsAtOnce) {
      const T* next = x + done * width;
      for (int j = 0; j < width; j += V::size) {
        V v = V::load(lane + j);
#pragma GCC unroll 4
        for (int r = 0; r < kRoundsAtOnce; ++r) v = Op::apply(v, V::load(next + r * width + j));
        v.store(lane + j);
      }
    }
    if (rounds == 0) {
      __builtin_memcpy(lane, x, static_cast<std::size_t>(rest * cols) * sizeof(T));
    } else {
      apply_run(lane, x + rounds * width, rest * cols);
    }
    int valid = rounds > 0 ? kLanes : rest;
    for (int half = kLanes / 2; half > 0; half /= 2) {
      if (half < valid) {
        apply_run(lane, lane + half * cols, (valid - half) * cols);
        valid = half;
      }
    }
  }
  /// What the register at x and those `part`, 2 * part, ... elements behind it come to, of `rounds` of Held * part elements each and of
  /// the `rest` elements from there on in one more.
  template <int Held>
  static LANEWISE_INLINE V group(const T* x, int rounds, int part, int rest) {
    V held[Held];
    each_constant<Held>([&](auto i) __attribute__((always_inline)) { held[i] = V::load(x + i * part); });
    for (int r = 1; r < rounds; ++r) {
      x += Held * part;
      each_constant<Held>([&](auto i) __attribute__((always_inline)) {
        held[i] = Op::apply(held[i], V::load(x + i * part));
      });
    }
    if (rest > 0) {
      x += Held * part;
      each_constant<Held>([&](auto i) __attribute__((always_inline)) {
        const int left = rest - i * part;
        if (left >= V::size) {
          held[i] = Op::apply(held[i], V::load(x + i * part));
        } else if (left > 0) {
          const V sum = Op::apply(held[i], V::load_partial(x + i * part, left));
          held[i] = select(vec::Mask<T>::first(left), sum, held[i]);
        }
      });
    }
    return halve<Op>(held);
  }
  /// At least one round, Groups * cols elements in whole registers. What is left of the lanes is read at once: step by step each load would
  /// wait for the stores of the step before. There is room for a register behind the lanes.
  template <int Groups>
  static LANEWISE_INLINE void few_rounds(const T* x, int rows, int cols, T* lane, T* out) {
    const int rounds = rows / kLanes, part = Groups * cols, rest = rows % kLanes * cols;
    for (int j = 0; j < part; j += V::size)
      group<kLanes / Groups>(x + j, rounds, part, rest - j).store(lane + j);
    V(Op::identity()).store(lane + part);
    const auto load = [](const char* at) __attribute__((always_inline)) {
      return V::load(reinterpret_cast<const T*>(at));
    };
    const auto stride = static_cast<std::int64_t>(sizeof(T)) * cols;
    for (int c = 0; c < cols; c += V::size) {
      const V v =
          tree_node<Op, V, 1, Groups>(reinterpret_cast<const char*>(lane + c), Groups, stride, 0, load);
      cols - c >= V::size ? v.store(out + c) : v.store_partial(out + c, cols - c);
    }
  }
};

}  // namespace lanewise::kernels::LANEWISE_ISA
