#pragma once

#include <cstdint>
#include <type_traits>

#include <lanewise/kernels/half_bits.h>
#include <lanewise/kernels/operand.h>

/// Halves as pairs of registers of f32, where there are instructions for that. Included by per-ISA files.
namespace lanewise::kernels::LANEWISE_ISA {

#if defined(LANEWISE_ISA_AVX512)

/// narrow_bfloat16 of sixteen, in the upper halves of 32 bits; what is in the lower ones does not count.
LANEWISE_INLINE __m512i narrow_sixteen_bfloats(__m512 x) {
  const __m512i bits = _mm512_castps_si512(x), one = _mm512_set1_epi32(1);
  const __mmask16 odd = _mm512_test_epi32_mask(bits, _mm512_set1_epi32(0x10000));
  const __m512i half = _mm512_add_epi32(bits, _mm512_set1_epi32(0x7fff));
  const __m512i rounded = _mm512_mask_add_epi32(half, odd, half, one);
  const __mmask16 nan = _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q);
  return _mm512_mask_or_epi32(rounded, nan, bits, _mm512_set1_epi32(0x400000));
}

#elif defined(LANEWISE_ISA_AVX2)

/// narrow_bfloat16 of eight, in the upper halves of 32 bits; what is in the lower ones does not count.
LANEWISE_INLINE __m256i narrow_eight_bfloats(__m256 x) {
  const __m256i bits = _mm256_castps_si256(x);
  const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
  const __m256i rounded = _mm256_add_epi32(_mm256_add_epi32(bits, _mm256_set1_epi32(0x7fff)), odd);
  const __m256i quiet = _mm256_or_si256(bits, _mm256_set1_epi32(0x400000));
  const __m256 nan = _mm256_cmp_ps(x, x, _CMP_UNORD_Q);
  return _mm256_blendv_epi8(rounded, quiet, _mm256_castps_si256(nan));
}

#endif

#if defined(LANEWISE_ISA_AVX512) || defined(LANEWISE_ISA_AVX2)
#define LANEWISE_HALF_LOOPS 1

/// A register's worth of halves. Which of them stand where depends on the type: for bfloat16 those with even numbers are in
/// `first`, so that a shift and a mask widen them.
template <class Half16>
struct HalfPair {
  using V = vec::Vec<float>;
  static constexpr bool kIsBFloat = std::is_same_v<Half16, BFloat16>;
  V first, second;

#if defined(LANEWISE_ISA_AVX512)
  static LANEWISE_INLINE HalfPair load(const void* p) {
    if constexpr (kIsBFloat) {
      const __m512i bits = _mm512_loadu_si512(p);
      return {of(_mm512_castsi512_ps(_mm512_slli_epi32(bits, 16))),
              of(_mm512_castsi512_ps(_mm512_and_si512(bits, _mm512_set1_epi32(-65536))))};
    } else {
      const auto* halves = static_cast<const __m256i*>(p);
      return {of(_mm512_cvtph_ps(_mm256_loadu_si256(halves))),
              of(_mm512_cvtph_ps(_mm256_loadu_si256(halves + 1)))};
    }
  }
  /// Rounded once; bits as the movers give them.
  LANEWISE_INLINE __m512i packed() const {
    if constexpr (kIsBFloat) {
      const __m512i even = _mm512_srli_epi32(narrow_sixteen_bfloats(native(first)), 16);
      return _mm512_mask_blend_epi16(0xaaaaaaaau, even, narrow_sixteen_bfloats(native(second)));
    } else {
      constexpr int kRounding = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
      const __m512i low = _mm512_castsi256_si512(_mm512_cvtps_ph(native(first), kRounding));
      return _mm512_inserti64x4(low, _mm512_cvtps_ph(native(second), kRounding), 1);
    }
  }
  LANEWISE_INLINE void store(void* p) const { _mm512_storeu_si512(p, packed()); }
  LANEWISE_INLINE void stream(void* p) const { _mm512_stream_si512(static_cast<__m512i*>(p), packed()); }

