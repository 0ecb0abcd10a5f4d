// The tool as its users call it: exit codes, messages, JSON.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "run_tool.h"

namespace lanewise::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TEST(Tool, WithoutACommandSaysWhatThereIs) {
  const ToolRun run = run_tool({});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.errors, HasSubstr("subcommand is required"));
}

TEST(Tool, HelpNamesEveryCommand) {
  const ToolRun run = run_tool({"--help"});
  EXPECT_EQ(run.status, 0);
  for (const char* command :
       {"bench", "compare", "info", "passport", "profile", "report", "verify-isa", "explain"})
    EXPECT_THAT(run.output, HasSubstr(command));
}

/// What bash offers for the last of the words.
std::string completions(const std::string& words) {
  const std::string script = scratch_file("completion.bash"), out = scratch_file("completions");
  std::ofstream(script) << run_tool({"--bash-completion"}).output;
  const std::string command =
      "bash -c 'source " + script + "; COMP_WORDS=(" + words +
      "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _lanewise; echo \"${COMPREPLY[*]}\"' > " + out;
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  std::ifstream file(out);
  std::string line;
  std::getline(file, line);
  return line;
}

TEST(Tool, BashCompletesCommandsOptionsAndOps) {
  EXPECT_EQ(completions("lanewise ver"), "verify-isa");
  EXPECT_EQ(completions("lanewise --vers"), "--version");
  EXPECT_EQ(completions("lanewise bench --tu"), "--tune --turns");
  EXPECT_EQ(completions("lanewise report --be"), "--before");
  EXPECT_EQ(completions("lanewise explain add --layout st"), "strided");
  EXPECT_EQ(completions("lanewise bench add --dtype bf"), "bf16");
  EXPECT_EQ(completions("lanewise bench sigmo"), "sigmoid sigmoid_backward");
  for (const char* command :
       {"info", "bench", "compare", "explain", "profile", "passport", "report", "verify-isa"})
    EXPECT_EQ(completions(std::string("lanewise ") + command + " --js"), "--json") << command;
}

// On a terminal, which `script` imitates; tests see none otherwise.
TEST(Tool, LongWorkShowsHowFarItIs) {
  if (std::system("command -v script > /dev/null") != 0) GTEST_SKIP() << "script (bsdutils) is not installed";
  const std::string out = scratch_file("terminal");
  const auto on_terminal = [&](const std::string& arguments) {
    EXPECT_EQ(std::system(("script -qec '" LANEWISE_TOOL " " + arguments + "' /dev/null > " + out).c_str()),
              0);
    std::ifstream file(out);
    return std::string{std::istreambuf_iterator<char>(file), {}};
  };
  const std::string bench = on_terminal("bench add exp --size 64 --turns 3 --seconds 0.0002");
  EXPECT_THAT(bench, HasSubstr("[........................] 1/2 add f32 [64]"));
  EXPECT_THAT(bench, HasSubstr("[############............] 2/2 exp f32 [64]"));
  EXPECT_THAT(on_terminal("passport exp --points 40000"), HasSubstr("1/"));
  EXPECT_THAT(on_terminal("bench --tune " + scratch_file("t.txt") + " neg --turns 3 --seconds 0.0002"),
              HasSubstr("1/1 neg f32"));
}

TEST(Tool, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(run_tool({"frobnicate"}).status, 2);
  const ToolRun run = run_tool({"info", "--jsn"});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.errors, HasSubstr("--jsn"));
}

TEST(Tool, InfoIsAlsoJson) {
  const json info = json::parse(run_tool({"info", "--json"}).output);
  EXPECT_FALSE(info.at("isas_available").empty());
  EXPECT_GE(info.at("cores").get<int>(), 1);
  EXPECT_THAT(run_tool({"info"}).output, HasSubstr(info.at("isa").get<std::string>()));
}

TEST(Tool, ReportsATierThatIsMissing) {
  const ToolRun run = run_tool({"info"}, "LANEWISE_ISA=avx9");
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.errors, HasSubstr("avx9"));
}

