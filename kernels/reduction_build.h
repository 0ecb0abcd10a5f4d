#pragma once

#include <lanewise/kernels/element_types.h>
#include <lanewise/kernels/reduction_order_free.h>
#include <lanewise/kernels/reduction_short_rows.h>
#include <lanewise/kernels/reduction_tree_apart.h>
#include <lanewise/kernels/reduction_tree_rows.h>

/// Fills the columns of a ReductionKernel. Included by per-ISA files.
namespace lanewise::kernels::LANEWISE_ISA {

/// f(c, n) for each register of `width` columns: the n from column c on.
template <class V, class F>
LANEWISE_INLINE void each_register(int width, F f) {
  int c = 0;
  for (; c + V::size <= width; c += V::size) f(c, V::size);
  if (c < width) f(c, width - c);
}

/// finish() that copies accumulators of type A to values.
template <class A>
void finish_copy(const char* acc, std::int64_t cols, const KernelScalar*, char* value,
                 std::int64_t*) noexcept {
  __builtin_memcpy(value, acc, static_cast<std::size_t>(cols) * sizeof(A));
}

/// combine() of reductions in any order.
template <class Merging>
void merge_accumulators(char* acc, const char* later, std::int64_t cols) noexcept {
  using Wide = typename Merging::Wide;
  Wide* __restrict to = reinterpret_cast<Wide*>(acc);
  const Wide* __restrict from = reinterpret_cast<const Wide*>(later);
  for (std::int64_t c = 0; c < cols; ++c) to[c] = Merging::merge(to[c], from[c]);
}

/// See ReductionKernel::least_row. Without an exact identity the lanes of a short row are added up one by one.
template <class Op>
inline constexpr int kLeastTreeRow = [] {
  constexpr int kLanes = kTreeLanes<typename Op::Element>,
                kRegisters = 3 * vec::Vec<typename Op::Element>::size / 2;
  constexpr int kThird = kLanes / 3 > 12 ? kLanes / 3 : 12;
  return !Op::kExactIdentity ? 2 * kLanes : kThird > kRegisters ? kThird : kRegisters;
}();
/// For plain loops: as soon as columns cost more than the 4 ns of a call. Sums of 32 int64 or int16 take 0.3 of the time of columns, of
/// 63 int16 0.1.
template <class T>
inline constexpr int kLeastLoopRow = sizeof(T) == 8   ? 16
                                     : sizeof(T) == 4 ? 24
                                                      : 64 / static_cast<int>(sizeof(T));

/// The column of Op::Element for a reduction through the fixed tree.
template <class Op>
constexpr void add_tree(ReductionKernel& k) {
  using T = typename Op::Element;
  constexpr std::size_t i = index_of<T>;
  k.acc_size[i] = sizeof(T);
  k.side_by_side[i] = true;
  k.joins_rows[i] = true;
  k.least_row[i] = kHasShortRows<T> ? 0 : kLeastTreeRow<Op>;
  k.value_type[i] = scalar_type_of<T>();
  k.inner[i] = [](const char* x, std::int64_t n, std::int64_t, std::int64_t ahead, char* acc) noexcept {
    *reinterpret_cast<T*>(acc) = TreeRun<Op>::reduce(reinterpret_cast<const T*>(x), n, ahead);
  };
  k.outer[i] = [](const char* x, std::int64_t rows, std::int64_t stride, std::int64_t cols, std::int64_t,
                  RowPrefetch, char* acc) noexcept {
    using Rows = TreeRowsByParts<Op>;
    Rows::reduce(x, rows, stride, Rows::kParts * cols, reinterpret_cast<typename Rows::T*>(acc));
  };
  k.combine[i] = [](char* acc, const char* later, std::int64_t cols) noexcept {
    using Rows = TreeRowsByParts<Op>;
    using Column = typename Rows::T;
    Rows::combine(reinterpret_cast<Column*>(acc), reinterpret_cast<const Column*>(later),
                  Rows::kParts * cols);
  };
  if constexpr (kHasShortRows<T>) k.short_rows[i] = short_rows<Op>;
  if constexpr (requires { requires Op::kRowsApart; }) {
    k.outer_apart[i] = [](const char* x, const RowsApart& apart, std::int64_t rows, std::int64_t cols,
                          char* acc) noexcept {
      TreeRowsApart<Op>::leaf(x, apart, static_cast<int>(rows), cols, reinterpret_cast<T*>(acc));
    };
  }
  k.finish[i] = finish_copy<T>;
}

/// The column `column` for a reduction in any order; Op::Wide is the type of accumulators and values.
template <class Op>
constexpr void add_order_free(ReductionKernel& k, std::size_t column) {
  using T = typename Op::Element;
  using Wide = typename Op::Wide;
  k.acc_size[column] = sizeof(Wide);
  k.order_free[column] = true;
  k.side_by_side[column] = true;
  k.least_row[column] = kLeastLoopRow<T>;
  k.value_type[column] = Op::kValueType;
  k.inner[column] = [](const char* x, std::int64_t n, std::int64_t, std::int64_t ahead, char* acc) noexcept {
    OrderFree<Op>::runs(x, n, 0, 1, ahead, acc);
  };
  if constexpr (requires { typename Op::Chain; }) k.short_rows[column] = OrderFree<Op>::runs;
  k.outer[column] = [](const char* x, std::int64_t rows, std::int64_t stride, std::int64_t cols, std::int64_t,
                       RowPrefetch, char* acc) noexcept {
    OrderFree<Op>::rows(x, rows, stride, cols, reinterpret_cast<Wide*>(acc));
  };
  k.combine[column] = merge_accumulators<typename Op::Merging>;
  k.finish[column] = finish_copy<Wide>;
}

/// No column filled yet.
constexpr ReductionKernel empty_reduction(bool has_index = false) {
  ReductionKernel k{};
  for (ScalarType& t : k.value_type) t = ScalarType::Undefined;
  k.has_index = has_index;
  return k;
}

/// Calls f<T>() for every type of a list.
template <class... T, class F>
constexpr void for_each_type(Types<T...>, F f) {
  (f.template operator()<T>(), ...);
}

}  // namespace lanewise::kernels::LANEWISE_ISA
