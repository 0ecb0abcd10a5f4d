#pragma once

#include <lanewise/vec/math/pair.h>

// Tables of eight floats, each in a register: to look one up is one instruction on AVX2 and AVX-512, four on NEON.

namespace lanewise::vec {
inline namespace LANEWISE_ISA {
namespace detail {

/// Twice the same: a register of AVX-512 has sixteen.
struct Eight {
  float values[16];
  constexpr Eight(float a, float b, float c, float d, float e, float f, float g, float h)
      : values{a, b, c, d, e, f, g, h, a, b, c, d, e, f, g, h} {}
};

/// table[index mod 8].
LANEWISE_INLINE Vec<float> look_up(const Eight& table, Vec<std::int32_t> index) {
  using R = Vec<float>::Register;
#if defined(LANEWISE_ISA_AVX512)
  return Vec<float>(bits<R>(_mm512_permutexvar_ps(bits<__m512i>(index.reg), _mm512_loadu_ps(table.values))));
#elif defined(LANEWISE_ISA_AVX2)
  return Vec<float>(
      bits<R>(_mm256_permutevar8x32_ps(_mm256_loadu_ps(table.values), bits<__m256i>(index.reg))));
#elif defined(LANEWISE_ISA_NEON)
  using I = Vec<std::int32_t>;
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(table.values);
  const uint8x16x2_t both = {{vld1q_u8(bytes), vld1q_u8(bytes + 16)}};
  const I four_bytes = (index & I(7)) * I(0x04040404) + I(0x03020100);
  return Vec<float>(bits<R>(vqtbl2q_u8(both, bits<uint8x16_t>(four_bytes.reg))));
#else
  R r;
  for (int i = 0; i < Vec<float>::size; ++i) r[i] = table.values[index.reg[i] & 7];
  return Vec<float>(r);
#endif
}

/// The same where m is true, else `other`: a single instruction on AVX-512.
LANEWISE_INLINE Vec<float> look_up_where(Mask<float> m, Vec<float> other, const Eight& table,
                                         Vec<std::int32_t> index) {
#if defined(LANEWISE_ISA_AVX512)
  using R = Vec<float>::Register;
  return Vec<float>(bits<R>(_mm512_mask_permutexvar_ps(
      bits<__m512>(other.reg), m.native, bits<__m512i>(index.reg), _mm512_loadu_ps(table.values))));
#else
  return select(m, look_up(table, index), other);
#endif
}

/// coefficients[0] + coefficients[1] x + ..., the coefficients of each lane's own interval.
template <std::size_t N>
LANEWISE_INLINE Vec<float> look_up_polynomial(const Eight (&coefficients)[N], Vec<std::int32_t> index,
                                              Vec<float> x) {
  Vec<float> p = look_up(coefficients[N - 1], index);
  for (std::size_t i = N - 1; i-- > 0;) p = fma(p, x, look_up(coefficients[i], index));
  return p;
}

/// An odd function at x >= 0 by eight intervals: value + t p(t) for t = x - centre, in the `first` x + x p(x). The
/// centres are such that the values are floats to within 2^-32.
template <class Tables>
LANEWISE_INLINE Vec<float> by_intervals(Vec<float> x, Vec<std::int32_t> index, Mask<float> beyond_first) {
  const Vec<float> t = x - look_up(Tables::kCentre, index);
  const Vec<float> p = look_up_polynomial(Tables::kCoefficients, index, t);
  return fma(t, p, look_up_where(beyond_first, x, Tables::kValue, index));
}

/// table[index mod 8] of eight doubles.
LANEWISE_INLINE Vec<double> look_up(const double (&table)[8], Vec<std::int64_t> index) {
  using R = Vec<double>::Register;
#if defined(LANEWISE_ISA_AVX512)
  return Vec<double>(bits<R>(_mm512_permutexvar_pd(bits<__m512i>(index.reg), _mm512_loadu_pd(table))));
#elif defined(LANEWISE_ISA_AVX2)
  // Loads by lane: a gather takes longer, by half and more.
  const auto at = [&](int lane) { return table + (index.reg[lane] & 7); };
  const __m128d low = _mm_loadh_pd(_mm_load_sd(at(0)), at(1));
  const __m128d high = _mm_loadh_pd(_mm_load_sd(at(2)), at(3));
  return Vec<double>(bits<R>(_mm256_set_m128d(high, low)));
#else
  R r;
  for (int i = 0; i < Vec<double>::size; ++i) r[i] = table[index.reg[i] & 7];
  return Vec<double>(r);
#endif
}

}  // namespace detail
}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
