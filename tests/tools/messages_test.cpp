// Bad input, for each subcommand: the exit code, the file or name that is wrong, and nothing on the output stream.
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
using testing::StartsWith;

struct Mistake {
  std::vector<std::string> arguments;
  int status;
  const char* message;
};

void refuses(const std::vector<Mistake>& mistakes) {
  for (const Mistake& m : mistakes) {
    const ToolRun run = run_tool(m.arguments);
    const std::string what = testing::PrintToString(m.arguments);
    EXPECT_EQ(run.status, m.status) << what << run.errors;
    EXPECT_THAT(run.errors, HasSubstr(m.message)) << what;
    EXPECT_EQ(run.output, "") << what;
    if (m.status == 1) {
      EXPECT_THAT(run.errors, StartsWith("lanewise: ")) << what;
    }
  }
}

TEST(Messages, AnOpThatDoesNotExist) {
  refuses({{{"bench", "ad", "--json"}, 1, "did you mean"},
           {{"bench", "--tune", scratch_file("t.txt"), "expo"}, 1, "expo"},
           {{"explain", "ad"}, 1, "did you mean"},
           {{"explain", "add.Tensr"}, 1, "add.Tensr"},
           {{"passport", "exq"}, 1, "passport: 'exq': no mathematical op of that name; one of"}});
}

TEST(Messages, ATierThatThisCpuLacks) {
#if defined(__x86_64__)
  const char* other = "neon";
#else
  const char* other = "avx2";
#endif
  refuses({{{"bench", "add", "--isa", other, "--json"}, 1, "this CPU runs: "},
           {{"bench", "add", "--isa", "avx9", "--json"}, 1, "'avx9': unknown"},
           {{"explain", "add", "--isa", other}, 1, "this CPU runs: "},
           {{"explain", "add", "--isa", "avx9"}, 1, "'avx9': unknown"}});
  const std::vector<std::vector<std::string>> commands = {{"info"},
                                                          {"info", "--json"},
                                                          {"bench"},
                                                          {"explain", "add"},
                                                          {"passport", "exp", "--points", "40000"},
                                                          {"bench", "--tune", scratch_file("t.txt"), "exp"}};
  for (const auto& command : commands) {
    const ToolRun run = run_tool(command, std::string("LANEWISE_ISA=") + other);
    EXPECT_EQ(run.status, 1) << testing::PrintToString(command);
    EXPECT_THAT(run.errors, HasSubstr(std::string("LANEWISE_ISA=") + other))
        << testing::PrintToString(command);
    EXPECT_EQ(run.output, "") << testing::PrintToString(command);
  }
}

#if defined(__x86_64__) && !defined(LANEWISE_SANITIZED)
// A tier that is built in and that this CPU, imitated, does not have.
TEST(Messages, ATierThatIsBuiltInButNotOfThisCpu) {
  if (std::system("command -v qemu-x86_64 > /dev/null") != 0)
    GTEST_SKIP() << "qemu-x86_64 (qemu-user) is not installed";
  const json built_in = json::parse(run_tool({"info", "--json"}).output).at("isas_built_in");
  if (std::find(built_in.begin(), built_in.end(), "avx512") == built_in.end())
    GTEST_SKIP() << "avx512 is not built in";
  const std::string errors = scratch_file("qemu-errors");
  const int state = std::system(
      ("qemu-x86_64 -cpu Haswell " LANEWISE_TOOL " bench add --isa avx512 > /dev/null 2> " + errors).c_str());
  EXPECT_EQ(WEXITSTATUS(state), 1);
  std::ifstream file(errors);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(text, HasSubstr("avx512"));
  EXPECT_THAT(text, HasSubstr("this CPU runs: avx2"));
}
#endif

TEST(Messages, AFileThatCannotBeRead) {
  const std::string none = "/no/such/file.json", run = scratch_file("run.json");
  ASSERT_EQ(
      run_tool({"bench", "add", "--size", "64", "--turns", "3", "--seconds", "0.0002", "-o", run}).status, 0);
  const char* message = "/no/such/file.json: cannot be read: No such file";
  refuses({{{"compare", none, run}, 1, message},
           {{"compare", run, none}, 1, message},
           {{"compare", none, "--tiers", "avx2,avx512"}, 1, message},
           {{"report", none}, 1, message},
           {{"report", run, "--before", none}, 1, message},
           {{"report", "--profile", none}, 1, message},
           {{"report", run, "--tuning", none, "--json"}, 1, message},
           {{"bench", "--tune", none, "--verify"}, 1, message},
           {{"verify-isa", none}, 1, message}});
  const std::string folder = scratch_file("folder");
  ASSERT_EQ(std::system(("mkdir -p " + folder).c_str()), 0);
  refuses({{{"compare", folder, run}, 1, "Is a directory"}, {{"verify-isa", folder}, 1, "Is a directory"}});
}

