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

// One small op: without a graph, recorded on a leaf, recorded on a result. The difference is what recording
// costs.
void autograd_forward_mul(benchmark::State& state) {
  const lib::Tensor a = lib::ones({16}), b = lib::ones({16});
  bench::time(state, 1, 0, [&] { benchmark::DoNotOptimize(lib::mul(a, b)); });
}
BENCHMARK(autograd_forward_mul);

void autograd_record_mul(benchmark::State& state) {
  const lib::Tensor a = lib::ones({16}, lib::requires_grad()), b = lib::ones({16});
  bench::time(state, 1, 0, [&] { benchmark::DoNotOptimize(lib::mul(a, b)); });
}
BENCHMARK(autograd_record_mul);

void autograd_record_mul_of_result(benchmark::State& state) {
  const lib::Tensor a = lib::ones({16}, lib::requires_grad()) * 1, b = lib::ones({16});
  bench::time(state, 1, 0, [&] { benchmark::DoNotOptimize(lib::mul(a, b)); });
}
BENCHMARK(autograd_record_mul_of_result);

// A network of 6-64-8-4 on one sample: forward, backward and a step of SGD.
void autograd_small_network(benchmark::State& state) {
  const auto parameter = [](std::initializer_list<std::int64_t> sizes) {
    return ((lib::rand(sizes) - 0.5) * 0.5).requires_grad_();
  };
  const lib::Tensor w1 = parameter({6, 64}), b1 = parameter({64}), w2 = parameter({64, 8}),
                    b2 = parameter({8}), w3 = parameter({8, 4}), b3 = parameter({4});
  const lib::Tensor x = lib::rand({1, 6}), target = lib::rand({1, 4});
  lib::optim::SGD optimizer({w1, b1, w2, b2, w3, b3}, lib::optim::SGDOptions(0.01));
  const auto step = [&] {
    optimizer.zero_grad();
    const lib::Tensor h1 = lib::tanh(lib::addmm(b1, x, w1));
    const lib::Tensor h2 = lib::tanh(lib::addmm(b2, h1, w2));
    const lib::Tensor difference = lib::addmm(b3, h2, w3) - target;
    const lib::Tensor loss = (difference * difference).sum();
    loss.backward();
    optimizer.step();
    return loss;
  };
  const float first = step().item<float>();
  for (int i = 0; i < 50; ++i) step();
  if (!(step().item<float>() < first)) {
    state.SkipWithError("the loss does not fall");
    return;
  }
  bench::time(state, 1, 0, [&] { benchmark::DoNotOptimize(step()); });
}
BENCHMARK(autograd_small_network);

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
  if (!bench::verify(
          state, a.grad(), [](std::int64_t) { return std::pow(1.01, 100); }, 1e-4))
    return;
  bench::time(state, 100, 0, [&] {
    a.mutable_grad() = lib::Tensor();
    step();
  });
}
BENCHMARK(autograd_chain);

double tanh_slope(double x) { return 1 / (std::cosh(x) * std::cosh(x)); }
double sigmoid_slope(double x) { return 1 / ((1 + std::exp(-x)) * (1 + std::exp(x))); }
double normal_below(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }
double gelu_slope(double x) { return normal_below(x) + x * std::exp(-x * x / 2) / std::sqrt(2 * M_PI); }

// The backward of one pointwise op alone: the graph is kept, the gradient comes out as a new tensor. Reads
// the incoming gradient and one saved tensor and writes one, 12 B per element.
template <class Op, class Slope>
void backward_of(benchmark::State& state, Op op, Slope slope) {
  const std::int64_t n = state.range(0);
  lib::Tensor x = bench::uniform({n});
  x.requires_grad_();
  const lib::Tensor y = op(x), gradient = bench::uniform({n});
  const auto step = [&] { return lib::autograd::grad({y}, {x}, {gradient}, /*retain_graph=*/true)[0]; };
  const float *at = bench::floats(x), *in = bench::floats(gradient);
  if (!bench::verify(
          state, step(), [&](std::int64_t i) { return in[i] * slope(static_cast<double>(at[i])); }, 1e-4))
    return;
  bench::time(state, n, 12 * n, [&] { benchmark::DoNotOptimize(step()); });
}

void autograd_backward_mul(benchmark::State& state) {
  const lib::Tensor factor = lib::full({state.range(0)}, 1.5);
  backward_of(
      state, [&](const lib::Tensor& x) { return lib::mul(x, factor); }, [](double) { return 1.5; });
}
void autograd_backward_tanh(benchmark::State& state) {
  backward_of(
      state, [](const lib::Tensor& x) { return lib::tanh(x); }, tanh_slope);
}
void autograd_backward_sigmoid(benchmark::State& state) {
  backward_of(
      state, [](const lib::Tensor& x) { return lib::sigmoid(x); }, sigmoid_slope);
}
void autograd_backward_gelu(benchmark::State& state) {
  backward_of(
      state, [](const lib::Tensor& x) { return lib::gelu(x); }, gelu_slope);
}
void autograd_backward_pow(benchmark::State& state) {
  backward_of(
      state, [](const lib::Tensor& x) { return lib::pow(x, 3); }, [](double x) { return 3 * x * x; });
}
void autograd_backward_pow_fractional(benchmark::State& state) {
  backward_of(
      state, [](const lib::Tensor& x) { return lib::pow(x, 2.7); },
      [](double x) { return 2.7 * std::pow(x, 1.7); });
}
BENCHMARK(autograd_backward_mul)->Arg(1 << 18)->Arg(1 << 22);
BENCHMARK(autograd_backward_tanh)->Arg(1 << 18)->Arg(1 << 22);
BENCHMARK(autograd_backward_sigmoid)->Arg(1 << 18)->Arg(1 << 22);
BENCHMARK(autograd_backward_gelu)->Arg(1 << 18)->Arg(1 << 22);
BENCHMARK(autograd_backward_pow)->Arg(1 << 18)->Arg(1 << 22);
BENCHMARK(autograd_backward_pow_fractional)->Arg(1 << 18)->Arg(1 << 22);

