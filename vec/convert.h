#pragma once

#include <lanewise/vec/arithmetic.h>

namespace lanewise::vec {
inline namespace LANEWISE_ISA {

/// Numbers to lanes of another type of the same size: f32 <-> i32, f64 <-> i64. Floats truncate towards zero; NaN and what does not fit give the
/// most negative integer, on every tier. Integers round to nearest even.
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
    const Vec<std::uint64_t> low = (u & Vec<std::uint64_t>(0xffffffffu)) | Vec<std::uint64_t>(0x4330000000000000u);
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

}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
