// Elements of short blocks in another order: a register, or up to eight, is loaded, arranged and stored for each block.

#include <lanewise/kernels/movers_strided.h>
#include <lanewise/kernels/sixteen_bytes.h>

namespace lanewise::kernels::LANEWISE_ISA {
namespace {

/// So many blocks can be whole registers, of so many bytes that are read and written: what is read behind such a block is of the next
/// ones, and what is written behind it they overwrite.
std::int64_t whole_registers(std::int64_t read_bytes, std::int64_t written_bytes, std::int64_t step,
                             std::int64_t blocks, std::int64_t read, std::int64_t written) {
  if ((blocks - 1) * step + read < read_bytes) return 0;
  const std::int64_t readable = ((blocks - 1) * step + read - read_bytes) / step + 1;
  const std::int64_t writable = blocks - (written_bytes + written - 1) / written + 1;
  return readable < writable ? readable : writable;
}

}  // namespace

void arrange_bytes(const char* from, std::int64_t step, char* to, std::int64_t blocks,
                   const BlockPattern& pattern) noexcept {
  const SixteenBytes places = load_sixteen(pattern.byte);
  const std::int64_t written = pattern.written,
                     whole = whole_registers(16, 16, step, blocks, pattern.read, written);
  std::int64_t b = 0;
  for (; b < whole; ++b, from += step, to += written) store_sixteen(to, arranged(load_sixteen(from), places));
  for (; b < blocks; ++b, from += step, to += written) {
    for (std::int64_t i = 0; i < written; ++i) to[i] = from[pattern.byte[i]];
  }
}

#if defined(LANEWISE_ISA_AVX512) || defined(LANEWISE_ISA_AVX2)

namespace {

#if defined(LANEWISE_ISA_AVX512)
using Units = __m512i;
LANEWISE_INLINE Units load(const void* p) { return _mm512_loadu_si512(p); }
LANEWISE_INLINE void store(void* p, Units v) { _mm512_storeu_si512(p, v); }
LANEWISE_INLINE Units arranged(Units v, Units places) { return _mm512_permutexvar_epi32(places, v); }
LANEWISE_INLINE __mmask16 first(int n) { return static_cast<__mmask16>((1u << n) - 1); }
LANEWISE_INLINE Units load(const void* p, __mmask16 some) { return _mm512_maskz_loadu_epi32(some, p); }
LANEWISE_INLINE void store(void* p, Units v, __mmask16 some) { _mm512_mask_storeu_epi32(p, some, v); }
#else
using Units = __m256i;
LANEWISE_INLINE Units load(const void* p) { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); }
LANEWISE_INLINE void store(void* p, Units v) { _mm256_storeu_si256(static_cast<__m256i*>(p), v); }
LANEWISE_INLINE Units arranged(Units v, Units places) { return _mm256_permutevar8x32_epi32(v, places); }
LANEWISE_INLINE Units first(int n) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
LANEWISE_INLINE Units load(const void* p, Units some) {
  return _mm256_maskload_epi32(static_cast<const int*>(p), some);
}
LANEWISE_INLINE void store(void* p, Units v, Units some) {
  _mm256_maskstore_epi32(static_cast<int*>(p), some, v);
}
#endif

}  // namespace

void arrange(const char* from, std::int64_t step, char* to, std::int64_t blocks,
             const BlockPattern& pattern) noexcept {
  const Units places = load(pattern.unit);
  const std::int64_t written = 4 * pattern.written,
                     whole = whole_registers(vec::kRegisterBytes, vec::kRegisterBytes, step, blocks,
                                             4 * pattern.read, written);
  std::int64_t b = 0;
  for (; b < whole; ++b, from += step, to += written) store(to, arranged(load(from), places));
  const auto to_read = first(pattern.read), to_write = first(pattern.written);
  for (; b < blocks; ++b, from += step, to += written)
    store(to, arranged(load(from, to_read), places), to_write);
}

#endif

#if defined(LANEWISE_ISA_AVX512)

namespace {

/// Blocks that are read as `Count` registers.
template <int Count>
class LongBlocks {
 public:
  explicit LongBlocks(const LongBlockPattern& pattern)
      : pattern_(pattern), outputs_((pattern.written + kSize - 1) / kSize) {
    for (int j = 0; j < outputs_; ++j)
      for (int s = 1; s < kSources; ++s)
        chosen_[j][s] = _mm512_cmpeq_epi32_mask(_mm512_srli_epi32(places(j), 5), _mm512_set1_epi32(s));
  }

  void run(const char* from, std::int64_t step, char* to, std::int64_t blocks) const {
    const std::int64_t written = 4 * pattern_.written;
    const std::int64_t whole =
        whole_registers(Count * kBytes, outputs_ * kBytes, step, blocks, 4 * pattern_.read, written);
    std::int64_t b = 0;
    Units in[Count];
    for (; b < whole; ++b, from += step, to += written) {
      for (int k = 0; k < Count; ++k) in[k] = load(from + k * kBytes);
      for (int j = 0; j < outputs_; ++j) store(to + j * kBytes, output(in, j));
    }
    for (; b < blocks; ++b, from += step, to += written) {
      for (int k = 0; k < Count; ++k) in[k] = load(from + k * kBytes, first(units(pattern_.read, k)));
      for (int j = 0; j < outputs_; ++j)
        store(to + j * kBytes, output(in, j), first(units(pattern_.written, j)));
    }
  }

 private:
  static constexpr int kBytes = vec::kRegisterBytes, kSize = kBytes / 4;

  /// Those of `all` that are in register k.
  static LANEWISE_INLINE int units(int all, int k) {
    const int left = all - k * kSize;
    return left < 0 ? 0 : left < kSize ? left : kSize;
  }
  LANEWISE_INLINE Units places(int j) const { return load(pattern_.unit + j * kSize); }

  // One instruction takes units from two registers.
  static constexpr int kSources = Count / 2;
  static LANEWISE_INLINE Units taken(const Units* in, int s, Units places) {
    return _mm512_permutex2var_epi32(in[2 * s], places, in[2 * s + 1]);
  }
  LANEWISE_INLINE Units output(const Units* in, int j) const {
    const Units at = places(j);
    Units result = taken(in, 0, at);
    for (int s = 1; s < kSources; ++s)
      result = _mm512_mask_mov_epi32(result, chosen_[j][s], taken(in, s, at));
    return result;
  }

  const LongBlockPattern& pattern_;
  int outputs_;
  /// Of each register of the output what comes from each source but the first.
  __mmask16 chosen_[LongBlockPattern::kMostUnits / kSize][kSources];
};

}  // namespace

void arrange_long(const char* from, std::int64_t step, char* to, std::int64_t blocks,
                  const LongBlockPattern& pattern) noexcept {
  const int registers = (4 * pattern.read + vec::kRegisterBytes - 1) / vec::kRegisterBytes;
  registers <= 2   ? LongBlocks<2>(pattern).run(from, step, to, blocks)
  : registers <= 4 ? LongBlocks<4>(pattern).run(from, step, to, blocks)
                   : LongBlocks<8>(pattern).run(from, step, to, blocks);
}

#endif

}  // namespace lanewise::kernels::LANEWISE_ISA
