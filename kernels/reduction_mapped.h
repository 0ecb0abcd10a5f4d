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

/// Op over Map::apply(x); Map has apply of a Vec.
template <class Op, class Map>
struct MappedTree {
  using T = typename Op::Element;
  using V = typename Op::V;

  static void inner(const char* px, std::int64_t n, std::int64_t, std::int64_t ahead, char* acc) noexcept {
    const T* x = reinterpret_cast<const T*>(px);
    T mapped[kReductionBlock];
    TreeCounter<Op> counter;
    for (; n > 0; n -= kReductionBlock, x += kReductionBlock) {
      const int length = static_cast<int>(n < kReductionBlock ? n : kReductionBlock);
      for (int line = 0; line < length; line += 64 / static_cast<int>(sizeof(T)))
        __builtin_prefetch(reinterpret_cast<const char*>(x + line) + ahead);
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
  k.columns[i] = nullptr;
  if constexpr (kHasShortRows<typename Op::Element>) k.short_rows[i] = short_rows<Op, Map>;
  k.outer[i] = MappedTree<Op, Map>::outer;
}

}  // namespace lanewise::kernels::LANEWISE_ISA
