#pragma once

// The cases of bench/cases that libraries of plain arrays can run too, with the same names, sizes, inputs and
// checks. A peer fills in `Pointwise` for each op that it has.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

namespace peers {

inline std::vector<float> uniform(std::int64_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> distribution(0.5F, 1.5F);
  std::vector<float> values(static_cast<std::size_t>(n));
  std::generate(values.begin(), values.end(), [&] { return distribution(random); });
  return values;
}

/// One op on arrays of `n` elements: out[i] = reference(a[i], b[i]).
struct Pointwise {
  const char* name;
  std::int64_t bytes;  ///< read and written per element
  std::vector<std::int64_t> sizes;
  /// Returns where the result is: in `out`, which the op may leave alone if it allocates its result.
  std::function<const float*(float* out, const float* a, const float* b, std::int64_t n)> run;
  double (*reference)(double, double);
};

inline void time(benchmark::State& state, const Pointwise& op, std::int64_t n) {
  const std::vector<float> a = uniform(n, 1), b = uniform(n, 2);
  std::vector<float> out(static_cast<std::size_t>(n));
  const float* found = op.run(out.data(), a.data(), b.data(), n);
  for (std::size_t i = 0; i < out.size(); i += out.size() / 4096 + 1) {
    const double want = op.reference(double{a[i]}, double{b[i]});
    if (!(std::abs(double{found[i]} - want) <= 1e-5 * (1 + std::abs(want)))) {
      state.SkipWithError("wrong answer");
      return;
    }
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(op.run(out.data(), a.data(), b.data(), n));
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * op.bytes * n);
}

inline int main(int argc, char** argv, const std::vector<Pointwise>& ops) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  for (const Pointwise& op : ops) {
    for (const std::int64_t n : op.sizes) {
      benchmark::RegisterBenchmark((std::string(op.name) + "/" + std::to_string(n)).c_str(),
                                   [&op, n](benchmark::State& state) { time(state, op, n); });
    }
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

inline const std::vector<std::int64_t> kAllSizes = {1 << 10, 1 << 12, 1 << 14, 1 << 16,
                                                    1 << 18, 1 << 20, 1 << 22, 1 << 24};
inline const std::vector<std::int64_t> kUnarySizes = {1 << 10, 1 << 14, 1 << 18, 1 << 24};
inline const std::vector<std::int64_t> kPowSizes = {1 << 14, 1 << 18};
inline const std::vector<std::int64_t> kSelectSizes = {1 << 14, 1 << 20};

/// A unary case: `expression` of the library's own array `x`, `value` of the double x.
#define LANEWISE_PEER_UNARY(name, map, expression, value)                              \
  peers::Pointwise {                                                                   \
    "contiguous_" #name, 8, peers::kUnarySizes,                                        \
        [](float* out, const float* a, const float*, std::int64_t n) -> const float* { \
          map(out, a, n, [](const auto& x) { return expression; });                    \
          return out;                                                                  \
        },                                                                             \
        [](double x, double) -> double { return value; }                               \
  }

}  // namespace peers
