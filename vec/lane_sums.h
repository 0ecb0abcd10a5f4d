#pragma once

#include <lanewise/vec/arithmetic.h>

namespace lanewise::vec {
inline namespace LANEWISE_ISA {

/// The sum of the integers in each 64 bits of a register: eight of 8 bits, four of 16, two of 32, one of 64.
template <Integer T>
LANEWISE_INLINE Vec<std::int64_t> lane_sums(Vec<T> x) {
  using detail::bits;
  using R = Vec<std::int64_t>::Register;
  if constexpr (sizeof(T) == 8) {
    return bitcast<std::int64_t>(x);
#if defined(LANEWISE_ISA_NEON)
  } else if constexpr (std::is_same_v<T, std::uint8_t>) {
    return Vec<std::int64_t>(bits<R>(vpaddlq_u32(vpaddlq_u16(vpaddlq_u8(bits<uint8x16_t>(x.reg))))));
  } else if constexpr (sizeof(T) == 1) {
    return Vec<std::int64_t>(bits<R>(vpaddlq_s32(vpaddlq_s16(vpaddlq_s8(bits<int8x16_t>(x.reg))))));
  } else if constexpr (sizeof(T) == 2) {
    return Vec<std::int64_t>(bits<R>(vpaddlq_s32(vpaddlq_s16(bits<int16x8_t>(x.reg)))));
  } else {
    return Vec<std::int64_t>(bits<R>(vpaddlq_s32(bits<int32x4_t>(x.reg))));
  }
#else
  } else if constexpr (std::is_same_v<T, std::uint8_t>) {
#if defined(LANEWISE_ISA_AVX512)
    return Vec<std::int64_t>(bits<R>(_mm512_sad_epu8(bits<__m512i>(x.reg), _mm512_setzero_si512())));
#elif defined(LANEWISE_ISA_AVX2)
    return Vec<std::int64_t>(bits<R>(_mm256_sad_epu8(bits<__m256i>(x.reg), _mm256_setzero_si256())));
#else
    return Vec<std::int64_t>(bits<R>(_mm_sad_epu8(bits<__m128i>(x.reg), _mm_setzero_si128())));
#endif
  } else if constexpr (sizeof(T) == 1) {
    // Counted from the least number: 128 less each.
    const auto u = bitcast<std::uint8_t>(x ^ Vec<T>(std::numeric_limits<T>::min()));
    return lane_sums(u) - Vec<std::int64_t>(8 * 128);
  } else if constexpr (sizeof(T) == 2) {
    using Pairs = Vec<std::int32_t>;
#if defined(LANEWISE_ISA_AVX512)
    const auto pairs = _mm512_madd_epi16(bits<__m512i>(x.reg), _mm512_set1_epi16(1));
#elif defined(LANEWISE_ISA_AVX2)
    const auto pairs = _mm256_madd_epi16(bits<__m256i>(x.reg), _mm256_set1_epi16(1));
#else
    const auto pairs = _mm_madd_epi16(bits<__m128i>(x.reg), _mm_set1_epi16(1));
#endif
    return lane_sums(Pairs(bits<Pairs::Register>(pairs)));
  } else {
    const auto u = bitcast<std::uint64_t>(x ^ Vec<T>(std::numeric_limits<T>::min()));
    const auto sum = (u & Vec<std::uint64_t>(0xffffffffu)) + (u >> 32);
    return bitcast<std::int64_t>(sum) - Vec<std::int64_t>(std::int64_t{2} << 31);
  }
#endif
}

}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
