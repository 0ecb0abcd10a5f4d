#include <algorithm>

#include "compare/comparison.h"
#include "report/sections.h"
#include "text.h"

namespace lanewise::tools {

Section difference_section(const TimedRun& before, const TimedRun& after, double bound) {
  Section section{.title = "Differences"};
  std::vector<Comparison> comparisons = compare_runs(before, after);
  std::sort(comparisons.begin(), comparisons.end(),
            [](const Comparison& a, const Comparison& b) { return a.speed_up.value < b.speed_up.value; });
  const auto slower = std::count_if(comparisons.begin(), comparisons.end(),
                                    [&](const Comparison& c) { return c.is_regression(bound); });
  const auto faster = std::count_if(comparisons.begin(), comparisons.end(),
                                    [&](const Comparison& c) { return c.is_improvement(bound); });
  section.paragraph(format(
      "%s against %s: of %zu cases %d are slower and %d faster by more than %g %%, beyond chance (95 %%).",
      after.name.c_str(), before.name.c_str(), comparisons.size(), static_cast<int>(slower),
      static_cast<int>(faster), 100 * bound));
  if (before.machine != after.machine)
    section.paragraph("They are of different machines: before " + before.machine + ", after " +
                      after.machine + ".");
  Table table{.head = {"case", "before>", "after>", "speed-up>", "95 %>"}};
  // Of libraries the paragraph has said which.
  if (after.by_tier) table.head.insert(table.head.begin() + 1, "tier");
  section.data = to_json(comparisons, bound);
  for (const Comparison& c : comparisons) {
    const double heat = c.is_regression(bound) ? -0.6 : c.is_improvement(bound) ? 0.6 : 0;
    std::vector<Table::Cell> row{{after.by_tier ? short_key(c.key) : c.key},
                                 {time_text(c.before_ns)},
                                 {time_text(c.after_ns)},
                                 {format("%.3fx", c.speed_up.value), heat},
                                 {format("%.3f to %.3f", c.speed_up.low, c.speed_up.high)}};
    if (after.by_tier) row.insert(row.begin() + 1, {c.after});
    table.rows.push_back(std::move(row));
  }
  section.table(table);
  return section;
}

}  // namespace lanewise::tools
