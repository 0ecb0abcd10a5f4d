// Runs the cases of bench/cases with one library: Lanewise, or a peer that shares its names. One thread
// unless LANEWISE_BENCH_THREADS says otherwise, so that a case measures the kernel and not the scheduler.

#include <cstdlib>
#include <string>

#include <benchmark/benchmark.h>

#include "cases/library.h"

#ifndef LANEWISE_BENCH_LIBTORCH
#include <lanewise/generated/version.h>
#endif

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  const char* wanted = std::getenv("LANEWISE_BENCH_THREADS");
  const int threads = wanted != nullptr ? std::atoi(wanted) : 1;
  if (threads < 1) {
    std::fprintf(stderr, "LANEWISE_BENCH_THREADS=%s: expected a number of threads, at least 1\n", wanted);
    return 1;
  }
  lib::set_num_threads(threads);
  benchmark::AddCustomContext("threads", std::to_string(threads));
#ifdef LANEWISE_BENCH_LIBTORCH
  benchmark::AddCustomContext("library", "libtorch " TORCH_VERSION);
#else
  benchmark::AddCustomContext("library", "Lanewise " LANEWISE_VERSION);
  benchmark::AddCustomContext("isa", lib::name(lib::active_isa()));
#endif
  lib::manual_seed(1);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
