#pragma once

#include <lanewise/vec/select.h>

namespace lanewise::vec {
inline namespace LANEWISE_ISA {
namespace detail {

/// a < b ? a : b, and a > b ? a : b: one instruction on x86. The second operand where they are equal or
/// either is NaN.
template <class T>
LANEWISE_INLINE Vec<T> min_or_second(Vec<T> a, Vec<T> b) {
  using R = typename Vec<T>::Register;
#if defined(LANEWISE_ISA_AVX512)
  if constexpr (sizeof(T) == 4) {
    return Vec<T>(bits<R>(_mm512_min_ps(bits<__m512>(a.reg), bits<__m512>(b.reg))));
  } else {
    return Vec<T>(bits<R>(_mm512_min_pd(bits<__m512d>(a.reg), bits<__m512d>(b.reg))));
  }
#elif defined(LANEWISE_ISA_AVX2)
  if constexpr (sizeof(T) == 4) {
    return Vec<T>(bits<R>(_mm256_min_ps(bits<__m256>(a.reg), bits<__m256>(b.reg))));
  } else {
    return Vec<T>(bits<R>(_mm256_min_pd(bits<__m256d>(a.reg), bits<__m256d>(b.reg))));
  }
#elif defined(LANEWISE_ISA_SSE4_2)
  if constexpr (sizeof(T) == 4) {
    return Vec<T>(bits<R>(_mm_min_ps(bits<__m128>(a.reg), bits<__m128>(b.reg))));
  } else {
    return Vec<T>(bits<R>(_mm_min_pd(bits<__m128d>(a.reg), bits<__m128d>(b.reg))));
  }
#else
  static_assert(sizeof(R) == kRegisterBytes);
  return select(a < b, a, b);
#endif
}
template <class T>
LANEWISE_INLINE Vec<T> max_or_second(Vec<T> a, Vec<T> b) {
  using R = typename Vec<T>::Register;
#if defined(LANEWISE_ISA_AVX512)
  if constexpr (sizeof(T) == 4) {
    return Vec<T>(bits<R>(_mm512_max_ps(bits<__m512>(a.reg), bits<__m512>(b.reg))));
  } else {
    return Vec<T>(bits<R>(_mm512_max_pd(bits<__m512d>(a.reg), bits<__m512d>(b.reg))));
  }
#elif defined(LANEWISE_ISA_AVX2)
  if constexpr (sizeof(T) == 4) {
    return Vec<T>(bits<R>(_mm256_max_ps(bits<__m256>(a.reg), bits<__m256>(b.reg))));
  } else {
    return Vec<T>(bits<R>(_mm256_max_pd(bits<__m256d>(a.reg), bits<__m256d>(b.reg))));
  }
#elif defined(LANEWISE_ISA_SSE4_2)
  if constexpr (sizeof(T) == 4) {
    return Vec<T>(bits<R>(_mm_max_ps(bits<__m128>(a.reg), bits<__m128>(b.reg))));
  } else {
    return Vec<T>(bits<R>(_mm_max_pd(bits<__m128d>(a.reg), bits<__m128d>(b.reg))));
  }
#else
  static_assert(sizeof(R) == kRegisterBytes);
  return select(a > b, a, b);
#endif
}

/// x, its magnitude at most `limit`; a number for NaN.
LANEWISE_INLINE Vec<float> clamp_magnitude(Vec<float> x, Vec<float> limit) {
#if defined(LANEWISE_ISA_AVX512)
  using R = Vec<float>::Register;
  constexpr int kSmallerMagnitudeSignOfFirst = 0b0010;
  return Vec<float>(
      bits<R>(_mm512_range_ps(bits<__m512>(x.reg), bits<__m512>(limit.reg), kSmallerMagnitudeSignOfFirst)));
#else
  return min_or_second(max_or_second(x, -limit), limit);
#endif
}
}  // namespace detail
}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
