#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include <lanewise/tensor/errors.h>

#include "commands.h"
#include "report/sections.h"
#include "text.h"

namespace lanewise::tools {
namespace {

struct Settings {
  std::string run, before, profile, html = "lanewise-report.html", markdown,
                                    title = "Lanewise on this machine";
  double bound = 5;
};

int report(const Settings& s) {
  LANEWISE_CHECK(
      ValueError, !s.run.empty() || !s.profile.empty(),
      "report: give a run of `lanewise bench -o`, or --profile with a trace of LANEWISE_PROFILE, or both");
  LANEWISE_CHECK(ValueError, s.before.empty() || !s.run.empty(),
                 "report: --before needs a run to compare with");
  std::optional<BenchRun> run, before;
  std::optional<ProfileFile> profile;
  if (!s.run.empty()) run = read_run(s.run);
  if (!s.before.empty()) before = read_run(s.before);
  if (!s.profile.empty()) profile = read_profile(s.profile);

  Document document{.title = s.title, .subtitle = {}, .sections = {}};
  const auto add = [&](Section section) {
    if (!section.title.empty()) document.sections.push_back(std::move(section));
  };
  if (run) {
    document.subtitle = run->machine.at("cpu").get<std::string>() + ", " + run->date +
                        (run->label.empty() ? "" : ", " + run->label);
    add(machine_section(run->machine));
  } else {
    document.subtitle = profile->summary.at("cpu").get<std::string>();
  }
  add(roofline_section(run ? &*run : nullptr, profile ? &*profile : nullptr));
  if (run) {
    add(tiers_section(*run));
    add(sizes_section(*run));
    add(layouts_section(*run));
    add(overhead_section(*run));
  }
  if (profile) add(profile_section(*profile));
  if (before) add(difference_section(*before, *run, s.bound / 100));
  if (run) add(results_section(*run));

  write_file(s.html, document.html());
  std::printf("%s\n", s.html.c_str());
  if (!s.markdown.empty()) {
    write_file(s.markdown, document.markdown());
    std::printf("%s\n", s.markdown.c_str());
  }
  return kSuccess;
}

}  // namespace

void add_report(CLI::App& app, int& status) {
  CLI::App* command =
      app.add_subcommand("report", "One HTML file, and Markdown, from stored runs and profiles");
  const auto s = std::make_shared<Settings>();
  command->add_option("run", s->run, "A file of `lanewise bench -o`");
  command->add_option("--before", s->before, "An earlier run: adds the differences");
  command->add_option("--profile", s->profile, "A trace of LANEWISE_PROFILE or `lanewise profile`");
  command->add_option("-o,--output", s->html, "The HTML file")->capture_default_str();
  command->add_option("--markdown", s->markdown, "Also as Markdown");
  command->add_option("--title", s->title, "Of the page")->capture_default_str();
  command->add_option("--bound", s->bound, "Percent from which a difference is coloured")
      ->check(CLI::Range(0.0, 1000.0))
      ->capture_default_str();
  command->callback([s, &status] { status = report(*s); });
}

}  // namespace lanewise::tools
