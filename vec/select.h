#pragma once

#include <lanewise/vec/vec_complex.h>

namespace lanewise::vec {
inline namespace LANEWISE_ISA {

/// v, read before anything that is done to it under a mask. A compiler makes one instruction of a load from memory and what follows
/// it under a mask, and that instruction waits for the mask: of `where` and of comparisons under masks every load waited
/// for others, and few were under way at once (where of 16M f32 takes 0.7 of the time with it, Zen 5).
template <class T>
LANEWISE_INLINE Vec<T> in_register(Vec<T> v) {
#if defined(LANEWISE_ISA_AVX512)
  asm("" : "+v"(v.reg));
#endif
  return v;
}
LANEWISE_INLINE Vec<bool> in_register(Vec<bool> v) { return Vec<bool>::from_01(in_register(v.bytes)); }
template <class R>
LANEWISE_INLINE Vec<std::complex<R>> in_register(Vec<std::complex<R>> v) {
  return Vec<std::complex<R>>(in_register(v.re), in_register(v.im));
}

/// a where m is true, else b.
template <class T>
  requires(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>)
LANEWISE_INLINE Vec<T> select(Mask<T> m, Vec<T> a, Vec<T> b) {
  using R = typename Vec<T>::Register;
  using detail::bits;
#if defined(LANEWISE_ISA_AVX512)
  if constexpr (std::is_same_v<T, float>) {
    return Vec<T>(bits<R>(_mm512_mask_blend_ps(m.native, bits<__m512>(b.reg), bits<__m512>(a.reg))));
  } else if constexpr (std::is_same_v<T, double>) {
    return Vec<T>(bits<R>(_mm512_mask_blend_pd(m.native, bits<__m512d>(b.reg), bits<__m512d>(a.reg))));
  } else {
    const auto x = bits<__m512i>(a.reg);
    const auto y = bits<__m512i>(b.reg);
    if constexpr (sizeof(T) == 1) {
      return Vec<T>(bits<R>(_mm512_mask_blend_epi8(m.native, y, x)));
    } else if constexpr (sizeof(T) == 2) {
      return Vec<T>(bits<R>(_mm512_mask_blend_epi16(m.native, y, x)));
    } else if constexpr (sizeof(T) == 4) {
      return Vec<T>(bits<R>(_mm512_mask_blend_epi32(m.native, y, x)));
    } else {
      return Vec<T>(bits<R>(_mm512_mask_blend_epi64(m.native, y, x)));
    }
  }
#elif defined(LANEWISE_ISA_AVX2)
  if constexpr (std::is_same_v<T, float>) {
    return Vec<T>(
        bits<R>(_mm256_blendv_ps(bits<__m256>(b.reg), bits<__m256>(a.reg), bits<__m256>(m.native))));
  } else if constexpr (std::is_same_v<T, double>) {
    return Vec<T>(
        bits<R>(_mm256_blendv_pd(bits<__m256d>(b.reg), bits<__m256d>(a.reg), bits<__m256d>(m.native))));
  } else {
    return Vec<T>(
        bits<R>(_mm256_blendv_epi8(bits<__m256i>(b.reg), bits<__m256i>(a.reg), bits<__m256i>(m.native))));
  }
#elif defined(LANEWISE_ISA_SSE4_2)
  if constexpr (std::is_same_v<T, float>) {
    return Vec<T>(bits<R>(_mm_blendv_ps(bits<__m128>(b.reg), bits<__m128>(a.reg), bits<__m128>(m.native))));
  } else if constexpr (std::is_same_v<T, double>) {
    return Vec<T>(
        bits<R>(_mm_blendv_pd(bits<__m128d>(b.reg), bits<__m128d>(a.reg), bits<__m128d>(m.native))));
  } else {
    return Vec<T>(
        bits<R>(_mm_blendv_epi8(bits<__m128i>(b.reg), bits<__m128i>(a.reg), bits<__m128i>(m.native))));
  }
#else
  return Vec<T>(
      bits<R>(vbslq_u8(bits<uint8x16_t>(m.native), bits<uint8x16_t>(a.reg), bits<uint8x16_t>(b.reg))));
#endif
}
LANEWISE_INLINE Vec<bool> select(Mask<bool> m, Vec<bool> a, Vec<bool> b) {
  return Vec<bool>::from_01(select(mask_cast<std::uint8_t>(m), a.bytes, b.bytes));
}
template <class R>
LANEWISE_INLINE Vec<std::complex<R>> select(Mask<std::complex<R>> m, Vec<std::complex<R>> a,
                                            Vec<std::complex<R>> b) {
  return Vec<std::complex<R>>(select(m.real_mask(), a.re, b.re), select(m.real_mask(), a.im, b.im));
}

/// x != 0, for every element type.
template <class T>
LANEWISE_INLINE Mask<T> to_mask(Vec<T> x) {
  return x != Vec<T>(T(0));
}
LANEWISE_INLINE Mask<bool> to_mask(Vec<bool> x) { return x.mask(); }

/// 1 where true, 0 where false.
template <class T>
LANEWISE_INLINE Vec<T> from_mask(Mask<T> m) {
  return select(m, Vec<T>(T(1)), Vec<T>(T(0)));
}

/// The same bits seen as lanes of another type.
template <class U, class T>
LANEWISE_INLINE Vec<U> bitcast(Vec<T> v) {
  return Vec<U>(detail::bits<typename Vec<U>::Register>(v.reg));
}

namespace detail {
template <class V, std::size_t... I>
LANEWISE_INLINE V reverse(V v, std::index_sequence<I...>) {
  return V(__builtin_shufflevector(v.reg, v.reg, (sizeof...(I) - 1 - I)...));
}
}  // namespace detail

/// Lanes in the opposite order.
template <class T>
LANEWISE_INLINE Vec<T> reverse(Vec<T> v) {
  return detail::reverse(v, std::make_index_sequence<static_cast<std::size_t>(Vec<T>::size)>{});
}
template <class R>
LANEWISE_INLINE Vec<std::complex<R>> reverse(Vec<std::complex<R>> v) {
  return Vec<std::complex<R>>(reverse(v.re), reverse(v.im));
}
LANEWISE_INLINE Vec<bool> reverse(Vec<bool> v) { return Vec<bool>::from_01(reverse(v.bytes)); }

}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
