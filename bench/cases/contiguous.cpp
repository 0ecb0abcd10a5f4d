// Contiguous float32 operands from L1 to DRAM. `_out` writes to an existing tensor; the others allocate their
// result.

#include <vector>

#include "support.h"

namespace {

constexpr std::int64_t kSizes[] = {1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24};

void sizes(benchmark::internal::Benchmark* b) {
  for (const std::int64_t n : kSizes) b->Arg(n);
}

// add reads 8 bytes and writes 4 per element: memory bound beyond the last cache.
void contiguous_add_out(benchmark::State& state) {
  const std::int64_t n = state.range(0);
  const lib::Tensor a = bench::uniform({n}), b = bench::uniform({n});
  lib::Tensor out = lib::empty_like(a);
  const float *x = bench::floats(a), *y = bench::floats(b);
  lib::add_out(out, a, b);
  if (!bench::verify(state, out, [&](std::int64_t i) { return double{x[i]} + y[i]; })) return;
  bench::time(state, n, 12 * n, [&] { lib::add_out(out, a, b); });
}
BENCHMARK(contiguous_add_out)->Apply(sizes);

void contiguous_add(benchmark::State& state) {
  const std::int64_t n = state.range(0);
  const lib::Tensor a = bench::uniform({n}), b = bench::uniform({n});
  const float *x = bench::floats(a), *y = bench::floats(b);
  if (!bench::verify(state, lib::add(a, b), [&](std::int64_t i) { return double{x[i]} + y[i]; })) return;
  bench::time(state, n, 12 * n, [&] { benchmark::DoNotOptimize(lib::add(a, b)); });
}
BENCHMARK(contiguous_add)->Arg(1 << 14)->Arg(1 << 18)->Arg(1 << 24);

using UnaryOut = lib::Tensor& (*)(lib::Tensor&, const lib::Tensor&);
using Reference = double (*)(double);

void unary(benchmark::State& state, UnaryOut op, Reference reference, double tolerance) {
  const std::int64_t n = state.range(0);
  const lib::Tensor a = bench::uniform({n});
  lib::Tensor out = lib::empty_like(a);
  const float* x = bench::floats(a);
  op(out, a);
  if (!bench::verify(
          state, out, [&](std::int64_t i) { return reference(double{x[i]}); }, tolerance))
    return;
  bench::time(state, n, 8 * n, [&] { op(out, a); });
}

#define LANEWISE_UNARY_CASE(name, expression)                                                           \
  void contiguous_##name(benchmark::State& state) {                                                     \
    unary(                                                                                              \
        state,                                                                                          \
        [](lib::Tensor& out, const lib::Tensor& a) -> lib::Tensor& { return lib::name##_out(out, a); }, \
        [](double x) -> double { return expression; }, 1e-5);                                           \
  }                                                                                                     \
  BENCHMARK(contiguous_##name)->Arg(1 << 10)->Arg(1 << 14)->Arg(1 << 18)->Arg(1 << 24)

LANEWISE_UNARY_CASE(exp, std::exp(x));
LANEWISE_UNARY_CASE(log, std::log(x));
LANEWISE_UNARY_CASE(sin, std::sin(x));
LANEWISE_UNARY_CASE(cos, std::cos(x));
LANEWISE_UNARY_CASE(tanh, std::tanh(x));
LANEWISE_UNARY_CASE(sigmoid, 1 / (1 + std::exp(-x)));
LANEWISE_UNARY_CASE(erf, std::erf(x));
LANEWISE_UNARY_CASE(sqrt, std::sqrt(x));
LANEWISE_UNARY_CASE(neg, -x);
LANEWISE_UNARY_CASE(abs, std::abs(x));

void contiguous_pow_scalar(benchmark::State& state) {
  const std::int64_t n = state.range(0);
  const lib::Tensor a = bench::uniform({n});
  lib::Tensor out = lib::empty_like(a);
  const float* x = bench::floats(a);
  lib::pow_out(out, a, 2.5);
  if (!bench::verify(state, out, [&](std::int64_t i) { return std::pow(double{x[i]}, 2.5); })) return;
  bench::time(state, n, 8 * n, [&] { lib::pow_out(out, a, 2.5); });
}
BENCHMARK(contiguous_pow_scalar)->Arg(1 << 14)->Arg(1 << 18);

void contiguous_pow_tensor(benchmark::State& state) {
  const std::int64_t n = state.range(0);
  const lib::Tensor a = bench::uniform({n}), b = bench::uniform({n});
  lib::Tensor out = lib::empty_like(a);
  const float *x = bench::floats(a), *y = bench::floats(b);
  lib::pow_out(out, a, b);
  if (!bench::verify(state, out, [&](std::int64_t i) { return std::pow(double{x[i]}, double{y[i]}); }))
    return;
  bench::time(state, n, 12 * n, [&] { lib::pow_out(out, a, b); });
}
BENCHMARK(contiguous_pow_tensor)->Arg(1 << 14)->Arg(1 << 18);

void contiguous_where(benchmark::State& state) {
  const std::int64_t n = state.range(0);
  const lib::Tensor a = bench::uniform({n}), b = bench::uniform({n});
  // One mask over and over is learnt by branch predictors, as no program's masks are: so many elements in turn are not.
  constexpr std::int64_t kNotLearnt = 1 << 18;
  std::vector<lib::Tensor> masks;
  for (std::int64_t i = 0; i * n < kNotLearnt; ++i) masks.push_back(lib::lt(bench::uniform({n}), 1.0));
  const float *x = bench::floats(a), *y = bench::floats(b);
  const bool* m = masks[0].data_ptr<bool>();
  if (!bench::verify(state, lib::where(masks[0], a, b),
                     [&](std::int64_t i) { return double{m[i] ? x[i] : y[i]}; }))
    return;
  std::size_t next = 0;
  bench::time(state, n, 13 * n, [&] {
    next = next + 1 == masks.size() ? 0 : next + 1;
    benchmark::DoNotOptimize(lib::where(masks[next], a, b));
  });
}
BENCHMARK(contiguous_where)->Arg(1 << 14)->Arg(1 << 20);

void contiguous_lt(benchmark::State& state) {
  const std::int64_t n = state.range(0);
  const lib::Tensor a = bench::uniform({n}), b = bench::uniform({n});
  const float *x = bench::floats(a), *y = bench::floats(b);
  if (!bench::verify(state, lib::lt(a, b), [&](std::int64_t i) { return x[i] < y[i] ? 1.0 : 0.0; })) return;
  bench::time(state, n, 9 * n, [&] { benchmark::DoNotOptimize(lib::lt(a, b)); });
}
BENCHMARK(contiguous_lt)->Arg(1 << 14)->Arg(1 << 20);

void contiguous_lerp(benchmark::State& state) {
  const std::int64_t n = state.range(0);
  const lib::Tensor a = bench::uniform({n}), b = bench::uniform({n});
  const float *x = bench::floats(a), *y = bench::floats(b);
  if (!bench::verify(state, lib::lerp(a, b, 0.3),
                     [&](std::int64_t i) { return double{x[i]} + 0.3 * (double{y[i]} - x[i]); }))
    return;
  bench::time(state, n, 12 * n, [&] { benchmark::DoNotOptimize(lib::lerp(a, b, 0.3)); });
}
BENCHMARK(contiguous_lerp)->Arg(1 << 14)->Arg(1 << 20);

}  // namespace
