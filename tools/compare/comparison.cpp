#include "compare/comparison.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <lanewise/dispatch_isa/error.h>

#include "text.h"

namespace lanewise::tools {
namespace {

// By case and tier; the last of several.
std::map<std::pair<std::string, Isa>, const BenchResult*> index(const BenchRun& run) {
  std::map<std::pair<std::string, Isa>, const BenchResult*> result;
  for (const BenchResult& r : run.results) result[{r.what.key(), r.isa}] = &r;
  return result;
}

Comparison compare(const BenchResult& a, const BenchResult& b, bool together) {
  return {a.what.key(), a.isa,      b.isa,
          a.median(),   b.median(), together ? median_of_ratios(a.ns, b.ns) : ratio_of_medians(a.ns, b.ns)};
}

}  // namespace

std::vector<Comparison> compare_runs(const BenchRun& before, const BenchRun& after) {
  std::vector<Comparison> result;
  const auto others = index(after);
  for (const BenchResult& r : before.results) {
    const auto other = others.find({r.what.key(), r.isa});
    if (other != others.end()) result.push_back(compare(r, *other->second, false));
  }
  LANEWISE_CHECK(Error, !result.empty(), "compare: the two runs have no case and tier in common");
  return result;
}

std::vector<Comparison> compare_tiers(const BenchRun& run, Isa before, Isa after) {
  std::vector<Comparison> result;
  const auto all = index(run);
  for (const BenchResult& r : run.results) {
    if (r.isa != before) continue;
    const auto other = all.find({r.what.key(), after});
    if (other != all.end()) result.push_back(compare(r, *other->second, true));
  }
  LANEWISE_CHECK(Error, !result.empty(), "compare: no case of the run has both ", name(before), " and ",
                 name(after));
  return result;
}

std::string comparison_table(const std::vector<Comparison>& comparisons, double bound, bool markdown) {
  std::size_t width = 4;
  for (const Comparison& c : comparisons) width = std::max(width, c.key.size());
  const char* row =
      markdown ? "| %-*s | %s | %s | %s | %s | %s | %s |\n" : "%-*s  %-16s %10s %10s %9s  %-16s %s\n";
  const auto line = [&](const std::string& key, const std::string& tier, const std::string& before,
                        const std::string& after, const std::string& ratio, const std::string& range,
                        const char* verdict) {
    return format(row, markdown ? 0 : static_cast<int>(width), key.c_str(), tier.c_str(), before.c_str(),
                  after.c_str(), ratio.c_str(), range.c_str(), verdict);
  };
  std::string text = line("case", "tier", "before", "after", "speed-up", "95 %", "");
  if (markdown) text += "|---|---|---:|---:|---:|---|---|\n";
  double logs = 0;
  for (const Comparison& c : comparisons) {
    const std::string tier = c.before_isa == c.after_isa
                                 ? name(c.before_isa)
                                 : std::string(name(c.before_isa)) + " - " + name(c.after_isa);
    text += line(c.key, tier, time_text(c.before_ns), time_text(c.after_ns),
                 format("%.3fx", c.speed_up.value), format("%.3f to %.3f", c.speed_up.low, c.speed_up.high),
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
