#include <algorithm>

#include "report/sections.h"
#include "text.h"

namespace lanewise::tools {
namespace {

constexpr std::size_t kRows = 25;

Table top(const std::vector<profiler::Average>& averages, bool shapes) {
  double all = 0, longest = 1;
  for (const profiler::Average& a : averages) {
    all += static_cast<double>(a.self);
    longest = std::max(longest, static_cast<double>(a.self));
  }
  Table table{
      .head = {"op", "self>", "share>", "calls>", "each>", "GB/s>", "GFLOP/s>", "allocations>", "path"},
      .rows = {}};
  if (shapes) table.head.insert(table.head.begin() + 1, "arguments");
  for (std::size_t i = 0; i < std::min(kRows, averages.size()); ++i) {
    const profiler::Average& a = averages[i];
    const auto self = static_cast<double>(std::max<std::int64_t>(a.self, 1));
    std::vector<Table::Cell> row{{a.name, 0, self / longest},
                                 {time_text(self)},
                                 {format("%.1f %%", 100 * self / std::max(all, 1.0))},
                                 {std::to_string(a.count)},
                                 {time_text(self / static_cast<double>(a.count))},
                                 {a.bytes > 0 ? format("%.1f", static_cast<double>(a.bytes) / self) : "-"},
                                 {a.flops > 0 ? format("%.1f", a.flops / self) : "-"},
                                 {std::to_string(a.allocations)},
                                 {a.paths.empty() ? "-" : a.paths}};
    if (shapes) row.insert(row.begin() + 1, {a.arguments});
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

Section profile_section(const ProfileFile& profile) {
  Section section{.title = "Profile", .html = {}, .markdown = {}};
  const nlohmann::json& s = profile.summary;
  section.paragraph(format("%.3f s on %s, %s, %d threads. Times are without what ran inside.",
                           s.at("seconds").get<double>(), s.at("cpu").get<std::string>().c_str(),
                           s.at("isa").get<std::string>().c_str(), s.at("threads").get<int>()));
  if (const std::int64_t dropped = s.at("dropped_events"); dropped > 0)
    section.paragraph(
        format("%lld events came after the limit and are missing.", static_cast<long long>(dropped)));
  if (!s.at("counters").empty()) {
    Table counters{.head = {"counter", "count>"}, .rows = {}};
    for (const auto& [name, count] : s.at("counters").items())
      counters.rows.push_back({{name}, {count.dump()}});
    section.table(counters);
  }
  if (const std::string problem = s.at("counters_problem"); !problem.empty()) section.paragraph(problem);
  section.html += "<h3>By op</h3>\n";
  section.markdown += "### By op\n\n";
  section.table(top(profile.averages(profiler::GroupBy::Name), false));
  section.html += "<h3>By op and shapes</h3>\n";
  section.markdown += "### By op and shapes\n\n";
  section.table(top(profile.averages(profiler::GroupBy::NameAndShape), true));
  return section;
}

}  // namespace lanewise::tools
