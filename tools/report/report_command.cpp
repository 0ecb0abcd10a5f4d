#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <lanewise/tensor/errors.h>

#include "command_line.h"
#include "commands.h"
#include "report/sections.h"
#include "text.h"

namespace lanewise::tools {
namespace {

struct Settings {
  std::string run, before, profile, tuning, html, markdown, title = "Lanewise on this machine";
  double bound = 5;
  bool json = false;
};

constexpr const char* kDefaultHtml = "lanewise-report.html";

using Add = std::function<void(Section)>;

void add_bench_sections(const Settings& s, const BenchRun& run, const std::optional<ProfileFile>& profile,
                        std::string& subtitle, const Add& add) {
  subtitle = run.machine.at("cpu").get<std::string>() + ", " + run.date +
             (run.label.empty() ? "" : ", " + run.label);
  add(machine_section(run.machine));
  add(roofline_section(&run, profile ? &*profile : nullptr));
  add(tiers_section(run));
  add(sizes_section(run));
  add(layouts_section(run));
  add(overhead_section(run));
  if (!s.tuning.empty()) add(tuning_section(read_json(s.tuning), s.tuning));
  if (profile) add(profile_section(*profile));
  if (!s.before.empty()) add(difference_section(read_timed_run(s.before), timed(run), s.bound / 100));
  add(results_section(run));
}

void add_google_sections(const Settings& s, const GoogleRun& run, const std::optional<ProfileFile>& profile,
                         std::string& subtitle, const Add& add) {
  std::optional<GoogleRun> before;
  if (!s.before.empty()) {
    const nlohmann::json stored = read_json(s.before);
    LANEWISE_CHECK(Error, is_google_run(stored), s.before, ": not a run of Google Benchmark, as ", s.run,
                   " is");
    before = parse_google_run(stored, s.before);
  }
  LANEWISE_CHECK(ValueError, s.tuning.empty(), "report: --tuning is for runs of `lanewise bench`");
  subtitle = run.name() + ", " + run.date;
  add(machine_section(run));
  add(sizes_section(run, before ? &*before : nullptr));
  if (profile) add(profile_section(*profile));
  if (before) add(difference_section(timed(*before), timed(run), s.bound / 100));
  add(results_section(run));
}

int report(const Settings& s) {
  LANEWISE_CHECK(ValueError, !s.run.empty() || !s.profile.empty(),
                 "report: give a run of `lanewise bench -o` or of Google Benchmark in JSON, or --profile "
                 "with a trace of LANEWISE_PROFILE, or both");
  LANEWISE_CHECK(ValueError, s.before.empty() || !s.run.empty(),
                 "report: --before needs a run to compare with");
  LANEWISE_CHECK(ValueError, s.tuning.empty() || !s.run.empty(), "report: --tuning needs a run beside it");
  Document document{.title = s.title, .subtitle = {}, .sections = {}};
  const auto add = [&](Section section) {
    if (!section.title.empty()) document.sections.push_back(std::move(section));
  };
  std::optional<ProfileFile> profile;
  if (!s.profile.empty()) profile = read_profile(s.profile);
  if (s.run.empty()) {
    document.subtitle = profile->summary.at("cpu").get<std::string>();
    add(roofline_section(nullptr, &*profile));
    add(profile_section(*profile));
  } else if (const nlohmann::json stored = read_json(s.run); is_google_run(stored)) {
    add_google_sections(s, parse_google_run(stored, s.run), profile, document.subtitle, add);
  } else {
    add_bench_sections(s, parse_run(stored, s.run), profile, document.subtitle, add);
  }

  // With --json the output is JSON alone, and a page is written where one is asked for.
  const std::string html = s.html.empty() && !s.json ? kDefaultHtml : s.html;
  if (!html.empty()) write_file(html, document.html());
  if (!s.markdown.empty()) write_file(s.markdown, document.markdown());
  if (s.json) {
    std::printf("%s\n", document.json().dump(1).c_str());
    return kSuccess;
  }
  std::printf("%s\n", html.c_str());
  if (!s.markdown.empty()) std::printf("%s\n", s.markdown.c_str());
  return kSuccess;
}

}  // namespace

void add_report(CommandLine& line) {
  Command command = line.command("report", "One HTML file, and Markdown, from stored runs and profiles");
  const auto s = std::make_shared<Settings>();
  command.option("run", s->run, "A file of `lanewise bench -o`, or of a Google Benchmark program in JSON");
  command.option("--before", s->before, "An earlier run, or one of another library: adds the differences");
  command.option("--profile", s->profile, "A trace of LANEWISE_PROFILE or `lanewise profile`");
  command.option("--tuning", s->tuning, "What `lanewise bench --tune file --verify -o` stored");
  command.option("-o,--output", s->html,
                 std::string("The HTML file (default: ").append(kDefaultHtml).append(", none with --json)"));
  command.option("--markdown", s->markdown, "Also as Markdown");
  command.option("--title", s->title, "Of the page").show_default();
  command.option("--bound", s->bound, "Percent from which a difference is coloured")
      .between(0.0, 1000.0)
      .show_default();
  command.flag("--json", s->json, "Print the numbers of the sections as JSON");
  command.action([s] { return report(*s); });
}

}  // namespace lanewise::tools
