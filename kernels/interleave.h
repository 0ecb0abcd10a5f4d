#pragma once

#include <cstdint>

#include <lanewise/kernels/sixteen_bytes.h>

/// A few columns, each contiguous in memory, side by side. Included by per-ISA files.
namespace lanewise::kernels::LANEWISE_ISA {

/// The patterns are made anew in each call, so not for a few rows.
inline constexpr std::int64_t kLeastInterleaved = 64;

#if defined(LANEWISE_ISA_AVX512) || defined(LANEWISE_ISA_AVX2)
/// Most columns that are interleaved, which costs an instruction for each in every register of the result; more are faster transposed.
#if defined(LANEWISE_ISA_AVX512)
inline constexpr std::int64_t kInterleaved = 5;
#else
inline constexpr std::int64_t kInterleaved = 3;
#endif

/// A few columns, each contiguous, side by side: rows of `cols` elements of `width` 32-bit units. A register of the result takes its
/// elements from one place in all columns, of each those under a mask.
[[gnu::noinline]] inline void interleave(const char* from, std::int64_t col_stride, std::int64_t rows,
                                         std::int64_t cols, int width, char* tile) {
  constexpr int kUnits = vec::kRegisterBytes / 4;
  alignas(64) std::int32_t places[kInterleaved][kUnits], columns[kInterleaved][kUnits];
  const int lanes = kUnits / width;
  for (int j = 0, row = 0, column = 0; j < cols; ++j) {
    for (int u = 0; u < kUnits; u += width) {
      for (int w = 0; w < width; ++w) {
        places[j][u + w] = row * width + w;
        columns[j][u + w] = column;
      }
      if (++column == cols) {
        column = 0;
        ++row;
      }
    }
  }
#if defined(LANEWISE_ISA_AVX512)
  __mmask16 masks[kInterleaved][kInterleaved];
  for (int j = 0; j < cols; ++j) {
    for (int c = 0; c < cols; ++c)
      masks[j][c] = _mm512_cmpeq_epi32_mask(_mm512_load_si512(columns[j]), _mm512_set1_epi32(c));
  }
#endif
  std::int64_t r = 0;
  for (; r + lanes <= rows; r += lanes, from += vec::kRegisterBytes) {
    for (int j = 0; j < cols; ++j, tile += vec::kRegisterBytes) {
      const char* column = from;
#if defined(LANEWISE_ISA_AVX512)
      const __m512i place = _mm512_load_si512(places[j]);
      __m512i v = _mm512_permutexvar_epi32(place, _mm512_loadu_si512(column));
      for (int c = 1; c < cols; ++c) {
        column += col_stride;
        v = _mm512_mask_permutexvar_epi32(v, masks[j][c], place, _mm512_loadu_si512(column));
      }
      _mm512_storeu_si512(tile, v);
#else
      const auto load = [](const void* p) { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); };
      const __m256i place = load(places[j]), of = load(columns[j]);
      __m256i v = _mm256_permutevar8x32_epi32(load(column), place);
      for (int c = 1; c < cols; ++c) {
        column += col_stride;
        const __m256i chosen = _mm256_cmpeq_epi32(of, _mm256_set1_epi32(c));
        v = _mm256_blendv_epi8(v, _mm256_permutevar8x32_epi32(load(column), place), chosen);
      }
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(tile), v);
#endif
    }
  }
  const std::int64_t bytes = 4 * width;
  for (; r < rows; ++r, from += bytes) {
    for (int c = 0; c < cols; ++c, tile += bytes)
      __builtin_memcpy(tile, from + c * col_stride, static_cast<std::size_t>(bytes));
  }
}
#endif

/// So few columns of one- and two-byte elements are interleaved at most.
inline constexpr std::int64_t kInterleavedNarrow = 8;

/// Whether that is quicker than to transpose them: eight columns of two bytes, registers for the one, take 0.14 to 0.2 of the time
/// transposed, 64 rows of bytes 0.5 to 0.7, 160 rows of fewer columns 1.1 to 1.7 times as long (Zen 4).
template <class T>
constexpr bool interleaves_narrow(std::int64_t rows, std::int64_t cols) {
  return sizeof(T) == 1 ? cols <= kInterleavedNarrow && rows >= 96
                        : cols < kInterleavedNarrow && rows >= kLeastInterleaved;
}

/// The same of one- and two-byte elements. Sixteen bytes of the result take theirs of each column, and zeros of the others.
template <class T>
[[gnu::noinline]] void interleave_narrow(const char* from, std::int64_t col_stride, std::int64_t rows,
                                         std::int64_t cols, char* tile) {
  constexpr int kSize = sizeof(T), kRows = 16 / kSize;
  std::uint8_t place[kInterleavedNarrow][kInterleavedNarrow][16];
  __builtin_memset(place, 0x80, sizeof(place));
  for (int element = 0; element < kRows * cols; ++element) {
    const int row = element / static_cast<int>(cols), column = element % static_cast<int>(cols);
    for (int b = 0; b < kSize; ++b) {
      place[element / kRows][column][element % kRows * kSize + b] =
          static_cast<std::uint8_t>(row * kSize + b);
    }
  }
  std::int64_t r = 0;
  for (; r + kRows <= rows; r += kRows, from += 16) {
    for (int j = 0; j < cols; ++j, tile += 16) {
      SixteenBytes v = arranged(load_sixteen(from), load_sixteen(place[j][0]));
      for (int c = 1; c < cols; ++c)
        v |= arranged(load_sixteen(from + c * col_stride), load_sixteen(place[j][c]));
      store_sixteen(tile, v);
    }
  }
  for (; r < rows; ++r, from += kSize) {
    for (int c = 0; c < cols; ++c, tile += kSize) __builtin_memcpy(tile, from + c * col_stride, sizeof(T));
  }
}

}  // namespace lanewise::kernels::LANEWISE_ISA