// The same as a program calls it: a new graph every time, backward() into .grad, which is then dropped. The backward
// alone is timed.
template <class Op, class Slope>
void backward_called(benchmark::State& state, Op op, Slope slope) {
  const std::int64_t n = state.range(0);
  lib::Tensor x = bench::uniform({n});
  x.requires_grad_();
  const lib::Tensor gradient = bench::uniform({n});
  const auto step = [&] {
    x.mutable_grad().reset();
    const lib::Tensor y = op(x);
    const auto start = std::chrono::steady_clock::now();
    y.backward(gradient);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  step();
  const float *at = bench::floats(x), *in = bench::floats(gradient);
  if (!bench::verify(
          state, x.grad(), [&](std::int64_t i) { return in[i] * slope(static_cast<double>(at[i])); }, 1e-4))
    return;
  for (auto _ : state) state.SetIterationTime(step());
  state.SetItemsProcessed(state.iterations() * n);
  state.SetBytesProcessed(state.iterations() * 12 * n);
}
void autograd_backward_called_mul(benchmark::State& state) {
  const lib::Tensor factor = lib::full({state.range(0)}, 1.5);
  backward_called(
      state, [&](const lib::Tensor& x) { return lib::mul(x, factor); }, [](double) { return 1.5; });
}
void autograd_backward_called_tanh(benchmark::State& state) {
  backward_called(
      state, [](const lib::Tensor& x) { return lib::tanh(x); }, tanh_slope);
}
void autograd_backward_called_sigmoid(benchmark::State& state) {
  backward_called(
      state, [](const lib::Tensor& x) { return lib::sigmoid(x); }, sigmoid_slope);
}
void autograd_backward_called_gelu(benchmark::State& state) {
  backward_called(
      state, [](const lib::Tensor& x) { return lib::gelu(x); }, gelu_slope);
}
void autograd_backward_called_pow(benchmark::State& state) {
  backward_called(
      state, [](const lib::Tensor& x) { return lib::pow(x, 3); }, [](double x) { return 3 * x * x; });
}
BENCHMARK(autograd_backward_called_mul)->Arg(1 << 18)->Arg(1 << 22)->UseManualTime();
BENCHMARK(autograd_backward_called_tanh)->Arg(1 << 18)->Arg(1 << 22)->UseManualTime();
BENCHMARK(autograd_backward_called_sigmoid)->Arg(1 << 18)->Arg(1 << 22)->UseManualTime();
BENCHMARK(autograd_backward_called_gelu)->Arg(1 << 18)->Arg(1 << 22)->UseManualTime();
BENCHMARK(autograd_backward_called_pow)->Arg(1 << 18)->Arg(1 << 22)->UseManualTime();

// The same inside a graph: eight ops in a row, so that all but the first get their gradient from the op behind them, as
// in a training step. An item is one op's backward of one element.
template <class Op, class Value, class Slope>
void backward_inside(benchmark::State& state, Op op, Value value, Slope slope) {
  constexpr int kDepth = 8;
  const std::int64_t n = state.range(0);
  lib::Tensor x = bench::uniform({n});
  x.requires_grad_();
  lib::Tensor y = x;
  for (int i = 0; i < kDepth; ++i) y = op(y);
  const lib::Tensor gradient = bench::uniform({n});
  const auto step = [&] { return lib::autograd::grad({y}, {x}, {gradient}, /*retain_graph=*/true)[0]; };
  const float *at = bench::floats(x), *in = bench::floats(gradient);
  const auto expected = [&](std::int64_t i) {
    double v = at[i], g = in[i];
    for (int d = 0; d < kDepth; ++d, v = value(v)) g *= slope(v);
    return g;
  };
  if (!bench::verify(state, step(), expected, 1e-4)) return;
  bench::time(state, kDepth * n, kDepth * 12 * n, [&] { benchmark::DoNotOptimize(step()); });
}

void autograd_backward_inside_mul(benchmark::State& state) {
  const lib::Tensor factor = lib::full({state.range(0)}, 1.5);
  backward_inside(
      state, [&](const lib::Tensor& x) { return lib::mul(x, factor); }, [](double x) { return 1.5 * x; },
      [](double) { return 1.5; });
}
void autograd_backward_inside_tanh(benchmark::State& state) {
  backward_inside(
      state, [](const lib::Tensor& x) { return lib::tanh(x); }, [](double x) { return std::tanh(x); },
      tanh_slope);
}
void autograd_backward_inside_sigmoid(benchmark::State& state) {
  backward_inside(
      state, [](const lib::Tensor& x) { return lib::sigmoid(x); },
      [](double x) { return 1 / (1 + std::exp(-x)); }, sigmoid_slope);
}
void autograd_backward_inside_gelu(benchmark::State& state) {
  backward_inside(
      state, [](const lib::Tensor& x) { return lib::gelu(x); }, [](double x) { return x * normal_below(x); },
      gelu_slope);
}
BENCHMARK(autograd_backward_inside_mul)->Arg(1 << 18)->Arg(1 << 22);
BENCHMARK(autograd_backward_inside_tanh)->Arg(1 << 18)->Arg(1 << 22);
BENCHMARK(autograd_backward_inside_sigmoid)->Arg(1 << 18)->Arg(1 << 22);
BENCHMARK(autograd_backward_inside_gelu)->Arg(1 << 18)->Arg(1 << 22);

}  // namespace
