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

template <class V, bool Accumulate>
LANEWISE_INLINE void put(typename V::value_type* c, V v, int n) {
  if (n == V::size) {
    if constexpr (Accumulate) v = V::load(c) + v;
    v.store(c);
  } else {
    if constexpr (Accumulate) v = V::load_partial(c, n) + v;
    v.store_partial(c, n);
  }
}

/// Rows x n elements of C, n in ((Vectors - 1) * size, Vectors * size]. `a` is [k][a_stride].
template <class T, int Rows, int Vectors>
[[gnu::noinline]] void micro(const T* a, std::int64_t a_stride, const T* b, std::int64_t b_stride,
                             std::int64_t k, T* c, std::int64_t c_stride, int n, bool accumulate) {
  using V = vec::Vec<T>;
  // C may lie far away: it is asked for now and needed after all of k.
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r) {
    for (int byte = 0; byte < Vectors * static_cast<int>(sizeof(V)); byte += 64) {
      __builtin_prefetch(reinterpret_cast<const char*>(c + r * c_stride) + byte, 1);
    }
  }
  V acc[Rows][Vectors];
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 2
    for (int v = 0; v < Vectors; ++v) acc[r][v] = V(T(0));
  }
  for (; k > 0; --k, a += a_stride, b += b_stride) {
    V row[Vectors];
#pragma GCC unroll 2
    for (int v = 0; v < Vectors; ++v) row[v] = V::load(b + v * V::size);
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 2
      for (int v = 0; v < Vectors; ++v) multiply_add(a[r], row[v], acc[r][v]);
    }
  }
  const int last = n - (Vectors - 1) * V::size;
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r, c += c_stride) {
#pragma GCC unroll 2
    for (int v = 0; v < Vectors; ++v) {
      const int width = v == Vectors - 1 ? last : V::size;
      if (accumulate) {
        put<V, true>(c + v * V::size, acc[r][v], width);
      } else {
        put<V, false>(c + v * V::size, acc[r][v], width);
      }
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
template <class T, int Rows, int Vectors>
LANEWISE_INLINE void group(const T* a, std::int64_t a_stride, const GemmBlock& g, T* c, int rows) {
  if (rows >= Rows) {
    micro<T, Rows, Vectors>(a, a_stride, reinterpret_cast<const T*>(g.b), g.b_stride, g.k, c, g.c_stride,
                            static_cast<int>(g.n), g.accumulate);
    rows -= Rows;
    a += Rows;
    c += Rows * g.c_stride;
  }
  if constexpr (Rows > 1) {
    if (rows > 0) group<T, power_below(Rows), Vectors>(a, a_stride, g, c, rows);
  }
}

template <class T, int Vectors>
LANEWISE_INLINE void groups(const GemmBlock& g) {
  constexpr int kRows = GemmShape<T>::kRows;
  const T* a = reinterpret_cast<const T*>(g.a);
  T* c = reinterpret_cast<T*>(g.c);
  for (std::int64_t m = g.m; m > 0; m -= kRows) {
    const int rows = m < kRows ? static_cast<int>(m) : kRows;
    group<T, kRows, Vectors>(a, rows, g, c, rows);
    a += rows * g.k;
    c += rows * g.c_stride;
  }
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
