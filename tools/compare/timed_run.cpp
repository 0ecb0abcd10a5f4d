#include "compare/timed_run.h"

#include <cstdio>

#include "profile_file.h"

namespace lanewise::tools {

TimedRun timed(const BenchRun& run) {
  TimedRun result{.name = run.label.empty() ? run.date : run.label + " (" + run.date + ")",
                  .machine = run.machine.at("cpu"),
                  .turns = {},
                  .cases = {}};
  for (const BenchResult& r : run.results) result.cases.push_back({r.what.key(), name(r.isa), r.ns});
  return result;
}

TimedRun timed(const GoogleRun& run) {
  TimedRun result{.name = run.name() + " (" + run.date + ")",
                  .machine = run.host,
                  .turns = run.turns,
                  .by_tier = false,
                  .cases = {}};
  for (const GoogleCase& c : run.cases) result.cases.push_back({c.name, run.name(), c.ns});
  return result;
}

TimedRun read_timed_run(const std::string& path) {
  const nlohmann::json stored = read_json(path);
  if (!is_google_run(stored)) return timed(parse_run(stored, path));
  const GoogleRun run = parse_google_run(stored, path);
  for (const std::string& problem : run.failed)
    std::fprintf(stderr, "lanewise: %s: not timed: %s\n", path.c_str(), problem.c_str());
  return timed(run);
}

}  // namespace lanewise::tools
