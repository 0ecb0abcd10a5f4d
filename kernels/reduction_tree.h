#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <lanewise/kernels/halves.h>
#include <lanewise/kernels/kernel.h>
#include <lanewise/vec/vec.h>

// Note [Fixed reduction tree]
// Floating-point sums depend on the order of the additions, so the order is part of the definition and the
// same on every ISA. A sequence is cut into leaves of kReductionBlock elements. In a leaf, element k goes to
// lane k % L, in order of k; L lanes take 256 bytes whatever the width of a register. Then lane l takes lane
// l + L/2 for l < L/2, and so on with halves until one is left; lanes without elements take no part. Leaves
// are combined like the digits of a binary counter, at the end from small to large. inner() and outer() walk
// memory differently but evaluate the same tree.

/// Included by per-ISA files.
namespace lanewise::kernels::LANEWISE_ISA {

template <class T>
inline constexpr int kTreeLanes = 256 / static_cast<int>(sizeof(T));

namespace tree_detail {

template <int Half, class R, std::size_t... I>
LANEWISE_INLINE vec::Vec<R> upper_down(vec::Vec<R> v, std::index_sequence<I...>) {
  return vec::Vec<R>(__builtin_shufflevector(v.reg, v.reg, ((I + Half) % sizeof...(I))...));
}
/// Lane l takes the value of lane l + Half.
template <int Half, class R>
LANEWISE_INLINE vec::Vec<R> upper_down(vec::Vec<R> v) {
  return upper_down<Half>(v, std::make_index_sequence<static_cast<std::size_t>(vec::Vec<R>::size)>{});
}
template <int Half, class R>
LANEWISE_INLINE vec::Vec<std::complex<R>> upper_down(vec::Vec<std::complex<R>> v) {
  return {upper_down<Half>(v.re), upper_down<Half>(v.im)};
}

}  // namespace tree_detail

/// f(constant) for 0 to N - 1. A loop is unrolled too late for what it holds in an array to stay in registers: sums of rows of 100 f32
/// took 1.5 times as long.
template <int N, class F>
LANEWISE_INLINE void each_constant(F f) {
  [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
    (f(std::integral_constant<int, I>()), ...);
  }
  (std::make_integer_sequence<int, N>{});
}

/// What N registers come to: register i takes i + N/2, then i + N/4, and so on.
template <class Op, class V, int N, int Half = N / 2>
LANEWISE_INLINE V halve(V (&held)[N]) {
  if constexpr (Half == 0) {
    return held[0];
  } else {
    each_constant<Half>([&](auto i)
                            __attribute__((always_inline)) { held[i] = Op::apply(held[i], held[i + Half]); });
    return halve<Op, V, N, Half / 2>(held);
  }
}

/// Elements as they are.
struct Unmapped {
  template <class V>
  static LANEWISE_INLINE V apply(V v) {
    return v;
  }
};

/// Combines equal-sized subtrees as they come.
template <class Op>
class TreeCounter {
 public:
  using T = typename Op::Element;

  /// Adds the value of 2^level leaves; so far a multiple of 2^level came.
  LANEWISE_INLINE void push(T value, int level) {
    std::int64_t pending = count_ >> level;
    count_ += std::int64_t{1} << level;
    for (; pending & 1; pending >>= 1, ++level) value = Op::apply(partial_[level], value);
    partial_[level] = value;
  }
  LANEWISE_INLINE T finish() const {
    if (count_ == 0) return Op::identity();
    int level = __builtin_ctzll(static_cast<unsigned long long>(count_));
    T value = partial_[level];
    for (++level; count_ >> level; ++level) {
      if ((count_ >> level) & 1) value = Op::apply(partial_[level], value);
    }
    return value;
  }

 private:
  std::int64_t count_ = 0;
  T partial_[54];
};

/// A register of T from memory that holds T, or halves to be widened.
template <class V, class In>
LANEWISE_INLINE V load_as(const In* x) {
  if constexpr (std::is_same_v<typename V::value_type, In>) {
    return V::load(x);
  } else {
    return load_widened(x);
  }
}
template <class V, class In>
LANEWISE_INLINE V load_partial_as(const In* x, int n) {
  if constexpr (std::is_same_v<typename V::value_type, In>) {
    return V::load_partial(x, n);
  } else {
    return load_widened_partial(x, n);
  }
}

/// The tree over Map::apply(x) of one contiguous run, of T or of halves. An Op has: Element; apply(a, b) of vectors and of
/// elements with equal results; and identity(), for which apply(x, identity) is x to the bit if kExactIdentity, else only a
/// start for empty runs. One that treats the parts of complex numbers alike and apart has Parts, itself for them.
template <class Op, class In = typename Op::Element, class Map = Unmapped>
struct TreeRun {
  using T = typename Op::Element;
  using V = vec::Vec<T>;
  static constexpr int kLanes = kTreeLanes<T>;
  static constexpr int kVectors = kLanes / V::size;

