#include <cstdint>

#include "bench/limits.h"

// One loop text for every tier: GNU vectors of the tier's width in functions compiled for it. The chains are
// many enough to keep two units of four cycles' latency busy; results are kept where the compiler cannot drop
// them.
#define LANEWISE_LIMIT_LOOPS(tier, attribute, bytes, chains, fma_ps, fma_pd, stream)    \
  namespace tier {                                                                      \
  typedef float Floats __attribute__((vector_size(bytes)));                             \
  typedef double Doubles __attribute__((vector_size(bytes)));                           \
  LANEWISE_LIMIT_TRIAD(triad, attribute, bytes, LANEWISE_STORE, static_cast<void>(0))   \
  LANEWISE_LIMIT_TRIAD(triad_past_cache, attribute, bytes, stream, LANEWISE_FENCE)      \
  LANEWISE_LIMIT_ARITHMETIC(floats, Floats, float, attribute, bytes, chains, fma_ps)    \
  LANEWISE_LIMIT_ARITHMETIC(doubles, Doubles, double, attribute, bytes, chains, fma_pd) \
  constexpr LimitLoops loops{&triad, &triad_past_cache, &floats, &doubles};             \
  }

#define LANEWISE_STORE(to, value) *reinterpret_cast<decltype(value)*>(to) = value
#define LANEWISE_LIMIT_TRIAD(name, attribute, bytes, store, fence)                                    \
  attribute void name(float* a, const float* b, const float* c, std::int64_t n) {                     \
    constexpr std::int64_t kStep = (bytes) / 4;                                                       \
    for (std::int64_t i = 0; i < n; i += 4 * kStep) {                                                 \
      for (std::int64_t j = i; j < i + 4 * kStep; j += kStep) {                                       \
        Floats sum =                                                                                  \
            *reinterpret_cast<const Floats*>(b + j) + 3.0F * *reinterpret_cast<const Floats*>(c + j); \
        store(a + j, sum);                                                                            \
      }                                                                                               \
    }                                                                                                 \
    fence;                                                                                            \
  }

#define LANEWISE_LIMIT_ARITHMETIC(name, Vector, Element, attribute, bytes, chains, fma) \
  attribute double name(std::int64_t rounds) {                                          \
    Vector sum[chains];                                                                 \
    Vector x, y;                                                                        \
    for (std::size_t i = 0; i < (bytes) / sizeof(Element); ++i) {                       \
      x[i] = Element(0.999);                                                            \
      y[i] = Element(0.001);                                                            \
    }                                                                                   \
    for (Vector & s : sum) s = y;                                                       \
    asm volatile("" : LANEWISE_IN_REGISTER(x), LANEWISE_IN_REGISTER(y));                \
    for (std::int64_t r = 0; r < rounds; ++r) {                                         \
      for (Vector & s : sum) s = fma(s, x, y);                                          \
    }                                                                                   \
    for (Vector & s : sum) asm volatile("" : LANEWISE_IN_REGISTER(s));                  \
    return 2.0 * (chains) * ((bytes) / sizeof(Element)) * static_cast<double>(rounds);  \
  }

#if defined(__x86_64__)

#include <immintrin.h>

#define LANEWISE_IN_REGISTER(v) "+v"(v)
#define LANEWISE_FENCE _mm_sfence()
// In the sections of the library's own tiers, where `lanewise verify-isa` expects such code.
#define LANEWISE_TARGET(features, tier) \
  __attribute__((target(features), noinline, section(".lanewise.text." tier)))
#define LANEWISE_MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))

namespace lanewise::tools {
namespace {
LANEWISE_LIMIT_LOOPS(sse4_2_tier, LANEWISE_TARGET("sse4.2", "sse4_2"), 16, 12, LANEWISE_MULTIPLY_ADD,
                     LANEWISE_MULTIPLY_ADD, _mm_stream_ps)
LANEWISE_LIMIT_LOOPS(avx2_tier, LANEWISE_TARGET("avx2,fma", "avx2"), 32, 12, _mm256_fmadd_ps, _mm256_fmadd_pd,
                     _mm256_stream_ps)
LANEWISE_LIMIT_LOOPS(avx512_tier, LANEWISE_TARGET("avx512f", "avx512"), 64, 16, _mm512_fmadd_ps,
                     _mm512_fmadd_pd, _mm512_stream_ps)
}  // namespace

LimitLoops limit_loops(Isa isa) {
  return isa == Isa::avx512 ? avx512_tier::loops : isa == Isa::avx2 ? avx2_tier::loops : sse4_2_tier::loops;
}
}  // namespace lanewise::tools

#else

#include <arm_neon.h>

#define LANEWISE_IN_REGISTER(v) "+w"(v)
#define LANEWISE_FENCE static_cast<void>(0)
#define LANEWISE_NEON_FMA_PS(a, b, c) reinterpret_cast<Floats>(vfmaq_f32(c, a, b))
#define LANEWISE_NEON_FMA_PD(a, b, c) reinterpret_cast<Doubles>(vfmaq_f64(c, a, b))

namespace lanewise::tools {
namespace {
LANEWISE_LIMIT_LOOPS(neon_tier, __attribute__((noinline)), 16, 16, LANEWISE_NEON_FMA_PS, LANEWISE_NEON_FMA_PD,
                     LANEWISE_STORE)
}  // namespace

LimitLoops limit_loops(Isa) { return neon_tier::loops; }
}  // namespace lanewise::tools

#endif