TEST(Tool, PassportRefusesTooFewPoints) {
  const ToolRun run = run_tool({"passport", "--points", "5"});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.errors, HasSubstr("--points"));
}

// The passport is a program with Lanewise in it.
TEST(ProfileCommand, RunsAProgramAndSumsUp) {
  const std::string trace = scratch_file("trace.json");
  const ToolRun run =
      run_tool({"profile", "-o", trace, "--", LANEWISE_TOOL, "passport", "exp", "--points", "40000"});
  EXPECT_EQ(run.status, 0) << run.errors;
  EXPECT_THAT(run.output, HasSubstr("exp.out"));
  EXPECT_THAT(run.output, HasSubstr("max ULP"));  // the program's own output
  std::ifstream file(trace);
  const json parsed = json::parse(file);
  EXPECT_GT(parsed.at("traceEvents").size(), 10u);
}

TEST(ProfileCommand, GivesTheProgramsExitCode) {
  EXPECT_EQ(run_tool({"profile", "-o", scratch_file("t.json"), "--", LANEWISE_TOOL, "frobnicate"}).status, 2);
  const std::string script = std::string("'") + LANEWISE_TOOL + "' info > /dev/null; exit 127";
  EXPECT_EQ(run_tool({"profile", "-o", scratch_file("t.json"), "--", "sh", "-c", script}).status, 127);
}

TEST(ProfileCommand, SaysWhyThereIsNoProfile) {
  const ToolRun without = run_tool({"profile", "-o", scratch_file("t.json"), "--", "true"});
  EXPECT_EQ(without.status, 1);
  EXPECT_THAT(without.errors, HasSubstr("does not use Lanewise"));
  const ToolRun missing = run_tool({"profile", "-o", scratch_file("t.json"), "--", "/no/such/program"});
  EXPECT_EQ(missing.status, 1);
  EXPECT_THAT(missing.errors, HasSubstr("/no/such/program"));
  EXPECT_EQ(run_tool({"profile"}).status, 2);
}

// Where the system gives no hardware counters one line says so, and what it does count is there.
TEST(ProfileCommand, CountsOrSaysInOneLineWhatItCannot) {
  const ToolRun run = run_tool({"profile", "--counters", "-o", scratch_file("t.json"), "--", LANEWISE_TOOL,
                                "passport", "exp", "--points", "40000"});
  EXPECT_EQ(run.status, 0) << run.errors;
  EXPECT_THAT(run.output, HasSubstr("page_faults: "));
  if (run.output.find("instructions: ") != std::string::npos) {
    EXPECT_EQ(run.errors, "");
  } else {
    EXPECT_THAT(run.errors, HasSubstr("counters not available: "));
    EXPECT_EQ(std::count(run.errors.begin(), run.errors.end(), '\n'), 1);
  }
}

TEST(Environment, VerbosePrintsALinePerOp) {
  const ToolRun run = run_tool({"passport", "exp", "--points", "40000"}, "LANEWISE_VERBOSE=1");
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.errors, HasSubstr("lanewise,thread,depth,kind,name"));
  EXPECT_THAT(run.errors, HasSubstr(",op,exp.out,f32[16384],f32[16384],"));
}

TEST(Environment, AProfileThatCannotBeWrittenDoesNotStopTheProgram) {
  const ToolRun run = run_tool({"info"}, "LANEWISE_PROFILE=/no/such/folder/p.json");
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.errors, HasSubstr("/no/such/folder/p.json"));
  const ToolRun events =
      run_tool({"info"}, "LANEWISE_PROFILE=" + scratch_file("e.json") + " LANEWISE_PROFILE_EVENTS=many");
  EXPECT_THAT(events.errors, HasSubstr("LANEWISE_PROFILE_EVENTS=many"));
}

TEST(Environment, EventsOverTheLimitAreCounted) {
  const ToolRun run = run_tool({"passport", "exp", "--points", "40000"},
                               "LANEWISE_PROFILE=" + scratch_file("e.json") + " LANEWISE_PROFILE_EVENTS=4");
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.errors, HasSubstr("LANEWISE_PROFILE_EVENTS=4"));
}

}  // namespace
}  // namespace lanewise::test
