#include "bench/google_run.h"

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include <lanewise/dispatch_isa/error.h>

#include "compare/statistics.h"

// Source: "User Guide" of Google Benchmark 1.7, section "Output Formats".
namespace lanewise::tools {
namespace {

using nlohmann::json;

double ns_per(const std::string& unit) {
  const std::map<std::string, double> units{{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
  const auto found = units.find(unit);
  LANEWISE_CHECK(Error, found != units.end(), "time_unit '", unit, "' is unknown");
  return found->second;
}

void read_context(const json& context, GoogleRun& run) {
  const std::string program = context.value("executable", "unknown program");
  run.library = context.value("library", program.substr(program.rfind('/') + 1));
  run.isa = context.value("isa", "");
  run.date = context.value("date", "");
  run.host = context.value("host_name", "unknown");
  run.threads = context.value("threads", "");
  run.turns = context.value("turns", "");
  run.cpus = context.value("num_cpus", 0);
  run.mhz = context.value("mhz_per_cpu", 0.0);
  for (const json& cache : context.value("caches", json::array()))
    run.caches.push_back({cache.at("type"), cache.at("level"), cache.at("size")});
}

double of_median(std::vector<double> values) { return values.empty() ? 0 : median(std::move(values)); }

}  // namespace

bool is_google_run(const json& stored) {
  return stored.is_object() && stored.contains("context") && stored.contains("benchmarks");
}

GoogleRun parse_google_run(const json& stored, const std::string& path) {
  GoogleRun run;
  std::map<std::string, std::size_t> place;
  std::vector<std::vector<double>> bytes, items;
  try {
    read_context(stored.at("context"), run);
    for (const json& entry : stored.at("benchmarks")) {
      if (entry.value("run_type", "iteration") != "iteration") continue;
      const std::string name = entry.value("run_name", entry.at("name").get<std::string>());
      if (entry.value("error_occurred", false)) {
        run.failed.push_back(name + ": " + entry.value("error_message", "no reason given"));
        continue;
      }
      const auto [at, fresh] = place.try_emplace(name, run.cases.size());
      if (fresh) {
        run.cases.push_back({.name = name, .ns = {}});
        bytes.emplace_back();
        items.emplace_back();
      }
      const double ns = entry.at("real_time").get<double>() * ns_per(entry.value("time_unit", "ns"));
      LANEWISE_CHECK(Error, ns > 0, name, ": real_time is not above 0");
      run.cases[at->second].ns.push_back(ns);
      if (entry.contains("bytes_per_second"))
        bytes[at->second].push_back(entry["bytes_per_second"].get<double>());
      if (entry.contains("items_per_second"))
        items[at->second].push_back(entry["items_per_second"].get<double>());
    }
  } catch (const std::exception& error) {
    detail::raise<Error>(path, ": ", error.what());
  }
  for (std::size_t i = 0; i < run.cases.size(); ++i) {
    run.cases[i].bytes_per_second = of_median(bytes[i]);
    run.cases[i].items_per_second = of_median(items[i]);
  }
  LANEWISE_CHECK(
      Error, !run.cases.empty(), path, ": no case in it was timed",
      run.failed.empty() ? "; run it without --benchmark_report_aggregates_only" : "; " + run.failed[0]);
  return run;
}

}  // namespace lanewise::tools
