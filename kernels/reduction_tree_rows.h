#pragma once

#include <type_traits>

#include <lanewise/kernels/reduction_tree_merged.h>

/// The fixed tree over rows: an independent reduction per column. Included by per-ISA files.
namespace lanewise::kernels::LANEWISE_ISA {

/// Op over Map::apply(x), or over map(load, p, column) of a Map with a call operator: load(p) is the register at p, filled up with
/// zeros after the last column. Rows hold elements of type In: T, or halves that are widened to it. `Lanes` are those of another type where
/// the columns are its parts.
template <class Op, class Map = Unmapped, class In = typename Op::Element,
          int Lanes = kTreeLanes<typename Op::Element>>
struct TreeRows {
  using T = typename Op::Element;
  using V = vec::Vec<T>;
  static constexpr int kLanes = Lanes;
  /// Columns worked on at once: a page a row, which the hardware follows; the lanes stay in L2. With 1 KiB a row sums of 4096
  /// rows of as many floats came to 0.72 of the bandwidth of one long row, with this to 0.93.
  static constexpr int kTile = 4096 / static_cast<int>(sizeof(T));
  static constexpr int kTileVectors = kTile / V::size;
  static constexpr int kFewRows = 16;
  static_assert(kFewRows <= kTreeLanes<std::complex<double>>);

  /// out[c] = reduction over r of x[r * stride + c]; rows > 0, stride in bytes.
  static void reduce(const char* x, std::int64_t rows, std::int64_t stride, std::int64_t cols, T* out,
                     Map map = {}) {
    if constexpr (std::is_same_v<In, T>) {  // not worth their code for halves
      if (rows <= kFewRows) {
        few_rows(x, static_cast<int>(rows), stride, cols, out, map);
        return;
      }
    }
    if constexpr (std::is_same_v<Map, Unmapped> && std::is_same_v<In, T> && !is_complex<T>) {
      // Eighths of fewer rows than lanes take 0.85 to 1.15 of the time with few columns, and half of it with 16 and more.
      const int most_merged = rows > kLanes                  ? Merged::kMostColumns
                              : rows == kLanes || !kHoldsFew ? 2 * V::size
                                                             : 0;
      if (cols <= most_merged && stride == cols * static_cast<std::int64_t>(sizeof(T))) {
        Merged::reduce(reinterpret_cast<const T*>(x), rows, static_cast<int>(cols), out);
        return;
      }
    }
    reduce_tall(x, rows, stride, cols, out, map);
  }

  /// reduce() without short cuts for few rows or columns, and without their code.
  static void reduce_tall(const char* x, std::int64_t rows, std::int64_t stride, std::int64_t cols, T* out,
                          Map map = {}) {
    for (std::int64_t c = 0; c < cols; c += kTile) {
      const std::int64_t width = cols - c < kTile ? cols - c : kTile;
      tile(x + c * static_cast<std::int64_t>(sizeof(In)), rows, stride, static_cast<int>(width), out + c,
           Columns{map, c});
    }
  }

