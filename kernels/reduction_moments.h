#pragma once

#include <lanewise/kernels/reduction_short_rows.h>
#include <lanewise/kernels/reduction_sum_op.h>
#include <lanewise/kernels/reduction_tree_rows.h>

// Note [Variance in one pass]
// From every element of a leaf the same number is taken, the mean of its first lanes, and the rests r are summed with their
// squares: mean = shift + sum r / n, squared distances = sum r^2 - (sum r)^2 / n. Those lanes are at least a sixteenth of the
// leaf, so the square of their distance from the mean is at most 16 variances, whatever the data, and the difference loses
// four bits at the very worst. Leaves are combined by the pairwise formula of the same source: Chan, Golub and LeVeque,
// Algorithms for Computing the Sample Variance, The American Statistician 37 (1983). So memory is read once.

/// Included by per-ISA files.
namespace lanewise::kernels::LANEWISE_ISA {

/// Mean and sum of squared distances from it, of a leaf: 1 <= n <= kReductionBlock elements, or so many rows.
template <class T>
class LeafMoments {
 public:
  using V = vec::Vec<T>;
  /// Columns worked on at once: a page a row, which the hardware follows. With a quarter of it 1.35 times the time.
  static constexpr int kTile = 4096 / static_cast<int>(sizeof(T));
  static constexpr int kTileVectors = kTile / V::size;
  using Row = V[kTileVectors];

  static void of_run(const T* x, int n, std::int64_t ahead, T& mean, T& squares) {
    const V shift = shift_of(V(Tree::reduce(x, n < kLanes ? n : kLanes)), n);
    T sum, sum_of_squares;
    if (n == kReductionBlock) {
      add_leaf(x, shift, ahead, sum, sum_of_squares);
    } else {
      T rest[kReductionBlock], squared[kReductionBlock];
      for (int i = 0; i < n; i += V::size) {
        const V r = load(x + i, n - i) - shift;
        store(r, rest + i, n - i);
        store(r * r, squared + i, n - i);
      }
      sum = Tree::short_leaf(rest, n);
      sum_of_squares = Tree::short_leaf(squared, n);
    }
    V m, s;
    finish(shift, V(sum), V(sum_of_squares), n, m, s);
    mean = m.extract(0);
    squares = s.extract(0);
  }

  /// The same bits for each of up to V::size rows of n elements, `stride` bytes apart.
  static LANEWISE_INLINE void of_short_rows(const char* x, int n, std::int64_t stride, int rows,
                                            typename TreeShortRows<Sum<T>>::Asked asked, V& mean,
                                            V& squares) {
    using Group = TreeShortRows<Sum<T>>;
    alignas(sizeof(V)) T shifts[V::size];
    const V first = Group::across(Group::lanes_of_rows(
        x, n < kLanes ? n : kLanes, stride, rows, asked, V(Sum<T>::identity()),
        [](V v, int, int) __attribute__((always_inline)) { return v; }));
    const V shift = shift_of(first, n);
    shift.store(shifts);
    V sums[2];
    for (int pass = 0; pass < 2; ++pass) {
      const bool squared = opaque(pass) != 0;
      sums[pass] = Group::across(Group::lanes_of_rows(
          x, n, stride, rows, {}, V(Sum<T>::identity()), [&](V v, int r, int) __attribute__((always_inline)) {
            const V rest = v - V(shifts[r]);
            return squared ? rest * rest : rest;
          }));
    }
    finish(shift, sums[0], sums[1], n, mean, squares);
  }

  /// The same bits for each of up to kTile columns of rows `stride` bytes apart. RowPrefetch::ByCpu is for CPUs that have AVX-512.
  static void of_rows(const char* x, int rows, std::int64_t stride, int cols,
                      [[maybe_unused]] RowPrefetch prefetch, Row& mean, Row& squares) {
    T first[kTile];
    TreeRows<Sum<T>>::reduce_tall(x, rows < kLanes ? rows : kLanes, stride, cols, first);
    Row shift;
    for (int j = 0; j * V::size < cols; ++j)
      shift[j] = shift_of(load(first + j * V::size, cols - j * V::size), rows);
    if (rows <= kLanes) return of_few_rows(x, rows, stride, cols, shift, mean, squares);
    if (rows <= TreeRows<Sum<T>>::most_held(stride))
      return of_few_rounds(x, rows, stride, cols, shift, mean, squares);
#if defined(LANEWISE_ISA_AVX512)
    if (prefetch == RowPrefetch::ByCpu)
      return of_rows<RowPrefetch::ByCpu>(x, rows, stride, cols, shift, mean, squares);
#endif
    of_rows<RowPrefetch::ToL2>(x, rows, stride, cols, shift, mean, squares);
  }