  static LANEWISE_INLINE T reduce(const In* x, std::int64_t n, std::int64_t ahead = kPrefetchBytes) {
    if (n <= kReductionBlock) return leaf(x, n, ahead);
    TreeCounter<Op> counter;
    constexpr int kGroup = 8;  // leaves combined without asking the counter
    while (n >= kGroup * kReductionBlock) {
      T leaf[kGroup];
      for (int i = 0; i < kGroup; ++i) leaf[i] = full_leaf(x + i * kReductionBlock, ahead);
      for (int step = 1; step < kGroup; step *= 2) {
        for (int i = 0; i < kGroup; i += 2 * step) leaf[i] = Op::apply(leaf[i], leaf[i + step]);
      }
      counter.push(leaf[0], 3);
      x += kGroup * kReductionBlock;
      n -= kGroup * kReductionBlock;
    }
    for (; n >= kReductionBlock; n -= kReductionBlock, x += kReductionBlock)
      counter.push(full_leaf(x, ahead), 0);
    if (n > 0) counter.push(short_leaf(x, static_cast<int>(n)), 0);
    return counter.finish();
  }

  /// Of 0 <= n <= kReductionBlock elements.
  static LANEWISE_INLINE T leaf(const In* x, std::int64_t n, std::int64_t ahead) {
    return n == kReductionBlock ? full_leaf(x, ahead) : short_leaf(x, static_cast<int>(n));
  }

  /// Of 0 <= n < kReductionBlock elements.
  static T short_leaf(const In* x, int n) {
    if constexpr (Op::kExactIdentity) {
      V acc[kVectors];
      int k = 0;
      if (n >= kLanes) {
        for (int j = 0; j < kVectors; ++j) acc[j] = load(x + j * V::size);
        for (k = kLanes; k + kLanes <= n; k += kLanes) {
          for (int j = 0; j < kVectors; ++j) acc[j] = Op::apply(acc[j], load(x + k + j * V::size));
        }
      } else {
        for (int j = 0; j < kVectors; ++j) acc[j] = V(Op::identity());
      }
      for (int j = 0; k < n; ++j, k += V::size) acc[j] = Op::apply(acc[j], load_first(x + k, n - k));
      return fold(acc);
    } else {
      return short_leaf_without_identity(x, n);
    }
  }

  /// What the lanes of a leaf come to.
  static LANEWISE_INLINE T fold(V (&acc)[kVectors]) {
    for (int half = kVectors / 2; half > 0; half /= 2) {
      for (int j = 0; j < half; ++j) acc[j] = Op::apply(acc[j], acc[j + half]);
    }
    return fold_register<V::size / 2>(acc[0]);
  }

 private:
  static_assert(Op::kExactIdentity || std::is_same_v<Map, Unmapped>, "such leaves read elements as they are");

  static LANEWISE_INLINE V load(const In* x) { return Map::apply(load_as<V>(x)); }
  static LANEWISE_INLINE V load_partial(const In* x, int n) { return Map::apply(load_partial_as<V>(x, n)); }

