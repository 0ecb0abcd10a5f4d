// What one call costs when there is next to nothing to compute: 1 to 64 elements, result allocated by the op.

#include "support.h"

namespace {

void overhead_add(benchmark::State& state) {
  const std::int64_t n = state.range(0);
  const lib::Tensor a = bench::uniform({n}), b = bench::uniform({n});
  const float *x = bench::floats(a), *y = bench::floats(b);
  if (!bench::verify(state, lib::add(a, b), [&](std::int64_t i) { return double{x[i]} + y[i]; })) return;
  bench::time(state, n, 12 * n, [&] { benchmark::DoNotOptimize(lib::add(a, b)); });
}
BENCHMARK(overhead_add)->Arg(1)->Arg(8)->Arg(64);

void overhead_add_scalar(benchmark::State& state) {
  const std::int64_t n = state.range(0);
  const lib::Tensor a = bench::uniform({n});
  const float* x = bench::floats(a);
  if (!bench::verify(state, lib::add(a, 2), [&](std::int64_t i) { return double{x[i]} + 2; })) return;
  bench::time(state, n, 8 * n, [&] { benchmark::DoNotOptimize(lib::add(a, 2)); });
}
BENCHMARK(overhead_add_scalar)->Arg(1)->Arg(64);

void overhead_add_out(benchmark::State& state) {
  const std::int64_t n = state.range(0);
  const lib::Tensor a = bench::uniform({n}), b = bench::uniform({n});
  lib::Tensor out = lib::empty_like(a);
  const float *x = bench::floats(a), *y = bench::floats(b);
  lib::add_out(out, a, b);
  if (!bench::verify(state, out, [&](std::int64_t i) { return double{x[i]} + y[i]; })) return;
  bench::time(state, n, 12 * n, [&] { benchmark::DoNotOptimize(lib::add_out(out, a, b)); });
}
BENCHMARK(overhead_add_out)->Arg(1)->Arg(64);

void overhead_add_broadcast(benchmark::State& state) {
  const lib::Tensor a = bench::uniform({8, 8}), b = bench::uniform({8});
  const float *x = bench::floats(a), *y = bench::floats(b);
  if (!bench::verify(state, lib::add(a, b), [&](std::int64_t i) { return double{x[i]} + y[i % 8]; })) return;
  bench::time(state, 64, 0, [&] { benchmark::DoNotOptimize(lib::add(a, b)); });
}
BENCHMARK(overhead_add_broadcast);

void overhead_add_every_second(benchmark::State& state) {
  const lib::Tensor whole = bench::uniform({128}), a = whole.slice(0, 0, 128, 2),
                    b = whole.slice(0, 1, 128, 2);
  const float* x = bench::floats(whole);
  if (!bench::verify(state, lib::add(a, b), [&](std::int64_t i) { return double{x[2 * i]} + x[2 * i + 1]; }))
    return;
  bench::time(state, 64, 0, [&] { benchmark::DoNotOptimize(lib::add(a, b)); });
}
BENCHMARK(overhead_add_every_second);

void overhead_mul_column_in_place(benchmark::State& state) {
  lib::Tensor a = bench::uniform({8, 8});
  const lib::Tensor column = lib::ones({8, 1});
  bench::time(state, 64, 0, [&] { benchmark::DoNotOptimize(a.mul_(column)); });
}
BENCHMARK(overhead_mul_column_in_place);

void overhead_exp(benchmark::State& state) {
  const std::int64_t n = state.range(0);
  const lib::Tensor a = bench::uniform({n});
  const float* x = bench::floats(a);
  if (!bench::verify(state, lib::exp(a), [&](std::int64_t i) { return std::exp(double{x[i]}); })) return;
  bench::time(state, n, 8 * n, [&] { benchmark::DoNotOptimize(lib::exp(a)); });
}
BENCHMARK(overhead_exp)->Arg(1)->Arg(64);

void overhead_sum(benchmark::State& state) {
  const std::int64_t n = state.range(0);
  const lib::Tensor a = bench::uniform({n});
  double want = 0;
  for (std::int64_t i = 0; i < n; ++i) want += double{bench::floats(a)[i]};
  if (!bench::verify(state, lib::sum(a), [&](std::int64_t) { return want; })) return;
  bench::time(state, n, 4 * n, [&] { benchmark::DoNotOptimize(lib::sum(a)); });
}
BENCHMARK(overhead_sum)->Arg(1)->Arg(64);

void overhead_view(benchmark::State& state) {
  const lib::Tensor a = bench::uniform({4, 16});
  bench::time(state, 1, 0, [&] { benchmark::DoNotOptimize(a.t()); });
}
BENCHMARK(overhead_view);

}  // namespace