  /// So many rows are worth a walk over columns, a register of them at a time. Of more than two rounds the lines of rows a multiple of
  /// so many bytes apart, which share a few sets, would not stay in L1.
  static int most_held(std::int64_t stride) {
    return stride % 256 == 0 ? 2 * kLanes : stride % 128 == 0 ? 4 * kLanes : 512;
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
  using Merged = TreeMergedRows<Op, Lanes>;

  /// The map as columns from `first` on see it.
  struct Columns {
    Map map;
    std::int64_t first;
    template <class Load>
    LANEWISE_INLINE V apply(Load load, const char* p, std::int64_t column) const {
      if constexpr (requires { map(load, p, column); }) {
        return map(load, p, first + column);
      } else {
        return Map::apply(load(p));
      }
    }
  };
  struct Full {
    const Columns& columns;
    std::int64_t column;
    LANEWISE_INLINE V operator()(const char* p) const {
      return columns.apply([](const char* at) { return load_as<V>(reinterpret_cast<const In*>(at)); }, p,
                           column);
    }
  };
  struct Partial {
    const Columns& columns;
    std::int64_t column;
    int n;
    LANEWISE_INLINE V operator()(const char* p) const {
      return columns.apply(
          [this](const char* at) { return load_partial_as<V>(reinterpret_cast<const In*>(at), n); }, p,
          column);
    }
  };

  static void few_rows(const char* x, int rows, std::int64_t stride, std::int64_t cols, T* out, Map map) {
    const Columns columns{map, 0};
    std::int64_t c = 0;
    for (; c + V::size <= cols; c += V::size, x += V::size * sizeof(In))
      tree_node<Op, V, 1, kFewRows>(x, rows, stride, 0, Full{columns, c}).store(out + c);
    if (c < cols) {
      const int n = static_cast<int>(cols - c);
      tree_node<Op, V, 1, kFewRows>(x, rows, stride, 0, Partial{columns, c, n}).store_partial(out + c, n);
    }
  }

  static constexpr int kRoundsAtOnce = 4, kGroups = 8, kHeld = kLanes / kGroups;
  static_assert(kLanes % kGroups == 0);
  static_assert(kGroups <= kFewRows);

  /// A row of a column tile: `full` whole registers and `rest` more elements.
  struct Width {
    int full;
    int rest;
    LANEWISE_INLINE int vectors() const { return full + (rest > 0); }
  };
  using Row = V[kTileVectors];

  // Lanes lie next to each other, width.vectors() registers each: a page apart, those of narrow rows would share a few lines of L1.

  /// to[l] = the elements of lane l in so many rounds of kLanes rows starting at x, after to[l] unless First. While a row is
  /// added up the next one is asked for, where they are far apart.
  template <bool First, class Rounds>
  static void add_rows(const char* x, Rounds rounds, std::int64_t stride, int lanes, Width width, V* to,
                       const Columns& columns) {
    const std::int64_t round = kLanes * stride;
    const std::int64_t ahead = far_apart(stride) ? stride : 0;
    for (int l = 0; l < lanes; ++l, x += stride, to += width.vectors()) {
      const std::int64_t next = l + 1 < lanes ? ahead : stride + (rounds - 1) * round;
      const auto add = [&](const char* at, auto load, V& sum) __attribute__((always_inline)) {
        prefetch_to_l2(at + next);
        V v = First ? load(at) : Op::apply(sum, load(at));
        for (int r = 1; r < rounds; ++r) {
          at += round;
          prefetch_to_l2(at + next);
          v = Op::apply(v, load(at));
        }
        sum = v;
      };
      const char* at = x;
      for (int j = 0; j < width.full; ++j, at += sizeof(In) * V::size)
        add(at, Full{columns, j * V::size}, to[j]);
      if (const int j = width.full; width.rest > 0) add(at, Partial{columns, j * V::size, width.rest}, to[j]);
    }
  }
  /// More than a page, which no hardware prefetcher follows: without asking, 4096 rows of as many floats took 1.6 times as long
  /// on a Zen 4.
  static bool far_apart(std::int64_t stride) { return stride > 4096 || stride < -4096; }

  // Up to kLanes rows: an eighth of them at a time, so that few pages are open; the next eighth is asked for.
  static void one_round(const char* x, int rows, std::int64_t stride, Width width, V* lane,
                        const Columns& columns) {
    const int groups = rows < kGroups ? rows : kGroups;
    const bool far = far_apart(stride);
    for (int l = 0; l < groups; ++l) {
      for (int j = 0; j < width.vectors(); ++j) {
        const char* at = x + j * static_cast<int>(sizeof(In)) * V::size;
        for (int next = l + 1; far && next < rows; next += kGroups) prefetch_to_l2(at + next * stride);
        lane[l * width.vectors() + j] =
            j < width.full
                ? tree_node<Op, V, kGroups, kLanes>(at, rows, stride, l, Full{columns, j * V::size})
                : tree_node<Op, V, kGroups, kLanes>(at, rows, stride, l,
                                                    Partial{columns, j * V::size, width.rest});
      }
    }
    fold_lanes<Op, kGroups>(groups, width.vectors(), lane);
  }

  /// More than kFewRows rows, of each eighth as many at once as there are; where they are far apart those of the next one are asked
  /// for. 40 and 28 rows of 32 f32 take 0.5 of the time of one_round(), of AVX2 and SSE 0.4 to 0.6 (Zen 5).
  [[gnu::noinline]] static void part_of_a_round(const char* x, int rows, std::int64_t stride, Width width,
                                                V* lane, const Columns& columns) {
    const int whole = rows / kGroups, more = rows % kGroups;
    const bool far = far_apart(stride);
    for (int l = 0; l < kGroups; ++l, x += stride, lane += width.vectors())
      rows_of_lanes(l < more ? whole + 1 : whole, x, stride, far, width, lane, columns);
    join_groups(width, lane - kGroups * width.vectors());
  }
  template <int Count = 2>
  static LANEWISE_INLINE void rows_of_lanes(int count, const char* x, std::int64_t stride, bool far,
                                            Width width, V* to, const Columns& columns) {
    if constexpr (Count <= kHeld) {
      if (count != Count) return rows_of_lanes<Count + 1>(count, x, stride, far, width, to, columns);
      far ? these_rows<Count, true>(x, stride, width, to, columns)
          : these_rows<Count, false>(x, stride, width, to, columns);
    }
  }
  template <int Count, bool Ask>
  [[gnu::noinline]] static void these_rows(const char* x, std::int64_t stride, Width width, V* to,
                                           const Columns& columns) {
    const auto join = [&](const char* at, auto load) __attribute__((always_inline)) {
      V held[Count];
      each_constant<Count>([&](auto i) __attribute__((always_inline)) {
        const char* row = at + i * kGroups * stride;
        if constexpr (Ask) prefetch_to_l2(row + stride);
        held[i] = load(row);
      });
      return halve_valid<kHeld / 2>(held);
    };
    int j = 0;
    for (; j < width.full; ++j, x += sizeof(In) * V::size) to[j] = join(x, Full{columns, j * V::size});
    if (width.rest == 0) return;
    if constexpr (Ask) {
      these_rows<Count, false>(x, stride, {0, width.rest}, to + j,
                               {columns.map, columns.first + j * V::size});
    } else {
      to[j] = join(x, Partial{columns, j * V::size, width.rest});
    }
  }
  /// As halve(), of which the first N registers are there.
  template <int Half, int N>
  static LANEWISE_INLINE V halve_valid(V (&held)[N]) {
    if constexpr (Half == 0) {
      return held[0];
    } else {
      each_constant<(N > Half ? N - Half : 0)>([&](auto i) __attribute__((always_inline)) {
        if constexpr (i < Half) held[i] = Op::apply(held[i], held[i + Half]);
      });
      return halve_valid<Half / 2>(held);
    }
  }
  /// Those of the kGroups lanes, into the first.
  static LANEWISE_INLINE void join_groups(Width width, V* lane) {
    for (int j = 0; j < width.vectors(); ++j, ++lane) {
      V held[kGroups];
      each_constant<kGroups>([&](auto l)
                                 __attribute__((always_inline)) { held[l] = lane[l * width.vectors()]; });
      *lane = halve<Op>(held);
    }
  }

  /// More than one round, lanes l, l + kGroups, ... in registers until they are one: 70 to 500 rows of 40 to 3000 f32 or f64 take 0.4 to
  /// 0.8 of the time, 1000 up to 1.3 (Zen 4).
  template <class Load>
  static LANEWISE_INLINE V group(const char* x, int rows, std::int64_t stride, int l, Load load) {
    V held[kHeld];
    x += l * stride;
    each_constant<kHeld>([&](auto i)
                             __attribute__((always_inline)) { held[i] = load(x + i * kGroups * stride); });
    int left = rows - kLanes - l;
    for (x += kLanes * stride; left > (kHeld - 1) * kGroups; left -= kLanes, x += kLanes * stride) {
      each_constant<kHeld>([&](auto i) __attribute__((always_inline)) {
        held[i] = Op::apply(held[i], load(x + i * kGroups * stride));
      });
    }
    each_constant<kHeld - 1>([&](auto i) __attribute__((always_inline)) {
      if (left > i * kGroups) held[i] = Op::apply(held[i], load(x + i * kGroups * stride));
    });
    return halve<Op>(held);
  }
  [[gnu::noinline]] static void few_rounds(const char* x, int rows, std::int64_t stride, Width width, V* lane,
                                           const Columns& columns) {
    for (int l = 0; l < kGroups; ++l) {
      V* const to = lane + l * width.vectors();
      const char* at = x;
      for (int j = 0; j < width.full; ++j, at += sizeof(In) * V::size)
        to[j] = group(at, rows, stride, l, Full{columns, j * V::size});
      if (const int j = width.full; width.rest > 0)
        to[j] = group(at, rows, stride, l, Partial{columns, j * V::size, width.rest});
    }
    join_groups(width, lane);
  }
  /// Only where they are much used: it is a kilobyte each.
  static constexpr bool kHoldsGroups =
      std::is_same_v<Map, Unmapped> && std::is_same_v<In, T> && std::is_floating_point_v<T>;
  static constexpr bool kHoldsFew = kHoldsGroups && requires { requires Op::kHoldsFewRows; };

  /// 1 <= rows <= kReductionBlock; the result is in the first lane.
  static void leaf(const char* x, int rows, std::int64_t stride, Width width, V* lane,
                   const Columns& columns) {
    if constexpr (kHoldsFew) {
      if (rows > kFewRows && rows < kLanes) return part_of_a_round(x, rows, stride, width, lane, columns);
    }
    if (rows <= kLanes) return one_round(x, rows, stride, width, lane, columns);
    if constexpr (kHoldsGroups) {
      if (rows <= most_held(stride)) return few_rounds(x, rows, stride, width, lane, columns);
    }
    const int rounds = rows / kLanes;
    const int rest = rows % kLanes;
    // The first visit of the lanes takes as many rounds as leave fours.
    const int first = (rounds - 1) % kRoundsAtOnce + 1;
    add_rows<true>(x, first, stride, kLanes, width, lane, columns);
    x += first * kLanes * stride;
    constexpr std::integral_constant<int, kRoundsAtOnce> at_once;
    for (int r = first; r < rounds; r += at_once, x += at_once * kLanes * stride)
      add_rows<false>(x, at_once, stride, kLanes, width, lane, columns);
    add_rows<false>(x, 1, stride, rest, width, lane, columns);
    fold_lanes<Op, kLanes>(kLanes, width.vectors(), lane);
  }
  static void tile(const char* x, std::int64_t rows, std::int64_t stride, int cols, T* out,
                   const Columns& columns) {
    const Width width{cols / V::size, cols % V::size};
    V lane[kLanes * kTileVectors];
    if (rows <= kReductionBlock) {
      leaf(x, static_cast<int>(rows), stride, width, lane, columns);
    } else {
      // The counter of TreeCounter, with rows for digits.
      Row digit[44];
      std::int64_t count = 0;
      for (; rows > 0; rows -= kReductionBlock, x += kReductionBlock * stride, ++count) {
        leaf(x, static_cast<int>(rows < kReductionBlock ? rows : kReductionBlock), stride, width, lane,
             columns);
        int level = 0;
        for (; (count >> level) & 1; ++level) put_before(digit[level], lane, width);
        for (int j = 0; j < width.vectors(); ++j) digit[level][j] = lane[j];
      }
      int level = __builtin_ctzll(static_cast<unsigned long long>(count));
      for (int j = 0; j < width.vectors(); ++j) lane[j] = digit[level][j];
      for (++level; count >> level; ++level) {
        if ((count >> level) & 1) put_before(digit[level], lane, width);
      }
    }
    for (int j = 0; j < width.full; ++j) lane[j].store(out + j * V::size);
    if (width.rest > 0) lane[width.full].store_partial(out + width.full * V::size, width.rest);
  }
  static LANEWISE_INLINE void put_before(const V* earlier, V* to, Width width) {
    for (int j = 0; j < width.vectors(); ++j) to[j] = Op::apply(earlier[j], to[j]);
  }
};

/// TreeRows over columns of Op::Element, or over its parts where Op takes them apart: twice the columns, which lie side by side.
template <class Op>
struct TreeRowsByParts : TreeRows<Op> {
  static constexpr int kParts = 1;
};
template <class Op>
requires requires { typename Op::Parts; }
struct TreeRowsByParts<Op>
    : TreeRows<typename Op::Parts, Unmapped, typename Op::Parts::Element, kTreeLanes<typename Op::Element>> {
  static constexpr int kParts = 2;
};

}  // namespace lanewise::kernels::LANEWISE_ISA