  static LANEWISE_INLINE V load(const T* p, int n) {
    return n >= V::size ? V::load(p) : V::load_partial(p, n);
  }
  static LANEWISE_INLINE void store(V v, T* p, int n) {
    if (n >= V::size) {
      v.store(p);
    } else {
      v.store_partial(p, n);
    }
  }

 private:
  using Tree = TreeRun<Sum<T>>;
  static constexpr int kLanes = Tree::kLanes;

  template <RowPrefetch kAsked>
  static LANEWISE_INLINE void ask(const char* p) {
    kAsked == RowPrefetch::ToL2 ? prefetch_to_l2(p) : __builtin_prefetch(p);
  }
  template <RowPrefetch kAsked>
  static void of_rows(const char* x, int rows, std::int64_t stride, int cols, const Row& shift, Row& mean,
                      Row& squares) {
    const int vectors = (cols + V::size - 1) / V::size;
    Row sums[2];
    fold_lanes(0, 1, vectors, sums, [&](int l, Row* to) {
      add_lane<kAsked>(x + l * stride, (rows - 1 - l) / kLanes + 1, kLanes * stride,
                       (next_lane(l) - l) * stride, cols, shift, to);
    });
    for (int j = 0; j < vectors; ++j) finish(shift[j], sums[0][j], sums[1][j], rows, mean[j], squares[j]);
  }

  /// A register of columns at a time, of whose lanes those that are kGroups apart are held until they are one: 64 rows of 64 to 3000
  /// f32 take half of the time, 256 of 1000 0.75 (Zen 4).
  [[gnu::noinline]] static void of_few_rounds(const char* x, int rows, std::int64_t stride, int cols,
                                              const Row& shift, Row& mean, Row& squares) {
    each_column(
        x, cols, [&](int j, const char* at, auto load) __attribute__((always_inline)) {
          of_column(at, rows, stride, shift[j], load, mean[j], squares[j]);
        });
  }
  /// The same of lanes that hold at most one element.
  [[gnu::noinline]] static void of_few_rows(const char* x, int rows, std::int64_t stride, int cols,
                                            const Row& shift, Row& mean, Row& squares) {
    each_column(
        x, cols, [&](int j, const char* at, auto load) __attribute__((always_inline)) {
          of_lanes(at, rows, stride, shift[j], load, mean[j], squares[j]);
        });
  }
  /// f(j, where register j of columns begins, what loads such a one).
  template <class F>
  static LANEWISE_INLINE void each_column(const char* x, int cols, F f) {
    int j = 0;
    for (; (j + 1) * V::size <= cols; ++j, x += V::size * sizeof(T))
      f(j, x, [](const char* at) { return V::load(reinterpret_cast<const T*>(at)); });
    if (const int n = cols - j * V::size; n > 0)
      f(j, x, [n](const char* at) { return V::load_partial(reinterpret_cast<const T*>(at), n); });
  }
  static constexpr int kGroups = 8;

  struct Sums {
    V rests, squares;
    LANEWISE_INLINE void add(const Sums& later) {
      rests = rests + later.rests;
      squares = squares + later.squares;
    }
  };
  template <class Load>
  static LANEWISE_INLINE void of_lanes(const char* x, int rows, std::int64_t stride, V shift, Load load,
                                       V& mean, V& squares) {
    Sums group[kGroups];
    int valid = rows < kGroups ? rows : kGroups;
#pragma GCC unroll 1
    for (int l = 0; l < valid; ++l) group[l] = node<kGroups>(x, rows, stride, l, shift, load);
    for (int half = kGroups / 2; half > 0; half /= 2) {
      for (int l = 0; l + half < valid; ++l) group[l].add(group[l + half]);
      if (valid > half) valid = half;
    }
    finish(shift, group[0].rests, group[0].squares, rows, mean, squares);
  }
  template <int Step, class Load>
  static LANEWISE_INLINE Sums node(const char* x, int rows, std::int64_t stride, int lane, V shift,
                                   Load load) {
    if constexpr (Step == kLanes) {
      const V rest = load(x + lane * stride) - shift;
      return {rest, rest * rest};
    } else {
      Sums sums = node<2 * Step>(x, rows, stride, lane, shift, load);
      if (lane + Step < rows) sums.add(node<2 * Step>(x, rows, stride, lane + Step, shift, load));
      return sums;
    }
  }

