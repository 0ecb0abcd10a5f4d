#pragma once

#include <cstdint>

#include "bench/case.h"

namespace lanewise::tools {

/// What Google Benchmark measured in one run of a case.
struct Sample {
  double ns = 0;  ///< of all calls together
  std::int64_t calls = 0;

  double ns_per_call() const { return ns / static_cast<double>(calls); }
};

/// Runs the case as a benchmark of Google Benchmark with that many iterations. With one thread the sample is CPU time,
/// which a busy machine does not lengthen; on the clock where threads wait for one another. Throws what the case throws.
Sample take_sample(PreparedCase& prepared, std::int64_t calls);

/// With as many iterations as Google Benchmark needs to fill `seconds`.
Sample take_sample(PreparedCase& prepared, double seconds);

}  // namespace lanewise::tools
