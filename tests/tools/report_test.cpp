// lanewise report.
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
using testing::Not;

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The first tag that is not closed in its place; empty if all are.
std::string unbalanced(const std::string& html) {
  std::vector<std::string> open;
  for (std::size_t at = html.find('<'); at != std::string::npos; at = html.find('<', at + 1)) {
    const std::size_t end = html.find('>', at);
    if (end == std::string::npos) return html.substr(at, 40);
    const std::string tag = html.substr(at + 1, end - at - 1);
    if (tag[0] == '!' || tag.back() == '/' || tag.starts_with("meta")) continue;
    const std::string name = tag.substr(0, tag.find(' '));
    if (name[0] != '/') {
      open.push_back(name);
    } else if (open.empty() || "/" + open.back() != name) {
      return name;
    } else {
      open.pop_back();
    }
  }
  return open.empty() ? "" : open.back();
}

/// A run of a few quick cases; with a name that must be escaped.
std::string make_run(const std::string& name) {
  const std::string path = scratch_file(name);
  const ToolRun run = run_tool({"bench", "add", "exp", "--size", "16,1Ki,32x32,64Ki", "--turns", "3",
                                "--seconds", "0.0002", "-o", path, "--label", "a <b> & c"});
  EXPECT_EQ(run.status, 0) << run.errors;
  return path;
}

TEST(Report, IsOneFileThatNeedsNothingElse) {
  const std::string run = make_run("run.json"), before = make_run("before.json"),
                    trace = scratch_file("trace.json");
  ASSERT_EQ(
      run_tool({"profile", "-o", trace, "--", LANEWISE_TOOL, "passport", "exp", "--points", "40000"}).status,
      0);
  const std::string html = scratch_file("report.html"), markdown = scratch_file("report.md");
  const ToolRun report =
      run_tool({"report", run, "--before", before, "--profile", trace, "-o", html, "--markdown", markdown});
  ASSERT_EQ(report.status, 0) << report.errors;
  const std::string page = text_of(html);
  EXPECT_EQ(unbalanced(page), "");
  EXPECT_THAT(page, Not(HasSubstr("http")));
  EXPECT_THAT(page, Not(HasSubstr("src=")));
  EXPECT_THAT(page, Not(HasSubstr("<b>")));
  EXPECT_THAT(page, HasSubstr("a &lt;b&gt; &amp; c"));
  EXPECT_THAT(page, HasSubstr("prefers-color-scheme:dark"));
  EXPECT_THAT(page, HasSubstr("width=device-width"));
  for (const char* title :
       {"Machine", "Roofline", "Sizes", "Overhead", "Profile", "Differences", "All results"}) {
    EXPECT_THAT(page, HasSubstr(std::string("<h2>") + title + "</h2>"));
    EXPECT_THAT(text_of(markdown), HasSubstr(std::string("## ") + title));
  }
  EXPECT_THAT(page, Not(HasSubstr("nan")));
}

TEST(Report, SaysThatTheRunsAreOfDifferentMachines) {
  const std::string run = make_run("run.json"), other = scratch_file("other.json"),
                    markdown = scratch_file("report.md");
  std::ifstream file(run);
  json stored = json::parse(file);
  stored["machine"]["cpu"] = "CPU of elsewhere";
  stored["machine"]["cpu_quota"] = 1.5;
  std::ofstream(other) << stored;
  ASSERT_EQ(run_tool({"report", other, "--before", run, "-o", scratch_file("r.html"), "--markdown", markdown})
                .status,
            0);
  EXPECT_THAT(text_of(markdown), HasSubstr("They are of different machines: before "));
  EXPECT_THAT(text_of(markdown), HasSubstr(", after CPU of elsewhere."));
  EXPECT_THAT(text_of(markdown), HasSubstr("a cgroup allows 1.50 CPUs"));
}

TEST(Report, OfAProfileAlone) {
  const std::string trace = scratch_file("trace.json"), html = scratch_file("profile.html");
  ASSERT_EQ(
      run_tool({"profile", "-o", trace, "--", LANEWISE_TOOL, "passport", "exp", "--points", "40000"}).status,
      0);
  ASSERT_EQ(run_tool({"report", "--profile", trace, "-o", html}).status, 0);
  EXPECT_THAT(text_of(html), HasSubstr("exp.out"));
}

TEST(Report, RefusesWhatIsNoRun) {
  const std::string file = scratch_file("empty.json");
  std::ofstream(file) << "";
  EXPECT_EQ(run_tool({"report"}).status, 1);
  const ToolRun run = run_tool({"report", file});
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.errors, HasSubstr(file));
  const ToolRun profile = run_tool({"report", "--profile", make_run("run.json")});
  EXPECT_EQ(profile.status, 1);
  EXPECT_THAT(profile.errors, HasSubstr("not a profile"));
}

}  // namespace
}  // namespace lanewise::test
