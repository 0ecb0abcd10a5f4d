// Operands that are not contiguous: what the iterator is for. Bytes are those of the useful traffic.

#include "support.h"

namespace {

// a + b.t(): reads two squares, one along its columns, writes one.
void layout_add_transposed(benchmark::State& state) {
  const std::int64_t n = state.range(0);
  const lib::Tensor a = bench::uniform({n, n}), b = bench::uniform({n, n});
  const lib::Tensor bt = b.t();
  lib::Tensor out = lib::empty({n, n});
  const float *x = bench::floats(a), *y = bench::floats(b);
  lib::add_out(out, a, bt);
  if (!bench::verify(state, out, [&](std::int64_t i) { return double{x[i]} + y[(i % n) * n + i / n]; }))
    return;
  bench::time(state, n * n, 12 * n * n, [&] { lib::add_out(out, a, bt); });
}
BENCHMARK(layout_add_transposed)->Arg(512)->Arg(4096)->Unit(benchmark::kMicrosecond);

void layout_copy_transposed(benchmark::State& state) {
  const std::int64_t n = state.range(0);
  const lib::Tensor a = bench::uniform({n, n});
  lib::Tensor out = lib::empty({n, n});
  const float* x = bench::floats(a);
  out.copy_(a.t());
  if (!bench::verify(state, out, [&](std::int64_t i) { return double{x[(i % n) * n + i / n]}; })) return;
  const lib::Tensor at = a.t();
  bench::time(state, n * n, 8 * n * n, [&] { out.copy_(at); });
}
BENCHMARK(layout_copy_transposed)->Arg(512)->Arg(4096)->Unit(benchmark::kMicrosecond);

void layout_add_column(benchmark::State& state) {
  const std::int64_t n = state.range(0);
  const lib::Tensor a = bench::uniform({n, n}), b = bench::uniform({n, 1});
  lib::Tensor out = lib::empty({n, n});
  const float *x = bench::floats(a), *y = bench::floats(b);
  lib::add_out(out, a, b);
  if (!bench::verify(state, out, [&](std::int64_t i) { return double{x[i]} + y[i / n]; })) return;
  bench::time(state, n * n, 8 * n * n, [&] { lib::add_out(out, a, b); });
}
BENCHMARK(layout_add_column)->Arg(512)->Arg(4096)->Unit(benchmark::kMicrosecond);

void layout_add_stride2(benchmark::State& state) {
  const std::int64_t n = state.range(0);
  const lib::Tensor a = bench::uniform({n, 2}).select(1, 0), b = bench::uniform({n, 2}).select(1, 1);
  lib::Tensor out = lib::empty({n});
  const float *x = bench::floats(a), *y = bench::floats(b);
  lib::add_out(out, a, b);
  if (!bench::verify(state, out, [&](std::int64_t i) { return double{x[2 * i]} + y[2 * i]; })) return;
  bench::time(state, n, 12 * n, [&] { lib::add_out(out, a, b); });
}
BENCHMARK(layout_add_stride2)->Arg(1 << 18)->Arg(1 << 22)->Unit(benchmark::kMicrosecond);

// A small inner dimension: [n, k] + [k].
void layout_add_small_inner(benchmark::State& state) {
  const std::int64_t k = state.range(0), n = (1 << 20) / k;
  const lib::Tensor a = bench::uniform({n, k}), b = bench::uniform({k});
  lib::Tensor out = lib::empty({n, k});
  const float *x = bench::floats(a), *y = bench::floats(b);
  lib::add_out(out, a, b);
  if (!bench::verify(state, out, [&](std::int64_t i) { return double{x[i]} + y[i % k]; })) return;
  bench::time(state, n * k, 8 * n * k, [&] { lib::add_out(out, a, b); });
}
BENCHMARK(layout_add_small_inner)->Arg(2)->Arg(3)->Arg(5)->Arg(10)->Unit(benchmark::kMicrosecond);

// Rows cut out of a wider matrix.
void layout_mul_row_slices(benchmark::State& state) {
  const std::int64_t n = 1 << 14, k = state.range(0);
  const lib::Tensor a = bench::uniform({n, 2 * k}).narrow(1, 0, k),
                    b = bench::uniform({n, 2 * k}).narrow(1, k, k);
  lib::Tensor out = lib::empty({n, k});
  const float *x = bench::floats(a), *y = bench::floats(b);
  lib::mul_out(out, a, b);
  if (!bench::verify(state, out, [&](std::int64_t i) {
        const std::int64_t at = i / k * 2 * k + i % k;
        return double{x[at]} * y[at];
      })) {
    return;
  }
  bench::time(state, n * k, 12 * n * k, [&] { lib::mul_out(out, a, b); });
}
BENCHMARK(layout_mul_row_slices)->Arg(10)->Arg(64)->Unit(benchmark::kMicrosecond);

}  // namespace