TEST(Messages, AFileThatCannotBeWritten) {
  const std::string run = scratch_file("run.json"), bad = "/no/such/folder/file";
  ASSERT_EQ(
      run_tool({"bench", "add", "--size", "64", "--turns", "3", "--seconds", "0.0002", "-o", run}).status, 0);
  const char* message = "/no/such/folder/file: cannot be written: No such file";
  refuses({{{"bench", "add", "-o", bad}, 1, message},
           {{"bench", "add", "--tune", bad}, 1, message},
           {{"report", run, "-o", bad}, 1, message},
           {{"profile", "-o", bad, "--", LANEWISE_TOOL, "explain", "nosuch"}, 1, "cannot be written"}});
}

// What is in the way of a profile stays there.
TEST(Messages, AProfileThatWouldReplaceAFolder) {
  const std::string folder = scratch_file("empty-folder");
  ASSERT_EQ(std::system(("mkdir -p " + folder).c_str()), 0);
  refuses({{{"profile", "-o", folder, "--", LANEWISE_TOOL, "info"}, 1, "cannot be written: Is a directory"}});
  EXPECT_EQ(std::system(("test -d " + folder).c_str()), 0);
}

TEST(Messages, NumbersThatAreOutOfRange) {
  refuses({{{"profile", "--rows", "-1", "--", "true"}, 2, "--rows"},
           {{"profile", "--rows", "0", "--", "true"}, 2, "--rows"},
           {{"bench", "add", "--turns", "2"}, 2, "--turns"},
           {{"bench", "add", "--seconds", "-1"}, 2, "--seconds"},
           {{"compare", "a", "b", "--bound", "-3"}, 2, "--bound"},
           {{"report", "a", "--bound", "x"}, 2, "--bound"},
           {{"passport", "exp", "--points", "1e99"}, 2, "--points"},
           {{"bench", "zeros"}, 1, "takes no tensor"}});
}

TEST(Messages, VariablesThatCannotBe) {
  const struct {
    const char *variable, *message;
    std::vector<std::string> arguments;
  } cases[] = {
      {"LANEWISE_NUM_THREADS=x", "expected a whole number from 1 to 1024", {"info"}},
      {"LANEWISE_BIND=foo", "expected none, cores or node:<number>", {"info"}},
      {"LANEWISE_TUNE=/tmp", "cannot be read: not a file", {"explain", "exp"}},
  };
  for (const auto& c : cases) {
    const ToolRun run = run_tool(c.arguments, c.variable);
    EXPECT_EQ(run.status, 1) << c.variable;
    EXPECT_THAT(run.errors, StartsWith(std::string("lanewise: ") + c.variable + ": " + c.message));
    EXPECT_EQ(std::count(run.errors.begin(), run.errors.end(), '\n'), 1) << run.errors;
    EXPECT_EQ(run.output, "") << c.variable;
  }
}

TEST(Messages, JsonThatIsCutOff) {
  const std::string run = scratch_file("run.json"), trace = scratch_file("trace.json"),
                    cut = scratch_file("cut.json");
  ASSERT_EQ(
      run_tool({"bench", "add", "--size", "64", "--turns", "3", "--seconds", "0.0002", "-o", run}).status, 0);
  ASSERT_EQ(
      run_tool({"profile", "-o", trace, "--", LANEWISE_TOOL, "passport", "exp", "--points", "40000"}).status,
      0);
  for (const std::string& whole : {run, trace}) {
    std::ifstream file(whole);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    for (const std::size_t length : {text.size() / 2, text.size() - 3, std::size_t{0}}) {
      std::ofstream(cut) << text.substr(0, length);
      const char* message = "cut.json: not JSON, or cut off: ";
      refuses({{{"compare", cut, run}, 1, message},
               {{"compare", run, cut}, 1, message},
               {{"report", cut}, 1, message},
               {{"report", run, "--before", cut}, 1, message},
               {{"report", "--profile", cut}, 1, message}});
    }
  }
}

TEST(Messages, AFileOfAnotherKind) {
  const std::string run = scratch_file("run.json"), trace = scratch_file("trace.json"),
                    late = scratch_file("late.json");
  ASSERT_EQ(
      run_tool({"bench", "add", "--size", "64", "--turns", "3", "--seconds", "0.0002", "-o", run}).status, 0);
  ASSERT_EQ(
      run_tool({"profile", "-o", trace, "--", LANEWISE_TOOL, "passport", "exp", "--points", "40000"}).status,
      0);
  std::ifstream file(run);
  json later = json::parse(file);
  later["version"] = 2;
  std::ofstream(late) << later.dump();
  refuses({{{"compare", run, trace}, 1, "not a run of"},
           {{"report", trace}, 1, "not a run of"},
           {{"report", "--profile", run}, 1, "not a profile"},
           {{"report", run, "--tuning", trace}, 1, "trace.json: not what `lanewise bench --tune"},
           {{"report", "--profile", trace, "--tuning", run}, 1, "--tuning needs a run"},
           {{"compare", run, late}, 1, "format 2, this tool reads format 1"},
           {{"compare", run, "--tiers", "avx9,avx2"}, 1, "'avx9': unknown"},
           {{"compare", run}, 1, "give two runs"},
           {{"verify-isa", run}, 1, "run.json"}});
}

}  // namespace
}  // namespace lanewise::test
