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

/// The tree of one leaf over rows: out[j] = reduction of f(x, j) over 1 <= rows <= kReductionBlock rows.
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
    for (int j = 0; j < vectors; ++j) lane[r][j] = f(group.load(row(r), j), j);
  }
  for (int r = first; r < rows; ++r) {
    group.prefetch(x + (r + ColumnGroup<T>::kRowsAhead) * stride);
    V* to = lane[r % kLanes];
    for (int j = 0; j < vectors; ++j) to[j] = Op::apply(to[j], f(group.load(row(r), j), j));
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
  using Group = ColumnGroup<T>;

  static void inner(const char* px, std::int64_t n, std::int64_t, char* acc) noexcept {
    const T* x = reinterpret_cast<const T*>(px);
    T mapped[kReductionBlock];
    TreeCounter<Op> counter;
    for (; n > 0; n -= kReductionBlock, x += kReductionBlock) {
      const int length = static_cast<int>(n < kReductionBlock ? n : kReductionBlock);
      for (int line = 0; line < length; line += 64 / static_cast<int>(sizeof(T)))
        __builtin_prefetch(x + kReductionBlock + line);
      map_leaf(
          x, length, mapped, [](V v) __attribute__((always_inline)) { return Map::apply(v); });
      counter.push(TreeRun<Op>::reduce(mapped, length), 0);
    }
    *reinterpret_cast<T*>(acc) = counter.finish();
  }

  static void outer(const char* x, std::int64_t rows, std::int64_t stride, std::int64_t cols, std::int64_t,
                    char* acc) noexcept {
    T* out = reinterpret_cast<T*>(acc);
    for (std::int64_t c = 0; c < cols; c += Group::kColumns) {
      const Group group{static_cast<int>(cols - c < Group::kColumns ? cols - c : Group::kColumns)};
      columns(x + c * static_cast<std::int64_t>(sizeof(T)), rows, stride, group, out + c);
    }
  }

 private:
  static void columns(const char* x, std::int64_t rows, std::int64_t stride, Group group, T* out) {
    V digit[44][Group::kVectors];
    V value[Group::kVectors];
    const int vectors = group.vectors();
    std::int64_t count = 0;
    const auto take_in = [&](int level) __attribute__((always_inline)) {
      for (int j = 0; j < vectors; ++j) value[j] = Op::apply(digit[level][j], value[j]);
    };
    for (; rows > 0; rows -= kReductionBlock, x += kReductionBlock * stride, ++count) {
      const int length = static_cast<int>(rows < kReductionBlock ? rows : kReductionBlock);
      map_leaf_rows<Op>(
          x, length, stride, group, [](V v, int) __attribute__((always_inline)) { return Map::apply(v); },
          value);
      int level = 0;
      for (; (count >> level) & 1; ++level) take_in(level);
      for (int j = 0; j < vectors; ++j) digit[level][j] = value[j];
    }
    int level = 0;
    while (level < 43 && !((count >> level) & 1)) ++level;
    for (int j = 0; j < vectors; ++j) value[j] = digit[level][j];
    for (++level; count >> level; ++level) {
      if ((count >> level) & 1) take_in(level);
    }
    for (int j = 0; j < vectors; ++j) group.store(value[j], out, j);
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
