#pragma once

#include <cstdint>

#include <lanewise/kernels/sixteen_bytes.h>
#include <lanewise/vec/isa.h>

/// Elements that stand still along a row: each again and again, row after row. Included by per-ISA files.
namespace lanewise::kernels::LANEWISE_ISA {

/// One element again and again.
template <class T>
[[gnu::noinline]] void fill_run(const char* from, char* to, std::int64_t n) {
  T x;
  __builtin_memcpy(&x, from, sizeof x);
  if constexpr (sizeof(T) < 16) {
    constexpr int kRegister = vec::kRegisterBytes;
    const std::int64_t bytes = n * static_cast<std::int64_t>(sizeof(T));
    if (bytes >= kRegister) {
      using All [[gnu::vector_size(kRegister)]] = T;
      const All all = All{} + x;
      for (std::int64_t at = 0; at < bytes - kRegister; at += kRegister)
        __builtin_memcpy(to + at, &all, kRegister);
      __builtin_memcpy(to + bytes - kRegister, &all, kRegister);
      return;
    }
  }
  for (std::int64_t i = 0; i < n; ++i)
    __builtin_memcpy(to + i * static_cast<std::int64_t>(sizeof(T)), &x, sizeof x);
}

/// Rows of a few cache lines, each one element again and again: `kWide` bytes are written for each, and what is too much is
/// overwritten by the next row; the last rows are filled exactly.
template <class T, int kWide>
void repeat_short_rows(const char* from, std::int64_t row_stride, std::int64_t rows, std::int64_t cols,
                       char* tile) {
  constexpr int kPart = kWide < vec::kRegisterBytes ? kWide : vec::kRegisterBytes;
  using Part [[gnu::vector_size(kPart)]] = T;
  const std::int64_t row_bytes = cols * static_cast<std::int64_t>(sizeof(T));
  const std::int64_t wide = rows - (kWide + row_bytes - 1) / row_bytes + 1;
  std::int64_t r = 0;
  for (; r < wide; ++r, from += row_stride, tile += row_bytes) {
    T x;
    __builtin_memcpy(&x, from, sizeof x);
    const Part v = Part{} + x;
    for (int at = 0; at < kWide; at += kPart) __builtin_memcpy(tile + at, &v, kPart);
  }
  for (; r < rows; ++r, from += row_stride, tile += row_bytes) fill_run<T>(from, tile, cols);
}

/// Contiguous narrow elements, each again and again, up to 16 bytes of them: sixteen bytes give `cols` times as many.
template <class T>
void repeat_each_narrow(const char* from, std::int64_t rows, std::int64_t cols, char* tile) {
  constexpr int kSize = sizeof(T), kTogether = 16 / kSize;
  std::uint8_t place[kTogether][16];
  for (int j = 0, element = 0, left = static_cast<int>(cols); j < cols; ++j) {
    for (int b = 0; b < 16; b += kSize) {
      for (int k = 0; k < kSize; ++k) place[j][b + k] = static_cast<std::uint8_t>(element * kSize + k);
      if (--left == 0) {
        ++element;
        left = static_cast<int>(cols);
      }
    }
  }
  for (; rows >= kTogether; rows -= kTogether, from += 16) {
    const SixteenBytes v = load_sixteen(from);
    for (int j = 0; j < cols; ++j, tile += 16) store_sixteen(tile, arranged(v, load_sixteen(place[j])));
  }
  for (; rows > 0; --rows, from += kSize, tile += cols * kSize) fill_run<T>(from, tile, cols);
}

#if defined(LANEWISE_ISA_AVX512) || defined(LANEWISE_ISA_AVX2)
/// Contiguous elements, each again and again, up to a register of them: a register of elements gives `cols` registers, which
/// pick theirs by patterns of 32-bit units.
template <class T>
void repeat_each(const char* from, std::int64_t rows, std::int64_t cols, char* tile) {
  constexpr int kUnits = vec::kRegisterBytes / 4, kWidth = sizeof(T) / 4, kLanes = kUnits / kWidth;
  alignas(64) std::int32_t pattern[kLanes][kUnits];
  const int reciprocal =
      65536 / static_cast<int>(cols) + 1;  // exact enough for quotients of numbers below 256
  for (int j = 0; j < cols; ++j) {
    for (int u = 0; u < kUnits; ++u) {
      const int element = ((j * kLanes + u / kWidth) * reciprocal) >> 16;
      pattern[j][u] = element * kWidth + u % kWidth;
    }
  }
  std::int64_t r = 0;
  for (; r + kLanes <= rows; r += kLanes, from += vec::kRegisterBytes) {
    for (int j = 0; j < cols; ++j, tile += vec::kRegisterBytes) {
#if defined(LANEWISE_ISA_AVX512)
      _mm512_storeu_si512(tile,
                          _mm512_permutexvar_epi32(_mm512_load_si512(pattern[j]), _mm512_loadu_si512(from)));
#else
      const auto units = _mm256_load_si256(reinterpret_cast<const __m256i*>(pattern[j]));
      const auto v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(tile), _mm256_permutevar8x32_epi32(v, units));
#endif
    }
  }
  for (; r < rows; ++r, from += sizeof(T), tile += cols * static_cast<std::int64_t>(sizeof(T)))
    fill_run<T>(from, tile, cols);
}
#endif

}  // namespace lanewise::kernels::LANEWISE_ISA
