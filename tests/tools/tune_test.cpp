// lanewise bench --tune, and what a program does with LANEWISE_TUNE.
#include <algorithm>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <lanewise/dispatch_isa/isa.h>
#include <lanewise/kernels/tuning.h>

#include "run_tool.h"

namespace lanewise::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

std::string write(const std::string& name, const std::string& text) {
  const std::string path = scratch_file(name);
  std::ofstream(path) << text;
  return path;
}

std::string head() { return "lanewise-tune 1\ncpu " + cpu_model() + "\n"; }

// A program that computes on whatever tier is in use.
ToolRun compute(const std::string& environment) {
  return run_tool({"explain", "exp", "--size", "4096"}, environment);
}

TEST(Tune, WritesAFileThatTheLibraryReads) {
  const std::string path = scratch_file("tune.txt");
  const ToolRun run = run_tool({"bench", "--tune", path, "exp", "add", "--dtype", "f32,bf16", "--turns", "3",
                                "--seconds", "0.0002", "--threads", "2", "--json"});
  ASSERT_EQ(run.status, 0) << run.errors;
  const json cases = json::parse(run.output).at("cases");
  EXPECT_EQ(cases.size(), 2u * 2 * 3);
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const kernels::TuneFile tuned = kernels::TuneFile::parse(text, path);
  EXPECT_EQ(tuned.cpu, cpu_model());
  const auto chosen =
      std::count_if(cases.begin(), cases.end(), [](const json& c) { return c.at("default") == false; });
  EXPECT_EQ(tuned.tunings.size(), static_cast<std::size_t>(chosen));
  for (const json& c : cases) EXPECT_TRUE(c.at("default") == true || c.at("low").get<double>() > 1) << c;
  EXPECT_EQ(compute("LANEWISE_TUNE=" + path).status, 0);
}

ToolRun verify(const std::string& path) {
  return run_tool({"bench", "--tune", path, "--verify", "exp", "--turns", "7", "--seconds", "0.001"});
}

#ifndef LANEWISE_SANITIZED  // which slow the tiers down as they like

// Of exp AVX-512 takes half as long as AVX2, beyond any noise.
TEST(TuneVerify, FindsAChoiceThatLoses) {
  const auto tiers = kernels::tunable_isas();
  if (tiers.size() < 2) GTEST_SKIP() << "one tier has the bits of " << name(tiers.back());
  const ToolRun run = verify(write("bad.txt", head() + "exp f32 small " + name(tiers.front()) + " - -\n"));
  EXPECT_EQ(run.status, 3);
  EXPECT_THAT(run.output, HasSubstr("LOSES"));
  EXPECT_THAT(run.output, HasSubstr("3 cases, 1 of them tuned"));
  EXPECT_THAT(run.errors, HasSubstr("of 3 cases lose more than 3 %"));
}

TEST(TuneVerify, TheDefaultsHoldWhereTheyAreBest) {
  const ToolRun run = verify(write("empty.txt", head()));
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_THAT(run.output, HasSubstr("3 cases, 0 of them tuned"));
  EXPECT_THAT(run.output, HasSubstr("0 lose more than 3 %"));
}

#endif

TEST(TuneVerify, RefusesAFileThatIsNotOfThisCpuOrNoFile) {
  const ToolRun other = verify(write("other.txt", "lanewise-tune 1\ncpu of elsewhere\n"));
  EXPECT_EQ(other.status, 1);
  EXPECT_THAT(other.errors, HasSubstr("of another CPU: of elsewhere"));
  const ToolRun wrong = verify(write("wrong.txt", head() + "expo f32 small avx2 - -\n"));
  EXPECT_EQ(wrong.status, 1);
  EXPECT_THAT(wrong.errors, HasSubstr("wrong.txt:3: kernel 'expo': unknown"));
  EXPECT_THAT(verify("/no/such/file").errors, HasSubstr("/no/such/file: cannot be read"));
  const ToolRun alone = run_tool({"bench", "--verify"});
  EXPECT_EQ(alone.status, 2);
  EXPECT_THAT(alone.errors, HasSubstr("--verify requires --tune"));
}

// What --tune does not look at is refused, not passed over.
TEST(Tune, RefusesOptionsThatItDoesNotKnow) {
  const std::string path = scratch_file("t.txt");
  const std::vector<std::vector<std::string>> others = {{"--size", "64"},  {"--layout", "mixed"},
                                                        {"--isa", "avx2"}, {"--arg", "dim=0"},
                                                        {"--label", "x"},  {"--list"}};
  for (const auto& other : others) {
    std::vector<std::string> arguments = {"bench", "--tune", path, "exp"};
    arguments.insert(arguments.end(), other.begin(), other.end());
    const ToolRun run = run_tool(arguments);
    EXPECT_EQ(run.status, 2) << other[0];
    EXPECT_THAT(run.errors, HasSubstr(other[0]));
  }
}

TEST(Tune, RefusesWhatIsNoElementwiseKernel) {
  const ToolRun run = run_tool({"bench", "--tune", scratch_file("t.txt"), "mm"});
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.errors, HasSubstr("mm: no elementwise kernel"));
  const ToolRun folder = run_tool({"bench", "--tune", "/no/such/folder/t.txt", "exp"});
  EXPECT_EQ(folder.status, 1);
  EXPECT_THAT(folder.errors, HasSubstr("/no/such/folder/t.txt"));
}

TEST(TuneEnvironment, ABadFileIsOneClearError) {
  const std::string bad = write("bad.txt", head() + "expo f32 small avx2 - -\n");
  const ToolRun run = compute("LANEWISE_TUNE=" + bad);
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(run.errors.find("lanewise: LANEWISE_TUNE=" + bad + ":3: kernel 'expo': unknown"), 0u)
      << run.errors;
  EXPECT_EQ(std::count(run.errors.begin(), run.errors.end(), '\n'), 1);
  const ToolRun missing = compute("LANEWISE_TUNE=/no/such/file");
  EXPECT_EQ(missing.status, 1);
  EXPECT_THAT(missing.errors, HasSubstr("LANEWISE_TUNE=/no/such/file: cannot be read"));
  const ToolRun endless = compute("LANEWISE_TUNE=/dev/zero");
  EXPECT_EQ(endless.status, 1);
  EXPECT_THAT(endless.errors, HasSubstr("LANEWISE_TUNE=/dev/zero: no file of `lanewise bench --tune`"));
}

TEST(TuneEnvironment, ATierByNameWins) {
  const std::string bad = write("bad.txt", "no tuning\n"), tier = name(kernels::tunable_isas().back());
  EXPECT_EQ(compute("LANEWISE_TUNE=" + bad + " LANEWISE_ISA=" + tier).status, 0);
}

TEST(TuneEnvironment, AFileOfAnotherCpuIsLeftAlone) {
  const std::string path = write("other.txt", "lanewise-tune 1\ncpu of elsewhere\nexp f32 small avx2 - -\n");
  const ToolRun run = compute("LANEWISE_TUNE=" + path);
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.errors, HasSubstr("not used, it is of another CPU: of elsewhere"));
  EXPECT_EQ(std::count(run.errors.begin(), run.errors.end(), '\n'), 1);
}

}  // namespace
}  // namespace lanewise::test
