// What this machine can do at the best, measured with plain loops that use no code of the library: one core's
// copy and triad bandwidth with the working set in L1, L2, L3 and memory, as STREAM does it. The yardstick
// for every GB/s of the other cases. Source: J. McCalpin, "Memory bandwidth and machine balance in current
// high performance computers" (1995).

#include <cstdint>
#include <vector>

#include <benchmark/benchmark.h>

#if defined(__x86_64__)
#define EACH_VECTOR_WIDTH __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define EACH_VECTOR_WIDTH __attribute__((noinline))
#endif

namespace {

EACH_VECTOR_WIDTH void copy(float* a, const float* b, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) a[i] = b[i] + 0.0F;  // the addition keeps it a loop, not memcpy
}

EACH_VECTOR_WIDTH void triad(float* a, const float* b, const float* c, float s, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) a[i] = b[i] + s * c[i];
}

void machine_copy(benchmark::State& state) {
  const std::int64_t n = state.range(0);
  std::vector<float> a(static_cast<std::size_t>(n)), b(static_cast<std::size_t>(n), 1.0F);
  for (auto _ : state) {
    copy(a.data(), b.data(), n);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * n * 8);
}

void machine_triad(benchmark::State& state) {
  const std::int64_t n = state.range(0);
  std::vector<float> a(static_cast<std::size_t>(n)), b(static_cast<std::size_t>(n), 1.0F),
      c(static_cast<std::size_t>(n), 2.0F);
  for (auto _ : state) {
    triad(a.data(), b.data(), c.data(), 3.0F, n);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * n * 12);
}

// 12 to 24 KiB (L1), 384 to 768 KiB (L2), 6 to 12 MiB (L3), 128 to 192 MiB (memory).
void levels(benchmark::internal::Benchmark* b) {
  for (const std::int64_t n :
       {std::int64_t{1} << 11, std::int64_t{1} << 16, std::int64_t{1} << 20, std::int64_t{1} << 24})
    b->Arg(n);
}
BENCHMARK(machine_copy)->Apply(levels);
BENCHMARK(machine_triad)->Apply(levels);

}  // namespace
