#pragma once

#include <functional>
#include <string>
#include <vector>

#include <lanewise/kernels/tuning.h>

#include "bench/case.h"
#include "compare/statistics.h"

namespace lanewise::tools {

/// What the library must not lose to the best fixed tier on a tuned case.
inline constexpr double kTuneBound = 0.03;

struct TuneSettings {
  std::vector<std::string> kernels;  ///< of tunable_kernels()
  std::vector<ScalarType> dtypes;
  int threads = 1;
  int turns = 9;
  double seconds = 0.002;  ///< of a turn
};

/// One case of a kernel, measured afresh after the choice.
struct TuneResult {
  kernels::Tuning choice;
  BenchCase what;
  bool is_default;
  double default_ns, tuned_ns;
  Interval gain;     ///< default / tuned
  Interval to_best;  ///< the best fixed tier / tuned: below 1 where the choice loses to it
};

struct TuneReport {
  std::vector<TuneResult> results;
  std::vector<std::string> skipped;  ///< why a kernel could not be timed, a line each
};

/// With the case of a kernel, a dtype and a size class, ready to run, and the defaults for it.
using TunedCaseFn = std::function<void(PreparedCase&, const BenchCase&, const kernels::Tuning& start)>;
/// Calls f for all of them, and says why where that cannot be.
std::vector<std::string> for_each_tuned_case(const TuneSettings& settings,
                                             const std::function<void(const std::string& what)>& progress,
                                             const TunedCaseFn& f);

/// Times each kernel's op at three sizes on every tier that gives the same bits, then with several grains and
/// blocks, all in turns. What is not faster by more than half of kTuneBound, beyond chance, keeps the defaults.
TuneReport tune(const TuneSettings& settings, const std::function<void(const std::string& what)>& progress);

}  // namespace lanewise::tools
