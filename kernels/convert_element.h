#pragma once

#include <limits>

#include <lanewise/kernels/element_types.h>
#include <lanewise/kernels/half_bits.h>
#include <lanewise/vec/isa.h>

/// Conversion of one element, written so that compilers vectorise loops over it. Included by per-ISA files.
namespace lanewise::kernels::LANEWISE_ISA {

/// A bool in memory: any byte but zero is true.
struct BoolByte {
  std::uint8_t byte;
};

/// Truncates towards zero. NaN and what does not fit give the most negative integer, on every tier.
template <class I, class F>
LANEWISE_INLINE I truncate(F x) {
#if defined(LANEWISE_ISA_AVX2) || defined(LANEWISE_ISA_SSE4_2)
  // No vector instruction to compile to, and the scalar one gives just that, without a branch for each element.
  if constexpr (sizeof(I) == 8 && std::is_same_v<F, float>) return _mm_cvttss_si64(_mm_set_ss(x));
  if constexpr (sizeof(I) == 8 && std::is_same_v<F, double>) return _mm_cvttsd_si64(_mm_set_sd(x));
#endif
  constexpr F kLimit = sizeof(I) == 4 ? F(0x1p31) : F(0x1p63);
  // One comparison that is false for NaN; -kLimit itself lands on the same value either way.
  const F magnitude = x < 0 ? -x : x;
  return static_cast<I>(magnitude < kLimit ? x : -kLimit);
}

/// C++'s rules for bools and real types with the gaps closed: to bool is "not zero" (NaN is true), integers
/// wrap, floats go to 8 and 16 bits through int32.
template <class To, class From>
LANEWISE_INLINE To convert_element(From x) {
  if constexpr (std::is_same_v<From, BoolByte>) {
    // The sign of b | -b, rather than a comparison, which compilers do not vectorise for wider results.
    return convert_element<To>(
        static_cast<std::uint8_t>(static_cast<std::uint8_t>(x.byte | (0 - x.byte)) >> 7));
  } else if constexpr (std::is_same_v<To, BoolByte>) {
    return {static_cast<std::uint8_t>(x != 0)};
  } else if constexpr (std::is_same_v<From, Half> || std::is_same_v<From, BFloat16>) {
    return widen(x);
  } else if constexpr (std::is_same_v<To, Half>) {
    return narrow_half(x);
  } else if constexpr (std::is_same_v<To, BFloat16>) {
    return narrow_bfloat16(x);
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    using Wide = std::conditional_t<sizeof(To) == 8, std::int64_t, std::int32_t>;
    return static_cast<To>(truncate<Wide>(x));
  } else {
    return static_cast<To>(x);
  }
}

}  // namespace lanewise::kernels::LANEWISE_ISA
