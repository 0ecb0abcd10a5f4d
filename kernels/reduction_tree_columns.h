#pragma once

#include <lanewise/kernels/reduction_tree.h>

/// Parts of the fixed tree over columns side by side. Included by per-ISA files.
namespace lanewise::kernels::LANEWISE_ISA {

/// Lanes `lane`, lane + Step, ... of the rows at x that hold at most one element each, load() of it: halved in registers, from the top.
template <class Op, class V, int Step, int End, class Load>
LANEWISE_INLINE V tree_node(const char* x, int rows, std::int64_t stride, int lane, Load load) {
  if constexpr (Step == End) {
    return load(x + lane * stride);
  } else {
    V v = tree_node<Op, V, 2 * Step, End>(x, rows, stride, lane, load);
    if (lane + Step < rows)
      v = Op::apply(v, tree_node<Op, V, 2 * Step, End>(x, rows, stride, lane + Step, load));
    return v;
  }
}

/// Count lanes of `registers` each, the first `valid` of which hold something, into the first one.
template <class Op, int Count, class V>
LANEWISE_INLINE void fold_lanes(int valid, int registers, V* lane) {
  for (int half = Count / 2; half > 0; half /= 2) {
    const int rest = half * registers, n = valid > half ? (valid - half) * registers : 0;
    for (int j = 0; j < n; ++j) lane[j] = Op::apply(lane[j], lane[rest + j]);
    if (valid > half) valid = half;
  }
}

}  // namespace lanewise::kernels::LANEWISE_ISA
