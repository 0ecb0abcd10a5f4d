#include <lanewise/kernels/reduction_kernels.h>
#include <lanewise/kernels/reduction_mapped.h>
#include <lanewise/kernels/reduction_sum_op.h>

// Note [Variance in one pass]
// A leaf of the fixed tree is in L1 when its mean is known, so the squares of the distances from that mean
// are summed in a second visit. Nodes hold (count, mean, sum of squared distances) and are combined by Chan,
// Golub and LeVeque's formula, Algorithms for Computing the Sample Variance, The American Statistician 37
// (1983). So there is no cancellation, and memory is read once.

namespace lanewise::kernels::LANEWISE_ISA {
namespace {

/// How the mean and the squares move when `later` elements join `earlier` ones.
template <class T>
struct Weights {
  T share;   ///< of the later elements
  T spread;  ///< count of both over the other way round
  Weights(std::int64_t earlier, std::int64_t later) {
    const double a = static_cast<double>(earlier), b = static_cast<double>(later);
    share = static_cast<T>(b / (a + b));
    spread = static_cast<T>(a * (b / (a + b)));
  }
};

/// mean and squares of earlier elements become those of all.
template <class T, class V>
LANEWISE_INLINE void join(V& mean, V& squares, V later_mean, V later_squares, const Weights<T>& w) {
  const V delta = later_mean - mean;
  squares = (squares + later_squares) + (delta * delta) * V(w.spread);
  mean = mean + delta * V(w.share);
}

/// Accumulators of `cols` columns: a count that all share, then means, then squares.
template <class T>
struct Accumulators {
  std::int64_t* count;
  T* mean;
  T* squares;
  Accumulators(char* acc, std::int64_t cols)
      : count(reinterpret_cast<std::int64_t*>(acc)),
        mean(reinterpret_cast<T*>(acc + cols * 8)),
        squares(mean + cols) {}
};

template <class T>
struct Variance {
  using V = vec::Vec<T>;
  using Group = ColumnGroup<T>;

  static void inner(const char* px, std::int64_t n, std::int64_t, char* acc) noexcept {
    const T* x = reinterpret_cast<const T*>(px);
    Node<T> digit[54];
    T squared[kReductionBlock];
    std::int64_t leaves = 0;
    Node<T> node{};
    for (std::int64_t left = n; left > 0; left -= kReductionBlock, x += kReductionBlock, ++leaves) {
      const int length = static_cast<int>(left < kReductionBlock ? left : kReductionBlock);
      ask_for_leaf(x + kReductionBlock, length);
      const T mean = TreeRun<Sum<T>>::reduce(x, length) / static_cast<T>(length);
      const V middle(mean);
      map_leaf(
          x, length, squared, [&](V v) __attribute__((always_inline)) {
            const V d = v - middle;
            return d * d;
          });
      node = {length, mean, TreeRun<Sum<T>>::reduce(squared, length)};
      push(digit, leaves, node);
    }
    if (leaves > 0) node = collect(digit, leaves);
    const Accumulators<T> to(acc, 1);
    *to.count = node.count;
    *to.mean = node.mean;
    *to.squares = node.squares;
  }

  static void outer(const char* x, std::int64_t rows, std::int64_t stride, std::int64_t cols, std::int64_t,
                    char* acc) noexcept {
    const Accumulators<T> to(acc, cols);
    *to.count = rows;
    for (std::int64_t c = 0; c < cols; c += Group::kColumns) {
      const Group group{static_cast<int>(cols - c < Group::kColumns ? cols - c : Group::kColumns)};
      const NodeRow row = columns(x + c * static_cast<std::int64_t>(sizeof(T)), rows, stride, group);
      for (int j = 0; j < group.vectors(); ++j) {
        group.store(row.mean[j], to.mean + c, j);
        group.store(row.squares[j], to.squares + c, j);
      }
    }
  }

  static void combine(char* acc, const char* later, std::int64_t cols) noexcept {
    const Accumulators<T> a(acc, cols);
    const Accumulators<T> b(const_cast<char*>(later), cols);
    const Weights<T> w(*a.count, *b.count);
    for (std::int64_t c = 0; c < cols; c += V::size) {
      const Group group{static_cast<int>(cols - c < V::size ? cols - c : V::size)};
      V mean = group.load(a.mean + c, 0);
      V squares = group.load(a.squares + c, 0);
      join(mean, squares, group.load(b.mean + c, 0), group.load(b.squares + c, 0), w);
      group.store(mean, a.mean + c, 0);
      group.store(squares, a.squares + c, 0);
    }
    *a.count += *b.count;
  }

