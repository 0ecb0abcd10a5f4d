#include <lanewise/kernels/distance_gradient.h>
#include <lanewise/kernels/distance_table.h>
#include <lanewise/kernels/element_types.h>
#include <lanewise/vec/vec.h>

namespace lanewise::kernels::LANEWISE_ISA {
namespace {

struct Sum {
  template <class V>
  static LANEWISE_INLINE V add(V sum, V difference) {
    return sum + vec::abs(difference);
  }
  template <class V>
  static LANEWISE_INLINE V join(V a, V b) {
    return a + b;
  }
  template <class V>
  static LANEWISE_INLINE V finish(V sum) {
    return sum;
  }
};
struct Root {
  template <class V>
  static LANEWISE_INLINE V add(V sum, V difference) {
    return vec::fma(difference, difference, sum);
  }
  template <class V>
  static LANEWISE_INLINE V join(V a, V b) {
    return a + b;
  }
  template <class V>
  static LANEWISE_INLINE V finish(V sum) {
    return vec::sqrt(sum);
  }
};
struct Largest {
  template <class V>
  static LANEWISE_INLINE V add(V largest, V difference) {
    return vec::maximum(largest, vec::abs(difference));
  }
  template <class V>
  static LANEWISE_INLINE V join(V a, V b) {
    return vec::maximum(a, b);
  }
  template <class V>
  static LANEWISE_INLINE V finish(V largest) {
    return largest;
  }
};

/// Rows that share what is loaded of B, and registers of its columns.
constexpr int kRows = 4;
constexpr int kVectors = 2;

template <class T>
constexpr std::int64_t kCols = kVectors * vec::Vec<T>::size;
static_assert(kCols<float> <= kDistanceColumns);

std::int64_t smaller(std::int64_t a, std::int64_t b) { return a < b ? a : b; }

template <class V>
LANEWISE_INLINE void clear(V (&registers)[kRows][kVectors]) {
  for (auto& of_row : registers) {
    for (V& v : of_row) v = V(typename V::value_type(0));
  }
}

template <class T, class Norm>
[[gnu::noinline]] void tile(const RowDistances& d, std::int64_t row, std::int64_t col) {
  using V = vec::Vec<T>;
  const T* a[kRows];  // rows beyond the last are the last again, and not stored
  for (int r = 0; r < kRows; ++r)
    a[r] = reinterpret_cast<const T*>(d.a) + smaller(row + r, d.m - 1) * d.a_stride;
  const T* b = reinterpret_cast<const T*>(d.b) + col;
  V total[kRows][kVectors], part[kRows][kVectors];
  clear(total);
  for (std::int64_t k = 0; k < d.k;) {
    clear(part);
    for (const std::int64_t end = smaller(k + kDistanceDepth, d.k); k < end; ++k, b += d.b_stride) {
      V column[kVectors];
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v) column[v] = V::load(b + v * V::size);
#pragma GCC unroll 4
      for (int r = 0; r < kRows; ++r) {
        const V element(a[r][k]);
#pragma GCC unroll 2
        for (int v = 0; v < kVectors; ++v) part[r][v] = Norm::add(part[r][v], element - column[v]);
      }
    }
    for (int r = 0; r < kRows; ++r) {
      for (int v = 0; v < kVectors; ++v) total[r][v] = Norm::join(total[r][v], part[r][v]);
    }
  }
  T* out = reinterpret_cast<T*>(d.out) + row * d.out_stride + col;
  for (int r = 0; r < kRows && row + r < d.m; ++r, out += d.out_stride) {
    for (int v = 0; v < kVectors; ++v) Norm::finish(total[r][v]).store(out + v * V::size);
  }
}

template <class T, class Norm>
void distances(const RowDistances& d) noexcept {
  for (std::int64_t col = 0; col < d.n; col += kCols<T>) {
    // The last columns are some of those before as well. All rows pass while columns stay in L1.
    const std::int64_t first = smaller(col, d.n - kCols<T>);
    for (std::int64_t row = 0; row < d.m; row += kRows) tile<T, Norm>(d, row, first);
  }
}

template <class T>
constexpr DistanceFns functions{.sum = distances<T, Sum>,
                                .root = distances<T, Root>,
                                .largest = distances<T, Largest>,
                                .sum_gradient = DistanceGradient<T, SumSlope>::run,
                                .root_gradient = DistanceGradient<T, RootSlope>::run,
                                .largest_gradient = DistanceGradient<T, LargestSlope>::run};

}  // namespace

constinit const DistanceTable distance_table = {.f32 = functions<float>, .f64 = functions<double>};

}  // namespace lanewise::kernels::LANEWISE_ISA
