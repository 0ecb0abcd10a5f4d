// Reductions over everything, over the inner and over the outer dimension.

#include "support.h"

namespace {

void reduce_sum_all(benchmark::State& state) {
  const std::int64_t n = state.range(0);
  const lib::Tensor a = bench::uniform({n});
  double want = 0;
  for (std::int64_t i = 0; i < n; ++i) want += double{bench::floats(a)[i]};
  if (!bench::verify(
          state, lib::sum(a), [&](std::int64_t) { return want; }, 1e-4))
    return;
  bench::time(state, n, 4 * n, [&] { benchmark::DoNotOptimize(lib::sum(a)); });
}
BENCHMARK(reduce_sum_all)->Arg(1 << 14)->Arg(1 << 18)->Arg(1 << 24);

// Good: 80 % of this machine's read bandwidth.
void reduce_sum_of(benchmark::State& state, lib::ScalarType dtype, std::int64_t bytes) {
  constexpr std::int64_t kElements = 1 << 24;
  const lib::Tensor a = (bench::uniform({kElements}) * 100).to(dtype);
  benchmark::DoNotOptimize(lib::sum(a));
  bench::time(state, kElements, bytes * kElements, [&] { benchmark::DoNotOptimize(lib::sum(a)); });
}
void reduce_sum_int32(benchmark::State& state) { reduce_sum_of(state, lib::kInt, 4); }
void reduce_sum_uint8(benchmark::State& state) { reduce_sum_of(state, lib::kByte, 1); }
void reduce_sum_bool(benchmark::State& state) { reduce_sum_of(state, lib::kBool, 1); }
BENCHMARK(reduce_sum_int32)->Unit(benchmark::kMicrosecond);
BENCHMARK(reduce_sum_uint8)->Unit(benchmark::kMicrosecond);
BENCHMARK(reduce_sum_bool)->Unit(benchmark::kMicrosecond);

// [64, 128, 1000] over a set of dims, and all of a transposed matrix.
void reduce_sum_0_2(benchmark::State& state) {
  const lib::Tensor a = bench::uniform({64, 128, 1000});
  bench::time(state, a.numel(), 4 * a.numel(), [&] {
    benchmark::DoNotOptimize(lib::sum(a, lib::IntArrayRef({0, 2})));
  });
}
void reduce_sum_transposed(benchmark::State& state) {
  const lib::Tensor a = bench::uniform({4096, 4096}).t();
  bench::time(state, a.numel(), 4 * a.numel(), [&] { benchmark::DoNotOptimize(lib::sum(a)); });
}
BENCHMARK(reduce_sum_0_2)->Unit(benchmark::kMicrosecond);
BENCHMARK(reduce_sum_transposed)->Unit(benchmark::kMicrosecond);

template <class Op>
void over_dim(benchmark::State& state, std::int64_t rows, std::int64_t cols, std::int64_t dim, Op op) {
  const lib::Tensor a = bench::uniform({rows, cols});
  const float* x = bench::floats(a);
  const bool inner = dim == 1;
  const auto want = [&](std::int64_t i) {
    double sum = 0;
    const std::int64_t n = inner ? cols : rows;
    for (std::int64_t k = 0; k < n; ++k) sum += double{inner ? x[i * cols + k] : x[k * cols + i]};
    return sum;
  };
  if (!bench::verify(state, lib::sum(a, {dim}), want, 1e-4)) return;
  bench::time(state, rows * cols, 4 * rows * cols, [&] { benchmark::DoNotOptimize(op(a, dim)); });
}

constexpr auto kSum = [](const lib::Tensor& a, std::int64_t dim) { return lib::sum(a, {dim}); };
constexpr auto kAmax = [](const lib::Tensor& a, std::int64_t dim) { return lib::amax(a, {dim}); };
constexpr auto kArgmax = [](const lib::Tensor& a, std::int64_t dim) { return lib::argmax(a, dim); };
constexpr auto kMax = [](const lib::Tensor& a, std::int64_t dim) { return lib::max(a, dim, false); };
constexpr auto kVar = [](const lib::Tensor& a, std::int64_t dim) {
  return lib::var(a, lib::IntArrayRef(dim), true, false);
};
constexpr auto kNorm = [](const lib::Tensor& a, std::int64_t dim) {
  return lib::linalg_vector_norm(a, 2, lib::IntArrayRef(dim));
};
constexpr auto kCumsum = [](const lib::Tensor& a, std::int64_t dim) { return lib::cumsum(a, dim); };
constexpr auto kSoftmax = [](const lib::Tensor& a, std::int64_t dim) { return lib::softmax(a, dim); };

void reduce_sum_inner(benchmark::State& state) { over_dim(state, 1024, 1024, 1, kSum); }
void reduce_sum_outer(benchmark::State& state) { over_dim(state, 1024, 1024, 0, kSum); }
void reduce_sum_inner10(benchmark::State& state) { over_dim(state, 1 << 16, 10, 1, kSum); }
void reduce_amax_inner(benchmark::State& state) { over_dim(state, 1024, 1024, 1, kAmax); }
void reduce_amax_outer(benchmark::State& state) { over_dim(state, 1024, 1024, 0, kAmax); }
void reduce_argmax_inner(benchmark::State& state) { over_dim(state, 1024, 1024, 1, kArgmax); }
void reduce_argmax_inner10(benchmark::State& state) { over_dim(state, 1 << 16, 10, 1, kArgmax); }
void reduce_max_outer(benchmark::State& state) { over_dim(state, 4096, 4096, 0, kMax); }
void reduce_var_inner(benchmark::State& state) { over_dim(state, 4096, 4096, 1, kVar); }
void reduce_var_outer(benchmark::State& state) { over_dim(state, 4096, 4096, 0, kVar); }
void reduce_norm_inner(benchmark::State& state) { over_dim(state, 4096, 4096, 1, kNorm); }
void reduce_norm_outer(benchmark::State& state) { over_dim(state, 4096, 4096, 0, kNorm); }
// Reads and writes 4 B an element; counted are those read.
void cumsum_inner(benchmark::State& state) { over_dim(state, 4096, 4096, 1, kCumsum); }
void cumsum_outer(benchmark::State& state) { over_dim(state, 4096, 4096, 0, kCumsum); }
void cumsum_one(benchmark::State& state) { over_dim(state, 1, 1 << 22, 1, kCumsum); }
void softmax_outer(benchmark::State& state) { over_dim(state, 4096, 4096, 0, kSoftmax); }
void softmax_inner(benchmark::State& state) { over_dim(state, 1024, 1024, 1, kSoftmax); }
void softmax_inner10(benchmark::State& state) { over_dim(state, 1 << 16, 10, 1, kSoftmax); }
BENCHMARK(reduce_sum_inner)->Unit(benchmark::kMicrosecond);
BENCHMARK(reduce_sum_outer)->Unit(benchmark::kMicrosecond);
BENCHMARK(reduce_sum_inner10)->Unit(benchmark::kMicrosecond);
BENCHMARK(reduce_amax_inner)->Unit(benchmark::kMicrosecond);
BENCHMARK(reduce_amax_outer)->Unit(benchmark::kMicrosecond);
BENCHMARK(reduce_argmax_inner)->Unit(benchmark::kMicrosecond);
BENCHMARK(reduce_argmax_inner10)->Unit(benchmark::kMicrosecond);
BENCHMARK(reduce_max_outer)->Unit(benchmark::kMicrosecond);
BENCHMARK(reduce_var_inner)->Unit(benchmark::kMicrosecond);
BENCHMARK(reduce_var_outer)->Unit(benchmark::kMicrosecond);
BENCHMARK(reduce_norm_inner)->Unit(benchmark::kMicrosecond);
BENCHMARK(reduce_norm_outer)->Unit(benchmark::kMicrosecond);
BENCHMARK(cumsum_inner)->Unit(benchmark::kMicrosecond);
BENCHMARK(cumsum_outer)->Unit(benchmark::kMicrosecond);
BENCHMARK(cumsum_one)->Unit(benchmark::kMicrosecond);
BENCHMARK(softmax_outer)->Unit(benchmark::kMicrosecond);
BENCHMARK(softmax_inner)->Unit(benchmark::kMicrosecond);
BENCHMARK(softmax_inner10)->Unit(benchmark::kMicrosecond);

}  // namespace
