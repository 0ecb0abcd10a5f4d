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

struct Case {
  const char* name;
  void (*run)(benchmark::State&, std::int64_t outer, std::int64_t n, std::int64_t inner);
  std::int64_t outer, n, inner;
};
// cumsum and softmax read and write 4 B an element; counted are those read.
constexpr Case kCases[] = {
    {"reduce_sum_inner", over<Sum>, 1024, 1024, 1},
    {"reduce_sum_middle", over<Sum>, 64, 512, 512},
    {"reduce_sum_outer", over<Sum>, 1, 1024, 1024},
    {"reduce_sum_outer_large", over<Sum>, 1, 4096, 4096},
    {"reduce_sum_inner10", over<Sum>, 1 << 16, 10, 1},
    {"reduce_sum_inner64", over<Sum>, 1 << 18, 64, 1},
    {"reduce_amax_inner64", over<Amax>, 1 << 18, 64, 1},
    {"reduce_argmax_inner64", over<Argmax>, 1 << 18, 64, 1},
    {"reduce_var_inner64", over<Var>, 1 << 18, 64, 1},
    {"reduce_var_inner10", over<Var>, 1 << 20, 10, 1},
    {"reduce_amax_inner", over<Amax>, 1024, 1024, 1},
    {"reduce_amax_middle", over<Amax>, 64, 512, 512},
    {"reduce_amax_outer", over<Amax>, 1, 1024, 1024},
    {"reduce_amax_outer_large", over<Amax>, 1, 4096, 4096},
    {"reduce_argmax_inner", over<Argmax>, 1024, 1024, 1},
    {"reduce_argmax_middle", over<Argmax>, 64, 512, 512},
    {"reduce_argmax_inner10", over<Argmax>, 1 << 16, 10, 1},
    {"reduce_max_outer", over<Max>, 1, 4096, 4096},
    {"reduce_var_inner", over<Var>, 4096, 4096, 1},
    {"reduce_var_middle", over<Var>, 64, 512, 512},
    {"reduce_var_outer", over<Var>, 1, 4096, 4096},
    {"reduce_norm_inner", over<Norm>, 4096, 4096, 1},
    {"reduce_norm_outer", over<Norm>, 1, 4096, 4096},
    {"cumsum_inner", over<Cumsum>, 4096, 4096, 1},
    {"cumsum_middle", over<Cumsum>, 64, 512, 512},
    {"cumsum_outer", over<Cumsum>, 1, 4096, 4096},
    {"cumsum_one", over<Cumsum>, 1, 1 << 22, 1},
    {"softmax_inner", over<Softmax>, 1024, 1024, 1},
    {"softmax_inner_large", over<Softmax>, 4096, 4096, 1},
    {"softmax_middle", over<Softmax>, 64, 512, 512},
    {"softmax_outer", over<Softmax>, 1, 4096, 4096},
    {"softmax_inner10", over<Softmax>, 1 << 16, 10, 1},
};
[[maybe_unused]] const bool kRegistered = [] {
  for (const Case& c : kCases) {
    benchmark::RegisterBenchmark(c.name, c.run, c.outer, c.n, c.inner)->Unit(benchmark::kMicrosecond);
  }
  return true;
}();

}  // namespace
