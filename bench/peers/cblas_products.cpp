// The cases of bench/cases/products.cpp for a BLAS, in memory that is allocated once: lanewise_bench_pair
// lanewise_bench cblas_bench --filter
// '^(mm|mv|dot|bmm)'. Threads as its environment says (OPENBLAS_NUM_THREADS).

#include <cstdint>
#include <random>
#include <vector>

#include <benchmark/benchmark.h>
#include <cblas.h>

namespace {

template <class T>
std::vector<T> uniform(int n) {
  std::mt19937 random(1);
  std::uniform_real_distribution<T> distribution(T(0.5), T(1.5));
  std::vector<T> values(static_cast<std::size_t>(n));
  for (T& x : values) x = distribution(random);
  return values;
}

struct Shape {
  int m, k, n;
  bool a_transposed = false, b_transposed = false;
};

void gemm(const Shape& s, const float* a, const float* b, float* c) {
  cblas_sgemm(CblasRowMajor, s.a_transposed ? CblasTrans : CblasNoTrans,
              s.b_transposed ? CblasTrans : CblasNoTrans, s.m, s.n, s.k, 1, a, s.a_transposed ? s.m : s.k, b,
              s.b_transposed ? s.k : s.n, 0, c, s.n);
}
void gemm(const Shape& s, const double* a, const double* b, double* c) {
  cblas_dgemm(CblasRowMajor, s.a_transposed ? CblasTrans : CblasNoTrans,
              s.b_transposed ? CblasTrans : CblasNoTrans, s.m, s.n, s.k, 1, a, s.a_transposed ? s.m : s.k, b,
              s.b_transposed ? s.k : s.n, 0, c, s.n);
}

template <class T>
void mm(benchmark::State& state, const Shape& s, int batch = 1) {
  const auto a = uniform<T>(batch * s.m * s.k), b = uniform<T>(batch * s.k * s.n);
  std::vector<T> c(static_cast<std::size_t>(batch * s.m * s.n));
  for (auto _ : state) {
    for (int i = 0; i < batch; ++i)
      gemm(s, a.data() + i * s.m * s.k, b.data() + i * s.k * s.n, c.data() + i * s.m * s.n);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * 2 * batch * s.m * std::int64_t{s.k} * s.n);
}
void mm_1024(benchmark::State& state) { mm<float>(state, {1024, 1024, 1024}); }
void mm_256(benchmark::State& state) { mm<float>(state, {256, 256, 256}); }
void mm_64x784x256(benchmark::State& state) { mm<float>(state, {64, 784, 256}); }
void mm_64x784x256_weights(benchmark::State& state) { mm<float>(state, {64, 784, 256, false, true}); }
void mm_784x64x256_gradient(benchmark::State& state) { mm<float>(state, {784, 64, 256, true, false}); }
void mm_1x64x8_weights(benchmark::State& state) { mm<float>(state, {1, 64, 8, false, true}); }
void mm_1x784x256(benchmark::State& state) { mm<float>(state, {1, 784, 256}); }
void mm_f64_512(benchmark::State& state) { mm<double>(state, {512, 512, 512}); }
BENCHMARK(mm_1024)->Unit(benchmark::kMicrosecond);
BENCHMARK(mm_256)->Unit(benchmark::kMicrosecond);
BENCHMARK(mm_64x784x256)->Unit(benchmark::kMicrosecond);
BENCHMARK(mm_64x784x256_weights)->Unit(benchmark::kMicrosecond);
BENCHMARK(mm_784x64x256_gradient)->Unit(benchmark::kMicrosecond);
BENCHMARK(mm_1x64x8_weights);
BENCHMARK(mm_1x784x256)->Unit(benchmark::kMicrosecond);
BENCHMARK(mm_f64_512)->Unit(benchmark::kMicrosecond);

void mv(benchmark::State& state, int n, CBLAS_TRANSPOSE transposed) {
  const auto a = uniform<float>(n * n), x = uniform<float>(n);
  std::vector<float> y(static_cast<std::size_t>(n));
  for (auto _ : state) {
    cblas_sgemv(CblasRowMajor, transposed, n, n, 1, a.data(), n, x.data(), 1, 0, y.data(), 1);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * n * std::int64_t{n} * 4);
}
void mv_4096(benchmark::State& state) { mv(state, 4096, CblasNoTrans); }
void mv_4096_transposed(benchmark::State& state) { mv(state, 4096, CblasTrans); }
void mv_1024(benchmark::State& state) { mv(state, 1024, CblasNoTrans); }
void mv_1024_transposed(benchmark::State& state) { mv(state, 1024, CblasTrans); }
BENCHMARK(mv_4096)->Unit(benchmark::kMicrosecond);
BENCHMARK(mv_4096_transposed)->Unit(benchmark::kMicrosecond);
BENCHMARK(mv_1024)->Unit(benchmark::kMicrosecond);
BENCHMARK(mv_1024_transposed)->Unit(benchmark::kMicrosecond);

void dot(benchmark::State& state) {
  const int n = static_cast<int>(state.range(0));
  const auto x = uniform<float>(n), y = uniform<float>(n);
  for (auto _ : state) benchmark::DoNotOptimize(cblas_sdot(n, x.data(), 1, y.data(), 1));
  state.SetBytesProcessed(state.iterations() * n * std::int64_t{8});
}
BENCHMARK(dot)->Arg(1 << 8)->Arg(1 << 14)->Arg(1 << 24);

void bmm(benchmark::State& state) {
  const int n = static_cast<int>(state.range(1));
  mm<float>(state, {n, n, n}, static_cast<int>(state.range(0)));
}
BENCHMARK(bmm)->Args({4096, 8})->Args({512, 32})->Args({64, 64})->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();
