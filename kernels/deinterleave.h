#pragma once

#include <cstdint>

#include <lanewise/kernels/sixteen_bytes.h>

/// Records of a few elements, one after another: of each of their first elements a row. Included by per-ISA files.
namespace lanewise::kernels::LANEWISE_ISA {

/// Most elements from one record to the next: every register of a row reads that of all its records, and squares of more are faster
/// transposed.
template <class T>
constexpr std::int64_t longest_record() {
  if (sizeof(T) == 1) return 15;
#if !defined(LANEWISE_ISA_AVX512)
  if (sizeof(T) > 2) return 0;
#endif
  return sizeof(T) == 2 ? 8 : sizeof(T) <= 8 ? 4 : 0;
}

/// Whether deinterleave() is the way to `rows` elements of each of `cols` records that lie `step` elements apart.
template <class T>
constexpr bool deinterleaves(std::int64_t step, std::int64_t rows, std::int64_t cols) {
  if (rows > step || step > longest_record<T>() || cols < 16) return false;
  if (sizeof(T) == 8) return rows < step;  // one by one they take as long or less
  return sizeof(T) == 1 || rows != 8;      // which are a square
}

/// tile[r][c] = from[c * step + r], in elements, where `from` is read up to the last of them.
template <class T>
[[gnu::noinline]] void deinterleave_narrow(const char* from, std::int64_t step, std::int64_t rows,
                                           std::int64_t cols, char* tile) {
  using Places [[gnu::vector_size(16)]] = std::uint8_t;
  constexpr int kSize = sizeof(T);
  constexpr std::int64_t kTogether = 16 / kSize, kLongest = longest_record<T>();
  const std::int64_t bytes = 16 * step, row_bytes = cols * kSize;
  // The last records, behind which may be nothing.
  const char* const end = from + (cols - kTogether) * step * kSize;
  char last[16 * kLongest];
  __builtin_memcpy(last, end, static_cast<std::size_t>(bytes - (step - rows) * kSize));
  Places first;
  for (int b = 0; b < 16; ++b)
    first[b] = static_cast<std::uint8_t>(b / kSize * static_cast<int>(step) * kSize + b % kSize);
  for (std::int64_t r = 0; r < rows; ++r, tile += row_bytes) {
    const Places at = first + static_cast<std::uint8_t>(r * kSize);  // in the records
    Places place[kLongest];
    for (std::int64_t k = 0; k < step; ++k) {
      const auto elsewhere = (at & 0xf0) != static_cast<std::uint8_t>(16 * k);
      place[k] = (at & 0x0f) | Places(elsewhere);
    }
    const auto row_of = [&](const char* records) __attribute__((always_inline)) {
      SixteenBytes v = arranged(load_sixteen(records), load_sixteen(&place[0]));
      for (std::int64_t k = 1; k < step; ++k)
        v |= arranged(load_sixteen(records + 16 * k), load_sixteen(&place[k]));
      return v;
    };
    char* to = tile;
    for (const char* records = from; records < end; records += bytes, to += 16)
      store_sixteen(to, row_of(records));
    store_sixteen(tile + row_bytes - 16, row_of(last));
  }
}

#if defined(LANEWISE_ISA_AVX512)
/// The same of elements of 1 << shift units of 16 bits.
template <int kStep>
[[gnu::noinline]] void deinterleave(const char* from, std::int64_t rows, std::int64_t cols, int shift,
                                    char* tile) {
  using Units [[gnu::vector_size(64)]] = std::uint16_t;
  constexpr int kUnits = 32, kBytes = 64 * kStep;  // of as many records as fill a register of a row
  const std::int64_t size = std::int64_t{2} << shift, together = kUnits >> shift;
  const char* const end = from + ((cols - 1) * kStep + rows) * size;
  const std::int64_t whole = cols / together - (cols / together * kBytes > end - from);
  Units unit;
  for (int u = 0; u < kUnits; ++u) unit[u] = static_cast<std::uint16_t>(u);
  const auto width = static_cast<std::uint16_t>(1 << shift);
  const Units first = (unit >> shift) * static_cast<std::uint16_t>(kStep * width) +
                      (unit & static_cast<std::uint16_t>(width - 1));
  for (std::int64_t r = 0; r < rows; ++r) {
    const Units place = first + static_cast<std::uint16_t>(r * width);  // in the records
    __mmask32 of[kStep];                                                // their registers
    for (int k = 1; k < kStep; ++k)
      of[k] = _mm512_cmpeq_epi16_mask(__m512i(place >> 5), _mm512_set1_epi16(static_cast<short>(k)));
    const auto row_of = [&](auto load, const char* records) __attribute__((always_inline)) {
      __m512i v = _mm512_permutexvar_epi16(__m512i(place), load(records));
      for (int k = 1; k < kStep; ++k)
        v = _mm512_mask_permutexvar_epi16(v, of[k], __m512i(place), load(records + 64 * k));
      return v;
    };
    const char* records = from;
    for (std::int64_t i = 0; i < whole; ++i, records += kBytes, tile += 64)
      _mm512_storeu_si512(tile, row_of([](const char* p) { return _mm512_loadu_si512(p); }, records));
    const auto load_within = [&](const char* p) {
      const std::int64_t n = end - p;
      return _mm512_maskz_loadu_epi8(n <= 0 ? 0 : n >= 64 ? ~0ull : (1ull << n) - 1, p);
    };
    for (std::int64_t left = cols - whole * together; left > 0; left -= together, records += kBytes) {
      const std::int64_t n = left < together ? left : together;
      _mm512_mask_storeu_epi16(tile, 0xffffffffu >> (kUnits - (n << shift)), row_of(load_within, records));
      tile += n * size;
    }
  }
}

inline void deinterleave(const char* from, std::int64_t step, std::int64_t rows, std::int64_t cols, int shift,
                         char* tile) {
  switch (step) {
    case 2: return deinterleave<2>(from, rows, cols, shift, tile);
    case 3: return deinterleave<3>(from, rows, cols, shift, tile);
    case 4: return deinterleave<4>(from, rows, cols, shift, tile);
    case 5: return deinterleave<5>(from, rows, cols, shift, tile);
    case 6: return deinterleave<6>(from, rows, cols, shift, tile);
    case 7: return deinterleave<7>(from, rows, cols, shift, tile);
    default: return deinterleave<8>(from, rows, cols, shift, tile);
  }
}
#endif

}  // namespace lanewise::kernels::LANEWISE_ISA
