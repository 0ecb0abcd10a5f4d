#pragma once

#include <lanewise/kernels/distance_table.h>
#include <lanewise/vec/vec.h>

/// Gradients of distances between rows. Included by per-ISA files.
namespace lanewise::kernels::LANEWISE_ISA {

/// `weight` with the sign of x, or 0.
template <class V>
LANEWISE_INLINE V signed_weight(V weight, V x) {
  const V zero(typename V::value_type(0));
  return select(x > zero, weight, select(x < zero, -weight, zero));
}

/// What a difference adds to a sum, by norm.
struct SumSlope {
  template <class V>
  static LANEWISE_INLINE V add(V sum, V weight, V difference, V) {
    return sum + signed_weight(weight, difference);
  }
};
struct RootSlope {
  template <class V>
  static LANEWISE_INLINE V add(V sum, V weight, V difference, V) {
    return vec::fma(weight, difference, sum);
  }
};
struct LargestSlope {
  template <class V>
  static LANEWISE_INLINE V add(V sum, V weight, V difference, V distance) {
    const V zero(typename V::value_type(0));
    return sum + select(vec::abs(difference) == distance, signed_weight(weight, difference), zero);
  }
};

template <class T, class Slope>
class DistanceGradient {
 public:
  static void run(const RowGradients& g) noexcept {
    for (std::int64_t col = 0; col < g.k; col += V::size) {
      for (std::int64_t row = 0; row < g.m; row += kRows) tile(g, row, col);
    }
  }

 private:
  using V = vec::Vec<T>;
  static_assert(kGradientWidth % V::size == 0);
  /// Rows that share what is loaded of B.
  static constexpr int kRows = 4;

  [[gnu::noinline]] static void tile(const RowGradients& g, std::int64_t row, std::int64_t col) {
    const T *weight[kRows], *distance[kRows];
    V a[kRows], total[kRows];
    const int rows = g.m - row < kRows ? static_cast<int>(g.m - row) : kRows;
    for (int r = 0; r < kRows; ++r) {
      const std::int64_t i =
          row + (r < rows ? r : rows - 1);  // rows beyond the last are the last again, and not stored
      weight[r] = reinterpret_cast<const T*>(g.weights) + i * g.row_stride;
      distance[r] = reinterpret_cast<const T*>(g.distances) + i * g.row_stride;
      a[r] = V::load(reinterpret_cast<const T*>(g.a) + i * g.k + col);
      total[r] = V(T(0));
    }
    const T* b = reinterpret_cast<const T*>(g.b) + col;
    for (std::int64_t j = 0; j < g.n;) {
      V part[kRows];
      for (V& p : part) p = V(T(0));
      const std::int64_t end = g.n - j < kDistanceDepth ? g.n : j + kDistanceDepth;
      for (; j < end; ++j, b += g.k) {
        const V other = V::load(b);
#pragma GCC unroll 4
        for (int r = 0; r < kRows; ++r) {
          const std::int64_t at = j * g.col_stride;
          part[r] = Slope::add(part[r], V(weight[r][at]), a[r] - other, V(distance[r][at]));
        }
      }
      for (int r = 0; r < kRows; ++r) total[r] = total[r] + part[r];
    }
    T* out = reinterpret_cast<T*>(g.out) + row * g.k + col;
    for (int r = 0; r < rows; ++r) total[r].store(out + r * g.k);
  }
};

}  // namespace lanewise::kernels::LANEWISE_ISA
