#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/measure.h"

namespace lanewise::tools {

/// A run of the benchmarks, as it is stored: comparable across commits and machines.
struct BenchRun {
  nlohmann::json machine;  ///< machine_json()
  std::string date;        ///< UTC, ISO 8601
  std::string label;       ///< what the user calls the run
  std::vector<BenchResult> results;
  nlohmann::json bandwidths = nlohmann::json::array();   ///< {isa, threads, working_set_bytes, triad_gbs}
  nlohmann::json arithmetics = nlohmann::json::array();  ///< {isa, threads, dtype, gflops}
};

/// Puts what was measured of the machine into the run.
void set_limits(BenchRun& run, const Limits& limits);
nlohmann::json to_json(const BenchRun& run);
/// Throws   Error, naming the file, if it is no run or one of a later format
BenchRun parse_run(const nlohmann::json& stored, const std::string& path);
std::string utc_now();

}  // namespace lanewise::tools
