#pragma once

#include <lanewise/kernels/reduction_tree.h>

/// The fixed tree over rows: an independent reduction per column. Included by per-ISA files.
namespace lanewise::kernels::LANEWISE_ISA {

template <class Op>
struct TreeRows {
  using T = typename Op::Element;
  using V = vec::Vec<T>;
  static constexpr int kLanes = kTreeLanes<T>;
  /// Columns worked on at once: 1 KiB a row, so that a visit of a row is worth its page, and the lanes stay in L2.
  static constexpr int kTile = 1024 / static_cast<int>(sizeof(T));
  static constexpr int kTileVectors = kTile / V::size;
  static constexpr int kFewRows = 16;
  static_assert(kFewRows <= kTreeLanes<std::complex<double>>);

  /// out[c] = reduction over r of x[r * stride + c]; rows > 0, stride in bytes.
  static void reduce(const char* x, std::int64_t rows, std::int64_t stride, std::int64_t cols, T* out) {
    if (rows <= kFewRows) {
      few_rows(x, static_cast<int>(rows), stride, cols, out);
      return;
    }
    for (std::int64_t c = 0; c < cols; c += kTile) {
      const std::int64_t width = cols - c < kTile ? cols - c : kTile;
      tile(x + c * static_cast<std::int64_t>(sizeof(T)), rows, stride, static_cast<int>(width), out + c);
    }
  }

  /// acc = apply(acc, later).
  static void combine(T* acc, const T* later, std::int64_t cols) {
    std::int64_t c = 0;
    for (; c + V::size <= cols; c += V::size) Op::apply(V::load(acc + c), V::load(later + c)).store(acc + c);
    if (c < cols) {
      const int n = static_cast<int>(cols - c);
      Op::apply(V::load_partial(acc + c, n), V::load_partial(later + c, n)).store_partial(acc + c, n);
    }
  }

 private:
  struct Full {
    LANEWISE_INLINE V operator()(const char* p) const { return V::load(reinterpret_cast<const T*>(p)); }
  };
  struct Partial {
    int n;
    LANEWISE_INLINE V operator()(const char* p) const { return V::load_partial(reinterpret_cast<const T*>(p), n); }
  };

  // With few rows every lane holds at most one element: the halving is evaluated in registers, from the top.
  template <int Step, class Load>
  static LANEWISE_INLINE V node(const char* x, int rows, std::int64_t stride, int lane, Load load) {
    if constexpr (Step == kFewRows) {
      return load(x + lane * stride);
    } else {
      V v = node<2 * Step>(x, rows, stride, lane, load);
      if (lane + Step < rows) v = Op::apply(v, node<2 * Step>(x, rows, stride, lane + Step, load));
      return v;
    }
  }
  static void few_rows(const char* x, int rows, std::int64_t stride, std::int64_t cols, T* out) {
    std::int64_t c = 0;
    for (; c + V::size <= cols; c += V::size, x += V::size * sizeof(T)) node<1>(x, rows, stride, 0, Full{}).store(out + c);
    if (c < cols) {
      const int n = static_cast<int>(cols - c);
      node<1>(x, rows, stride, 0, Partial{n}).store_partial(out + c, n);
    }
  }

  /// A row of a column tile: `full` whole registers and `rest` more elements.
  struct Width {
    int full;
    int rest;
    LANEWISE_INLINE int vectors() const { return full + (rest > 0); }
  };
  using Row = V[kTileVectors];

