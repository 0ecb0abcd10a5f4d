#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/case.h"
#include "bench/limits.h"

namespace lanewise::tools {

/// A case on one tier.
struct BenchResult {
  BenchCase what;
  Isa isa = Isa::sse4_2;
  std::string path;           ///< how the op walked its operands
  std::int64_t bytes = 0;     ///< of one call, as the profiler counts them
  double flops = 0;           ///< 0 where they cannot be told
  std::int64_t elements = 0;  ///< of the largest operand or result
  std::vector<double> ns;  ///< of one call, as take_sample(), one per turn; turn i of all tiers ran together
  double error = 0;        ///< largest distance from the reference, in units of its largest number
  double bandwidth_limit = 0;           ///< GB/s of the triad with as many bytes
  double arithmetic_limit = 0;          ///< GFLOP/s
  double cycles = 0, instructions = 0;  ///< per element; 0 where the machine does not count

  double median() const;
  /// Half of the middle half of the samples, relative to the median.
  double spread() const;
  bool is_unstable() const { return spread() > 0.05; }
  /// Of the time that the limits allow at the least, by bandwidth or arithmetic.
  double share_of_limit() const;
};

struct MeasureSettings {
  std::vector<Isa> isas;
  int turns = 11;
  double seconds = 0.004;  ///< of a turn
};

/// Checks the answer of every tier, then times them in turns, so that a drift of the machine hits all alike.
/// Throws   Error if an answer is wrong, naming case, tier and place
std::vector<BenchResult> measure(const BenchCase& c, const MeasureSettings& settings, Limits& limits);

}  // namespace lanewise::tools
