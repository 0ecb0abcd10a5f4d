#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace lanewise::tools {

/// A case of a Google Benchmark program, its repetitions together.
struct GoogleCase {
  std::string name;                                   ///< "contiguous_add/16384"
  std::vector<double> ns;                             ///< real time of an iteration, one per repetition
  double bytes_per_second = 0, items_per_second = 0;  ///< of the median repetition; 0 where it does not say
};

/// What a Google Benchmark program writes with --benchmark_format=json: lanewise_bench, the same cases in a peer
/// (bench/peers), or any other.
struct GoogleRun {
  struct Cache {
    std::string type;
    int level = 0;
    std::int64_t bytes = 0;
  };
  std::string library;  ///< as the program says it ("libtorch 1.13.0"), else the program's file name
  std::string isa;      ///< empty where it does not say
  std::string date, host, threads;
  std::string turns;  ///< the same in runs that `lanewise_bench_pair --store` took in turns
  int cpus = 0;
  double mhz = 0;
  std::vector<Cache> caches;
  std::vector<GoogleCase> cases;
  std::vector<std::string> failed;  ///< "name: why", cases that gave no time

  /// "Lanewise 0.1.0, avx2".
  std::string name() const { return isa.empty() ? library : library + ", " + isa; }
};

bool is_google_run(const nlohmann::json& stored);
/// Throws   Error, naming the file, if a part is missing or there is no time in it
GoogleRun parse_google_run(const nlohmann::json& stored, const std::string& path);

}  // namespace lanewise::tools
