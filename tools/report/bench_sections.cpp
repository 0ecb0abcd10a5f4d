#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <lanewise/tensor/dtype.h>

#include "report/sections.h"
#include "report/svg.h"
#include "text.h"

namespace lanewise::tools {
namespace {

std::vector<Isa> isas_of(const BenchRun& run) {
  std::set<Isa> isas;
  for (const BenchResult& r : run.results) isas.insert(r.isa);
  return {isas.begin(), isas.end()};
}

/// Results by case, in the run's order.
std::vector<std::pair<BenchCase, std::map<Isa, const BenchResult*>>> by_case(const BenchRun& run) {
  std::vector<std::pair<BenchCase, std::map<Isa, const BenchResult*>>> cases;
  std::map<std::string, std::size_t> place;
  for (const BenchResult& r : run.results) {
    const auto [at, fresh] = place.try_emplace(r.what.key(), cases.size());
    if (fresh) cases.push_back({r.what, {}});
    cases[at->second].second[r.isa] = &r;
  }
  return cases;
}

std::int64_t numel(const BenchCase& c) {
  std::int64_t n = 1;
  for (const std::int64_t size : c.shape) n *= size;
  return n;
}

std::string bytes_tick(double bytes) {
  constexpr const char* kUnits[] = {"", "k", "M", "G"};
  int unit = 0;
  for (; bytes >= 999 && unit < 3; ++unit) bytes /= 1000;
  return format("%g%s", bytes, kUnits[unit]);
}

/// 16777216 as "16Mi".
std::string count_text(std::int64_t n) {
  if (n >= 1 << 20 && n % (1 << 20) == 0) return std::to_string(n >> 20) + "Mi";
  if (n >= 1 << 10 && n % (1 << 10) == 0) return std::to_string(n >> 10) + "Ki";
  return std::to_string(n);
}

/// Over the first tier: geometric means over the cases that have both.
std::vector<std::pair<Isa, double>> mean_speed_ups(const BenchRun& run, const std::vector<Isa>& isas) {
  std::vector<std::pair<Isa, double>> means;
  for (std::size_t i = 1; i < isas.size(); ++i) {
    double logs = 0;
    int count = 0;
    for (const auto& [c, results] : by_case(run)) {
      if (!results.contains(isas[0]) || !results.contains(isas[i])) continue;
      logs += std::log(results.at(isas[0])->median() / results.at(isas[i])->median());
      ++count;
    }
    means.emplace_back(isas[i], std::exp(logs / std::max(count, 1)));
  }
  return means;
}

}  // namespace

std::string short_key(const BenchCase& c) {
  std::string key = c.key();
  if (c.shape.size() == 1) {
    const std::string size = std::to_string(c.shape[0]);
    key.replace(key.find("[" + size + "]") + 1, size.size(), count_text(c.shape[0]));
  }
  return short_key(std::move(key));
}

std::string short_key(std::string key) {
  for (const char* word : {" contiguous", ", 1 thread"}) {
    if (const std::size_t at = key.find(word);
        at != std::string::npos &&
        (key.size() == at + std::string(word).size() || key[at + std::string(word).size()] != 's')) {
      key.erase(at, std::string(word).size());
    }
  }
  return key;
}

int series_of(Isa isa) { return isa == Isa::sse4_2 ? 0 : isa == Isa::avx512 ? 2 : 1; }

Section tiers_section(const BenchRun& run) {
  const std::vector<Isa> isas = isas_of(run);
  if (isas.size() < 2) return {};
  Section section{.title = "Speed-up by tier"};
  std::string means;  // "avx2 2.31x, avx512 3.02x"
  nlohmann::json mean_rows = nlohmann::json::array(), rows = nlohmann::json::array();
  for (const auto& [isa, mean] : mean_speed_ups(run, isas)) {
    means += (means.empty() ? "" : ", ") + std::string(name(isa)) + format(" %.2fx", mean);
    mean_rows.push_back({{"isa", name(isa)}, {"speed_up", mean}});
  }
  section.paragraph(std::string("Over ") + name(isas[0]) +
                    ", in brackets the time of a call. Green is faster, red slower: wider is not always "
                    "faster. Geometric mean of "
                    "all cases: " +
                    means + ".");
  Table table{.head = {"case"}};
  for (const Isa isa : isas) table.head.push_back(std::string(name(isa)) + ">");
  table.head.push_back("of limit>");
  for (const auto& [c, results] : by_case(run)) {
    const auto base = results.find(isas[0]);
    if (base == results.end() || results.size() < 2) continue;
    std::vector<Table::Cell> row{{short_key(c)}};
    double best_share = 0;
    for (const Isa isa : isas) {
      const auto it = results.find(isa);
      if (it == results.end()) {
        row.push_back({"-"});
        continue;
      }
      best_share = std::max(best_share, it->second->share_of_limit());
      const double speed_up = base->second->median() / it->second->median();
      rows.push_back({{"case", c.key()},
                      {"isa", name(isa)},
                      {"ns", it->second->median()},
                      {"speed_up", speed_up},
                      {"share_of_limit", it->second->share_of_limit()}});
      if (isa == isas[0]) {
        row.push_back({time_text(it->second->median())});
        continue;
      }
      row.push_back(
          {format("%.2fx (%s)", speed_up, time_text(it->second->median()).c_str()), std::log2(speed_up) / 4});
    }
    row.push_back({format("%.0f %%", 100 * best_share), 0, std::min(best_share, 1.0)});
    table.rows.push_back(std::move(row));
  }
  if (table.rows.empty()) return {};
  section.table(table);
  section.data = {{"base", name(isas[0])}, {"geometric_means", mean_rows}, {"cases", rows}};
  return section;
}

// Ops that were timed at three sizes or more.
Section sizes_section(const BenchRun& run) {
  struct Curve {
    std::vector<std::pair<double, double>> speed, limit;
    std::vector<std::string> tips;
  };
  // By case and number of dimensions: a matrix is another curve than a vector.
  std::map<std::pair<std::string, std::size_t>, std::map<Isa, std::vector<const BenchResult*>>> groups;
  for (const BenchResult& r : run.results) {
    BenchCase c = r.what;
    c.shape = {};
    groups[{short_key(c), r.what.shape.size()}][r.isa].push_back(&r);
  }
  Section section{.title = "Sizes"};
  std::string plots;
  Table table{.head = {"case", "tier", "bytes moved>", "GB/s>", "limit GB/s>"}};
  nlohmann::json data = nlohmann::json::array();
  for (auto& [key, tiers] : groups) {
    if (tiers.begin()->second.size() < 3) continue;
    std::string title = key.first;
    if (const std::size_t at = title.find(" []"); at != std::string::npos) title.erase(at, 3);
    std::map<Isa, Curve> curves;
    double low = 1e300, high = 0, slow = 1e300, fast = 0;
    for (auto& [isa, results] : tiers) {
      std::sort(results.begin(), results.end(),
                [](const BenchResult* a, const BenchResult* b) { return a->bytes < b->bytes; });
      for (const BenchResult* r : results) {
        if (r->bytes <= 0) continue;
        const auto bytes = static_cast<double>(r->bytes);
        const double gbs = bytes / r->median();
        curves[isa].speed.emplace_back(bytes, gbs);
        curves[isa].limit.emplace_back(bytes, r->bandwidth_limit);
        curves[isa].tips.push_back(short_key(r->what) +
                                   format(" on %s: %.1f GB/s of %.1f", name(isa), gbs, r->bandwidth_limit));
        low = std::min(low, bytes);
        high = std::max(high, bytes);
        slow = std::min(slow, gbs);
        fast = std::max({fast, gbs, r->bandwidth_limit});
        data.push_back({{"case", title},
                        {"isa", name(isa)},
                        {"bytes", r->bytes},
                        {"gbs", gbs},
                        {"limit_gbs", r->bandwidth_limit}});
        table.rows.push_back({{title},
                              {name(isa)},
                              {std::to_string(r->bytes)},
                              {format("%.1f", gbs)},
                              {format("%.1f", r->bandwidth_limit)}});
      }
    }
    if (low >= high) continue;
    LogPlot plot(title, "bytes moved by a call", "GB/s", {low / 1.3, high * 1.3},
                 {std::max(slow / 1.3, fast / 1e4), fast * 1.3}, &bytes_tick);
    for (const auto& [isa, curve] : curves) {
      plot.limit(series_of(isa), curve.limit);
      plot.curve(series_of(isa), curve.speed, curve.tips);
      plot.legend(series_of(isa), name(isa));
    }
    plots += "<figure>" + plot.str() + "<figcaption>" + escaped(title) + "</figcaption></figure>\n";
  }
  if (plots.empty()) return {};
  section.paragraph(
      "Bandwidth by size. Dashed: the triad of the same tier with as many bytes, measured in the same run; "
      "steps are the levels of cache.");
  section.html += "<div class=\"plots\">\n" + plots + "</div>\n";
  section.markdown += table.markdown();
  section.data = std::move(data);
  return section;
}

// Cases that were timed in several layouts.
Section layouts_section(const BenchRun& run) {
  std::map<std::string, std::vector<const BenchResult*>> groups;
  const std::vector<Isa> isas = isas_of(run);
  if (isas.empty()) return {};
  for (const BenchResult& r : run.results) {
    if (r.isa != isas.back()) continue;
    BenchCase c = r.what;
    c.layout = "";
    groups[short_key(c)].push_back(&r);
  }
  Section section{.title = "Layouts"};
  Table table{.head = {"case", "layout", "time>", "GB/s>", "against contiguous>", "path"}};
  nlohmann::json data = nlohmann::json::array();
  for (const auto& [key, results] : groups) {
    const auto plain = std::find_if(results.begin(), results.end(),
                                    [](const BenchResult* r) { return r->what.layout == "contiguous"; });
    if (results.size() < 2 || plain == results.end()) continue;
    for (const BenchResult* r : results) {
      const double share = (*plain)->median() / r->median();
      data.push_back({{"case", key},
                      {"isa", name(r->isa)},
                      {"layout", r->what.layout},
                      {"ns", r->median()},
                      {"to_contiguous", share},
                      {"path", r->path}});
      table.rows.push_back({{key},
                            {r->what.layout},
                            {time_text(r->median())},
                            {format("%.1f", static_cast<double>(r->bytes) / r->median())},
                            {format("%.2fx", share), 0, std::min(share, 1.0)},
                            {r->path}});
    }
  }
  if (table.rows.empty()) return {};
  section.paragraph(std::string("What strided, transposed and repeated operands cost on ") +
                    name(isas.back()) + ".");
  section.table(table);
  section.data = std::move(data);
  return section;
}

Section overhead_section(const BenchRun& run) {
  Section section{.title = "Overhead"};
  const std::vector<Isa> isas = isas_of(run);
  Table table{.head = {"case"}};
  for (const Isa isa : isas) table.head.push_back(std::string(name(isa)) + ", ns>");
  nlohmann::json data = nlohmann::json::array();
  for (const auto& [c, results] : by_case(run)) {
    if (numel(c) > 64) continue;
    std::vector<Table::Cell> row{{short_key(c)}};
    for (const Isa isa : isas) {
      const auto it = results.find(isa);
      row.push_back({it == results.end() ? "-" : format("%.1f", it->second->median())});
      if (it != results.end())
        data.push_back({{"case", c.key()}, {"isa", name(isa)}, {"ns", it->second->median()}});
    }
    table.rows.push_back(std::move(row));
  }
  if (table.rows.empty()) return {};
  section.paragraph(
      "Calls on at most 64 elements, through the registry's function with bound arguments: what a call costs "
      "before it computes.");
  section.table(table);
  section.data = std::move(data);
  return section;
}

Section results_section(const BenchRun& run) {
  Section section{.title = "All results"};
  Table table{.head = {"case", "tier", "time>", "+->", "ns/element>", "GB/s>", "GFLOP/s>", "of limit>",
                       "error>", "path"},
              .rows = {}};
  nlohmann::json data = nlohmann::json::array();
  int unstable = 0;
  for (const BenchResult& r : run.results) {
    const double ns = r.median();
    unstable += r.is_unstable();
    data.push_back({{"case", r.what.key()},
                    {"isa", name(r.isa)},
                    {"ns", ns},
                    {"spread", r.spread()},
                    {"elements", r.elements},
                    {"bytes", r.bytes},
                    {"flops", r.flops},
                    {"share_of_limit", r.share_of_limit()},
                    {"error", r.error},
                    {"path", r.path}});
    table.rows.push_back({{short_key(r.what)},
                          {name(r.isa)},
                          {time_text(ns)},
                          {format("%.1f %%", 100 * r.spread()), r.is_unstable() ? -0.5 : 0},
                          {format("%.4f", ns / static_cast<double>(std::max<std::int64_t>(r.elements, 1)))},
                          {format("%.1f", static_cast<double>(r.bytes) / ns)},
                          {r.flops > 0 ? format("%.1f", r.flops / ns) : "-"},
                          {format("%.0f %%", 100 * r.share_of_limit())},
                          {format("%.1e", r.error)},
                          {r.path}});
  }
  section.paragraph(
      format("%zu results, each checked against the lowest tier in double precision before it was timed. %d "
             "of them are unstable: half of their samples differ by more than 5 %% from the middle.",
             run.results.size(), unstable));
  section.table(table);
  section.data = std::move(data);
  return section;
}

}  // namespace lanewise::tools
