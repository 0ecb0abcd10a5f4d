#include <lanewise/kernels/reduction_build.h>
#include <lanewise/kernels/reduction_kernels.h>
#include <lanewise/kernels/reduction_moments.h>

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
  using Leaf = LeafMoments<T>;
  using V = typename Leaf::V;

  static void inner(const char* px, std::int64_t n, std::int64_t, std::int64_t ahead, char* acc) noexcept {
    const T* x = reinterpret_cast<const T*>(px);
    Node digit[54];
    std::int64_t leaves = 0;
    Node node{};
    for (std::int64_t left = n; left > 0; left -= kReductionBlock, x += kReductionBlock, ++leaves) {
      const int length = static_cast<int>(left < kReductionBlock ? left : kReductionBlock);
      node.count = length;
      Leaf::of_run(x, length, ahead, node.mean, node.squares);
      push(digit, leaves, node);
    }
    if (leaves > 0) node = collect(digit, leaves);
    const Accumulators<T> to(acc, 1);
    *to.count = node.count;
    *to.mean = node.mean;
    *to.squares = node.squares;
  }

  static void short_rows(const char* x, std::int64_t n, std::int64_t stride, std::int64_t count,
                         std::int64_t ahead, char* acc) noexcept {
    const Accumulators<T> to(acc, count);
    *to.count = n;
    if (n > kMostTogether) {
      for (std::int64_t r = 0; r < count; ++r, x += stride)
        Leaf::of_run(reinterpret_cast<const T*>(x), static_cast<int>(n), ahead, to.mean[r], to.squares[r]);
      return;
    }
    using Group = TreeShortRows<Sum<T>>;
    const typename Group::Asked asked(static_cast<int>(n), stride, ahead);
    std::int64_t done = 0;
    Group::each_group(
        x, stride, count, asked, [&](const char* group, int rows) __attribute__((always_inline)) {
          V mean, squares;
          Leaf::of_short_rows(group, static_cast<int>(n), stride, rows, asked, mean, squares);
          Leaf::store(mean, to.mean + done, rows);
          Leaf::store(squares, to.squares + done, rows);
          done += rows;
        });
  }

  static void outer(const char* x, std::int64_t rows, std::int64_t stride, std::int64_t cols, std::int64_t,
                    RowPrefetch prefetch, char* acc) noexcept {
    const Accumulators<T> to(acc, cols);
    *to.count = rows;
    // The lanes of few rows are as many as the rows: with narrow tiles all of them stay in L1.
    const std::int64_t tile = rows <= kFewRows ? Leaf::kTile / 4 : Leaf::kTile;
    for (std::int64_t c = 0; c < cols; c += tile) {
      const int width = static_cast<int>(cols - c < tile ? cols - c : tile);
      const char* from = x + c * static_cast<std::int64_t>(sizeof(T));
      NodeRow digit[44];
      NodeRow node;
      node.cols = width;
      if (rows <= kReductionBlock) {
        Leaf::of_rows(from, static_cast<int>(rows), stride, width, prefetch, node.mean, node.squares);
        put(node, to, c);
        continue;
      }
      std::int64_t leaves = 0;
      for (std::int64_t left = rows; left > 0;
           left -= kReductionBlock, from += kReductionBlock * stride, ++leaves) {
        const int length = static_cast<int>(left < kReductionBlock ? left : kReductionBlock);
        node.count = length;
        Leaf::of_rows(from, length, stride, width, prefetch, node.mean, node.squares);
        push(digit, leaves, node);
      }
      node = collect(digit, leaves);
      put(node, to, c);
    }
  }

  static void combine(char* acc, const char* later, std::int64_t cols) noexcept {
    const Accumulators<T> a(acc, cols);
    const Accumulators<T> b(const_cast<char*>(later), cols);
    const Weights<T> w(*a.count, *b.count);
    for (std::int64_t c = 0; c < cols; c += V::size) {
      const int n = static_cast<int>(cols - c < V::size ? cols - c : V::size);
      V mean = Leaf::load(a.mean + c, n);
      V squares = Leaf::load(a.squares + c, n);
      LANEWISE_ISA::join(mean, squares, Leaf::load(b.mean + c, n), Leaf::load(b.squares + c, n), w);
      Leaf::store(mean, a.mean + c, n);
      Leaf::store(squares, a.squares + c, n);
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
    for (std::int64_t c = 0; c < cols; c += V::size) {
      const int n = static_cast<int>(cols - c < V::size ? cols - c : V::size);
      const V variance = Leaf::load(from.squares + c, n) / V(divisor);
      T first[V::size];
      (params->i != 0 ? vec::sqrt(variance) : variance).store(first);
      for (int i = 0; i < n; ++i) {
        to[2 * (c + i)] = first[i];
        to[2 * (c + i) + 1] = from.mean[c + i];
      }
    }
  }

 private:
  struct Node {
    std::int64_t count;
    T mean;
    T squares;
  };
  struct NodeRow {
    std::int64_t count;
    int cols;
    typename Leaf::Row mean;
    typename Leaf::Row squares;
  };

  static constexpr std::int64_t kFewRows = 16;
  /// Longer rows one by one, read once.
  static constexpr std::int64_t kMostTogether = 512;

  static LANEWISE_INLINE void put(const NodeRow& node, const Accumulators<T>& to, std::int64_t column) {
    for (int j = 0, at = 0; at < node.cols; ++j, at += V::size) {
      Leaf::store(node.mean[j], to.mean + column + at, node.cols - at);
      Leaf::store(node.squares[j], to.squares + column + at, node.cols - at);
    }
  }
  static LANEWISE_INLINE void join(Node& earlier, const Node& later) {
    const Weights<T> w(earlier.count, later.count);
    V mean(earlier.mean);
    V squares(earlier.squares);
    LANEWISE_ISA::join(mean, squares, V(later.mean), V(later.squares), w);
    earlier = {earlier.count + later.count, mean.extract(0), squares.extract(0)};
  }
  static LANEWISE_INLINE void join(NodeRow& earlier, const NodeRow& later) {
    const Weights<T> w(earlier.count, later.count);
    for (int j = 0; j * V::size < later.cols; ++j)
      LANEWISE_ISA::join(earlier.mean[j], earlier.squares[j], later.mean[j], later.squares[j], w);
    earlier.count += later.count;
  }

  // The counter of TreeCounter.
  template <class N>
  static LANEWISE_INLINE void push(N* digit, std::int64_t count, N& node) {
    int level = 0;
    for (; (count >> level) & 1; ++level) put_before(digit[level], node);
    digit[level] = node;
  }
  template <class N>
  static LANEWISE_INLINE N collect(N* digit, std::int64_t count) {
    int level = __builtin_ctzll(static_cast<unsigned long long>(count));
    N node = digit[level];
    for (++level; count >> level; ++level) {
      if ((count >> level) & 1) put_before(digit[level], node);
    }
    return node;
  }
  template <class N>
  static LANEWISE_INLINE void put_before(N& earlier, N& node) {
    join(earlier, node);
    node = earlier;
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
    if constexpr (kHasShortRows<T>) k.short_rows[i] = Op::short_rows;
    k.outer[i] = Op::outer;
    k.combine[i] = Op::combine;
    k.finish[i] = Op::finish;
  });
  return k;
}();

}  // namespace lanewise::kernels::LANEWISE_ISA
