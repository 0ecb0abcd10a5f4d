// Recording and running small graphs: what the dynamic graph itself costs.

#include "support.h"

namespace {

// Q = 3a^3 - b^2 and its gradients: dQ/da = 9a^2, dQ/db = -2b.
void autograd_q(benchmark::State& state) {
  lib::Tensor a = lib::full({1}, 2.0, lib::requires_grad()), b = lib::full({1}, 6.0, lib::requires_grad());
  const auto step = [&] {
    const lib::Tensor q = 3 * a.pow(3) - b.pow(2);
    q.backward();
  };
  step();
  if (!bench::verify(state, a.grad(), [](std::int64_t) { return 36.0; })) return;
  if (!bench::verify(state, b.grad(), [](std::int64_t) { return -12.0; })) return;
  bench::time(state, 1, 0, [&] {
    a.mutable_grad() = lib::Tensor();
    b.mutable_grad() = lib::Tensor();
    step();
  });
}
BENCHMARK(autograd_q);

void autograd_record_mul(benchmark::State& state) {
  const lib::Tensor a = lib::ones({16}, lib::requires_grad()), b = lib::ones({16});
  bench::time(state, 1, 0, [&] { benchmark::DoNotOptimize(lib::mul(a, b)); });
}
BENCHMARK(autograd_record_mul);

// A chain of 100 multiplications of 16 elements, forward and backward; an item is one op.
void autograd_chain(benchmark::State& state) {
  lib::Tensor a = lib::ones({16}, lib::requires_grad());
  const lib::Tensor factor = lib::full({16}, 1.01);
  const auto step = [&] {
    lib::Tensor x = a;
    for (int i = 0; i < 100; ++i) x = lib::mul(x, factor);
    x.sum().backward();
  };
  step();
  if (!bench::verify(state, a.grad(), [](std::int64_t) { return std::pow(1.01, 100); }, 1e-4)) return;
  bench::time(state, 100, 0, [&] {
    a.mutable_grad() = lib::Tensor();
    step();
  });
}
BENCHMARK(autograd_chain);

}  // namespace
