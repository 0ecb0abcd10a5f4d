// What a training step of a deep network takes at most: the counter peak_bytes is the growth of the process
// above what it held before the network was made, parameters, gradients and optimizer's state included.

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include <malloc.h>

#include "support.h"

namespace {

/// A line of /proc/self/status such as VmHWM (the most memory so far) or VmRSS (now), in bytes; 0 if there is none.
std::int64_t status_bytes(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind(key + ":", 0) == 0) return std::stoll(line.substr(key.size() + 1)) * 1024;
  }
  return 0;
}

/// Gives back what earlier cases left in caches, and makes VmHWM begin anew (proc(5), clear_refs).
void forget_the_past() {
#ifndef LANEWISE_BENCH_LIBTORCH
  lib::empty_cache();
#endif
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << 5;
}

// Layers of 512 x 512 with tanh, batch 512, squared error, SGD with momentum; an item is a layer.
void memory_deep_network(benchmark::State& state) {
  const std::int64_t layers = state.range(0), width = 512;
  forget_the_past();
  const std::int64_t before = status_bytes("VmRSS");
  {
    std::vector<lib::Tensor> weights;
    for (std::int64_t i = 0; i < layers; ++i)
      weights.push_back(((lib::rand({width, width}) - 0.5) * 0.1).requires_grad_());
    const lib::Tensor input = lib::rand({width, width}), target = lib::rand({width, width});
    lib::optim::SGD optimizer(weights, lib::optim::SGDOptions(0.01).momentum(0.9));
    bench::time(state, layers, 0, [&] {
      optimizer.zero_grad();
      lib::Tensor x = input;
      for (const lib::Tensor& w : weights) x = lib::tanh(lib::mm(x, w));
      const lib::Tensor error = x - target;
      (error * error).mean().backward();
      optimizer.step();
    });
  }
  state.counters["peak_bytes"] = static_cast<double>(status_bytes("VmHWM") - before);
}
BENCHMARK(memory_deep_network)->Arg(8)->Arg(64)->Unit(benchmark::kMillisecond);

}  // namespace
