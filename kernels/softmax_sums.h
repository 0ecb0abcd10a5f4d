#pragma once

#include <cstdint>
#include <limits>

#include <lanewise/kernels/reduction_sum_op.h>
#include <lanewise/kernels/reduction_tree_rows.h>
#include <lanewise/vec/math.h>

/// What the softmax family asks of rows and columns before it makes results: largest elements and sums. Included by per-ISA files.
namespace lanewise::kernels::LANEWISE_ISA {

/// A position in a run: a whole vector, or the n elements left at the end.
template <class T>
struct At {
  using V = vec::Vec<T>;
  std::int64_t i;
  int n;
  LANEWISE_INLINE V load(const T* p) const {
    return n == V::size ? V::load(p + i) : V::load_partial(p + i, n);
  }
  LANEWISE_INLINE void store(T* p, V v) const {
    if (n == V::size) {
      v.store(p + i);
    } else {
      v.store_partial(p + i, n);
    }
  }
};

template <class T, class F>
LANEWISE_INLINE void each_vector(std::int64_t n, F f) {
  constexpr int kSize = vec::Vec<T>::size;
  std::int64_t i = 0;
  for (; i + kSize <= n; i += kSize) f(At<T>{i, kSize});
  if (i < n) f(At<T>{i, static_cast<int>(n - i)});
}

/// Out of line: each is called once a row by the passes of every function.
template <class T>
[[gnu::noinline]] T row_sum(const T* x, std::int64_t n) {
  return TreeRun<Sum<T>>::reduce(x, n);
}

template <int Half, class V>
LANEWISE_INLINE auto fold_max(V v) {
  if constexpr (Half == 0) {
    return v.extract(0);
  } else {
    return fold_max<Half / 2>(vec::maximum(v, tree_detail::upper_down<Half>(v)));
  }
}

template <class T>
[[gnu::noinline]] T row_max(const T* x, std::int64_t n) {
  using V = vec::Vec<T>;
  constexpr int kChains = 4;
  const V lowest(-std::numeric_limits<T>::infinity());
  V acc[kChains] = {lowest, lowest, lowest, lowest};
  std::int64_t i = 0;
  for (; i + kChains * V::size <= n; i += kChains * V::size) {
    for (int j = 0; j < kChains; ++j) acc[j] = vec::maximum(V::load(x + i + j * V::size), acc[j]);
  }
  for (; i + V::size <= n; i += V::size) acc[0] = vec::maximum(V::load(x + i), acc[0]);
  if (i < n) {
    const int rest = static_cast<int>(n - i);
    const V last = select(vec::Mask<T>::first(rest), V::load_partial(x + i, rest), lowest);
    acc[1] = vec::maximum(last, acc[1]);
  }
  return fold_max<V::size / 2>(vec::maximum(vec::maximum(acc[0], acc[1]), vec::maximum(acc[2], acc[3])));
}

/// max[i] = the largest of itself and `Rows` rows' elements i < width.
template <int Rows, class T>
LANEWISE_INLINE void raise(const T* x, std::int64_t stride, std::int64_t width, T* max) {
  each_vector<T>(
      width, [&](At<T> p) __attribute__((always_inline)) {
        vec::Vec<T> m = p.load(max);
        for (int r = 0; r < Rows; ++r) m = vec::maximum(p.load(x + r * stride), m);
        p.store(max, m);
      });
}

/// The largest element of each of `width` columns; `max` has room for whole registers.
template <class T>
[[gnu::noinline]] void largest(const T* a, std::int64_t n, std::int64_t stride, std::int64_t width, T* max) {
  using V = vec::Vec<T>;
  for (std::int64_t i = 0; i < width; i += V::size) V(-std::numeric_limits<T>::infinity()).store(max + i);
  std::int64_t r = 0;
  for (; r + 4 <= n; r += 4) raise<4>(a + r * stride, stride, width, max);
  for (; r < n; ++r) raise<1>(a + r * stride, stride, width, max);
}

/// What is summed over columns, a page of each row at a time.
template <class T>
struct ColumnSums {
  using V = vec::Vec<T>;
  static constexpr int kPage = TreeRows<Sum<T>>::kTile;

  /// The largest element of each of width <= kPage columns, and the sum of exp(a - max); `max` has room for kPage.
  [[gnu::noinline]] static void of_exp(const T* a, std::int64_t n, std::int64_t stride, std::int64_t width,
                                       T* max, T* sum) {
    largest(a, n, stride, width, max);
    over<Exponential>(a, n, stride, width, sum, {max});
  }
  /// The sum of a * b.
  [[gnu::noinline]] static void of_products(const T* a, const T* b, std::int64_t n, std::int64_t stride,
                                            std::int64_t width, T* sum) {
    over<Product>(a, n, stride, width, sum,
                  {reinterpret_cast<const char*>(a), reinterpret_cast<const char*>(b)});
  }
  [[gnu::noinline]] static void of(const T* a, std::int64_t n, std::int64_t stride, std::int64_t width,
                                   T* sum) {
    over<Unmapped>(a, n, stride, width, sum, {});
  }

 private:
  struct Exponential {
    const T* max;
    template <class Load>
    LANEWISE_INLINE V operator()(Load load, const char* p, std::int64_t column) const {
      return vec::exp(load(p) - V::load(max + column));
    }
  };
  struct Product {
    const char *a, *b;
    template <class Load>
    LANEWISE_INLINE V operator()(Load load, const char* p, std::int64_t) const {
      return load(p) * load(b + (p - a));
    }
  };
  template <class Map>
  static LANEWISE_INLINE void over(const T* a, std::int64_t n, std::int64_t stride, std::int64_t width,
                                   T* sum, Map map) {
    TreeRows<Sum<T>, Map>::reduce_tall(reinterpret_cast<const char*>(a), n,
                                       stride * static_cast<std::int64_t>(sizeof(T)), width, sum, map);
  }
};

}  // namespace lanewise::kernels::LANEWISE_ISA
