#include "bench/sample.h"

#include <exception>
#include <vector>

#include <benchmark/benchmark.h>

#include <lanewise/dispatch_isa/threads.h>

namespace lanewise::tools {
namespace {

/// Keeps the one run instead of printing it.
class Keeper final : public benchmark::BenchmarkReporter {
 public:
  explicit Keeper(bool wall_clock) : wall_clock_(wall_clock) {}
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs)
      sample_ = {(wall_clock_ ? run.real_accumulated_time : run.cpu_accumulated_time) * 1e9, run.iterations};
  }
  const Sample& sample() const { return sample_; }

 private:
  bool wall_clock_;
  Sample sample_;
};

// Google Benchmark runs what is registered; one sample at a time is, so that the caller says whose turn it is. That takes
// some 3 us.
template <class Settings>
Sample run_one(PreparedCase& prepared, Settings settings) {
  std::exception_ptr failure;
  const bool wall_clock = get_num_threads() > 1;
  auto* registered = benchmark::RegisterBenchmark("sample", [&](benchmark::State& state) {
    try {
      for (auto _ : state) prepared.run();
    } catch (...) {
      failure = std::current_exception();
      state.SkipWithError("threw");
    }
  });
  settings(*registered);
  if (wall_clock) registered->UseRealTime();
  Keeper keeper(wall_clock);
  benchmark::RunSpecifiedBenchmarks(&keeper, "all");
  benchmark::ClearRegisteredBenchmarks();
  if (failure) std::rethrow_exception(failure);
  return keeper.sample();
}

}  // namespace

Sample take_sample(PreparedCase& prepared, std::int64_t calls) {
  return run_one(prepared, [&](benchmark::internal::Benchmark& b) { b.Iterations(calls); });
}

Sample take_sample(PreparedCase& prepared, double seconds) {
  return run_one(prepared, [&](benchmark::internal::Benchmark& b) { b.MinTime(seconds); });
}

}  // namespace lanewise::tools