 private:
  static LANEWISE_INLINE V of(__m512 x) { return V(vec::detail::bits<typename V::Register>(x)); }
  static LANEWISE_INLINE __m512 native(V v) { return vec::detail::bits<__m512>(v.reg); }
#else
  static LANEWISE_INLINE HalfPair load(const void* p) {
    if constexpr (kIsBFloat) {
      const __m256i bits = _mm256_loadu_si256(static_cast<const __m256i*>(p));
      return {of(_mm256_castsi256_ps(_mm256_slli_epi32(bits, 16))),
              of(_mm256_castsi256_ps(_mm256_and_si256(bits, _mm256_set1_epi32(-65536))))};
    } else {
      const auto* halves = static_cast<const __m128i*>(p);
      return {of(_mm256_cvtph_ps(_mm_loadu_si128(halves))), of(_mm256_cvtph_ps(_mm_loadu_si128(halves + 1)))};
    }
  }
  /// Rounded once; bits as the movers give them.
  LANEWISE_INLINE __m256i packed() const {
    if constexpr (kIsBFloat) {
      const __m256i even = _mm256_srli_epi32(narrow_eight_bfloats(native(first)), 16);
      return _mm256_blend_epi16(even, narrow_eight_bfloats(native(second)), 0xaa);
    } else {
      constexpr int kRounding = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
      return _mm256_set_m128i(_mm256_cvtps_ph(native(second), kRounding),
                              _mm256_cvtps_ph(native(first), kRounding));
    }
  }
  LANEWISE_INLINE void store(void* p) const { _mm256_storeu_si256(static_cast<__m256i*>(p), packed()); }
  LANEWISE_INLINE void stream(void* p) const { _mm256_stream_si256(static_cast<__m256i*>(p), packed()); }

 private:
  static LANEWISE_INLINE V of(__m256 x) { return V(vec::detail::bits<typename V::Register>(x)); }
  static LANEWISE_INLINE __m256 native(V v) { return vec::detail::bits<__m256>(v.reg); }
#endif
};

#if defined(LANEWISE_ISA_AVX512)
using HalvesOfRegister = __m256i;
#else
using HalvesOfRegister = __m128i;
#endif

/// A register of f32 from its halves.
template <class Half16>
LANEWISE_INLINE vec::Vec<float> widened(HalvesOfRegister bits) {
  using V = vec::Vec<float>;
  constexpr bool kIsBFloat = std::is_same_v<Half16, BFloat16>;
#if defined(LANEWISE_ISA_AVX512)
  const __m512 x = kIsBFloat ? _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(bits), 16))
                             : _mm512_cvtph_ps(bits);
#else
  const __m256 x = kIsBFloat ? _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(bits), 16))
                             : _mm256_cvtph_ps(bits);
#endif
  return V(vec::detail::bits<typename V::Register>(x));
}
/// A register of f32 from halves in order.
template <class Half16>
LANEWISE_INLINE vec::Vec<float> load_widened(const Half16* p) {
  HalvesOfRegister bits;
  __builtin_memcpy(&bits, p, sizeof(bits));
  return widened<Half16>(bits);
}
/// The first n of them, which are not all, and zeros. Not by way of memory: a load of what was just stored in pieces waits 10 ns.
template <class Half16>
LANEWISE_INLINE vec::Vec<float> load_widened_partial(const Half16* p, int n) {
#if defined(LANEWISE_ISA_AVX512)
  return widened<Half16>(_mm256_maskz_loadu_epi16(static_cast<__mmask16>((1u << n) - 1), p));
#else
  const auto at = [p](int i, auto bits) {
    __builtin_memcpy(&bits, p + i, sizeof(bits));
    return static_cast<long long>(static_cast<std::make_unsigned_t<decltype(bits)> >(bits));
  };
  if (n >= 4) {
    const long long rest =
        n == 4 ? 0 : static_cast<long long>(static_cast<std::uint64_t>(at(n - 4, 0LL)) >> (16 * (8 - n)));
    return widened<Half16>(_mm_set_epi64x(rest, at(0, 0LL)));
  }
  const long long few = n >= 2 ? at(0, 0) | at(n - 1, std::int16_t{}) << (16 * (n - 1))
                        : n == 1 ? at(0, std::int16_t{})
                                 : 0;
  return widened<Half16>(_mm_set_epi64x(0, few));
#endif
}

#else
#define LANEWISE_HALF_LOOPS 0
#endif

}  // namespace lanewise::kernels::LANEWISE_ISA
