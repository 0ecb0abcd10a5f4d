#include "compare/comparison.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <nlohmann/json.hpp>

#include <lanewise/dispatch_isa/error.h>

#include "text.h"

namespace lanewise::tools {
namespace {

constexpr std::size_t kFewestSamples = 3;

// By case and tier, where the run has tiers; the last of several.
std::map<std::pair<std::string, std::string>, const TimedCase*> index(const TimedRun& run) {
  std::map<std::pair<std::string, std::string>, const TimedCase*> result;
  for (const TimedCase& c : run.cases) result[{c.key, run.by_tier ? c.of : ""}] = &c;
  return result;
}

Comparison compare(const TimedCase& a, const TimedCase& b, bool together) {
  for (const TimedCase* c : {&a, &b}) {
    LANEWISE_CHECK(Error, c->ns.size() >= kFewestSamples, "compare: ", c->key, " of ", c->of, " was timed ",
                   c->ns.size(), " times, an interval needs ", kFewestSamples,
                   " or more: --benchmark_repetitions=9, or --turns of `lanewise bench`");
  }
  return {a.key,        a.of,         b.of,
          median(a.ns), median(b.ns), together ? median_of_ratios(a.ns, b.ns) : ratio_of_medians(a.ns, b.ns)};
}

}  // namespace

std::vector<Comparison> compare_runs(const TimedRun& before, const TimedRun& after) {
  LANEWISE_CHECK(Error, before.by_tier == after.by_tier,
                 "compare: one run is of `lanewise bench`, the other of Google Benchmark; their cases have "
                 "different names. Run both libraries with the same program's cases (bench/, bench/peers)");
  std::vector<Comparison> result;
  const bool together = !before.turns.empty() && before.turns == after.turns;
  const auto others = index(after);
  for (const auto& c : before.cases) {
    const auto other = others.find({c.key, before.by_tier ? c.of : ""});
    if (other != others.end()) result.push_back(compare(c, *other->second, together));
  }
  LANEWISE_CHECK(Error, !result.empty(), "compare: the two runs have no case",
                 before.by_tier ? " and tier" : "", " in common");
  return result;
}

std::vector<Comparison> compare_tiers(const TimedRun& run, Isa before, Isa after) {
  LANEWISE_CHECK(Error, run.by_tier, "compare: --tiers is for a run of `lanewise bench`; ", run.name,
                 " has one tier");
  std::vector<Comparison> result;
  const auto all = index(run);
  for (const TimedCase& c : run.cases) {
    if (c.of != name(before)) continue;
    const auto other = all.find({c.key, name(after)});
    if (other != all.end()) result.push_back(compare(c, *other->second, true));
  }
  LANEWISE_CHECK(Error, !result.empty(), "compare: no case of the run has both ", name(before), " and ",
                 name(after));
  return result;
}

nlohmann::json to_json(const std::vector<Comparison>& comparisons, double bound) {
  nlohmann::json rows = nlohmann::json::array();
  int regressions = 0;
  for (const Comparison& c : comparisons) {
    regressions += c.is_regression(bound);
    rows.push_back({{"case", c.key},
                    {"before", c.before},
                    {"after", c.after},
                    {"before_ns", c.before_ns},
                    {"after_ns", c.after_ns},
                    {"speed_up", c.speed_up.value},
                    {"low", c.speed_up.low},
                    {"high", c.speed_up.high},
                    {"regression", c.is_regression(bound)}});
  }
  return {{"bound", bound}, {"regressions", regressions}, {"comparisons", rows}};
}

std::string comparison_table(const std::vector<Comparison>& comparisons, double bound, bool markdown) {
  const auto pair = [](const Comparison& c) {
    return c.before == c.after ? c.before : c.before + " - " + c.after;
  };
  // What is the same in every row is said once, above.
  const bool same = std::all_of(comparisons.begin(), comparisons.end(),
                                [&](const Comparison& c) { return pair(c) == pair(comparisons[0]); });
  std::size_t width = 4, pair_width = 4;
  for (const Comparison& c : comparisons) {
    width = std::max(width, c.key.size());
    pair_width = std::max(pair_width, pair(c).size());
  }
  std::string text;
  const auto line = [&](const std::string& key, const std::string& of, const std::string& before,
                        const std::string& after, const std::string& ratio, const std::string& range,
                        const char* verdict) {
    if (markdown) {
      text += "| " + key + (same ? "" : " | " + of);
      text += " | " + before + " | " + after + " | " + ratio + " | " + range + " | " + verdict + " |\n";
      return;
    }
    text += key + std::string(width - key.size() + 2, ' ');
    if (!same) text += of + std::string(pair_width - of.size() + 2, ' ');
    text += format("%10s %10s %9s  %-16s %s\n", before.c_str(), after.c_str(), ratio.c_str(), range.c_str(),
                   verdict);
  };
  if (same && !comparisons.empty()) text += pair(comparisons[0]) + (markdown ? "\n\n" : "\n");
  line("case", "tier", "before", "after", "speed-up", "95 %", "");
  if (markdown) text += same ? "|---|---:|---:|---:|---|---|\n" : "|---|---|---:|---:|---:|---|---|\n";
  double logs = 0;
  for (const Comparison& c : comparisons) {
    line(c.key, pair(c), time_text(c.before_ns), time_text(c.after_ns), format("%.3fx", c.speed_up.value),
         format("%.3f to %.3f", c.speed_up.low, c.speed_up.high),
         c.is_regression(bound)    ? "SLOWER"
         : c.is_improvement(bound) ? "faster"
                                   : "");
    logs += std::log(c.speed_up.value);
  }
  if (!markdown)
    text += format("geometric mean of %zu: %.3fx\n", comparisons.size(),
                   std::exp(logs / static_cast<double>(comparisons.size())));
  return text;
}

}  // namespace lanewise::tools
