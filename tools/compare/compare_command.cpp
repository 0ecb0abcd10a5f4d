#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include <lanewise/tensor/errors.h>

#include "command_line.h"
#include "commands.h"
#include "compare/comparison.h"

namespace lanewise::tools {
namespace {

struct Settings {
  std::vector<std::string> files;
  std::string tiers;
  double bound = 5;
  bool json = false, markdown = false;
};

std::vector<Comparison> comparisons_of(const Settings& s) {
  const TimedRun first = read_timed_run(s.files[0]);
  if (s.files.size() == 2) {
    LANEWISE_CHECK(ValueError, s.tiers.empty(), "compare: --tiers is for one run, two are given");
    const TimedRun second = read_timed_run(s.files[1]);
    if (first.machine != second.machine) {
      std::fprintf(stderr, "lanewise: compare: the runs are of different machines: %s, and %s\n",
                   first.machine.c_str(), second.machine.c_str());
    }
    return compare_runs(first, second);
  }
  const std::size_t comma = s.tiers.find(',');
  LANEWISE_CHECK(ValueError, comma != std::string::npos,
                 "compare: give two runs, or one and --tiers avx2,avx512");
  return compare_tiers(first, parse_isa(s.tiers.substr(0, comma)), parse_isa(s.tiers.substr(comma + 1)));
}

int compare(const Settings& s) {
  const std::vector<Comparison> comparisons = comparisons_of(s);
  const double bound = s.bound / 100;
  const auto regressions = std::count_if(comparisons.begin(), comparisons.end(),
                                         [&](const Comparison& c) { return c.is_regression(bound); });
  if (s.json) {
    std::printf("%s\n", to_json(comparisons, bound).dump(1).c_str());
  } else {
    std::printf("%s", comparison_table(comparisons, bound, s.markdown).c_str());
  }
  if (regressions > 0)
    std::fprintf(stderr, "lanewise: compare: %d of %zu cases are slower by more than %g %%\n",
                 static_cast<int>(regressions), comparisons.size(), s.bound);
  return regressions > 0 ? kRegression : kSuccess;
}

}  // namespace

void add_compare(CommandLine& line) {
  Command command = line.command(
      "compare",
      "Two stored runs, two tiers of one, or two libraries; exit code 3 where the second is slower than the "
      "bound allows");
  const auto s = std::make_shared<Settings>();
  command
      .option("run", s->files,
              "Files of `lanewise bench -o`, or of Google Benchmark programs in JSON: before and after")
      .required()
      .values(1, 2);
  command.option("--tiers", s->tiers, "Of one run: avx2,avx512");
  command.option("--bound", s->bound, "Percent by which a case may be slower")
      .between(0.0, 1000.0)
      .show_default();
  command.flag("--json", s->json, "Print JSON");
  command.flag("--markdown", s->markdown, "Print a Markdown table");
  command.action([s] { return compare(*s); });
}

}  // namespace lanewise::tools
