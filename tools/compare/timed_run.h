#pragma once

#include <string>
#include <vector>

#include "bench/google_run.h"
#include "bench/run_file.h"

namespace lanewise::tools {

/// One case as somebody timed it.
struct TimedCase {
  std::string key;
  std::string of;  ///< what ran it: a tier, or a library
  std::vector<double> ns;
};

/// What stored runs have in common, ours and those of Google Benchmark.
struct TimedRun {
  std::string name;     ///< for people: the label, or the library, and the date
  std::string machine;  ///< different for different machines
  std::string turns;    ///< the same in two runs whose samples were taken in turns; empty: they were not
  bool by_tier = true;  ///< cases are compared tier by tier; else by their names alone
  std::vector<TimedCase> cases;
};

TimedRun timed(const BenchRun& run);
TimedRun timed(const GoogleRun& run);
/// Of either kind. Throws   Error, naming the file
TimedRun read_timed_run(const std::string& path);

}  // namespace lanewise::tools
