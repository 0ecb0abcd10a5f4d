// Runs of Google Benchmark programs: library against library.
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "json_schema.h"
#include "run_tool.h"

namespace lanewise::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

/// A run as Google Benchmark 1.7 writes it, with the aggregates that it adds to repetitions. Times in us.
json make_run(const std::string& library, const std::map<std::string, std::vector<double>>& cases) {
  json benchmarks = json::array();
  for (const auto& [name, times] : cases) {
    for (std::size_t i = 0; i < times.size(); ++i) {
      benchmarks.push_back({{"name", name},
                            {"run_name", name},
                            {"run_type", "iteration"},
                            {"repetitions", times.size()},
                            {"repetition_index", i},
                            {"iterations", 1000},
                            {"real_time", times[i]},
                            {"cpu_time", times[i] / 2},
                            {"time_unit", "us"},
                            {"bytes_per_second", 12e9 / times[i]}});
    }
    benchmarks.push_back({{"name", name + "_mean"},
                          {"run_name", name},
                          {"run_type", "aggregate"},
                          {"aggregate_name", "mean"},
                          {"real_time", 1e6},
                          {"time_unit", "us"}});
  }
  return {{"context",
           {{"date", "2026-01-01T00:00:00+00:00"},
            {"host_name", "server"},
            {"executable", "/somewhere/some_bench"},
            {"num_cpus", 2},
            {"mhz_per_cpu", 2100},
            {"caches", {{{"type", "Data"}, {"level", 1}, {"size", 49152}, {"num_sharing", 1}}}},
            {"library", library}}},
          {"benchmarks", benchmarks}};
}

std::string store(const std::string& name, const json& run) {
  const std::string path = scratch_file(name);
  std::ofstream(path) << run.dump();
  return path;
}

const std::map<std::string, std::vector<double>> kSlow = {
    {"add/1024", {4, 4.04, 3.96, 4.02}}, {"exp/1024", {10, 10.1, 9.9, 10}}, {"only_here", {1, 1, 1}}};
const std::map<std::string, std::vector<double>> kFast = {{"add/1024", {2, 2.02, 1.98, 2.01}},
                                                          {"exp/1024", {10.1, 10, 9.9, 10}}};

TEST(GoogleBenchmark, LibraryAgainstLibrary) {
  const std::string peer = store("peer.json", make_run("libtorch 1.13.0", kSlow)),
                    ours = store("ours.json", make_run("Lanewise 0.1.0", kFast));
  const ToolRun text = run_tool({"compare", peer, ours});
  EXPECT_EQ(text.status, 0) << text.errors;
  EXPECT_THAT(text.output, HasSubstr("libtorch 1.13.0 - Lanewise 0.1.0"));
  const json found = json::parse(run_tool({"compare", peer, ours, "--json"}).output);
  EXPECT_EQ(schema_problem(read_schema("compare.json"), found), "");
  ASSERT_EQ(found.at("comparisons").size(), 2u);
  const json& add = found["comparisons"][0];
  EXPECT_EQ(add.at("case"), "add/1024");
  EXPECT_NEAR(add.at("speed_up").get<double>(), 2, 0.02);
  EXPECT_NEAR(add.at("before_ns").get<double>(), 4010, 1);
  EXPECT_GT(add.at("low").get<double>(), 1.9);
  EXPECT_LT(add.at("high").get<double>(), 2.1);
  const json& exp = found["comparisons"][1];
  EXPECT_LE(exp.at("low").get<double>(), 1);
  EXPECT_GE(exp.at("high").get<double>(), 1);
  EXPECT_EQ(run_tool({"compare", ours, peer}).status, 3);
}

// Where two programs took turns, a drift that both had does not widen the interval.
TEST(GoogleBenchmark, RoundsInTurnsArePaired) {
  json peer = make_run("A 1", {{"add", {2, 4, 8, 16, 32}}}),
       ours = make_run("B 1", {{"add", {1, 2, 4, 8, 16}}});
  const auto width = [&] {
    const json row =
        json::parse(run_tool({"compare", store("a.json", peer), store("b.json", ours), "--json"}).output)
            .at("comparisons")[0];
    return row.at("high").get<double>() - row.at("low").get<double>();
  };
  EXPECT_GT(width(), 1);
  peer["context"]["turns"] = ours["context"]["turns"] = "2026-01-01T00:00:00+00:00";
  EXPECT_EQ(width(), 0);
}

