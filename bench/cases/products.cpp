// Products of matrices and vectors. Items are floating-point operations, so items/s is FLOP/s; where the
// matrix is read once, bytes say how fast. bench/peers/cblas_products.cpp has the same cases for a BLAS.

#include <cmath>

#include "support.h"

namespace {

/// Element i of the product of contiguous or transposed float matrices, in double.
struct Product {
  lib::Tensor a, b;
  std::int64_t k, n;

  Product(const lib::Tensor& left, const lib::Tensor& right)
      : a(left.to(lib::kFloat).contiguous()),
        b(right.to(lib::kFloat).contiguous()),
        k(a.size(-1)),
        n(b.size(-1)) {}
  double operator()(std::int64_t i) const {
    double sum = 0;
    for (std::int64_t p = 0; p < k; ++p)
      sum += double{bench::floats(a)[i / n * k + p]} * bench::floats(b)[p * n + i % n];
    return sum;
  }
};

void mm(benchmark::State& state, const lib::Tensor& a, const lib::Tensor& b) {
  if (!bench::verify(state, lib::mm(a, b), Product(a, b), 1e-4)) return;
  bench::time(state, a.size(0) * b.size(1) * a.size(1) * 2, 0,
              [&] { benchmark::DoNotOptimize(lib::mm(a, b)); });
}
void mm_1024(benchmark::State& state) {
  mm(state, bench::uniform({1024, 1024}), bench::uniform({1024, 1024}));
}
void mm_256(benchmark::State& state) { mm(state, bench::uniform({256, 256}), bench::uniform({256, 256})); }
void mm_64x784x256(benchmark::State& state) {
  mm(state, bench::uniform({64, 784}), bench::uniform({784, 256}));
}
void mm_64x784x256_weights(benchmark::State& state) {
  mm(state, bench::uniform({64, 784}), bench::uniform({256, 784}).t());
}
void mm_784x64x256_gradient(benchmark::State& state) {
  mm(state, bench::uniform({64, 784}).t(), bench::uniform({64, 256}));
}
void mm_1x64x8_weights(benchmark::State& state) {
  mm(state, bench::uniform({1, 64}), bench::uniform({8, 64}).t());
}
void mm_1x784x256(benchmark::State& state) {
  mm(state, bench::uniform({1, 784}), bench::uniform({784, 256}));
}
void mm_f64_512(benchmark::State& state) {
  mm(state, bench::uniform({512, 512}).to(lib::kDouble), bench::uniform({512, 512}).to(lib::kDouble));
}
BENCHMARK(mm_1024)->Unit(benchmark::kMicrosecond);
BENCHMARK(mm_256)->Unit(benchmark::kMicrosecond);
BENCHMARK(mm_64x784x256)->Unit(benchmark::kMicrosecond);
BENCHMARK(mm_64x784x256_weights)->Unit(benchmark::kMicrosecond);
BENCHMARK(mm_784x64x256_gradient)->Unit(benchmark::kMicrosecond);
BENCHMARK(mm_1x64x8_weights);
BENCHMARK(mm_1x784x256)->Unit(benchmark::kMicrosecond);
BENCHMARK(mm_f64_512)->Unit(benchmark::kMicrosecond);

// Good: the bandwidth of a sum over the matrix (reduce_sum_all).
void mv(benchmark::State& state, const lib::Tensor& a) {
  const lib::Tensor x = bench::uniform({a.size(1)});
  if (!bench::verify(state, lib::mv(a, x), Product(a, x.unsqueeze(1)), 1e-4)) return;
  bench::time(state, a.numel() * 2, a.numel() * 4, [&] { benchmark::DoNotOptimize(lib::mv(a, x)); });
}
void mv_4096(benchmark::State& state) { mv(state, bench::uniform({4096, 4096})); }
void mv_4096_transposed(benchmark::State& state) { mv(state, bench::uniform({4096, 4096}).t()); }
void mv_1024(benchmark::State& state) { mv(state, bench::uniform({1024, 1024})); }
void mv_1024_transposed(benchmark::State& state) { mv(state, bench::uniform({1024, 1024}).t()); }
BENCHMARK(mv_4096)->Unit(benchmark::kMicrosecond);
BENCHMARK(mv_4096_transposed)->Unit(benchmark::kMicrosecond);
BENCHMARK(mv_1024)->Unit(benchmark::kMicrosecond);
BENCHMARK(mv_1024_transposed)->Unit(benchmark::kMicrosecond);

void dot(benchmark::State& state) {
  const std::int64_t n = state.range(0);
  const lib::Tensor x = bench::uniform({n}), y = bench::uniform({n});
  // The products cancel, while the roundings of a plain sum add up.
  const double tolerance = 1e-4 + 1e-5 * std::sqrt(static_cast<double>(n));
  if (!bench::verify(state, lib::dot(x, y), Product(x.unsqueeze(0), y.unsqueeze(1)), tolerance)) return;
  bench::time(state, n * 2, n * 8, [&] { benchmark::DoNotOptimize(lib::dot(x, y)); });
}
BENCHMARK(dot)->Arg(1 << 8)->Arg(1 << 14)->Arg(1 << 24);

void bmm(benchmark::State& state) {
  const std::int64_t batch = state.range(0), n = state.range(1);
  const lib::Tensor a = bench::uniform({batch, n, n}), b = bench::uniform({batch, n, n});
  if (!bench::verify(state, lib::bmm(a, b)[0], Product(a[0], b[0]), 1e-4)) return;
  bench::time(state, batch * n * n * n * 2, 0, [&] { benchmark::DoNotOptimize(lib::bmm(a, b)); });
}
BENCHMARK(bmm)->Args({4096, 8})->Args({512, 32})->Args({64, 64})->Unit(benchmark::kMicrosecond);

}  // namespace
