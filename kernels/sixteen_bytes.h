#pragma once

#include <lanewise/vec/isa.h>

/// Sixteen bytes in another order, by one instruction on every tier. Included by per-ISA files.
namespace lanewise::kernels::LANEWISE_ISA {

#if defined(__x86_64__)
using SixteenBytes = __m128i;
LANEWISE_INLINE SixteenBytes load_sixteen(const void* p) {
  return _mm_loadu_si128(static_cast<const __m128i*>(p));
}
LANEWISE_INLINE void store_sixteen(void* p, SixteenBytes v) { _mm_storeu_si128(static_cast<__m128i*>(p), v); }
/// Byte i of the result is byte places[i] of v, 0 where that is 128 or more.
LANEWISE_INLINE SixteenBytes arranged(SixteenBytes v, SixteenBytes places) {
  return _mm_shuffle_epi8(v, places);
}
#else
using SixteenBytes = uint8x16_t;
LANEWISE_INLINE SixteenBytes load_sixteen(const void* p) {
  return vld1q_u8(static_cast<const std::uint8_t*>(p));
}
LANEWISE_INLINE void store_sixteen(void* p, SixteenBytes v) { vst1q_u8(static_cast<std::uint8_t*>(p), v); }
LANEWISE_INLINE SixteenBytes arranged(SixteenBytes v, SixteenBytes places) { return vqtbl1q_u8(v, places); }
#endif

}  // namespace lanewise::kernels::LANEWISE_ISA
