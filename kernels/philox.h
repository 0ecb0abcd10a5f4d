#pragma once

#include <cstdint>

#include <lanewise/vec/vec.h>

/// Random words from positions. Included by per-ISA files.
///
/// Note [Random numbers from positions]
/// Philox 4x32-10 turns a key of 64 bits and a counter of 128 into 128 random bits; there is no state. The
/// key is the seed; the counter's upper half is the number of the draw, its lower half the number of a block
/// within the draw. A block is four words of 32 bits. Element i of a draw takes word i % 4 of block i / 4 if
/// it needs 32 bits, words 2 (i % 2) (the low half) and 2 (i % 2) + 1 of block i / 2 if it needs 64. So a
/// value depends on nothing but the seed, the draw and its logical position. Normal numbers are made in
/// pairs, elements 2k and 2k + 1 from the two random numbers that are theirs. Source: Salmon, Moraes, Dror,
/// Shaw, Parallel Random Numbers: As Easy as 1, 2, 3, SC 2011.
namespace lanewise::kernels::LANEWISE_ISA {

using Words = vec::Vec<std::uint64_t>;  // lanes whose low halves hold a word of 32 bits

/// Products of the low halves of the lanes.
LANEWISE_INLINE Words multiply_wide(Words a, Words b) {
  using R = Words::Register;
#if defined(LANEWISE_ISA_AVX512)
  return Words(__builtin_bit_cast(
      R, _mm512_mul_epu32(__builtin_bit_cast(__m512i, a.reg), __builtin_bit_cast(__m512i, b.reg))));
#elif defined(LANEWISE_ISA_AVX2)
  return Words(__builtin_bit_cast(
      R, _mm256_mul_epu32(__builtin_bit_cast(__m256i, a.reg), __builtin_bit_cast(__m256i, b.reg))));
#elif defined(LANEWISE_ISA_SSE4_2)
  return Words(__builtin_bit_cast(
      R, _mm_mul_epu32(__builtin_bit_cast(__m128i, a.reg), __builtin_bit_cast(__m128i, b.reg))));
#else
  const uint32x2_t x = vmovn_u64(__builtin_bit_cast(uint64x2_t, a.reg));
  const uint32x2_t y = vmovn_u64(__builtin_bit_cast(uint64x2_t, b.reg));
  return Words(__builtin_bit_cast(R, vmull_u32(x, y)));
#endif
}

/// A stream of blocks for one seed and draw.
struct Philox {
  std::uint64_t seed;
  std::uint64_t draw;

  /// Writes blocks [first, first + blocks), four words each; `blocks` is a multiple of Words::size.
  void generate(std::uint64_t first, int blocks, std::uint32_t* words) const noexcept {
    const Words low_half(std::uint64_t{0xffffffffu});
    Words lane(std::uint64_t{0});
    for (int i = 0; i < Words::size; ++i) lane.reg[i] = static_cast<std::uint64_t>(i);
    for (int b = 0; b < blocks; b += Words::size) {
      const Words index = Words(first + static_cast<std::uint64_t>(b)) + lane;
      // Upper halves hold leftovers, which products ignore.
      Words c0 = index;
      Words c1 = index >> 32;
      Words c2(draw);
      Words c3(draw >> 32);
      auto key0 = static_cast<std::uint32_t>(seed);
      auto key1 = static_cast<std::uint32_t>(seed >> 32);
      for (int turn = 0; turn < 10; ++turn) {
        const Words p0 = multiply_wide(c0, Words(std::uint64_t{0xd2511f53u}));
        const Words p1 = multiply_wide(c2, Words(std::uint64_t{0xcd9e8d57u}));
        c0 = (p1 >> 32) ^ c1 ^ Words(std::uint64_t{key0});
        c1 = p1;
        c2 = (p0 >> 32) ^ c3 ^ Words(std::uint64_t{key1});
        c3 = p0;
        key0 += 0x9e3779b9u;
        key1 += 0xbb67ae85u;
      }
      const Words first_pair = (c0 & low_half) | (c1 << 32);
      const Words second_pair = (c2 & low_half) | (c3 << 32);
      Words a;
      Words b_pairs;
      vec::detail::interleave<std::uint64_t>(
          first_pair.reg, second_pair.reg, a.reg, b_pairs.reg,
          std::make_index_sequence<static_cast<std::size_t>(Words::size)>{});
      a.store(reinterpret_cast<std::uint64_t*>(words + 4 * b));
      b_pairs.store(reinterpret_cast<std::uint64_t*>(words + 4 * b) + Words::size);
    }
  }
};

}  // namespace lanewise::kernels::LANEWISE_ISA
