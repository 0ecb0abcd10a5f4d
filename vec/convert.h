#pragma once

#include <lanewise/vec/arithmetic.h>

namespace lanewise::vec {
inline namespace LANEWISE_ISA {

/// Numbers to lanes of another type of the same size: f32 <-> i32, f64 <-> i64. Floats truncate towards zero;
/// NaN and what does not fit give the most negative integer, on every tier. Integers round to nearest even.
template <class U, class T>
LANEWISE_INLINE Vec<U> convert(Vec<T> x) {
  static_assert(sizeof(U) == sizeof(T));
  using R = typename Vec<U>::Register;
  using detail::bits;
  if constexpr (std::is_same_v<U, T>) {
    return x;
  } else if constexpr (std::is_same_v<U, float>) {
    static_assert(std::is_same_v<T, std::int32_t>);
    return Vec<U>(__builtin_convertvector(x.reg, R));
  } else if constexpr (std::is_same_v<U, double>) {
    static_assert(std::is_same_v<T, std::int64_t>);
#if defined(LANEWISE_ISA_AVX512) || defined(LANEWISE_ISA_NEON)
    return Vec<U>(__builtin_convertvector(x.reg, R));
#else
    // Halves placed in the low bits of 2^52 and 2^84 + 2^63; all steps but the last sum are exact.
    const auto u = bitcast<std::uint64_t>(x);
    const Vec<std::uint64_t> low =
        (u & Vec<std::uint64_t>(0xffffffffu)) | Vec<std::uint64_t>(0x4330000000000000u);
    const Vec<std::uint64_t> high = (u >> 32) ^ Vec<std::uint64_t>(0x4530000080000000u);
    return (bitcast<double>(high) - Vec<double>(0x1p84 + 0x1p63 + 0x1p52)) + bitcast<double>(low);
#endif
  } else if constexpr (std::is_same_v<U, std::int32_t>) {
    static_assert(std::is_same_v<T, float>);
#if defined(LANEWISE_ISA_AVX512)
    return Vec<U>(bits<R>(_mm512_cvttps_epi32(bits<__m512>(x.reg))));
#elif defined(LANEWISE_ISA_AVX2)
    return Vec<U>(bits<R>(_mm256_cvttps_epi32(bits<__m256>(x.reg))));
#elif defined(LANEWISE_ISA_SSE4_2)
    return Vec<U>(bits<R>(_mm_cvttps_epi32(bits<__m128>(x.reg))));
#else
    const Vec<U> r(bits<R>(vcvtq_s32_f32(bits<float32x4_t>(x.reg))));
    return select(mask_cast<U>(abs(x) < Vec<T>(0x1p31f)), r, Vec<U>(std::numeric_limits<U>::min()));
#endif
  } else {
    static_assert(std::is_same_v<U, std::int64_t> && std::is_same_v<T, double>);
#if defined(LANEWISE_ISA_AVX512)
    return Vec<U>(bits<R>(_mm512_cvttpd_epi64(bits<__m512d>(x.reg))));
#elif defined(LANEWISE_ISA_NEON)
    const Vec<U> r(bits<R>(vcvtq_s64_f64(bits<float64x2_t>(x.reg))));
    return select(mask_cast<U>(abs(x) < Vec<T>(0x1p63)), r, Vec<U>(std::numeric_limits<U>::min()));
#else
    R r;
    for (int i = 0; i < Vec<U>::size; ++i) r[i] = _mm_cvttsd_si64(_mm_set_sd(x.reg[i]));
    return Vec<U>(r);
#endif
  }
}

/// Two registers of f64 with the lanes of one register of f32, in order.
struct WidePair {
  Vec<double> low;
  Vec<double> high;
};
LANEWISE_INLINE WidePair widen(Vec<float> x) {
  using R = Vec<double>::Register;
  using detail::bits;
#if defined(LANEWISE_ISA_AVX512)
  const auto r = bits<__m512>(x.reg);
  return {Vec<double>(bits<R>(_mm512_cvtps_pd(_mm512_castps512_ps256(r)))),
          Vec<double>(bits<R>(_mm512_cvtps_pd(_mm512_extractf32x8_ps(r, 1))))};
#elif defined(LANEWISE_ISA_AVX2)
  const auto r = bits<__m256>(x.reg);
  return {Vec<double>(bits<R>(_mm256_cvtps_pd(_mm256_castps256_ps128(r)))),
          Vec<double>(bits<R>(_mm256_cvtps_pd(_mm256_extractf128_ps(r, 1))))};
#elif defined(LANEWISE_ISA_SSE4_2)
  const auto r = bits<__m128>(x.reg);
  return {Vec<double>(bits<R>(_mm_cvtps_pd(r))), Vec<double>(bits<R>(_mm_cvtps_pd(_mm_movehl_ps(r, r))))};
#else
  const auto r = bits<float32x4_t>(x.reg);
  return {Vec<double>(bits<R>(vcvt_f64_f32(vget_low_f32(r)))), Vec<double>(bits<R>(vcvt_high_f64_f32(r)))};
#endif
}
/// The reverse, rounded to f32.
LANEWISE_INLINE Vec<float> narrow(Vec<double> low, Vec<double> high) {
  using R = Vec<float>::Register;
  using detail::bits;
#if defined(LANEWISE_ISA_AVX512)
  const __m512 l = _mm512_castps256_ps512(_mm512_cvtpd_ps(bits<__m512d>(low.reg)));
  return Vec<float>(bits<R>(_mm512_insertf32x8(l, _mm512_cvtpd_ps(bits<__m512d>(high.reg)), 1)));
#elif defined(LANEWISE_ISA_AVX2)
  const __m256 l = _mm256_castps128_ps256(_mm256_cvtpd_ps(bits<__m256d>(low.reg)));
  return Vec<float>(bits<R>(_mm256_insertf128_ps(l, _mm256_cvtpd_ps(bits<__m256d>(high.reg)), 1)));
#elif defined(LANEWISE_ISA_SSE4_2)
  return Vec<float>(
      bits<R>(_mm_movelh_ps(_mm_cvtpd_ps(bits<__m128d>(low.reg)), _mm_cvtpd_ps(bits<__m128d>(high.reg)))));
#else
  return Vec<float>(
      bits<R>(vcvt_high_f32_f64(vcvt_f32_f64(bits<float64x2_t>(low.reg)), bits<float64x2_t>(high.reg))));
#endif
}
/// f over the lanes of x in double precision, rounded to f32 at the end.
template <class F>
LANEWISE_INLINE Vec<float> in_double(Vec<float> x, F f) {
  const WidePair w = widen(x);
  return narrow(f(w.low), f(w.high));
}
template <class F>
LANEWISE_INLINE Vec<float> in_double(Vec<float> x, Vec<float> y, F f) {
  const WidePair a = widen(x);
  const WidePair b = widen(y);
  return narrow(f(a.low, b.low), f(a.high, b.high));
}

}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
