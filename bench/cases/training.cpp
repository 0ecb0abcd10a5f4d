// One training step of the demo's network, 784-256-10 with relu and cross-entropy; an item is an image.

#include <vector>

#include "support.h"

namespace {

struct Network {
  lib::Tensor w1 = parameter({784, 256}), b1 = parameter({256}), w2 = parameter({256, 10}),
              b2 = parameter({10});

  static lib::Tensor parameter(std::initializer_list<std::int64_t> sizes) {
    return ((lib::rand(sizes) - 0.5) * 0.1).requires_grad_();
  }
  lib::Tensor operator()(const lib::Tensor& x) const {
    return lib::addmm(b2, lib::relu(lib::addmm(b1, x, w1)), w2);
  }
  std::vector<lib::Tensor> parameters() const { return {w1, b1, w2, b2}; }
};

template <class Optimizer>
void train(benchmark::State& state, const Network& network, Optimizer& optimizer) {
  const std::int64_t batch = state.range(0);
  const lib::Tensor images = lib::rand({batch, 784}), labels = lib::randint(0, 10, {batch}).to(lib::kLong);
  const auto step = [&] {
    optimizer.zero_grad();
    const lib::Tensor loss = lib::cross_entropy_loss(network(images), labels);
    loss.backward();
    optimizer.step();
    return loss;
  };
  const float first = step().template item<float>();
  for (int i = 0; i < 20; ++i) step();
  if (!(step().template item<float>() < first)) {
    state.SkipWithError("the loss does not fall");
    return;
  }
  bench::time(state, batch, 0, [&] { benchmark::DoNotOptimize(step()); });
}

void training_step_sgd(benchmark::State& state) {
  const Network network;
  lib::optim::SGD optimizer(network.parameters(), lib::optim::SGDOptions(0.01));
  train(state, network, optimizer);
}
BENCHMARK(training_step_sgd)->Arg(64)->Arg(256)->Unit(benchmark::kMicrosecond);

void training_step_sgd_momentum(benchmark::State& state) {
  const Network network;
  lib::optim::SGD optimizer(network.parameters(), lib::optim::SGDOptions(0.01).momentum(0.9));
  train(state, network, optimizer);
}
BENCHMARK(training_step_sgd_momentum)->Arg(64)->Unit(benchmark::kMicrosecond);

void training_step_adam(benchmark::State& state) {
  const Network network;
  lib::optim::Adam optimizer(network.parameters(), lib::optim::AdamOptions(1e-3));
  train(state, network, optimizer);
}
BENCHMARK(training_step_adam)->Arg(64)->Unit(benchmark::kMicrosecond);

}  // namespace
