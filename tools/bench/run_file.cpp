#include "bench/run_file.h"

#include <algorithm>
#include <ctime>

#include <lanewise/dispatch_isa/error.h>
#include <lanewise/tensor/dtype.h>

#include "profile_file.h"

namespace lanewise::tools {
namespace {

constexpr const char* kFormat = "lanewise-bench";
constexpr int kVersion = 1;

nlohmann::json to_json(const BenchResult& r) {
  nlohmann::json arguments = nlohmann::json::object();
  for (const auto& [name, text] : r.what.arguments) arguments[name] = text;
  return {{"op", r.what.op},
          {"dtype", short_name(r.what.dtype)},
          {"shape", r.what.shape},
          {"layout", r.what.layout},
          {"threads", r.what.threads},
          {"arguments", arguments},
          {"isa", name(r.isa)},
          {"path", r.path},
          {"bytes", r.bytes},
          {"flops", r.flops},
          {"elements", r.elements},
          {"ns", r.ns},
          {"median_ns", r.median()},
          {"spread", r.spread()},
          {"unstable", r.is_unstable()},
          {"error", r.error},
          {"bandwidth_limit_gbs", r.bandwidth_limit},
          {"arithmetic_limit_gflops", r.arithmetic_limit},
          {"share_of_limit", r.share_of_limit()},
          {"cycles_per_element", r.cycles},
          {"instructions_per_element", r.instructions}};
}

BenchResult from_json(const nlohmann::json& j) {
  BenchResult r;
  r.what.op = j.at("op");
  r.what.dtype = parse_dtype(j.at("dtype").get<std::string>());
  r.what.shape = j.at("shape").get<std::vector<std::int64_t>>();
  r.what.layout = j.at("layout");
  r.what.threads = j.at("threads");
  for (const auto& [name, text] : j.at("arguments").items())
    r.what.arguments.emplace_back(name, text.get<std::string>());
  r.isa = parse_isa(j.at("isa").get<std::string>());
  r.path = j.at("path");
  r.bytes = j.at("bytes");
  r.flops = j.at("flops");
  r.elements = j.at("elements");
  r.ns = j.at("ns").get<std::vector<double>>();
  LANEWISE_CHECK(Error, !r.ns.empty() && *std::min_element(r.ns.begin(), r.ns.end()) > 0, r.what.key(),
                 " has no samples, or one that is not above 0");
  r.error = j.at("error");
  r.bandwidth_limit = j.at("bandwidth_limit_gbs");
  r.arithmetic_limit = j.at("arithmetic_limit_gflops");
  r.cycles = j.at("cycles_per_element");
  r.instructions = j.at("instructions_per_element");
  return r;
}

}  // namespace

void set_limits(BenchRun& run, const Limits& limits) {
  for (const auto& [key, gbs] : limits.bandwidths()) {
    run.bandwidths.push_back({{"isa", name(std::get<0>(key))},
                              {"threads", std::get<1>(key)},
                              {"working_set_bytes", std::get<2>(key)},
                              {"triad_gbs", gbs}});
  }
  for (const auto& [key, gflops] : limits.arithmetics()) {
    run.arithmetics.push_back({{"isa", name(std::get<0>(key))},
                               {"threads", std::get<1>(key)},
                               {"dtype", std::get<2>(key) ? "f64" : "f32"},
                               {"gflops", gflops}});
  }
}

nlohmann::json to_json(const BenchRun& run) {
  nlohmann::json results = nlohmann::json::array();
  for (const BenchResult& r : run.results) results.push_back(to_json(r));
  return {{"format", kFormat},
          {"version", kVersion},
          {"date", run.date},
          {"label", run.label},
          {"machine", run.machine},
          {"bandwidth_limits", run.bandwidths},
          {"arithmetic_limits", run.arithmetics},
          {"results", results}};
}

BenchRun parse_run(const nlohmann::json& j, const std::string& path) {
  LANEWISE_CHECK(Error, field(j, "format") == kFormat, path,
                 ": not a run of `lanewise bench -o`, nor one of Google Benchmark's in JSON");
  LANEWISE_CHECK(Error, field(j, "version") == kVersion, path, ": format ", field(j, "version").dump(),
                 ", this tool reads format ", kVersion);
  BenchRun run;
  try {
    run.machine = j.at("machine");
    LANEWISE_CHECK(Error, field(run.machine, "cpu").is_string(), "machine names no cpu");
    run.date = j.at("date");
    run.label = j.at("label");
    run.bandwidths = j.at("bandwidth_limits");
    run.arithmetics = j.at("arithmetic_limits");
    for (const nlohmann::json& result : j.at("results")) run.results.push_back(from_json(result));
  } catch (const std::exception& error) {
    detail::raise<Error>(path, ": ", error.what());
  }
  return run;
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

}  // namespace lanewise::tools