  template <class Load>
  static LANEWISE_INLINE void of_column(const char* x, int rows, std::int64_t stride, V shift, Load load,
                                        V& mean, V& squares) {
    constexpr int kHeld = kLanes / kGroups;
    const std::int64_t step = kGroups * stride;
    V sums[kGroups], squared[kGroups];
#pragma GCC unroll 1
    for (int l = 0; l < kGroups; ++l) {
      const char* at = x + l * stride;
      V a[kHeld], q[kHeld];
#pragma GCC unroll 8
      for (int i = 0; i < kHeld; ++i) {
        a[i] = load(at + i * step) - shift;
        q[i] = a[i] * a[i];
      }
      const auto add = [&](int i) __attribute__((always_inline)) {
        const V r = load(at + i * step) - shift;
        a[i] = a[i] + r;
        q[i] = q[i] + r * r;
      };
      int left = rows - kLanes - l;
#pragma GCC unroll 1
      for (at += kHeld * step; left > (kHeld - 1) * kGroups; left -= kLanes, at += kHeld * step) {
#pragma GCC unroll 8
        for (int i = 0; i < kHeld; ++i) add(i);
      }
#pragma GCC unroll 8
      for (int i = 0; i < kHeld - 1; ++i) {
        if (left > i * kGroups) add(i);
      }
      sums[l] = folded(a);
      squared[l] = folded(q);
    }
    finish(shift, folded(sums), folded(squared), rows, mean, squares);
  }
  template <int N>
  static LANEWISE_INLINE V folded(V (&lanes)[N]) {
#pragma GCC unroll 8
    for (int half = N / 2; half > 0; half /= 2) {
#pragma GCC unroll 8
      for (int i = 0; i < half; ++i) lanes[i] = lanes[i] + lanes[i + half];
    }
    return lanes[0];
  }

  /// x, which compilers are not to have a loop for each of.
  static LANEWISE_INLINE int opaque(int x) {
    __asm__("" : "+r"(x));
    return x;
  }
  /// 0 in place of infinities and NaN, which would make the mean of infinite numbers NaN.
  static LANEWISE_INLINE V shift_of(V sum_of_first, int n) {
    const V mean = sum_of_first / V(static_cast<T>(n < kLanes ? n : kLanes));
    const V zero(T(0));
    return select(mean - mean == zero, mean, zero);
  }
  static LANEWISE_INLINE void finish(V shift, V sum, V squared, int n, V& mean, V& squares) {
    const V part = sum / V(static_cast<T>(n)), zero(T(0));
    mean = shift + part;
    const V difference = squared - sum * part;
    squares = select(difference < zero, zero, difference);
  }

  static LANEWISE_INLINE void add_leaf(const T* x, V shift, std::int64_t ahead, T& sum, T& sum_of_squares) {
    constexpr int kAtOnce = Tree::kVectors < 4 ? Tree::kVectors : 4;
    V a[Tree::kVectors], q[Tree::kVectors];
    for (int first = 0; first < Tree::kVectors; first += kAtOnce) {
      V lane[kAtOnce], squared[kAtOnce];
      for (int k = 0; k < static_cast<int>(kReductionBlock); k += kLanes) {
        for (int j = 0; j < kAtOnce; ++j) {
          const T* at = x + k + (first + j) * V::size;
          // Twice as far as sums ask: variances of rows in memory take 0.82 to 1 of the time so (Zen 5).
          __builtin_prefetch(reinterpret_cast<const char*>(at) + 2 * ahead);
          const V r = V::load(at) - shift;
          lane[j] = k == 0 ? r : lane[j] + r;
          squared[j] = k == 0 ? r * r : squared[j] + r * r;
        }
      }
      for (int j = 0; j < kAtOnce; ++j) {
        a[first + j] = lane[j];
        q[first + j] = squared[j];
      }
    }
    sum = Tree::fold(a);
    sum_of_squares = Tree::fold(q);
  }

