#pragma once

#include <cstddef>
#include <cstdint>

// What one instruction-set tier is, for code that is compiled once per tier.
//
// A per-ISA file is compiled with -DLANEWISE_ISA=<tier> (the token names a namespace),
// -DLANEWISE_ISA_<TIER>=1, the tier's instruction flags, -ffp-contract=off and -Dxsimd=xsimd_<tier>, so that
// no two tiers share the name of an inline function.

// g++ 12 warns of its own deliberately undefined operands in the AVX-512 intrinsics wherever they are
// inlined.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#if defined(__x86_64__)
#include <immintrin.h>
#else
#include <arm_neon.h>
#endif
#include <xsimd/xsimd.hpp>
#pragma GCC diagnostic pop

#ifndef LANEWISE_ISA
#error "a per-ISA header needs -DLANEWISE_ISA=<tier> and -DLANEWISE_ISA_<TIER>=1"
#endif

#define LANEWISE_INLINE inline __attribute__((always_inline))

#if !defined(LANEWISE_ISA_SSE4_2) && !defined(LANEWISE_ISA_AVX2) && !defined(LANEWISE_ISA_AVX512) && \
    !defined(LANEWISE_ISA_NEON)
#error "unknown tier: define LANEWISE_ISA_SSE4_2, LANEWISE_ISA_AVX2, LANEWISE_ISA_AVX512 or LANEWISE_ISA_NEON"
#endif

namespace lanewise::vec {
inline namespace LANEWISE_ISA {

#if defined(LANEWISE_ISA_AVX512)
using Arch = xsimd::avx512bw;
inline constexpr int kRegisterBytes = 64;
inline constexpr bool kFusedFma = true;
#elif defined(LANEWISE_ISA_AVX2)
using Arch = xsimd::fma3<xsimd::avx2>;
inline constexpr int kRegisterBytes = 32;
inline constexpr bool kFusedFma = true;
#elif defined(LANEWISE_ISA_SSE4_2)
using Arch = xsimd::sse4_2;
inline constexpr int kRegisterBytes = 16;
inline constexpr bool kFusedFma = false;
#else
using Arch = xsimd::neon64;
inline constexpr int kRegisterBytes = 16;
inline constexpr bool kFusedFma = true;
#endif

namespace detail {

/// A register of integers as a GCC vector, which clang shares: operators work lane by lane.
template <class T>
struct Register {
  typedef T type __attribute__((vector_size(kRegisterBytes)));
};
template <class T>
using RegisterOf = typename Register<T>::type;

/// The signed and unsigned integers of a given size.
template <int Bytes>
struct IntOf;
template <>
struct IntOf<1> {
  using type = std::int8_t;
  using utype = std::uint8_t;
};
template <>
struct IntOf<2> {
  using type = std::int16_t;
  using utype = std::uint16_t;
};
template <>
struct IntOf<4> {
  using type = std::int32_t;
  using utype = std::uint32_t;
};
template <>
struct IntOf<8> {
  using type = std::int64_t;
  using utype = std::uint64_t;
};
template <class T>
using SignedOf = typename IntOf<static_cast<int>(sizeof(T))>::type;
template <class T>
using UnsignedOf = typename IntOf<static_cast<int>(sizeof(T))>::utype;

/// Same bits, another type of the same size.
template <class To, class From>
LANEWISE_INLINE To bits(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, from);
}

template <int Size>
LANEWISE_INLINE void copy_ends(char* to, const char* from, int n) {
  char first[Size];
  char last[Size];
  __builtin_memcpy(first, from, Size);
  __builtin_memcpy(last, from + n - Size, Size);
  __builtin_memcpy(to, first, Size);
  __builtin_memcpy(to + n - Size, last, Size);
}

/// Copies 0 <= n < Limit bytes, a multiple of Unit, with two overlapping moves of a fixed size: no loop, no
/// call, nothing past n.
template <int Limit, int Unit>
LANEWISE_INLINE void copy_short(void* to, const void* from, int n) {
  char* t = static_cast<char*>(to);
  const char* f = static_cast<const char*>(from);
  if constexpr (Limit <= 2 * Unit) {
    if (n != 0) __builtin_memcpy(t, f, Unit);
  } else {
    constexpr int kHalf = Limit / 2;
    if (n >= kHalf) {
      copy_ends<kHalf>(t, f, n);
    } else {
      copy_short<kHalf, Unit>(to, from, n);
    }
  }
}

}  // namespace detail
}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