  /// Pairs (variance, mean); params: re the correction, i whether to take roots.
  static void finish(const char* acc, std::int64_t cols, const KernelScalar* params, char* value,
                     std::int64_t*) noexcept {
    const Accumulators<T> from(const_cast<char*>(acc), cols);
    const double left = static_cast<double>(*from.count) - params->re;
    const T divisor = static_cast<T>(left > 0 ? left : 0);
    T* to = reinterpret_cast<T*>(value);
    for (std::int64_t c = 0; c < cols; ++c) {
      const T variance = from.squares[c] / divisor;
      to[2 * c] = params->i != 0 ? vec::sqrt(V(variance)).extract(0) : variance;
      to[2 * c + 1] = from.mean[c];
    }
  }

 private:
  template <class R>
  struct Node {
    std::int64_t count;
    R mean;
    R squares;
  };
  struct NodeRow {
    std::int64_t count;
    V mean[Group::kVectors];
    V squares[Group::kVectors];
  };

  static LANEWISE_INLINE Node<T> joined(const Node<T>& earlier, const Node<T>& later) {
    const Weights<T> w(earlier.count, later.count);
    V mean(earlier.mean);
    V squares(earlier.squares);
    join(mean, squares, V(later.mean), V(later.squares), w);
    return {earlier.count + later.count, mean.extract(0), squares.extract(0)};
  }
  static LANEWISE_INLINE NodeRow joined(const NodeRow& earlier, const NodeRow& later) {
    const Weights<T> w(earlier.count, later.count);
    NodeRow row = earlier;
    for (int j = 0; j < Group::kVectors; ++j)
      join(row.mean[j], row.squares[j], later.mean[j], later.squares[j], w);
    row.count += later.count;
    return row;
  }

  template <class N>
  static LANEWISE_INLINE void push(N* digit, std::int64_t count, N node) {
    int level = 0;
    for (; (count >> level) & 1; ++level) node = joined(digit[level], node);
    digit[level] = node;
  }
  template <class N>
  static LANEWISE_INLINE N collect(const N* digit, std::int64_t count) {
    int level = __builtin_ctzll(static_cast<unsigned long long>(count));
    N node = digit[level];
    for (++level; count >> level; ++level) {
      if ((count >> level) & 1) node = joined(digit[level], node);
    }
    return node;
  }

  /// From this stride on the rows of a leaf may lie in so few sets of the caches that a second visit finds
  /// them gone.
  static constexpr std::int64_t kFarApart = 2048;
  static constexpr auto kCopyStride = static_cast<std::int64_t>(Group::kColumns * sizeof(T));

  static NodeRow columns(const char* x, std::int64_t rows, std::int64_t stride, Group group) {
    if (stride < kFarApart) return leaves_of(x, rows, stride, group, nullptr);
    alignas(64) T copy[kReductionBlock * Group::kColumns];
    return leaves_of(x, rows, stride, group, copy);
  }

  /// Leaf by leaf, in `copy` if that is given.
  static NodeRow leaves_of(const char* first, std::int64_t rows, std::int64_t given_stride, Group group,
                           T* copy) {
    NodeRow digit[44];
    std::int64_t leaves = 0;
    for (; rows > 0; rows -= kReductionBlock, first += kReductionBlock * given_stride, ++leaves) {
      const int length = static_cast<int>(rows < kReductionBlock ? rows : kReductionBlock);
      const char* x = first;
      std::int64_t stride = given_stride;
      NodeRow node{};
      node.count = length;
      V sum[Group::kVectors] = {};
      if (copy != nullptr) {
        map_leaf_rows<Sum<T>>(
            x, length, stride, group,
            [&](V v, int r, int j) __attribute__((always_inline)) {
              group.store(v, copy + r * Group::kColumns, j);
              return v;
            },
            sum);
        x = reinterpret_cast<const char*>(copy);
        stride = kCopyStride;
      } else {
        map_leaf_rows<Sum<T>>(
            x, length, stride, group, [](V v, int, int) __attribute__((always_inline)) { return v; }, sum);
      }
      const V size(static_cast<T>(length));
      for (int j = 0; j < group.vectors(); ++j) node.mean[j] = sum[j] / size;
      map_leaf_rows<Sum<T>>(
          x, length, stride, group,
          [&](V v, int, int j) __attribute__((always_inline)) {
            const V d = v - node.mean[j];
            return d * d;
          },
          node.squares);
      push(digit, leaves, node);
    }
    return collect(digit, leaves);
  }
};

}  // namespace

constinit const ReductionKernel reduce_var_mean = [] {
  ReductionKernel k = empty_reduction();
  for_each_type(floating, [&]<class T>() {
    constexpr std::size_t i = index_of<T>;
    using Op = Variance<T>;
    k.acc_size[i] = 8 + 2 * sizeof(T);
    k.value_type[i] = scalar_type_of<std::complex<T>>();
    k.inner[i] = Op::inner;
    k.outer[i] = Op::outer;
    k.combine[i] = Op::combine;
    k.finish[i] = Op::finish;
  });
  return k;
}();

}  // namespace lanewise::kernels::LANEWISE_ISA
