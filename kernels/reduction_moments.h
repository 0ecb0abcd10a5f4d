#pragma once

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
  /// Columns worked on at once: half a page a row; two sets of lanes stay in L2.
  static constexpr int kTile = 2048 / static_cast<int>(sizeof(T));
  static constexpr int kTileVectors = kTile / V::size;
  using Row = V[kTileVectors];

  static void of_run(const T* x, int n, T& mean, T& squares) {
    const V shift = shift_of(V(Tree::reduce(x, n < kLanes ? n : kLanes)), n);
    T sum, sum_of_squares;
    if (n == kReductionBlock) {
      add_leaf(x, shift, sum, sum_of_squares);
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

  /// The same bits for each of up to kTile columns of rows `stride` bytes apart.
  static void of_rows(const char* x, int rows, std::int64_t stride, int cols, Row& mean, Row& squares) {
    const int vectors = (cols + V::size - 1) / V::size;
    const int valid = rows < kLanes ? rows : kLanes;
    Row sum[kLanes], squared[kLanes];
    for (int l = 0; l < valid; ++l) {
      const T* row = reinterpret_cast<const T*>(x + l * stride);
      for (int j = 0; j < vectors; ++j) sum[l][j] = load(row + j * V::size, cols - j * V::size);
    }
    fold(sum, valid, vectors);
    Row shift;
    for (int j = 0; j < vectors; ++j) shift[j] = shift_of(sum[0][j], rows);
    const auto add = [&]<int Rounds, bool First>(int from, int lanes) __attribute__((always_inline)) {
      add_rows<Rounds, First>(x + from * stride, lanes, stride, cols, shift, sum, squared);
    };
    const int rounds = rows / kLanes;
    // The first visit of the lanes takes as many rounds as leave fours.
    const int taken = rounds == 0 ? 1 : (rounds - 1) % 4 + 1;
    switch (taken) {
      case 1: add.template operator()<1, true>(0, valid); break;
      case 2: add.template operator()<2, true>(0, kLanes); break;
      case 3: add.template operator()<3, true>(0, kLanes); break;
      default: add.template operator()<4, true>(0, kLanes); break;
    }
    for (int r = taken; r < rounds; r += 4) add.template operator()<4, false>(r * kLanes, kLanes);
    if (rounds > 0) add.template operator()<1, false>(rounds * kLanes, rows % kLanes);
    fold(sum, valid, vectors);
    fold(squared, valid, vectors);
    for (int j = 0; j < vectors; ++j) finish(shift[j], sum[0][j], squared[0][j], rows, mean[j], squares[j]);
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

  static LANEWISE_INLINE void add_leaf(const T* x, V shift, T& sum, T& sum_of_squares) {
    constexpr int kAtOnce = Tree::kVectors < 4 ? Tree::kVectors : 4;
    constexpr int kAhead = static_cast<int>(kReductionBlock);
    V a[Tree::kVectors], q[Tree::kVectors];
    for (int first = 0; first < Tree::kVectors; first += kAtOnce) {
      V lane[kAtOnce], squared[kAtOnce];
      for (int k = 0; k < static_cast<int>(kReductionBlock); k += kLanes) {
        for (int j = 0; j < kAtOnce; ++j) {
          const T* at = x + k + (first + j) * V::size;
          __builtin_prefetch(at + kAhead);
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

  /// Lane l takes rows l, l + kLanes ... of Rounds rounds.
  template <int Rounds, bool First>
  static LANEWISE_INLINE void add_rows(const char* x, int lanes, std::int64_t stride, int cols,
                                       const Row& shift, Row* sum, Row* squared) {
    for (int l = 0; l < lanes; ++l, x += stride) {
      for (int j = 0, c = 0; c < cols; ++j, c += V::size) {
        V a, q;
        if constexpr (!First) {
          a = sum[l][j];
          q = squared[l][j];
        }
        for (int round = 0; round < Rounds; ++round) {
          const auto* at = reinterpret_cast<const T*>(x + round * kLanes * stride) + c;
          const V r = load(at, cols - c) - shift[j];
          const bool starts = First && round == 0;
          a = starts ? r : a + r;
          q = starts ? r * r : q + r * r;
        }
        sum[l][j] = a;
        squared[l][j] = q;
      }
    }
  }
  static void fold(Row* lane, int valid, int vectors) {
    for (int half = kLanes / 2; half > 0; half /= 2) {
      for (int l = 0; l + half < valid; ++l) {
        for (int j = 0; j < vectors; ++j) lane[l][j] = lane[l][j] + lane[l + half][j];
      }
      if (valid > half) valid = half;
    }
  }
};

}  // namespace lanewise::kernels::LANEWISE_ISA