TEST(GoogleBenchmark, RefusesWhatHasNoInterval) {
  const std::string once = store("once.json", make_run("A 1", {{"add", {2}}})),
                    other = store("other.json", make_run("B 1", {{"mul", {2, 2, 2}}}));
  const ToolRun run = run_tool({"compare", once, once});
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.errors, HasSubstr("--benchmark_repetitions"));
  EXPECT_THAT(run_tool({"compare", once, other}).errors, HasSubstr("no case in common"));
  EXPECT_THAT(run_tool({"compare", other, "--tiers", "avx2,avx512"}).errors,
              HasSubstr("--tiers is for a run of"));
  const std::string ours = scratch_file("ours.json");
  ASSERT_EQ(
      run_tool({"bench", "add", "--size", "64", "--turns", "3", "--seconds", "0.0002", "-o", ours}).status,
      0);
  EXPECT_THAT(run_tool({"compare", other, ours}).errors, HasSubstr("the other of Google Benchmark"));
}

TEST(GoogleBenchmark, CasesThatFailedAreNamed) {
  json run = make_run("A 1", {});
  run["benchmarks"].push_back({{"name", "add"},
                               {"run_name", "add"},
                               {"run_type", "iteration"},
                               {"error_occurred", true},
                               {"error_message", "wrong answer"},
                               {"real_time", 0},
                               {"time_unit", "ns"}});
  const ToolRun none = run_tool({"report", store("failed.json", run)});
  EXPECT_EQ(none.status, 1);
  EXPECT_THAT(none.errors, HasSubstr("add: wrong answer"));
  run["benchmarks"][0]["time_unit"] = "fortnight";
  run["benchmarks"][0]["error_occurred"] = false;
  EXPECT_THAT(run_tool({"report", store("unit.json", run)}).errors,
              HasSubstr("unit.json: time_unit 'fortnight'"));
}

TEST(GoogleBenchmark, AReportOfTwoLibraries) {
  const std::map<std::string, std::vector<double>> sizes = {
      {"add/64", {1, 1, 1}}, {"add/1024", {3, 3, 3}}, {"add/16384", {9, 9, 9}}};
  const std::string page = scratch_file("page.html"), text = scratch_file("page.md");
  const ToolRun report =
      run_tool({"report", store("ours.json", make_run("Lanewise 0.1.0", sizes)), "--before",
                store("peer.json", make_run("libtorch 1.13.0", sizes)), "-o", page, "--markdown", text});
  ASSERT_EQ(report.status, 0) << report.errors;
  std::ifstream file(page), markdown_file(text);
  const std::string html{std::istreambuf_iterator<char>(file), {}},
      markdown{std::istreambuf_iterator<char>(markdown_file), {}};
  for (const char* title : {"Machine", "Sizes", "Differences", "All results"}) {
    EXPECT_THAT(html, HasSubstr(std::string("<h2>") + title));
    if (title != std::string("Sizes")) {
      EXPECT_THAT(markdown, HasSubstr(std::string("## ") + title));
    }
  }
  EXPECT_THAT(html, HasSubstr("<svg"));
  EXPECT_THAT(html, HasSubstr("add/1024 of libtorch 1.13.0: 4.0 GB/s"));
  EXPECT_THAT(html, Not(HasSubstr("nan")));
}

#ifdef LANEWISE_BENCH
// The project's own benchmark program is one.
TEST(GoogleBenchmark, ReadsWhatTheLibraryWrites) {
  const std::string path = scratch_file("real.json");
  ASSERT_EQ(std::system((LANEWISE_BENCH " --benchmark_filter=overhead_add/ --benchmark_repetitions=3 "
                                        "--benchmark_min_time=0.001 --benchmark_format=json > " +
                         path + " 2> /dev/null")
                            .c_str()),
            0);
  const ToolRun same = run_tool({"compare", path, path, "--json"});
  ASSERT_EQ(same.status, 0) << same.errors;
  const json found = json::parse(same.output);
  EXPECT_EQ(found.at("comparisons").size(), 3u);
  EXPECT_THAT(found["comparisons"][0].at("before").get<std::string>(), HasSubstr("Lanewise "));
}
#endif

}  // namespace
}  // namespace lanewise::test
