// One training step of the demo's network, 784-256-10 with relu and cross-entropy; an item is an image. On one batch that
// is ready, and as in training on Fashion-MNIST: each batch picked from 60,000 images of bytes in random order.

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

struct Batch {
  lib::Tensor images, labels;
};

/// `next_batch` gives images, [n, 784] between 0 and 1, and their labels; the loss has to fall over twenty steps, the warm-up
/// and twenty more.
template <class Optimizer, class Batches>
void train(benchmark::State& state, const Network& network, Optimizer& optimizer, Batches next_batch,
           int warm_up = 0) {
  const std::int64_t batch = state.range(0);
  const auto step = [&] {
    const Batch b = next_batch();
    optimizer.zero_grad();
    const lib::Tensor loss = lib::cross_entropy_loss(network(b.images), b.labels);
    loss.backward();
    optimizer.step();
    return loss;
  };
  const auto mean = [&] {
    float sum = 0;
    for (int i = 0; i < 20; ++i) sum += step().template item<float>();
    return sum / 20;
  };
  const float first = mean();
  for (int i = 0; i < warm_up; ++i) step();
  if (!(mean() < first)) {
    state.SkipWithError("the loss does not fall");
    return;
  }
  bench::time(state, batch, 0, [&] { benchmark::DoNotOptimize(step().template item<float>()); });
}

/// The same batch again and again.
auto one_batch(std::int64_t size) {
  return [b = Batch{lib::rand({size, 784}), lib::randint(0, 10, {size}).to(lib::kLong)}] { return b; };
}

/// Images as in Fashion-MNIST, in a new order each epoch.
class Shuffled {
 public:
  explicit Shuffled(std::int64_t size) : size_(size) {
    labels_ = images_.narrow(1, 0, 10).argmax(1);  // hard to learn: gradients stay large
  }
  Batch operator()() {
    if (at_ + size_ > kImages) {
      order_ = lib::randperm(kImages, lib::kLong);
      at_ = 0;
    }
    const lib::Tensor rows = order_.narrow(0, at_, size_);
    at_ += size_;
    return {images_.index_select(0, rows) / 255, labels_.index_select(0, rows)};
  }

 private:
  static constexpr std::int64_t kImages = 60000;
  std::int64_t size_;
  std::int64_t at_ = kImages;
  lib::Tensor images_ = lib::randint(0, 256, {kImages, 784}).to(lib::kByte);
  lib::Tensor labels_, order_;
};
/// After so many steps the loss has fallen by ten times what its mean wanders; after 200 it had not every time.
constexpr int kShuffledWarmUp = 800;

void training_step_sgd(benchmark::State& state) {
  const Network network;
  lib::optim::SGD optimizer(network.parameters(), lib::optim::SGDOptions(0.01));
  train(state, network, optimizer, one_batch(state.range(0)));
}
BENCHMARK(training_step_sgd)->Arg(64)->Arg(256)->Unit(benchmark::kMicrosecond);

void training_step_sgd_momentum(benchmark::State& state) {
  const Network network;
  lib::optim::SGD optimizer(network.parameters(), lib::optim::SGDOptions(0.01).momentum(0.9));
  train(state, network, optimizer, one_batch(state.range(0)));
}
BENCHMARK(training_step_sgd_momentum)->Arg(64)->Unit(benchmark::kMicrosecond);

void training_step_adam(benchmark::State& state) {
  const Network network;
  lib::optim::Adam optimizer(network.parameters(), lib::optim::AdamOptions(1e-3));
  train(state, network, optimizer, one_batch(state.range(0)));
}
BENCHMARK(training_step_adam)->Arg(64)->Unit(benchmark::kMicrosecond);

void training_shuffled_sgd(benchmark::State& state) {
  const Network network;
  lib::optim::SGD optimizer(network.parameters(), lib::optim::SGDOptions(0.01));
  train(state, network, optimizer, Shuffled(state.range(0)), kShuffledWarmUp);
}
BENCHMARK(training_shuffled_sgd)->Arg(64)->Unit(benchmark::kMicrosecond);

void training_shuffled_adam(benchmark::State& state) {
  const Network network;
  lib::optim::Adam optimizer(network.parameters(), lib::optim::AdamOptions(1e-3));
  train(state, network, optimizer, Shuffled(state.range(0)), kShuffledWarmUp);
}
BENCHMARK(training_shuffled_adam)->Arg(64)->Unit(benchmark::kMicrosecond);

}  // namespace
