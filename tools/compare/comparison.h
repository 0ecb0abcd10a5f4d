#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "compare/statistics.h"
#include "compare/timed_run.h"

namespace lanewise::tools {

/// A case in two runs, on two tiers of one, or in two libraries.
struct Comparison {
  std::string key;
  std::string before, after;  ///< tiers or libraries
  double before_ns, after_ns;
  Interval speed_up;  ///< before / after: above 1 is faster

  /// Slower by more than `bound` (0.05: 5 %), and not by chance.
  bool is_regression(double bound) const { return speed_up.value < 1 / (1 + bound) && speed_up.high < 1; }
  bool is_improvement(double bound) const { return speed_up.value > 1 + bound && speed_up.low > 1; }
};

/// The cases that both runs have: tier by tier, or by name where Google Benchmark ran them.
/// Throws   Error if there are none, or if one was timed too few times for an interval
std::vector<Comparison> compare_runs(const TimedRun& before, const TimedRun& after);
/// Each case of a run on one tier against another.
/// Throws   Error if no case has both
std::vector<Comparison> compare_tiers(const TimedRun& run, Isa before, Isa after);

/// As docs/schemas/compare.json.
nlohmann::json to_json(const std::vector<Comparison>& comparisons, double bound);
/// Aligned text, or rows of a Markdown table.
std::string comparison_table(const std::vector<Comparison>& comparisons, double bound, bool markdown);

}  // namespace lanewise::tools
