// lanewise bench and compare.
#include <algorithm>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "json_schema.h"
#include "run_tool.h"

namespace lanewise::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

const std::vector<std::string> kQuick = {"--turns", "3", "--seconds", "0.0002"};

ToolRun bench(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "bench");
  arguments.insert(arguments.end(), kQuick.begin(), kQuick.end());
  return run_tool(arguments);
}

json tiers() { return json::parse(run_tool({"info", "--json"}).output).at("isas_available"); }

TEST(Bench, TimesEveryTierInTheSameTurns) {
  const ToolRun run = bench({"add", "--size", "1000", "--json"});
  ASSERT_EQ(run.status, 0) << run.errors;
  const json results = json::parse(run.output).at("results");
  ASSERT_EQ(results.size(), tiers().size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    const json& r = results[i];
    EXPECT_EQ(r.at("isa"), tiers()[i]);
    EXPECT_EQ(r.at("ns").size(), 3u);
    EXPECT_EQ(r.at("bytes"), 3 * 4000);
    EXPECT_EQ(r.at("flops"), 1000);
    EXPECT_EQ(r.at("path"), "contiguous");
    EXPECT_GT(r.at("median_ns").get<double>(), 0);
    EXPECT_GT(r.at("bandwidth_limit_gbs").get<double>(), 0);
    EXPECT_GT(r.at("arithmetic_limit_gflops").get<double>(), 0);
    EXPECT_LT(r.at("error").get<double>(), 1e-6);
  }
}

TEST(Bench, CoversDtypesShapesAndLayouts) {
  const ToolRun run = bench({"mul", "sum", "--dtype", "bf16,f64,i32", "--size", "40x30", "--layout",
                             "contiguous,transposed,mixed,strided,expanded", "--isa",
                             tiers()[0].get<std::string>(), "--json"});
  ASSERT_EQ(run.status, 0) << run.errors;
  EXPECT_EQ(json::parse(run.output).at("results").size(), 2u * 3 * 5);
}

TEST(Bench, MakesTheArgumentsOfManyOps) {
  for (const char* op :
       {"exp", "where", "mm", "bmm", "addmm", "pow.Tensor_Scalar", "cat", "lerp.Scalar", "addcmul"}) {
    const ToolRun one = bench({op, "--size", "1024"});
    EXPECT_EQ(one.status, 0) << op << ": " << one.errors;
  }
  for (const char* op : {"gather", "index_select", "cumsum", "softmax.int"}) {
    const ToolRun one = bench({op, "--size", "32x32", "--arg", "dim=0"});
    EXPECT_EQ(one.status, 0) << op << ": " << one.errors;
  }
}

TEST(Bench, JsonFollowsItsSchema) {
  const ToolRun run = bench({"add", "exp", "sum", "--size", "1000", "--threads", "1,2", "--json"});
  ASSERT_EQ(run.status, 0) << run.errors;
  const json schema = read_schema("bench-run.json"), good = json::parse(run.output);
  EXPECT_EQ(schema_problem(schema, good), "");
  json bad = good;
  bad["results"][1]["ns"] = "fast";
  EXPECT_EQ(schema_problem(schema, bad), "/results/1/ns: expected array");
  bad = good;
  bad["results"][0].erase("isa");
  EXPECT_EQ(schema_problem(schema, bad), "/results/0: lacks \"isa\"");
}

TEST(Bench, ThreeNumbersDescribeAProduct) {
  const ToolRun run = bench({"mm", "--size", "20x30x40", "--json"});
  ASSERT_EQ(run.status, 0) << run.errors;
  EXPECT_EQ(json::parse(run.output).at("results")[0].at("flops"), 2 * 20 * 30 * 40);
}

TEST(Bench, RefusesWhatItCannotTime) {
  const struct {
    std::vector<std::string> arguments;
    int status;
    const char* message;
  } cases[] = {
      {{"ad"}, 1, "did you mean"},
      {{"add", "--dtype", "f33"}, 1, "f33"},
      {{"add", "--size", "12x-3"}, 1, "12x-3"},
      {{"add", "--isa", "avx9"}, 1, "avx9"},
      {{"add", "--layout", "round"}, 2, "--layout"},
      {{"add", "--layout", "transposed"}, 1, "two dimensions"},
      {{"add", "--arg", "colour=3"}, 1, "colour"},
      {{"add", "--threads", "0"}, 2, "--threads"},
      {{"add_"}, 1, "plain form"},
      {{"add", "-o", "/no/such/folder/run.json"}, 1, "/no/such/folder/run.json"},
  };
  for (const auto& c : cases) {
    const ToolRun run = bench(c.arguments);
    EXPECT_EQ(run.status, c.status) << c.message;
    EXPECT_THAT(run.errors, HasSubstr(c.message));
  }
}

TEST(Bench, TheStandardListHasNoDoubles) {
  const ToolRun run = bench({"--list"});
  std::istringstream lines(run.output);
  std::vector<std::string> keys;
  for (std::string line; std::getline(lines, line);) keys.push_back(line);
  EXPECT_GT(keys.size(), 40u);
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(std::adjacent_find(keys.begin(), keys.end()), keys.end());
}

