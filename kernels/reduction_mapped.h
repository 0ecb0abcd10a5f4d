#pragma once

#include <lanewise/kernels/reduction_build.h>

/// The fixed tree over f(x) for some f of the elements. Leaf by leaf, so that what f gives stays in registers
/// or L1. Included by per-ISA files.
namespace lanewise::kernels::LANEWISE_ISA {

/// f(x) of up to a leaf of contiguous elements.
template <class T, class F>
LANEWISE_INLINE void map_leaf(const T* x, int n, T* to, F f) {
  using V = vec::Vec<T>;
  int i = 0;
  for (; i + V::size <= n; i += V::size) f(V::load(x + i)).store(to + i);
  if (i < n) f(V::load_partial(x + i, n - i)).store_partial(to + i, n - i);
}

/// Prefetches n elements: the next leaf, while this one is worked on.
template <class T>
LANEWISE_INLINE void ask_for_leaf(const T* x, int n) {
  for (int line = 0; line < n; line += 64 / static_cast<int>(sizeof(T))) __builtin_prefetch(x + line);
}

/// Some registers of columns, side by side; the last may be partial.
template <class T>
struct ColumnGroup {
  using V = vec::Vec<T>;
  static constexpr int kVectors = 4;
  static constexpr int kColumns = kVectors * V::size;
  int columns;

  LANEWISE_INLINE int vectors() const { return (columns + V::size - 1) / V::size; }
  LANEWISE_INLINE V load(const T* p, int j) const {
    const int left = columns - j * V::size;
    return left >= V::size ? V::load(p + j * V::size) : V::load_partial(p + j * V::size, left);
  }
  LANEWISE_INLINE void store(V v, T* p, int j) const {
    const int left = columns - j * V::size;
    if (left >= V::size) {
      v.store(p + j * V::size);
    } else {
      v.store_partial(p + j * V::size, left);
    }
  }
  /// Asks for a row that comes later: the hardware does not foresee lines that lie apart.
  LANEWISE_INLINE void prefetch(const char* row) const {
    for (int byte = 0; byte < columns * static_cast<int>(sizeof(T)); byte += 64)
      __builtin_prefetch(row + byte);
  }
  static constexpr int kRowsAhead = 8;
};

/// The tree of one leaf over rows: out[j] = reduction of f(x, r, j) over rows 0 <= r < `rows` <= kReductionBlock.
template <class Op, class F>
LANEWISE_INLINE void map_leaf_rows(const char* x, int rows, std::int64_t stride,
                                   ColumnGroup<typename Op::Element> group, F f, typename Op::V* out) {
  using T = typename Op::Element;
  using V = typename Op::V;
  constexpr int kLanes = kTreeLanes<T>;
  V lane[kLanes][ColumnGroup<T>::kVectors];
  const int vectors = group.vectors();
  const int first = rows < kLanes ? rows : kLanes;
  const auto row = [&](int r) { return reinterpret_cast<const T*>(x + r * stride); };
  for (int r = 0; r < first; ++r) {
    for (int j = 0; j < vectors; ++j) lane[r][j] = f(group.load(row(r), j), r, j);
  }
  for (int r = first; r < rows; ++r) {
    group.prefetch(x + (r + ColumnGroup<T>::kRowsAhead) * stride);
    V* to = lane[r % kLanes];
    for (int j = 0; j < vectors; ++j) to[j] = Op::apply(to[j], f(group.load(row(r), j), r, j));
  }
  int valid = first;
  for (int half = kLanes / 2; half > 0; half /= 2) {
    for (int l = 0; l + half < valid; ++l) {
      for (int j = 0; j < vectors; ++j) lane[l][j] = Op::apply(lane[l][j], lane[l + half][j]);
    }
    if (valid > half) valid = half;
  }
  for (int j = 0; j < vectors; ++j) out[j] = lane[0][j];
}

/// Op over Map::apply(x); Map has apply of a Vec.
template <class Op, class Map>
struct MappedTree {
  using T = typename Op::Element;
  using V = typename Op::V;

  static void inner(const char* px, std::int64_t n, std::int64_t, char* acc) noexcept {
    const T* x = reinterpret_cast<const T*>(px);
    T mapped[kReductionBlock];
    TreeCounter<Op> counter;
    for (; n > 0; n -= kReductionBlock, x += kReductionBlock) {
      const int length = static_cast<int>(n < kReductionBlock ? n : kReductionBlock);
      ask_for_leaf(x + kReductionBlock, length);
      map_leaf(
          x, length, mapped, [](V v) __attribute__((always_inline)) { return Map::apply(v); });
      counter.push(TreeRun<Op>::reduce(mapped, length), 0);
    }
    *reinterpret_cast<T*>(acc) = counter.finish();
  }

  static void outer(const char* x, std::int64_t rows, std::int64_t stride, std::int64_t cols, std::int64_t,
                    char* acc) noexcept {
    TreeRows<Op, Map>::reduce(x, rows, stride, cols, reinterpret_cast<T*>(acc));
  }
};

/// The column of Op::Element.
template <class Op, class Map>
constexpr void add_mapped(ReductionKernel& k) {
  add_tree<Op>(k);
  constexpr std::size_t i = index_of<typename Op::Element>;
  k.inner[i] = MappedTree<Op, Map>::inner;
  k.joined[i] = nullptr;
  k.outer[i] = MappedTree<Op, Map>::outer;
}

}  // namespace lanewise::kernels::LANEWISE_ISA
