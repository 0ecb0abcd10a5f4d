#pragma once

#include <cstdint>

namespace lanewise::kernels {

/// Elements of a distance that are summed one after the other; such sums are added in order.
inline constexpr std::int64_t kDistanceDepth = 256;

/// A kernel needs so many columns.
inline constexpr std::int64_t kDistanceColumns = 32;

/// out[i, j] = norm of row i of A - column j of B, for i < m and j < n, k elements each. Rows are contiguous,
/// strides in elements; n >= kDistanceColumns; out overlaps neither input. Squares are summed by fused multiply-adds; the bits depend on the elements alone.
struct RowDistances {
  const char* a;
  std::int64_t a_stride;
  const char* b;
  std::int64_t b_stride;
  char* out;
  std::int64_t out_stride;
  std::int64_t m;
  std::int64_t n;
  std::int64_t k;
};

using DistanceFn = void (*)(const RowDistances&) noexcept;

/// A kernel of gradients needs rows of a multiple of so many elements.
inline constexpr std::int64_t kGradientWidth = 16;

/// out[i, :] = sum over j < n of weights[i, j] * the slope of the norm at (row i of A) - (row j of B), for i < m. Rows of A, B and
/// out have k elements, a multiple of kGradientWidth, and are contiguous; `weights` and `distances` share their strides, in
/// elements. Sums of kDistanceDepth terms are added in order; the bits depend on the elements alone.
struct RowGradients {
  const char* weights;
  const char* distances;
  std::int64_t row_stride;
  std::int64_t col_stride;
  const char* a;
  const char* b;
  char* out;
  std::int64_t m;
  std::int64_t n;
  std::int64_t k;
};

using DistanceGradientFn = void (*)(const RowGradients&) noexcept;

/// By norm.
struct DistanceFns {
  DistanceFn sum;                       ///< 1: of magnitudes
  DistanceFn root;                      ///< 2: Euclidean
  DistanceFn largest;                   ///< infinity: the largest magnitude, NaN if there is any
  DistanceGradientFn sum_gradient;      ///< slope: the sign of the difference
  DistanceGradientFn root_gradient;     ///< slope: the difference; the weights are divided by the distance
  DistanceGradientFn largest_gradient;  ///< slope: the sign of a difference as large as the distance, else 0
};

/// Distances of one ISA.
struct DistanceTable {
  DistanceFns f32;
  DistanceFns f64;
};

#ifdef LANEWISE_ISA
namespace LANEWISE_ISA {
extern const DistanceTable distance_table;
}
#endif

}  // namespace lanewise::kernels