  /// The sum of one lane's rows, and of their squares, less the shift: a few rows at a time, since memory answers slowly where
  /// many pages are open; while some are added up the next are asked for, `next` bytes away those of another lane.
  template <RowPrefetch kAsked>
  static LANEWISE_INLINE void add_lane(const char* x, int rounds, std::int64_t round_stride,
                                       std::int64_t next, int cols, const Row& shift, Row* to) {
    const auto add = [&]<bool First>(int done) __attribute__((always_inline)) {
      const bool last = rounds - done <= kAtOnce<kAsked>;
      const char* from = x + done * round_stride;
      const std::int64_t ahead = last ? x + next - from : kAtOnce<kAsked> * round_stride;
      add_rounds<kAsked, First>(from, last ? rounds - done : kAtOnce<kAsked>, round_stride, ahead, cols,
                                shift, to);
    };
    add.template operator()<true>(0);
    for (int done = kAtOnce<kAsked>; done < rounds; done += kAtOnce<kAsked>)
      add.template operator()<false>(done);
  }
  /// The same of at most kAtOnce rounds, after what is there unless First.
  template <RowPrefetch kAsked, bool First>
  static LANEWISE_INLINE void add_rounds(const char* x, int rounds, std::int64_t round_stride,
                                         std::int64_t ahead, int cols, const Row& shift, Row* to) {
    int j = 0, c = 0;
    if (rounds == kAtOnce<kAsked>) {
      constexpr std::integral_constant<int, kAtOnce<kAsked>> all;
      constexpr int kBurst = kAtOnce<kAsked>;
      for (; c + kBurst * V::size <= cols; j += kBurst, c += kBurst * V::size)
        add_registers<kAsked, kBurst, First>(x + c * sizeof(T), all, round_stride, ahead, V::size, &shift[j],
                                             to[0] + j, to[1] + j);
    }
    for (; c < cols; ++j, c += V::size)
      add_registers<kAsked, 1, First>(x + c * sizeof(T), rounds, round_stride, ahead, cols - c, &shift[j],
                                      to[0] + j, to[1] + j);
  }
  /// Rounds, and as many registers of each. On a Zen 5 over 4096 rows of 4096 f32 two rounds with L1 asked take 0.77 of the time
  /// of four with L2 asked, over a middle dimension 0.9; four rounds with L1 asked 0.95, one 0.84 and 1.08.
  template <RowPrefetch kAsked>
  static constexpr int kAtOnce = kAsked == RowPrefetch::ToL2 ? 4 : 2;
  template <RowPrefetch kAsked, int Count, bool First, class Rounds>
  static LANEWISE_INLINE void add_registers(const char* x, Rounds rounds, std::int64_t round_stride,
                                            std::int64_t ahead, int n, const V* shift, V* sums, V* squares) {
    V a[Count], q[Count];
    const auto rest = [&](int i) __attribute__((always_inline)) {
      const char* at = x + i * static_cast<int>(sizeof(V));
      ask<kAsked>(at + ahead);
      return load(reinterpret_cast<const T*>(at), n) - shift[i];
    };
    for (int i = 0; i < Count; ++i) {
      const V r = rest(i);
      a[i] = First ? r : sums[i] + r;
      q[i] = First ? r * r : squares[i] + r * r;
    }
    for (int round = 1; round < rounds; ++round) {
      x += round_stride;
      for (int i = 0; i < Count; ++i) {
        const V r = rest(i);
        a[i] = a[i] + r;
        q[i] = q[i] + r * r;
      }
    }
    for (int i = 0; i < Count; ++i) {
      sums[i] = a[i];
      squares[i] = q[i];
    }
  }

  /// The lanes l, l + step ... joined as TreeRun::fold joins them: depth first, so that a handful of rows is open, which
  /// stay in L1. visit(l, to) gives those of one lane. Not inlined: gcc would unroll the recursion.
  template <class Visit>
  [[gnu::noinline]] static void fold_lanes(int l, int step, int vectors, Row (&to)[2], const Visit& visit) {
    if (step == kLanes) return visit(l, to);
    fold_lanes(l, 2 * step, vectors, to, visit);
    Row later[2];
    fold_lanes(l + step, 2 * step, vectors, later, visit);
    for (int n = 0; n < 2; ++n) {
      for (int j = 0; j < vectors; ++j) to[n][j] = to[n][j] + later[n][j];
    }
  }
  /// The lane that fold_lanes() visits after lane l: the bits of the numbers counted from the other end.
  static int next_lane(int l) {
    int bit = kLanes / 2;
    for (; (l & bit) != 0; bit /= 2) l ^= bit;
    return l | bit;
  }
};

}  // namespace lanewise::kernels::LANEWISE_ISA
