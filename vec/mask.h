#pragma once

#include <complex>
#include <type_traits>

#include <lanewise/vec/isa.h>

namespace lanewise::vec {
inline namespace LANEWISE_ISA {
namespace detail {

/// Lanes per register: of the real type for complex.
template <class T>
struct LaneCount {
  static constexpr int value = kRegisterBytes / static_cast<int>(sizeof(T));
};
template <class R>
struct LaneCount<std::complex<R>> : LaneCount<R> {};

#if defined(LANEWISE_ISA_AVX512)
/// A bit per lane.
template <int Lanes>
struct MaskBits;
template <>
struct MaskBits<8> {
  using type = __mmask8;
};
template <>
struct MaskBits<16> {
  using type = __mmask16;
};
template <>
struct MaskBits<32> {
  using type = __mmask32;
};
template <>
struct MaskBits<64> {
  using type = __mmask64;
};
template <class T>
using NativeMask = typename MaskBits<LaneCount<T>::value>::type;
#else
/// All ones or all zeros per lane.
template <class T>
using NativeMask = RegisterOf<SignedOf<T>>;
#endif

/// The first n of `lanes` bits, 0 <= n <= lanes.
LANEWISE_INLINE std::uint64_t first_bits(int n) {
  return n >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
}

}  // namespace detail

/// A truth value per lane of Vec<T>.
template <class T>
struct Mask {
  static constexpr int size = detail::LaneCount<T>::value;
  using Native = detail::NativeMask<T>;
  Native native;

  Mask() = default;
  LANEWISE_INLINE explicit Mask(Native m) : native(m) {}

  LANEWISE_INLINE friend Mask operator&(Mask a, Mask b) {
    return Mask(static_cast<Native>(a.native & b.native));
  }
  LANEWISE_INLINE friend Mask operator|(Mask a, Mask b) {
    return Mask(static_cast<Native>(a.native | b.native));
  }
  LANEWISE_INLINE friend Mask operator^(Mask a, Mask b) {
    return Mask(static_cast<Native>(a.native ^ b.native));
  }
  LANEWISE_INLINE friend Mask operator~(Mask a) { return Mask(static_cast<Native>(~a.native)); }
  LANEWISE_INLINE Mask& operator&=(Mask b) { return *this = *this & b; }
  LANEWISE_INLINE Mask& operator|=(Mask b) { return *this = *this | b; }
  LANEWISE_INLINE Mask& operator^=(Mask b) { return *this = *this ^ b; }

  /// True in the first n lanes, 0 <= n <= size.
  static LANEWISE_INLINE Mask first(int n) {
#if defined(LANEWISE_ISA_AVX512)
    return Mask(static_cast<Native>(detail::first_bits(n)));
#else
    using I = detail::SignedOf<T>;
    Native lane;
    for (int i = 0; i < size; ++i) lane[i] = static_cast<I>(i);
    return Mask(lane < (Native{} + static_cast<I>(n)));
#endif
  }
  static LANEWISE_INLINE Mask splat(bool value) { return value ? ~Mask(Native{}) : Mask(Native{}); }

  LANEWISE_INLINE bool any() const {
#if defined(LANEWISE_ISA_AVX512)
    return native != 0;
#elif defined(LANEWISE_ISA_AVX2)
    return _mm256_movemask_epi8(detail::bits<__m256i>(native)) != 0;
#elif defined(LANEWISE_ISA_SSE4_2)
    return _mm_movemask_epi8(detail::bits<__m128i>(native)) != 0;
#else
    return vmaxvq_u32(detail::bits<uint32x4_t>(native)) != 0;
#endif
  }
  LANEWISE_INLINE bool all() const { return !(~*this).any(); }
  LANEWISE_INLINE bool none() const { return !any(); }

  /// One byte per lane, 0 or 1.
  LANEWISE_INLINE void store_bool(void* out) const {
#if defined(LANEWISE_ISA_AVX512)
    if constexpr (size == 64) {
      _mm512_storeu_si512(out, _mm512_maskz_set1_epi8(native, 1));
    } else if constexpr (size == 32) {
      _mm256_storeu_si256(static_cast<__m256i*>(out), _mm256_maskz_set1_epi8(native, 1));
    } else if constexpr (size == 16) {
      _mm_storeu_si128(static_cast<__m128i*>(out), _mm_maskz_set1_epi8(native, 1));
    } else {
      _mm_storel_epi64(static_cast<__m128i*>(out), _mm_maskz_set1_epi8(native, 1));
    }
#else
    const Bytes bytes = to_bytes();
    __builtin_memcpy(out, &bytes, size);
#endif
  }
  /// The first n bytes only, 0 <= n < size.
  LANEWISE_INLINE void store_bool_partial(void* out, int n) const {
#if defined(LANEWISE_ISA_AVX512)
    const auto keep = static_cast<Native>(detail::first_bits(n));
    if constexpr (size == 64) {
      _mm512_mask_storeu_epi8(out, keep, _mm512_maskz_set1_epi8(native, 1));
    } else if constexpr (size == 32) {
      _mm256_mask_storeu_epi8(out, keep, _mm256_maskz_set1_epi8(native, 1));
    } else {
      _mm_mask_storeu_epi8(out, keep, _mm_maskz_set1_epi8(native, 1));
    }
#else
    const Bytes bytes = to_bytes();
    detail::copy_short<size, 1>(out, &bytes, n);
#endif
  }
  /// One byte per lane, any non-zero byte is true.
  static LANEWISE_INLINE Mask load_bool(const void* from) {
#if defined(LANEWISE_ISA_AVX512)
    if constexpr (size == 64) {
      const __m512i x = _mm512_loadu_si512(from);
      return Mask(_mm512_test_epi8_mask(x, x));
    } else if constexpr (size == 32) {
      const __m256i x = _mm256_loadu_si256(static_cast<const __m256i*>(from));
      return Mask(_mm256_test_epi8_mask(x, x));
    } else if constexpr (size == 16) {
      const __m128i x = _mm_loadu_si128(static_cast<const __m128i*>(from));
      return Mask(_mm_test_epi8_mask(x, x));
    } else {
      const __m128i x = _mm_loadl_epi64(static_cast<const __m128i*>(from));
      return Mask(static_cast<Native>(_mm_test_epi8_mask(x, x)));
    }
#else
    Bytes bytes;
    __builtin_memcpy(&bytes, from, size);
    return from_bytes(bytes);
#endif
  }
  /// Reads the first n bytes only, 0 <= n < size; the other lanes are false.
  static LANEWISE_INLINE Mask load_bool_partial(const void* from, int n) {
#if defined(LANEWISE_ISA_AVX512)
    const auto keep = static_cast<Native>(detail::first_bits(n));
    if constexpr (size == 64) {
      const __m512i x = _mm512_maskz_loadu_epi8(keep, from);
      return Mask(_mm512_test_epi8_mask(x, x));
    } else if constexpr (size == 32) {
      const __m256i x = _mm256_maskz_loadu_epi8(keep, from);
      return Mask(_mm256_test_epi8_mask(x, x));
    } else {
      const __m128i x = _mm_maskz_loadu_epi8(keep, from);
      return Mask(static_cast<Native>(_mm_test_epi8_mask(x, x)));
    }
#else
    Bytes bytes{};
    detail::copy_short<size, 1>(&bytes, from, n);
    return from_bytes(bytes);
#endif
  }

#if !defined(LANEWISE_ISA_AVX512)
 private:
  typedef std::int8_t Bytes __attribute__((vector_size(size)));
  LANEWISE_INLINE Bytes to_bytes() const {
    if constexpr (size == kRegisterBytes) {
      return detail::bits<Bytes>(native) & 1;
    } else {
#if !defined(LANEWISE_ISA_NEON)
      // Packing with saturation keeps all ones and all zeros; compilers narrow lane by lane instead.
      __m128i low;
      __m128i high;
#if defined(LANEWISE_ISA_AVX2)
      low = _mm256_castsi256_si128(detail::bits<__m256i>(native));
      high = _mm256_extracti128_si256(detail::bits<__m256i>(native), 1);
#else
      low = detail::bits<__m128i>(native);
      high = low;
#endif
      constexpr int kLaneBytes = kRegisterBytes / size;
      __m128i words;  // 16 bits a lane
      if constexpr (kLaneBytes == 8) {
        const __m128i doublewords =
            _mm_castps_si128(_mm_shuffle_ps(_mm_castsi128_ps(low), _mm_castsi128_ps(high), 0x88));
        words = _mm_packs_epi32(doublewords, doublewords);
      } else if constexpr (kLaneBytes == 4) {
        words = _mm_packs_epi32(low, high);
      } else {
        words = low;
      }
      const __m128i packed = _mm_packs_epi16(words, kLaneBytes == 2 ? high : words);
      Bytes bytes;
      __builtin_memcpy(&bytes, &packed, sizeof bytes);
      return bytes & 1;
#else
      return __builtin_convertvector(native, Bytes) & 1;
#endif
    }
  }
  static LANEWISE_INLINE Mask from_bytes(Bytes bytes) {
    const Bytes set = bytes != 0;
    if constexpr (size == kRegisterBytes) {
      return Mask(detail::bits<Native>(set));
    } else {
      return Mask(__builtin_convertvector(set, Native));
    }
  }
#endif
};

/// Lanes of complex numbers are lanes of their real type.
template <class R>
struct Mask<std::complex<R>> : Mask<R> {
  Mask() = default;
  LANEWISE_INLINE Mask(Mask<R> m) : Mask<R>(m) {}
  LANEWISE_INLINE friend Mask operator&(Mask a, Mask b) { return Mask(a.real_mask() & b.real_mask()); }
  LANEWISE_INLINE friend Mask operator|(Mask a, Mask b) { return Mask(a.real_mask() | b.real_mask()); }
  LANEWISE_INLINE friend Mask operator^(Mask a, Mask b) { return Mask(a.real_mask() ^ b.real_mask()); }
  LANEWISE_INLINE friend Mask operator~(Mask a) { return Mask(~a.real_mask()); }
  LANEWISE_INLINE Mask<R> real_mask() const { return *this; }
  static LANEWISE_INLINE Mask first(int n) { return Mask<R>::first(n); }
  static LANEWISE_INLINE Mask splat(bool value) { return Mask<R>::splat(value); }
  static LANEWISE_INLINE Mask load_bool(const void* from) { return Mask<R>::load_bool(from); }
  static LANEWISE_INLINE Mask load_bool_partial(const void* from, int n) {
    return Mask<R>::load_bool_partial(from, n);
  }
};

template <class T>
LANEWISE_INLINE bool any(Mask<T> m) {
  return m.any();
}
template <class T>
LANEWISE_INLINE bool all(Mask<T> m) {
  return m.all();
}
template <class T>
LANEWISE_INLINE bool none(Mask<T> m) {
  return m.none();
}

/// The same truth values for lanes of another type with the same lane size.
template <class U, class T>
LANEWISE_INLINE Mask<U> mask_cast(Mask<T> m) {
  static_assert(Mask<U>::size == Mask<T>::size);
  if constexpr (std::is_same_v<typename Mask<U>::Native, typename Mask<T>::Native>) {
    return Mask<U>(m.native);
  } else {
    return Mask<U>(detail::bits<typename Mask<U>::Native>(m.native));
  }
}

}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
