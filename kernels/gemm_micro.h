#pragma once

#include <lanewise/kernels/element_types.h>
#include <lanewise/kernels/gemm_table.h>
#include <lanewise/vec/vec.h>

/// The register tiles of matrix products. Included by per-ISA files.
namespace lanewise::kernels::LANEWISE_ISA {

/// Registers decide: rows x vectors accumulators, `vectors` of B and one broadcast of A.
template <class T>
struct GemmShape {
#if defined(LANEWISE_ISA_AVX512)
  static constexpr int kRows = is_complex<T> ? 12 : std::is_integral_v<T> ? 8 : 14;
#elif defined(LANEWISE_ISA_NEON)
  static constexpr int kRows = is_complex<T> ? 8 : std::is_integral_v<T> ? 4 : 10;
#else
  static constexpr int kRows = is_complex<T> || std::is_integral_v<T> ? 4 : 6;
#endif
  static constexpr int kVectors = is_complex<T> ? 1 : 2;
  static constexpr int kCols = kVectors * vec::Vec<T>::size;
};

/// Whether A may be rows that are not packed.
template <class T>
constexpr bool reads_rows_apart = std::is_floating_point_v<T>;

namespace gemm_detail {

template <class T>
LANEWISE_INLINE void multiply_add(T a, vec::Vec<T> b, vec::Vec<T>& c) {
  c = vec::fma(vec::Vec<T>(a), b, c);
}
template <class R>
LANEWISE_INLINE void multiply_add(std::complex<R> a, vec::Vec<std::complex<R>> b,
                                  vec::Vec<std::complex<R>>& c) {
  const vec::Vec<R> re(a.real());
  const vec::Vec<R> im(a.imag());
  c.re = vec::fnma(im, b.im, vec::fma(re, b.re, c.re));
  c.im = vec::fma(im, b.re, vec::fma(re, b.im, c.im));
}

/// A whose columns are contiguous: packed, or where it lies.
template <class T, int Rows>
struct Columns {
  const T* column;
  std::int64_t stride;
  Columns(const T* a, std::int64_t /*row_stride*/, std::int64_t col_stride) : column(a), stride(col_stride) {}
  LANEWISE_INLINE T operator[](int r) const { return column[r]; }
  LANEWISE_INLINE void next() { column += stride; }
};

/// A whose rows are contiguous. One pointer serves three of them: with one each, the registers would not do.
template <class T, int Rows>
struct RowsApart {
  const T* row[(Rows + 2) / 3];
  std::int64_t stride;
  RowsApart(const T* a, std::int64_t row_stride, std::int64_t /*col_stride*/) : stride(row_stride) {
#pragma GCC unroll 16
    for (int r = 0; r < Rows; r += 3) row[r / 3] = a + r * stride;
  }
  LANEWISE_INLINE T operator[](int r) const { return row[r / 3][r % 3 * stride]; }
  LANEWISE_INLINE void next() {
#pragma GCC unroll 16
    for (int r = 0; r < Rows; r += 3) ++row[r / 3];
  }
};

/// Columns 0..n of what whole vectors hold; fewer than all.
template <class T, int Vectors>
[[gnu::noinline]] void put_edge(const T* tile, T* c, std::int64_t c_stride, int rows, int n,
                                bool accumulate) {
  using V = vec::Vec<T>;
  for (; rows > 0; --rows, tile += Vectors * V::size, c += c_stride) {
    int j = 0;
    for (; j + V::size <= n; j += V::size) {
      V v = V::load(tile + j);
      if (accumulate) v = V::load(c + j) + v;
      v.store(c + j);
    }
    if (j == n) continue;
    V v = V::load(tile + j);
    if (accumulate) v = V::load_partial(c + j, n - j) + v;
    v.store_partial(c + j, n - j);
  }
}

/// Rows x n elements of C, n in ((Vectors - 1) * size, Vectors * size].
template <class T, int Rows, int Vectors, template <class, int> class Left>
[[gnu::noinline]] void micro(const T* left, std::int64_t row_stride, std::int64_t col_stride, const T* b,
                             std::int64_t b_stride, std::int64_t k, T* c, std::int64_t c_stride, int n,
                             bool accumulate) {
  using V = vec::Vec<T>;
  Left<T, Rows> a(left, row_stride, col_stride);
  // C may lie far away: it is asked for now and needed after all of k, unless that is little.
  constexpr std::int64_t kLittle = 8;
  if (k >= kLittle) {
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) {
      for (int byte = 0; byte < Vectors * static_cast<int>(sizeof(V)); byte += 64) {
        __builtin_prefetch(reinterpret_cast<const char*>(c + r * c_stride) + byte, 1);
      }
    }
  }
  V acc[Rows][Vectors];
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 2
    for (int v = 0; v < Vectors; ++v) acc[r][v] = V(T(0));
  }
  for (; k > 0; --k, a.next(), b += b_stride) {
    V row[Vectors];
#pragma GCC unroll 2
    for (int v = 0; v < Vectors; ++v) row[v] = V::load(b + v * V::size);
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 2
      for (int v = 0; v < Vectors; ++v) multiply_add(a[r], row[v], acc[r][v]);
    }
  }
  if (n != Vectors * V::size) {
    T tile[Rows * Vectors * V::size];
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 2
      for (int v = 0; v < Vectors; ++v) acc[r][v].store(tile + (r * Vectors + v) * V::size);
    }
    return put_edge<T, Vectors>(tile, c, c_stride, Rows, n, accumulate);
  }
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r, c += c_stride) {
#pragma GCC unroll 2
    for (int v = 0; v < Vectors; ++v) {
      V sum = acc[r][v];
      if (accumulate) sum = V::load(c + v * V::size) + sum;
      sum.store(c + v * V::size);
    }
  }
}

