#pragma once

#include <cmath>
#include <cstdint>
#include <initializer_list>

#include <benchmark/benchmark.h>

#include "library.h"

namespace bench {

/// Uniform in [0.5, 1.5): inside every op's domain, and far from denormals.
inline lib::Tensor uniform(std::initializer_list<std::int64_t> sizes) { return lib::rand(sizes) + 0.5; }

/// Compares `found` (float32, any layout) with expected(i) at up to 4096 flat indices spread over the tensor.
/// A wrong answer skips the timing and shows up as an error in the report.
template <class Expected>
bool verify(benchmark::State& state, const lib::Tensor& found, Expected expected, double tolerance = 1e-5) {
  const lib::Tensor dense = found.detach().to(lib::kFloat).contiguous();
  const float* values = dense.template data_ptr<float>();
  const std::int64_t n = dense.numel();
  const std::int64_t step = n / 4096 + 1;
  for (std::int64_t i = 0; i < n; i += step) {
    const double want = expected(i);
    if (!(std::abs(static_cast<double>(values[i]) - want) <= tolerance * (1 + std::abs(want)))) {
      state.SkipWithError("wrong answer");
      return false;
    }
  }
  return true;
}

/// Runs `op` until the time is up; `bytes` is what one run has to read and write at the least. The first run,
/// on memory that is fresh, is not timed.
template <class Op>
void time(benchmark::State& state, std::int64_t elements, std::int64_t bytes, Op op) {
  op();
  for (auto _ : state) op();
  state.SetItemsProcessed(state.iterations() * elements);
  if (bytes > 0) state.SetBytesProcessed(state.iterations() * bytes);
}

/// A float32 tensor's data, for references.
inline const float* floats(const lib::Tensor& t) { return t.data_ptr<float>(); }

}  // namespace bench
