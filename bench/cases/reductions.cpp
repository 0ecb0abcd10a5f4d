// Reductions over everything, over the inner, a middle and the outer dimension.

#include <cmath>

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

/// One line of a tensor [outer, n, inner] along its middle dimension.
struct Line {
  const float* x;
  std::int64_t n, step;
  double operator[](std::int64_t k) const { return double{x[k * step]}; }
  std::int64_t largest() const {
    std::int64_t at = 0;
    for (std::int64_t k = 1; k < n; ++k) at = (*this)[k] > (*this)[at] ? k : at;
    return at;
  }
  template <class F>
  double sum(std::int64_t count, F f) const {
    double total = 0;
    for (std::int64_t k = 0; k < count; ++k) total += f((*this)[k]);
    return total;
  }
};

// What is timed, and what element k of its result along a line must be.
struct Sum {
  static lib::Tensor of(const lib::Tensor& a, std::int64_t dim) { return lib::sum(a, {dim}); }
  static double want(const Line& line, std::int64_t) {
    return line.sum(line.n, [](double x) { return x; });
  }
};
struct Amax {
  static lib::Tensor of(const lib::Tensor& a, std::int64_t dim) { return lib::amax(a, {dim}); }
  static double want(const Line& line, std::int64_t) { return line[line.largest()]; }
};
struct Argmax {
  static lib::Tensor of(const lib::Tensor& a, std::int64_t dim) { return lib::argmax(a, dim); }
  static double want(const Line& line, std::int64_t) { return static_cast<double>(line.largest()); }
};
struct Max {
  static lib::Tensor of(const lib::Tensor& a, std::int64_t dim) {
    return std::get<0>(lib::max(a, dim, false));
  }
  static double want(const Line& line, std::int64_t) { return line[line.largest()]; }
};
struct Var {
  static lib::Tensor of(const lib::Tensor& a, std::int64_t dim) {
    return lib::var(a, lib::IntArrayRef(dim), true, false);
  }
  static double want(const Line& line, std::int64_t) {
    const auto n = static_cast<double>(line.n);
    const double mean = Sum::want(line, 0) / n;
    return line.sum(line.n, [&](double x) { return (x - mean) * (x - mean); }) / (n - 1);
  }
};
struct Norm {
  static lib::Tensor of(const lib::Tensor& a, std::int64_t dim) {
    return lib::linalg_vector_norm(a, 2, lib::IntArrayRef(dim));
  }
  static double want(const Line& line, std::int64_t) {
    return std::sqrt(line.sum(line.n, [](double x) { return x * x; }));
  }
};
struct Cumsum {
  static lib::Tensor of(const lib::Tensor& a, std::int64_t dim) { return lib::cumsum(a, dim); }
  static double want(const Line& line, std::int64_t k) {
    return line.sum(k + 1, [](double x) { return x; });
  }
};
struct Softmax {
  static lib::Tensor of(const lib::Tensor& a, std::int64_t dim) { return lib::softmax(a, dim); }
  static double want(const Line& line, std::int64_t k) {
    return std::exp(line[k]) / line.sum(line.n, [](double x) { return std::exp(x); });
  }
};

/// Over the middle dimension of [outer, n, inner]; of a matrix if one of the others is 1.
template <class Op>
void over(benchmark::State& state, std::int64_t outer, std::int64_t n, std::int64_t inner) {
  const lib::Tensor a = outer == 1   ? bench::uniform({n, inner})
                        : inner == 1 ? bench::uniform({outer, n})
                                     : bench::uniform({outer, n, inner});
  const std::int64_t dim = outer == 1 ? 0 : 1;
  const float* x = bench::floats(a);
  const bool scans = Op::of(a, dim).numel() == a.numel();
  const auto want = [&](std::int64_t i) {
    const std::int64_t column = i % inner, k = scans ? i / inner % n : 0, batch = i / inner / (scans ? n : 1);
    return Op::want(Line{x + batch * n * inner + column, n, inner}, k);
  };
  if (!bench::verify(state, Op::of(a, dim), want, 1e-4)) return;
  bench::time(state, a.numel(), 4 * a.numel(), [&] { benchmark::DoNotOptimize(Op::of(a, dim)); });
}

