// USDT probes, as bpftrace and perf find them in a program.
#include <algorithm>
#include <cstdio>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run_tool.h"

namespace lanewise::test {
namespace {

using testing::HasSubstr;

std::string notes_of_tool() {
  std::string text;
  std::FILE* pipe = popen("LC_ALL=C readelf --notes --wide " LANEWISE_TOOL " 2> /dev/null", "r");
  for (int c = pipe == nullptr ? EOF : std::fgetc(pipe); c != EOF; c = std::fgetc(pipe))
    text += static_cast<char>(c);
  if (pipe != nullptr) pclose(pipe);
  return text;
}

/// How many arguments a probe of the provider lanewise hands over; 0 if there is no such probe.
std::ptrdiff_t arguments_of(const std::string& notes, const std::string& probe) {
  const std::size_t at = notes.find("Provider: lanewise\n    Name: " + probe + "\n");
  if (at == std::string::npos) return 0;
  const std::size_t begin = notes.find("Arguments:", at), end = notes.find('\n', begin);
  return std::count(notes.begin() + static_cast<std::ptrdiff_t>(begin),
                    notes.begin() + static_cast<std::ptrdiff_t>(end), '@');
}

#if __has_include(<sys/sdt.h>)

TEST(Probes, AreInTheProgramWithTheirArguments) {
  const std::string notes = notes_of_tool();
  EXPECT_EQ(arguments_of(notes, "op_begin"), 2) << "name, kind";
  EXPECT_EQ(arguments_of(notes, "op_end"), 4) << "name, kind, ns, bytes";
}

TEST(Probes, FiringThemChangesNothing) {
  const ToolRun run = run_tool({"passport", "exp", "--points", "40000"}, "LANEWISE_PROBES=1");
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.errors, "");
  EXPECT_THAT(run.output, HasSubstr("exp"));
}

#else

TEST(Probes, AMissingHeaderIsSaid) {
  EXPECT_EQ(arguments_of(notes_of_tool(), "op_begin"), 0);
  const ToolRun run = run_tool({"passport", "exp", "--points", "40000"}, "LANEWISE_PROBES=1");
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.errors, HasSubstr("LANEWISE_PROBES: this library was built without probes"));
}

#endif

}  // namespace
}  // namespace lanewise::test
