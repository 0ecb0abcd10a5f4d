#include <algorithm>
#include <charconv>
#include <map>

#include "bench/google_run.h"
#include "compare/statistics.h"
#include "report/sections.h"
#include "report/svg.h"
#include "text.h"

// A run of a Google Benchmark program: lanewise_bench, or the same cases in a peer.
namespace lanewise::tools {
namespace {

/// "contiguous_add/16384" is 16384 of the family contiguous_add; 0 where a name ends otherwise.
std::pair<std::string, double> family_of(const std::string& name) {
  const std::size_t slash = name.rfind('/');
  if (slash == std::string::npos) return {name, 0};
  std::int64_t argument = 0;
  const char* const end = name.data() + name.size();
  const auto [at, error] = std::from_chars(name.data() + slash + 1, end, argument);
  return {name.substr(0, slash), error == std::errc() && at == end ? static_cast<double>(argument) : 0};
}

std::string rate(double per_second) { return per_second > 0 ? format("%.2f", per_second * 1e-9) : "-"; }

struct Curve {
  std::vector<std::pair<double, double>> points;
  std::vector<std::string> tips;
};

/// Bandwidth over the argument, of the families that have it for three arguments or more.
std::map<std::string, Curve> curves_of(const GoogleRun& run) {
  std::map<std::string, Curve> curves;
  for (const GoogleCase& c : run.cases) {
    const auto [family, argument] = family_of(c.name);
    if (argument <= 0 || c.bytes_per_second <= 0) continue;
    curves[family].points.emplace_back(argument, c.bytes_per_second * 1e-9);
    curves[family].tips.push_back(c.name + " of " + run.name() +
                                  format(": %.1f GB/s", c.bytes_per_second * 1e-9));
  }
  std::erase_if(curves, [](const auto& entry) { return entry.second.points.size() < 3; });
  return curves;
}

}  // namespace

Section machine_section(const GoogleRun& run) {
  Section section{.title = "Machine"};
  Table table{.head = {"", ""}};
  table.rows = {{{"library"}, {run.name()}},
                {{"host"}, {run.host}},
                {{"processors"}, {format("%d of %.0f MHz", run.cpus, run.mhz)}}};
  std::string caches;
  for (const GoogleRun::Cache& c : run.caches) {
    if (c.type != "Instruction")
      caches += (caches.empty() ? "L" : ", L") + std::to_string(c.level) + " " + size_text(c.bytes);
  }
  if (!caches.empty()) table.rows.push_back({{"caches"}, {caches}});
  if (!run.threads.empty()) table.rows.push_back({{"threads"}, {run.threads}});
  section.table(table);
  nlohmann::json cache_rows = nlohmann::json::array();
  for (const GoogleRun::Cache& c : run.caches)
    cache_rows.push_back({{"type", c.type}, {"level", c.level}, {"bytes", c.bytes}});
  section.data = {{"library", run.name()}, {"host", run.host},       {"processors", run.cpus},
                  {"mhz", run.mhz},        {"threads", run.threads}, {"caches", cache_rows}};
  return section;
}

Section sizes_section(const GoogleRun& run, const GoogleRun* before) {
  Section section{.title = "Sizes"};
  std::string plots;
  Table table{.head = {"case", "library", "argument>", "GB/s>"}};
  nlohmann::json data = nlohmann::json::array();
  std::vector<std::pair<const GoogleRun*, std::map<std::string, Curve>>> all{{&run, curves_of(run)}};
  if (before != nullptr) all.emplace_back(before, curves_of(*before));
  for (const auto& [family, first] : all[0].second) {
    LogPlot::Range x{first.points[0].first, first.points[0].first},
        y{first.points[0].second, first.points[0].second};
    for (const auto& [of, curves] : all) {
      const auto found = curves.find(family);
      if (found == curves.end()) continue;
      for (const auto& [argument, gbs] : found->second.points) {
        x = {std::min(x.low, argument), std::max(x.high, argument)};
        y = {std::min(y.low, gbs), std::max(y.high, gbs)};
      }
    }
    if (x.low >= x.high) continue;
    LogPlot plot(family, "argument of the case", "GB/s", {x.low / 1.3, x.high * 1.3},
                 {y.low / 1.5, y.high * 1.5}, nullptr);
    int series = 1;
    for (const auto& [of, curves] : all) {
      if (const auto found = curves.find(family); found != curves.end()) {
        plot.curve(series, found->second.points, found->second.tips);
        plot.legend(series, of->name());
        for (const auto& [argument, gbs] : found->second.points) {
          table.rows.push_back({{family}, {of->name()}, {format("%.0f", argument)}, {format("%.2f", gbs)}});
          data.push_back({{"case", family}, {"library", of->name()}, {"argument", argument}, {"gbs", gbs}});
        }
      }
      ++series;
    }
    plots += "<figure>" + plot.str() + "<figcaption>" + escaped(family) + "</figcaption></figure>\n";
  }
  if (plots.empty()) return {};
  section.paragraph("Bandwidth by the argument of a case, mostly the number of elements or of rows.");
  section.html += "<div class=\"plots\">\n" + plots + "</div>\n";
  section.markdown += table.markdown();
  section.data = std::move(data);
  return section;
}

Section results_section(const GoogleRun& run) {
  Section section{.title = "All results"};
  section.paragraph(format("%zu cases that a Google Benchmark program timed; the median of its repetitions.",
                           run.cases.size()));
  for (const std::string& problem : run.failed) section.paragraph("Not timed: " + problem);
  Table table{.head = {"case", "time>", "+->", "repetitions>", "GB/s>", "G items/s>"}};
  nlohmann::json data = nlohmann::json::array();
  for (const GoogleCase& c : run.cases) {
    const double middle = median(c.ns);
    const double spread = (quantile(c.ns, 0.75) - quantile(c.ns, 0.25)) / 2 / middle;
    data.push_back({{"case", c.name},
                    {"ns", middle},
                    {"spread", spread},
                    {"repetitions", c.ns.size()},
                    {"bytes_per_second", c.bytes_per_second},
                    {"items_per_second", c.items_per_second}});
    table.rows.push_back({{c.name},
                          {time_text(middle)},
                          {c.ns.size() > 1 ? format("%.1f %%", 100 * spread) : "-", spread > 0.05 ? -0.5 : 0},
                          {std::to_string(c.ns.size())},
                          {rate(c.bytes_per_second)},
                          {rate(c.items_per_second)}});
  }
  section.table(table);
  section.data = std::move(data);
  return section;
}

}  // namespace lanewise::tools