void reduce_sum_inner(benchmark::State& state) { over<Sum>(state, 1024, 1024, 1); }
void reduce_sum_middle(benchmark::State& state) { over<Sum>(state, 64, 512, 512); }
void reduce_sum_outer(benchmark::State& state) { over<Sum>(state, 1, 1024, 1024); }
void reduce_sum_inner10(benchmark::State& state) { over<Sum>(state, 1 << 16, 10, 1); }
void reduce_amax_inner(benchmark::State& state) { over<Amax>(state, 1024, 1024, 1); }
void reduce_amax_middle(benchmark::State& state) { over<Amax>(state, 64, 512, 512); }
void reduce_amax_outer(benchmark::State& state) { over<Amax>(state, 1, 1024, 1024); }
void reduce_argmax_inner(benchmark::State& state) { over<Argmax>(state, 1024, 1024, 1); }
void reduce_argmax_middle(benchmark::State& state) { over<Argmax>(state, 64, 512, 512); }
void reduce_argmax_inner10(benchmark::State& state) { over<Argmax>(state, 1 << 16, 10, 1); }
void reduce_max_outer(benchmark::State& state) { over<Max>(state, 1, 4096, 4096); }
void reduce_var_inner(benchmark::State& state) { over<Var>(state, 4096, 4096, 1); }
void reduce_var_middle(benchmark::State& state) { over<Var>(state, 64, 512, 512); }
void reduce_var_outer(benchmark::State& state) { over<Var>(state, 1, 4096, 4096); }
void reduce_norm_inner(benchmark::State& state) { over<Norm>(state, 4096, 4096, 1); }
void reduce_norm_outer(benchmark::State& state) { over<Norm>(state, 1, 4096, 4096); }
// Reads and writes 4 B an element; counted are those read.
void cumsum_inner(benchmark::State& state) { over<Cumsum>(state, 4096, 4096, 1); }
void cumsum_middle(benchmark::State& state) { over<Cumsum>(state, 64, 512, 512); }
void cumsum_outer(benchmark::State& state) { over<Cumsum>(state, 1, 4096, 4096); }
void cumsum_one(benchmark::State& state) { over<Cumsum>(state, 1, 1 << 22, 1); }
void softmax_inner(benchmark::State& state) { over<Softmax>(state, 1024, 1024, 1); }
void softmax_inner_large(benchmark::State& state) { over<Softmax>(state, 4096, 4096, 1); }
void softmax_middle(benchmark::State& state) { over<Softmax>(state, 64, 512, 512); }
void softmax_outer(benchmark::State& state) { over<Softmax>(state, 1, 4096, 4096); }
void softmax_inner10(benchmark::State& state) { over<Softmax>(state, 1 << 16, 10, 1); }
BENCHMARK(reduce_sum_inner)->Unit(benchmark::kMicrosecond);
BENCHMARK(reduce_sum_middle)->Unit(benchmark::kMicrosecond);
BENCHMARK(reduce_sum_outer)->Unit(benchmark::kMicrosecond);
BENCHMARK(reduce_sum_inner10)->Unit(benchmark::kMicrosecond);
BENCHMARK(reduce_amax_inner)->Unit(benchmark::kMicrosecond);
BENCHMARK(reduce_amax_middle)->Unit(benchmark::kMicrosecond);
BENCHMARK(reduce_amax_outer)->Unit(benchmark::kMicrosecond);
BENCHMARK(reduce_argmax_inner)->Unit(benchmark::kMicrosecond);
BENCHMARK(reduce_argmax_middle)->Unit(benchmark::kMicrosecond);
BENCHMARK(reduce_argmax_inner10)->Unit(benchmark::kMicrosecond);
BENCHMARK(reduce_max_outer)->Unit(benchmark::kMicrosecond);
BENCHMARK(reduce_var_inner)->Unit(benchmark::kMicrosecond);
BENCHMARK(reduce_var_middle)->Unit(benchmark::kMicrosecond);
BENCHMARK(reduce_var_outer)->Unit(benchmark::kMicrosecond);
BENCHMARK(reduce_norm_inner)->Unit(benchmark::kMicrosecond);
BENCHMARK(reduce_norm_outer)->Unit(benchmark::kMicrosecond);
BENCHMARK(cumsum_inner)->Unit(benchmark::kMicrosecond);
BENCHMARK(cumsum_middle)->Unit(benchmark::kMicrosecond);
BENCHMARK(cumsum_outer)->Unit(benchmark::kMicrosecond);
BENCHMARK(cumsum_one)->Unit(benchmark::kMicrosecond);
BENCHMARK(softmax_inner)->Unit(benchmark::kMicrosecond);
BENCHMARK(softmax_inner_large)->Unit(benchmark::kMicrosecond);
BENCHMARK(softmax_middle)->Unit(benchmark::kMicrosecond);
BENCHMARK(softmax_outer)->Unit(benchmark::kMicrosecond);
BENCHMARK(softmax_inner10)->Unit(benchmark::kMicrosecond);

}  // namespace
