// What the profiler costs. While nothing observes, the places that an op passes are each a load and a branch that is
// predicted; the bound of 2 ns for all of them together is part of the case, as a right answer is of others.

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include <benchmark/benchmark.h>

#include <lanewise/lanewise.h>
#include <lanewise/profiler/detail/frame.h>

namespace {

namespace observe = lanewise::detail;

constexpr int kOps = 100000;
constexpr double kMostNs = 2;

template <class Op>
double ns_of(Op op) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kOps; ++i) {
    op();
    benchmark::ClobberMemory();
  }
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count() / kOps;
}

// An op's own place, its walk's, and that of the memory of its result.
void profiler_off(benchmark::State& state) {
  double least_with = 1e9, least_without = 1e9;
  for (auto _ : state) {
    least_without = std::min(least_without, ns_of([] {}));
    least_with = std::min(least_with, ns_of([] {
                            if (lanewise::profiler::detail::enters()) std::abort();
                            observe::note_path(observe::Path::Contiguous);
                            observe::note_allocation(64);
                          }));
  }
  const double cost = least_with - least_without;
  state.counters["ns_per_op"] = cost;
  if (cost > kMostNs) state.SkipWithError("costs more than 2 ns per op");
}
BENCHMARK(profiler_off)->Unit(benchmark::kMillisecond)->Iterations(50);

void add(benchmark::State& state) {
  const lanewise::Tensor a = lanewise::rand({1}), b = lanewise::rand({1});
  benchmark::DoNotOptimize(lanewise::add(a, b));
  for (auto _ : state) benchmark::DoNotOptimize(lanewise::add(a, b));
}

// The same op with nobody looking, and recorded.
void profiler_add_off(benchmark::State& state) { add(state); }
void profiler_add_on(benchmark::State& state) {
  lanewise::profiler::Profile profile;
  add(state);
  profile.stop();
  if (profile.dropped() > 0) state.SkipWithError("not every op was recorded");
}
BENCHMARK(profiler_add_off);
BENCHMARK(profiler_add_on)->Iterations(200000);

}  // namespace
