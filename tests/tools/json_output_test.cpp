// Every --json is as docs/schemas says, and the schemas can be broken.
#include <cstdlib>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "json_schema.h"
#include "run_tool.h"

namespace lanewise::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// What the tool prints, after it was held against the schema.
json output_of(const std::string& schema, const std::vector<std::string>& arguments, int status = 0) {
  const ToolRun run = run_tool(arguments);
  EXPECT_EQ(run.status, status) << arguments[0] << ": " << run.errors;
  const json output = json::parse(run.output, nullptr, false);
  EXPECT_FALSE(output.is_discarded()) << run.output;
  EXPECT_EQ(schema_problem(read_schema(schema), output), "") << arguments[0];
  return output;
}

TEST(JsonOutput, Info) { output_of("info.json", {"info", "--json"}); }

TEST(JsonOutput, Compare) {
  const std::string run = scratch_file("run.json");
  ASSERT_EQ(
      run_tool({"bench", "add", "--size", "64,1Ki", "--turns", "3", "--seconds", "0.0002", "-o", run}).status,
      0);
  const json same = output_of("compare.json", {"compare", run, run, "--json"});
  EXPECT_EQ(same.at("regressions"), 0);
  EXPECT_EQ(same.at("comparisons")[0].at("speed_up"), 1);
}

// Every section that a report of a run can have, with the numbers that it draws.
TEST(JsonOutput, Report) {
  const std::string run = scratch_file("run.json"), tune = scratch_file("tune.txt"),
                    tuning = scratch_file("tuning.json"), trace = scratch_file("trace.json"),
                    page = scratch_file("page.html");
  const std::vector<std::string> quick = {"--turns", "3", "--seconds", "0.0002"};
  const auto make = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), quick.begin(), quick.end());
    const ToolRun made = run_tool(arguments);
    ASSERT_EQ(made.status, 0) << made.errors;
  };
  make({"bench", "add", "--size", "16,1Ki,32x32,64Ki,128x64", "-o", run});
  const std::string strided = scratch_file("strided.json");
  make({"bench", "add", "--size", "32x32", "--layout", "contiguous,transposed", "-o", strided});
  make({"bench", "--tune", tune, "neg"});
  const int verified = run_tool({"bench", "--tune", tune, "--verify", "neg", "--turns", "3", "--seconds",
                                 "0.0002", "-o", tuning})
                           .status;
  ASSERT_TRUE(verified == 0 || verified == 3);
  ASSERT_EQ(
      run_tool({"profile", "-o", trace, "--", LANEWISE_TOOL, "passport", "exp", "--points", "40000"}).status,
      0);
  const json report = output_of("report.json", {"report", run, "--before", run, "--tuning", tuning,
                                                "--profile", trace, "--title", "a \"title\"", "--json"});
  EXPECT_EQ(report.at("title"), "a \"title\"");
  const json& parts = report.at("sections");
  std::ifstream file(run);
  const json stored = json::parse(file);
  EXPECT_EQ(parts.at("machine"), stored.at("machine"));
  EXPECT_EQ(parts.at("all_results").size(), stored.at("results").size());
  EXPECT_EQ(parts["all_results"][0].at("ns"), stored["results"][0].at("median_ns"));
  EXPECT_EQ(parts.at("differences").at("comparisons").size(), stored.at("results").size());
  EXPECT_EQ(parts.at("tuning").at("cases").size(), 3u);
  EXPECT_FALSE(parts.at("profile").at("by_op").empty());
  EXPECT_EQ(parts.at("overhead").size(), stored.at("machine").at("isas_available").size());
  for (const char* name : {"roofline", "sizes"}) EXPECT_TRUE(parts.contains(name)) << name;
  EXPECT_EQ(parts.contains("speed_up_by_tier"), stored["machine"]["isas_available"].size() > 1);
  const json layouts = output_of("report.json", {"report", strided, "--json"});
  EXPECT_EQ(layouts.at("sections").at("layouts").size(), 2u);
  // A page is written only where it is asked for.
  EXPECT_FALSE(std::ifstream("lanewise-report.html").good());
  output_of("report.json", {"report", run, "--json", "-o", page});
  EXPECT_TRUE(std::ifstream(page).good());
  output_of("report.json", {"report", "--profile", trace, "--json"});
}

TEST(JsonOutput, ReportOfGoogleBenchmark) {
  json benchmarks = json::array();
  for (const char* name : {"add/1024", "add/262144", "add/16777216"}) {
    for (const double ns : {100., 101., 102.}) {
      benchmarks.push_back(
          {{"name", name}, {"real_time", ns}, {"time_unit", "ns"}, {"bytes_per_second", 1e12 / ns}});
    }
  }
  const std::string run = scratch_file("google.json");
  std::ofstream(run) << json{{"context", {{"library", "Lanewise 0.1.0"}, {"host_name", "server"}}},
                             {"benchmarks", benchmarks}};
  const json parts = output_of("report.json", {"report", run, "--before", run, "--json"}).at("sections");
  EXPECT_EQ(parts.at("machine").at("library"), "Lanewise 0.1.0");
  EXPECT_EQ(parts.at("sizes").size(), 6u);
  EXPECT_EQ(parts.at("all_results")[0].at("ns"), 101);
}

