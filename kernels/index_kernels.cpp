// What indices are checked with before anything is written, and where a mask holds.

#include <array>

#include <lanewise/kernels/kernel_declarations.h>
#include <lanewise/vec/isa.h>

namespace lanewise::kernels::LANEWISE_ISA {

// Only bits are combined, so that the compiler takes whole registers.
bool in_bounds(const std::int64_t* values, std::int64_t n, std::int64_t size) noexcept {
  const auto last = static_cast<std::uint64_t>(size) - 1;
  std::uint64_t outside = 0;  // the sign of v or of last - v
  for (std::int64_t i = 0; i < n; ++i) {
    const auto v = static_cast<std::uint64_t>(values[i]);
    outside |= v | (last - v);
  }
  return outside >> 63U == 0;
}

namespace {

#if defined(LANEWISE_ISA_AVX512)
constexpr std::int64_t kBytes = 64;
/// A bit for each byte that is not 0.
LANEWISE_INLINE std::uint64_t bits_of(const std::uint8_t* mask) {
  const __m512i v = _mm512_loadu_si512(mask);
  return _mm512_test_epi8_mask(v, v);
}
/// The numbers of eight bits that are set, from `first` on, and whatever behind them.
LANEWISE_INLINE void put_positions(unsigned eight, std::int64_t first, std::int64_t* to) {
  const __m512i all = _mm512_add_epi64(_mm512_set1_epi64(first), _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0));
  _mm512_storeu_si512(to, _mm512_maskz_compress_epi64(static_cast<__mmask8>(eight), all));
}
#elif defined(LANEWISE_ISA_AVX2)
constexpr std::int64_t kBytes = 32;
LANEWISE_INLINE std::uint64_t bits_of(const std::uint8_t* mask) {
  const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(mask));
  return ~static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(v, _mm256_setzero_si256())));
}
/// The numbers of the bits that are set in each byte, as bytes of a word. The instruction for it takes a hundred cycles on some CPUs.
constexpr std::array<std::int64_t, 256> kNumbers = [] {
  std::array<std::int64_t, 256> numbers{};
  for (std::size_t byte = 0; byte < 256; ++byte) {
    int found = 0;
    for (int bit = 0; bit < 8; ++bit) {
      if ((byte >> bit & 1) != 0) numbers[byte] |= std::int64_t{bit} << (8 * found++);
    }
  }
  return numbers;
}();
LANEWISE_INLINE void put_positions(unsigned eight, std::int64_t first, std::int64_t* to) {
  const __m128i bytes = _mm_cvtsi64_si128(kNumbers[eight]);
  const __m256i start = _mm256_set1_epi64x(first);
  auto* out = reinterpret_cast<__m256i*>(to);
  _mm256_storeu_si256(out, _mm256_add_epi64(start, _mm256_cvtepu8_epi64(bytes)));
  _mm256_storeu_si256(out + 1, _mm256_add_epi64(start, _mm256_cvtepu8_epi64(_mm_srli_si128(bytes, 4))));
}
#endif

}  // namespace

std::int64_t count_set(const std::uint8_t* mask, std::int64_t n) noexcept {
  std::int64_t count = 0, i = 0;
#if defined(LANEWISE_ISA_AVX512) || defined(LANEWISE_ISA_AVX2)
  for (; i + kBytes <= n; i += kBytes) count += __builtin_popcountll(bits_of(mask + i));
#endif
  for (; i < n; ++i) count += mask[i] != 0;
  return count;
}

std::int64_t positions_set(const std::uint8_t* mask, std::int64_t n, std::int64_t first,
                           std::int64_t* to) noexcept {
  std::int64_t found = 0, i = 0;
#if defined(LANEWISE_ISA_AVX512) || defined(LANEWISE_ISA_AVX2)
  for (; i + kBytes <= n; i += kBytes) {
    const std::uint64_t bits = bits_of(mask + i);
    for (int at = 0; at < kBytes; at += 8) {
      const auto eight = static_cast<unsigned>(bits >> at & 0xff);
      put_positions(eight, first + i + at, to + found);
      found += __builtin_popcount(eight);
    }
  }
#endif
  // No branch: a random mask would be guessed wrong half the time.
  for (; i < n; ++i) {
    to[found] = first + i;
    found += mask[i] != 0;
  }
  return found;
}

}  // namespace lanewise::kernels::LANEWISE_ISA
