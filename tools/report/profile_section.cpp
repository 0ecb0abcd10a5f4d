#include <algorithm>

#include "report/sections.h"
#include "text.h"

namespace lanewise::tools {
namespace {

constexpr std::size_t kRows = 25;

// In the table's order, as many as it shows.
nlohmann::json top_json(const std::vector<profiler::Average>& averages) {
  nlohmann::json rows = nlohmann::json::array();
  for (std::size_t i = 0; i < std::min(kRows, averages.size()); ++i) {
    const profiler::Average& a = averages[i];
    rows.push_back({{"name", a.name},
                    {"arguments", a.arguments},
                    {"count", a.count},
                    {"self_ns", a.self},
                    {"bytes", a.bytes},
                    {"flops", a.flops},
                    {"allocations", a.allocations},
                    {"paths", a.paths}});
  }
  return rows;
}

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
  Section section{.title = "Profile"};
  const nlohmann::json& s = profile.summary;
  section.paragraph(format("%.3f s on %s, %s, %d threads. Times are without what ran inside.",
                           s.at("seconds").get<double>(), s.at("cpu").get<std::string>().c_str(),
                           s.at("isa").get<std::string>().c_str(), s.at("threads").get<int>()));
  if (const std::int64_t dropped = s.at("dropped_events"); dropped > 0)
    section.paragraph(
        format("%lld events came after the limit and are missing.", static_cast<long long>(dropped)));
  if (!s.at("counters").empty()) {
    Table counters{.head = {"counter", "count>"}};
    for (const auto& [name, count] : s.at("counters").items())
      counters.rows.push_back({{name}, {count.dump()}});
    section.table(counters);
  }
  if (const std::string problem = s.at("counters_problem"); !problem.empty()) section.paragraph(problem);
  section.html += "<h3>By op</h3>\n";
  section.markdown += "### By op\n\n";
  const auto by_op = profile.averages(profiler::GroupBy::Name),
             by_shapes = profile.averages(profiler::GroupBy::NameAndShape);
  section.table(top(by_op, false));
  section.html += "<h3>By op and shapes</h3>\n";
  section.markdown += "### By op and shapes\n\n";
  section.table(top(by_shapes, true));
  section.data = {{"cpu", s.at("cpu")},
                  {"isa", s.at("isa")},
                  {"threads", s.at("threads")},
                  {"seconds", s.at("seconds")},
                  {"dropped_events", s.at("dropped_events")},
                  {"counters", s.at("counters")},
                  {"counters_problem", s.at("counters_problem")},
                  {"by_op", top_json(by_op)},
                  {"by_op_and_shapes", top_json(by_shapes)}};
  return section;
}

}  // namespace lanewise::tools