  /// The lanes of a leaf while each has an element.
  struct Whole {
    V acc[kVectors];
    explicit LANEWISE_INLINE Whole(const In* x) {
      for (int j = 0; j < kVectors; ++j) acc[j] = load(x + j * V::size);
    }
    LANEWISE_INLINE void add(const In* x) {
      for (int j = 0; j < kVectors; ++j) acc[j] = Op::apply(acc[j], load(x + j * V::size));
    }
    LANEWISE_INLINE T value() { return fold(acc); }
  };
  /// The same of complex numbers as they lie, parts side by side: twice the lanes, whose halves come together in the same order.
  template <class Parts>
  struct ByParts {
    using R = typename Parts::V;
    static constexpr int kRegisters = 2 * kLanes / R::size;
    R acc[kRegisters];
    static LANEWISE_INLINE R load(const In* x, int j) {
      return R::load(reinterpret_cast<const typename Parts::Element*>(x) + j * R::size);
    }
    explicit LANEWISE_INLINE ByParts(const In* x) {
      for (int j = 0; j < kRegisters; ++j) acc[j] = load(x, j);
    }
    LANEWISE_INLINE void add(const In* x) {
      for (int j = 0; j < kRegisters; ++j) acc[j] = Parts::apply(acc[j], load(x, j));
    }
    LANEWISE_INLINE T value() {
      for (int half = kRegisters / 2; half > 0; half /= 2) {
        for (int j = 0; j < half; ++j) acc[j] = Parts::apply(acc[j], acc[j + half]);
      }
      return last_two<R::size / 2>(acc[0]);
    }
    template <int Half>
    static LANEWISE_INLINE T last_two(R v) {
      if constexpr (Half == 1) {
        return T(v.extract(0), v.extract(1));
      } else {
        return last_two<Half / 2>(Parts::apply(v, tree_detail::upper_down<Half>(v)));
      }
    }
  };
  template <class O>
  struct Lanes {
    using type = Whole;
  };
  template <class O>
    requires requires { typename O::Parts; }
  struct Lanes<O> {
    using type = ByParts<typename O::Parts>;
  };
  using FullLanes = typename Lanes<Op>::type;

  /// Where lanes without an element cannot hold something that changes nothing.
  [[gnu::noinline]] static T short_leaf_without_identity(const In* x, int n) {
    T lanes[kLanes];
    if (n >= kLanes) {
      V acc[kVectors];
      for (int j = 0; j < kVectors; ++j) acc[j] = load(x + j * V::size);
      int k = kLanes;
      for (; k + kLanes <= n; k += kLanes) {
        for (int j = 0; j < kVectors; ++j) acc[j] = Op::apply(acc[j], load(x + k + j * V::size));
      }
      for (int j = 0; j < kVectors; ++j) acc[j].store(lanes + j * V::size);
      for (int l = 0; k < n; ++k, ++l) lanes[l] = Op::apply(lanes[l], x[k]);
      for (int j = 0; j < kVectors; ++j) acc[j] = V::load(lanes + j * V::size);
      return fold(acc);
    }
    for (int k = 0; k < n; ++k) lanes[k] = x[k];
    int valid = n;
    for (int half = kLanes / 2; half > 0; half /= 2) {
      for (int l = 0; l + half < valid; ++l) lanes[l] = Op::apply(lanes[l], lanes[l + half]);
      if (valid > half) valid = half;
    }
    return n > 0 ? lanes[0] : Op::identity();
  }
  /// Of complex numbers, whose code is long, there is one.
  static LANEWISE_INLINE T full_leaf(const In* x, std::int64_t ahead) {
    if constexpr (is_complex<T>) {
      return leaf_apart(x, ahead);
    } else {
      return whole_leaf(x, ahead);
    }
  }
  [[gnu::noinline]] static T leaf_apart(const In* x, std::int64_t ahead) { return whole_leaf(x, ahead); }
  static LANEWISE_INLINE T whole_leaf(const In* x, std::int64_t ahead) {
    FullLanes acc(x);
    for (int k = kLanes; k < static_cast<int>(kReductionBlock); k += kLanes) {
      prefetch(x + k, ahead);
      acc.add(x + k);
    }
    return acc.value();
  }
  /// A round of lanes, `ahead` bytes after those at x.
  static LANEWISE_INLINE void prefetch(const In* x, std::int64_t ahead) {
    for (int line = 0; line < kLanes * static_cast<int>(sizeof(In)); line += 64)
      __builtin_prefetch(reinterpret_cast<const char*>(x) + ahead + line);
  }

  /// The first n elements, identity in the other lanes.
  static LANEWISE_INLINE V load_first(const In* x, int n) {
    if (n >= V::size) return load(x);
    return select(vec::Mask<T>::first(n), load_partial(x, n), V(Op::identity()));
  }

  template <int Half>
  static LANEWISE_INLINE T fold_register(V v) {
    if constexpr (Half == 0) {
      return v.extract(0);
    } else {
      return fold_register<Half / 2>(Op::apply(v, tree_detail::upper_down<Half>(v)));
    }
  }
};

}  // namespace lanewise::kernels::LANEWISE_ISA
