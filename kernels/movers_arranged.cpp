// Elements of short blocks in another order: a register is loaded, arranged and stored for each block.

#include <lanewise/kernels/movers_strided.h>
#include <lanewise/kernels/sixteen_bytes.h>

namespace lanewise::kernels::LANEWISE_ISA {
namespace {

/// So many blocks can be whole registers of so many bytes: what is read behind such a block is of the next ones, and what is
/// written behind it they overwrite.
std::int64_t whole_registers(std::int64_t bytes, std::int64_t step, std::int64_t blocks, std::int64_t read,
                             std::int64_t written) {
  if ((blocks - 1) * step + read < bytes) return 0;
  const std::int64_t readable = ((blocks - 1) * step + read - bytes) / step + 1;
  const std::int64_t writable = blocks - (bytes + written - 1) / written + 1;
  return readable < writable ? readable : writable;
}

}  // namespace

void arrange_bytes(const char* from, std::int64_t step, char* to, std::int64_t blocks,
                   const BlockPattern& pattern) noexcept {
  const SixteenBytes places = load_sixteen(pattern.byte);
  const std::int64_t written = pattern.written,
                     whole = whole_registers(16, step, blocks, pattern.read, written);
  std::int64_t b = 0;
  for (; b < whole; ++b, from += step, to += written) store_sixteen(to, arranged(load_sixteen(from), places));
  for (; b < blocks; ++b, from += step, to += written) {
    for (std::int64_t i = 0; i < written; ++i) to[i] = from[pattern.byte[i]];
  }
}

#if defined(LANEWISE_ISA_AVX512) || defined(LANEWISE_ISA_AVX2)

namespace {

#if defined(LANEWISE_ISA_AVX512)
using Units = __m512i;
LANEWISE_INLINE Units load(const void* p) { return _mm512_loadu_si512(p); }
LANEWISE_INLINE void store(void* p, Units v) { _mm512_storeu_si512(p, v); }
LANEWISE_INLINE Units arranged(Units v, Units places) { return _mm512_permutexvar_epi32(places, v); }
LANEWISE_INLINE __mmask16 first(int n) { return static_cast<__mmask16>((1u << n) - 1); }
LANEWISE_INLINE Units load(const void* p, __mmask16 some) { return _mm512_maskz_loadu_epi32(some, p); }
LANEWISE_INLINE void store(void* p, Units v, __mmask16 some) { _mm512_mask_storeu_epi32(p, some, v); }
#else
using Units = __m256i;
LANEWISE_INLINE Units load(const void* p) { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); }
LANEWISE_INLINE void store(void* p, Units v) { _mm256_storeu_si256(static_cast<__m256i*>(p), v); }
LANEWISE_INLINE Units arranged(Units v, Units places) { return _mm256_permutevar8x32_epi32(v, places); }
LANEWISE_INLINE Units first(int n) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
LANEWISE_INLINE Units load(const void* p, Units some) {
  return _mm256_maskload_epi32(static_cast<const int*>(p), some);
}
LANEWISE_INLINE void store(void* p, Units v, Units some) {
  _mm256_maskstore_epi32(static_cast<int*>(p), some, v);
}
#endif

}  // namespace

void arrange(const char* from, std::int64_t step, char* to, std::int64_t blocks,
             const BlockPattern& pattern) noexcept {
  const Units places = load(pattern.unit);
  const std::int64_t written = 4 * pattern.written,
                     whole = whole_registers(vec::kRegisterBytes, step, blocks, 4 * pattern.read, written);
  std::int64_t b = 0;
  for (; b < whole; ++b, from += step, to += written) store(to, arranged(load(from), places));
  const auto to_read = first(pattern.read), to_write = first(pattern.written);
  for (; b < blocks; ++b, from += step, to += written)
    store(to, arranged(load(from, to_read), places), to_write);
}

#endif

}  // namespace lanewise::kernels::LANEWISE_ISA