  /// to[l] = the elements of lane l in `Rounds` rounds of kLanes rows starting at x, after to[l] unless First.
  template <int Rounds, bool First>
  static LANEWISE_INLINE void add_rows(const char* x, std::int64_t stride, int lanes, Width width, Row* to) {
    for (int l = 0; l < lanes; ++l, x += stride) {
      for (int j = 0; j < width.full; ++j) add_vector<Rounds, First>(x + j * sizeof(T) * V::size, stride, Full{}, to[l][j]);
      if (width.rest > 0) {
        const int j = width.full;
        add_vector<Rounds, First>(x + j * sizeof(T) * V::size, stride, Partial{width.rest}, to[l][j]);
      }
    }
  }
  template <int Rounds, bool First, class Load>
  static LANEWISE_INLINE void add_vector(const char* x, std::int64_t stride, Load load, V& to) {
    V v = First ? load(x) : Op::apply(to, load(x));
    for (int r = 1; r < Rounds; ++r) v = Op::apply(v, load(x + r * kLanes * stride));
    to = v;
  }

  /// 1 <= rows <= kReductionBlock; the result is in lane[0].
  static void leaf(const char* x, int rows, std::int64_t stride, Width width, Row* lane) {
    int rounds = rows / kLanes;
    const int rest = rows % kLanes;
    const int valid = rounds > 0 ? kLanes : rest;
    if (rounds >= 4) {
      add_rows<4, true>(x, stride, kLanes, width, lane);
      x += 4 * kLanes * stride;
      for (rounds -= 4; rounds >= 4; rounds -= 4, x += 4 * kLanes * stride) {
        add_rows<4, false>(x, stride, kLanes, width, lane);
      }
    } else if (rounds > 0) {
      add_rows<1, true>(x, stride, kLanes, width, lane);
      --rounds;
      x += kLanes * stride;
    } else {
      add_rows<1, true>(x, stride, rest, width, lane);
      fold(valid, width, lane);
      return;
    }
    for (; rounds > 0; --rounds, x += kLanes * stride) add_rows<1, false>(x, stride, kLanes, width, lane);
    add_rows<1, false>(x, stride, rest, width, lane);
    fold(valid, width, lane);
  }
  static LANEWISE_INLINE void fold(int valid, Width width, Row* lane) {
    for (int half = kLanes / 2; half > 0; half /= 2) {
      for (int l = 0; l + half < valid; ++l) apply_row(lane[l], lane[l + half], width);
      if (valid > half) valid = half;
    }
  }
  static LANEWISE_INLINE void apply_row(V* to, const V* later, Width width) {
    for (int j = 0; j < width.vectors(); ++j) to[j] = Op::apply(to[j], later[j]);
  }

  static void tile(const char* x, std::int64_t rows, std::int64_t stride, int cols, T* out) {
    const Width width{cols / V::size, cols % V::size};
    Row lane[kLanes];
    if (rows <= kReductionBlock) {
      leaf(x, static_cast<int>(rows), stride, width, lane);
    } else {
      // The counter of TreeCounter, with rows for digits.
      Row digit[44];
      std::int64_t count = 0;
      for (; rows > 0; rows -= kReductionBlock, x += kReductionBlock * stride, ++count) {
        leaf(x, static_cast<int>(rows < kReductionBlock ? rows : kReductionBlock), stride, width, lane);
        int level = 0;
        for (; (count >> level) & 1; ++level) put_before(digit[level], lane[0], width);
        for (int j = 0; j < width.vectors(); ++j) digit[level][j] = lane[0][j];
      }
      int level = __builtin_ctzll(static_cast<unsigned long long>(count));
      for (int j = 0; j < width.vectors(); ++j) lane[0][j] = digit[level][j];
      for (++level; count >> level; ++level) {
        if ((count >> level) & 1) put_before(digit[level], lane[0], width);
      }
    }
    for (int j = 0; j < width.full; ++j) lane[0][j].store(out + j * V::size);
    if (width.rest > 0) lane[0][width.full].store_partial(out + width.full * V::size, width.rest);
  }
  static LANEWISE_INLINE void put_before(const V* earlier, V* to, Width width) {
    for (int j = 0; j < width.vectors(); ++j) to[j] = Op::apply(earlier[j], to[j]);
  }
};

}  // namespace lanewise::kernels::LANEWISE_ISA