/// Largest power of two below n.
constexpr int power_below(int n) {
  int p = 1;
  while (2 * p < n) p *= 2;
  return p;
}

/// The rows of one group, in micro-kernels of at most Rows rows.
template <class T, int Rows, int Vectors, template <class, int> class Left>
LANEWISE_INLINE void group(const T* a, std::int64_t row_stride, std::int64_t col_stride, const GemmBlock& g,
                           T* c, int rows) {
  if (rows >= Rows) {
    micro<T, Rows, Vectors, Left>(a, row_stride, col_stride, reinterpret_cast<const T*>(g.b), g.b_stride, g.k,
                                  c, g.c_stride, static_cast<int>(g.n), g.accumulate);
    rows -= Rows;
    a += Rows * row_stride;
    c += Rows * g.c_stride;
  }
  if constexpr (Rows > 1) {
    if (rows > 0) group<T, power_below(Rows), Vectors, Left>(a, row_stride, col_stride, g, c, rows);
  }
}

template <class T, int Vectors, template <class, int> class Left>
void groups(const GemmBlock& g) {
  constexpr int kRows = GemmShape<T>::kRows;
  const bool packed = g.a_col_stride == 0;
  const T* a = reinterpret_cast<const T*>(g.a);
  T* c = reinterpret_cast<T*>(g.c);
  for (std::int64_t m = g.m; m > 0; m -= kRows) {
    const int rows = m < kRows ? static_cast<int>(m) : kRows;
    group<T, kRows, Vectors, Left>(a, packed ? 1 : g.a_row_stride, packed ? rows : g.a_col_stride, g, c,
                                   rows);
    a += packed ? rows * g.k : rows * g.a_row_stride;
    c += rows * g.c_stride;
  }
}

template <class T, int Vectors>
void groups(const GemmBlock& g) {
  if constexpr (reads_rows_apart<T>) {
    if (g.a_col_stride == 1 && g.a_row_stride != 1) return groups<T, Vectors, RowsApart>(g);
  }
  groups<T, Vectors, Columns>(g);
}

}  // namespace gemm_detail

template <class T>
void gemm_block(const GemmBlock& g) noexcept {
  if (GemmShape<T>::kVectors == 1 || g.n <= vec::Vec<T>::size) {
    gemm_detail::groups<T, 1>(g);
  } else {
    gemm_detail::groups<T, GemmShape<T>::kVectors>(g);
  }
}

}  // namespace lanewise::kernels::LANEWISE_ISA
