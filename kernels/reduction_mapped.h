#pragma once

#include <lanewise/kernels/reduction_build.h>

/// The fixed tree over f(x) for some f of the elements. Included by per-ISA files.
namespace lanewise::kernels::LANEWISE_ISA {

/// Op over Map::apply(x); Map has apply of a Vec.
template <class Op, class Map>
struct MappedTree {
  using T = typename Op::Element;

  // Leaf by leaf: the longer loop of TreeRun::reduce is not worth its code here.
  static void inner(const char* px, std::int64_t n, std::int64_t, std::int64_t ahead, char* acc) noexcept {
    const T* x = reinterpret_cast<const T*>(px);
    TreeCounter<Op> counter;
    for (; n > 0; n -= kReductionBlock, x += kReductionBlock)
      counter.push(TreeRun<Op, T, Map>::leaf(x, n < kReductionBlock ? n : kReductionBlock, ahead), 0);
    *reinterpret_cast<T*>(acc) = counter.finish();
  }

  static void outer(const char* x, std::int64_t rows, std::int64_t stride, std::int64_t cols, std::int64_t,
                    RowPrefetch, char* acc) noexcept {
    TreeRows<Op, Map>::reduce(x, rows, stride, cols, reinterpret_cast<T*>(acc));
  }
};

/// The column of Op::Element.
template <class Op, class Map>
constexpr void add_mapped(ReductionKernel& k) {
  add_tree<Op>(k);
  constexpr std::size_t i = index_of<typename Op::Element>;
  k.inner[i] = MappedTree<Op, Map>::inner;
  k.joins_rows[i] = false;
  if constexpr (kHasShortRows<typename Op::Element>) k.short_rows[i] = short_rows<Op, Map>;
  k.outer[i] = MappedTree<Op, Map>::outer;
  k.outer_apart[i] = nullptr;
}

}  // namespace lanewise::kernels::LANEWISE_ISA