/// A run with one case on two tiers: samples around `ns`.
std::string store_run(const std::string& name, double slow_tier_ns, double fast_tier_ns) {
  json results = json::array();
  for (const auto& [isa, ns] : {std::pair("sse4_2", slow_tier_ns), std::pair("avx2", fast_tier_ns)}) {
    results.push_back({{"op", "add"},
                       {"dtype", "f32"},
                       {"shape", {64}},
                       {"layout", "contiguous"},
                       {"threads", 1},
                       {"arguments", json::object()},
                       {"isa", isa},
                       {"path", "contiguous"},
                       {"bytes", 768},
                       {"flops", 64},
                       {"elements", 64},
                       {"ns", {ns * 0.99, ns, ns * 1.01, ns * 1.005, ns * 0.995, ns, ns}},
                       {"error", 0},
                       {"bandwidth_limit_gbs", 10},
                       {"arithmetic_limit_gflops", 100},
                       {"cycles_per_element", 0},
                       {"instructions_per_element", 0}});
  }
  const json run = {{"format", "lanewise-bench"},         {"version", 1},
                    {"date", "2026-01-01T00:00:00Z"},     {"label", name},
                    {"machine", {{"cpu", "test"}}},       {"bandwidth_limits", json::array()},
                    {"arithmetic_limits", json::array()}, {"results", results}};
  const std::string path = scratch_file(name + ".json");
  std::ofstream(path) << run.dump();
  return path;
}

TEST(Compare, FindsARegressionBeyondTheBound) {
  const std::string before = store_run("before", 200, 100), after = store_run("after", 200, 120);
  const ToolRun run = run_tool({"compare", before, after, "--bound", "5"});
  EXPECT_EQ(run.status, 3);
  EXPECT_THAT(run.output, HasSubstr("SLOWER"));
  EXPECT_THAT(run.errors, HasSubstr("1 of 2 cases are slower by more than 5 %"));
  EXPECT_EQ(run_tool({"compare", before, after, "--bound", "25"}).status, 0);
  EXPECT_EQ(run_tool({"compare", after, before}).status, 0);
}

TEST(Compare, GivesTheRatioWithAnInterval) {
  const ToolRun run =
      run_tool({"compare", store_run("before", 200, 100), store_run("after", 200, 80), "--json"});
  ASSERT_EQ(run.status, 0) << run.errors;
  const json row = json::parse(run.output).at("comparisons")[1];
  EXPECT_DOUBLE_EQ(row.at("speed_up").get<double>(), 1.25);
  EXPECT_LE(row.at("low").get<double>(), 1.25);
  EXPECT_GE(row.at("high").get<double>(), 1.25);
  EXPECT_GT(row.at("low").get<double>(), 1.2);
}

TEST(Compare, TiersOfOneRun) {
  const ToolRun run = run_tool({"compare", store_run("run", 200, 100), "--tiers", "sse4_2,avx2"});
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.output, HasSubstr("2.000x"));
  EXPECT_EQ(run_tool({"compare", store_run("run", 200, 100), "--tiers", "avx2,sse4_2"}).status, 3);
}

TEST(Compare, NamesTheFieldThatIsWrong) {
  const std::string good = store_run("good", 200, 100), bad = scratch_file("bad.json");
  std::ifstream file(good);
  const json run = json::parse(file);
  const struct {
    const char* field;
    json value;
    const char* message;
  } cases[] = {{"/format", 3, "not a run of"},
               {"/version", "1", "format \"1\", this tool reads format 1"},
               {"/version", nullptr, "format null, this tool reads format 1"},
               {"/machine", 3, "machine names no cpu"},
               {"/machine/cpu", json::array(), "machine names no cpu"},
               {"/date", 2026, "(/date) type must be string"},
               {"/results/0/ns", "fast", "(/results/0/ns) type must be array"},
               {"/results/1/bytes", "many", "(/results/1/bytes) type must be number"},
               {"/results/1/isa", "avx9", "'avx9': unknown"}};
  for (const auto& c : cases) {
    json wrong = run;
    wrong[json::json_pointer(c.field)] = c.value;
    std::ofstream(bad) << wrong.dump();
    const ToolRun compared = run_tool({"compare", good, bad});
    EXPECT_EQ(compared.status, 1) << c.field;
    EXPECT_EQ(compared.errors.find("lanewise: " + bad + ": "), 0u) << compared.errors;
    EXPECT_THAT(compared.errors, HasSubstr(c.message));
  }
}

TEST(Compare, NamesTheFileThatItCannotRead) {
  const std::string good = store_run("good", 200, 100), cut = scratch_file("cut.json");
  std::ofstream(cut) << "{\"format\": \"lanewise-bench\", \"ver";
  const std::string other = scratch_file("other.json");
  std::ofstream(other) << "{\"format\": \"something\"}";
  const struct {
    std::string file;
    const char* message;
  } cases[] = {{cut, "cut off"}, {other, "not a run"}, {"/no/such/run.json", "cannot be read"}};
  for (const auto& c : cases) {
    const ToolRun run = run_tool({"compare", good, c.file});
    EXPECT_EQ(run.status, 1);
    EXPECT_THAT(run.errors, HasSubstr(c.message));
    EXPECT_THAT(run.errors, HasSubstr(c.file));
  }
  EXPECT_EQ(run_tool({"compare", good}).status, 1);
  EXPECT_EQ(run_tool({"compare"}).status, 2);
}

}  // namespace
}  // namespace lanewise::test