TEST(JsonOutput, EveryCommandHasIt) {
  for (const char* command :
       {"info", "bench", "compare", "explain", "profile", "passport", "report", "verify-isa"}) {
    EXPECT_THAT(run_tool({command, "--help"}).output, HasSubstr("--json")) << command;
  }
}

TEST(JsonOutput, Explain) {
  const json add =
      output_of("explain.json", {"explain", "add", "--size", "128x64", "--layout", "mixed", "--json"});
  ASSERT_EQ(add.at("ops").size(), 1u);
  EXPECT_EQ(add["ops"][0].at("call"), "add f32[128,64] f32[128,64]:(1,128) -> f32[128,64]");
  EXPECT_THAT(add["ops"][0].at("path").get<std::string>(), HasSubstr("blocked"));
  EXPECT_EQ(add["ops"][0].at("loop").size(), 1u);
  // Of an op that is made of others, those.
  const json loss = output_of("explain.json", {"explain", "l1_loss", "--size", "64", "--json"});
  ASSERT_GT(loss.at("ops").size(), 1u);
  EXPECT_THAT(loss["ops"].back().at("call").get<std::string>(), testing::StartsWith("mean "));
}

TEST(JsonOutput, Passport) {
  const json passport =
      output_of("passport.json", {"passport", "exp", "sqrt", "--points", "40000", "--json"});
  const json tiers = json::parse(run_tool({"info", "--json"}).output).at("isas_available");
  int sqrt_rows = 0;
  for (const json& row : passport.at("rows")) {
    if (row.at("op") != "sqrt" || row.at("dtype").get<std::string>()[0] != 'f') continue;
    ++sqrt_rows;
    EXPECT_LE(row.at("max_ulp").get<double>(), 0.5) << "a square root is correctly rounded: " << row;
  }
  EXPECT_EQ(sqrt_rows, 2 * static_cast<int>(tiers.size()));
}

TEST(JsonOutput, Profile) {
  const std::string trace = scratch_file("trace.json");
  // The passport is a program with Lanewise in it; its own output comes first on the same stream.
  const ToolRun run = run_tool(
      {"profile", "--json", "-o", trace, "--", LANEWISE_TOOL, "passport", "exp", "--points", "40000"});
  ASSERT_EQ(run.status, 0) << run.errors;
  const json summary = json::parse(run.output.substr(run.output.find("{")));
  EXPECT_EQ(schema_problem(read_schema("profile.json"), summary), "");
  std::ifstream file(trace);
  EXPECT_EQ(schema_problem(read_schema("trace.json"), json::parse(file)), "");
}

TEST(JsonOutput, Tune) {
  output_of("tune.json", {"bench", "--tune", scratch_file("tune.txt"), "neg", "--turns", "3", "--seconds",
                          "0.0002", "--json"});
}

TEST(JsonOutput, TuneCheck) {
  const std::string file = scratch_file("tune.txt");
  ASSERT_EQ(run_tool({"bench", "--tune", file, "neg", "--turns", "3", "--seconds", "0.0002"}).status, 0);
  const ToolRun run =
      run_tool({"bench", "--tune", file, "--verify", "neg", "--turns", "3", "--seconds", "0.0002", "--json"});
  EXPECT_TRUE(run.status == 0 || run.status == 3) << run.errors;  // the machine decides
  const json check = json::parse(run.output);
  EXPECT_EQ(schema_problem(read_schema("tune-check.json"), check), "");
  EXPECT_EQ(check.at("cases").size(), 3u);
}

#if defined(__x86_64__) && !defined(LANEWISE_SANITIZED)
TEST(JsonOutput, VerifyIsa) {
  output_of("verify-isa.json", {"verify-isa", LANEWISE_TOOL, "--json"});
  const std::string source = scratch_file("leak.cpp"), object = scratch_file("leak.o");
  std::ofstream(source) << "#include <immintrin.h>\n__m256 leak(__m256 a) { return _mm256_add_ps(a, a); }\n";
  ASSERT_EQ(std::system((std::string(LANEWISE_CXX " -O1 -mavx -c ") + source + " -o " + object).c_str()), 0);
  const json leaks = output_of("verify-isa.json", {"verify-isa", object, "--json"}, 3);
  EXPECT_GT(leaks[0].at("misplaced"), 0);
}
#endif

TEST(JsonSchema, FindsEachKindOfMistake) {
  const json schema = json::parse(R"({
    "type": "object", "additionalProperties": {"type": "integer", "minimum": 1},
    "properties": {"form": {"oneOf": [{"const": "a"}, {"type": "array", "minItems": 1}]}}})");
  EXPECT_EQ(schema_problem(schema, {{"form", "a"}, {"n", 2}}), "");
  EXPECT_EQ(schema_problem(schema, {{"form", json::array({1})}}), "");
  EXPECT_EQ(schema_problem(schema, {{"n", 0}}), "/n: below 1");
  EXPECT_THAT(schema_problem(schema, {{"form", "b"}}), HasSubstr("/form: fits 0 of 2 forms"));
  EXPECT_THAT(schema_problem(schema, {{"form", json::array()}}), HasSubstr("fewer than 1 items"));
  EXPECT_THAT(schema_problem({{"maxLength", 3}}, "long"), HasSubstr("'maxLength' is not known here"));
}

}  // namespace
}  // namespace lanewise::test
