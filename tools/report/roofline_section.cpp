#include <algorithm>
#include <map>

#include "report/sections.h"
#include "report/svg.h"
#include "text.h"

namespace lanewise::tools {
namespace {

struct Roof {
  double bandwidth = 0;  ///< of the largest working set: memory
  double cache = 0;      ///< of the fastest working set
  double peak = 0;
};

// Of single precision and the run's most frequent number of threads; the roofs of another would lie
// elsewhere.
std::map<Isa, Roof> roofs_of(const BenchRun& run, int threads) {
  std::map<Isa, Roof> roofs;
  std::map<Isa, std::int64_t> largest;
  for (const auto& limit : run.bandwidths) {
    if (limit.at("threads") != threads) continue;
    const Isa isa = parse_isa(limit.at("isa").get<std::string>());
    const std::int64_t bytes = limit.at("working_set_bytes");
    const double gbs = limit.at("triad_gbs");
    roofs[isa].cache = std::max(roofs[isa].cache, gbs);
    if (bytes >= largest[isa]) {
      largest[isa] = bytes;
      roofs[isa].bandwidth = gbs;
    }
  }
  for (const auto& limit : run.arithmetics) {
    if (limit.at("threads") == threads && limit.at("dtype") == "f32")
      roofs[parse_isa(limit.at("isa").get<std::string>())].peak = limit.at("gflops");
  }
  return roofs;
}

}  // namespace

Section roofline_section(const BenchRun* run, const ProfileFile* profile) {
  struct Point {
    int series;
    double intensity, gflops;
    std::string what, of;  ///< a case and its tier, or an op of the profile
    std::string tip;
  };
  std::vector<Point> points;
  std::map<Isa, Roof> roofs;
  std::vector<Isa> isas;
  if (run != nullptr) {
    std::map<int, int> uses;
    for (const BenchResult& r : run->results) ++uses[r.what.threads];
    int threads = 1;
    for (const auto& [n, count] : uses) threads = count > uses[threads] ? n : threads;
    roofs = roofs_of(*run, threads);
    for (const BenchResult& r : run->results) {
      if (r.flops <= 0 || r.elements <= 64 || r.what.threads != threads || r.what.dtype != ScalarType::Float)
        continue;
      const double gflops = r.flops / r.median();
      points.push_back({series_of(r.isa), r.flops / static_cast<double>(r.bytes), gflops, r.what.key(),
                        name(r.isa),
                        short_key(r.what) + " on " + name(r.isa) + format(": %.1f GFLOP/s", gflops)});
      if (std::find(isas.begin(), isas.end(), r.isa) == isas.end()) isas.push_back(r.isa);
    }
  }
  const std::size_t of_bench = points.size();
  if (profile != nullptr) {
    for (const profiler::Average& a : profile->averages(profiler::GroupBy::NameAndShape)) {
      if (a.flops <= 64 * static_cast<double>(a.count) || a.bytes <= 0 || a.self <= 0) continue;
      const double gflops = a.flops / static_cast<double>(a.self);
      points.push_back(
          {3, a.flops / static_cast<double>(a.bytes), gflops, a.name + " " + a.arguments, "profile",
           a.name + " " + a.arguments +
               format(": %.1f GFLOP/s, %s in all", gflops, time_text(static_cast<double>(a.self)).c_str())});
    }
  }
  if (points.empty()) return {};
  LogPlot::Range x{points[0].intensity, points[0].intensity}, y{points[0].gflops, points[0].gflops};
  for (const Point& p : points) {
    x = {std::min(x.low, p.intensity), std::max(x.high, p.intensity)};
    y = {std::min(y.low, p.gflops), std::max(y.high, p.gflops)};
  }
  x = {std::min(x.low / 1.6, 0.05), std::max(x.high * 1.6, 20.0)};
  for (const auto& [isa, roof] : roofs) y.high = std::max(y.high, roof.peak);
  y = {y.low / 1.6, y.high * 1.6};
  LogPlot plot("Roofline", "arithmetic intensity (flop / byte)", "GFLOP/s", x, y, nullptr);
  for (const auto& [isa, roof] : roofs) {
    for (const double bandwidth : {roof.bandwidth, roof.cache}) {
      if (bandwidth <= 0 || roof.peak <= 0) continue;
      const double knee = roof.peak / bandwidth;
      const double start = std::max(x.low, y.low / bandwidth);
      if (knee > start && knee < x.high)
        plot.limit(series_of(isa), {{start, start * bandwidth}, {knee, roof.peak}, {x.high, roof.peak}});
    }
  }
  for (const Point& p : points) plot.point(p.series, p.intensity, p.gflops, p.tip);
  for (const Isa isa : isas) plot.legend(series_of(isa), name(isa));
  if (points.size() > of_bench) plot.legend(3, "profile");
  Section section{.title = "Roofline"};
  section.paragraph(
      "Each point is a case of more than 64 elements in single precision: how much it computes per byte, and "
      "how fast. Dashed, per "
      "tier: the fastest and the slowest level of memory (triad) up to the peak of multiplications and "
      "additions, measured in the same run.");
  section.drawing(
      plot.str(),
      "Resting the pointer on a point names it. A case below the lines has something else to wait for.");
  Table table{.head = {"tier", "memory GB/s>", "fastest level GB/s>", "peak GFLOP/s (f32)>"}};
  nlohmann::json roof_rows = nlohmann::json::array(), point_rows = nlohmann::json::array();
  for (const auto& [isa, roof] : roofs) {
    table.rows.push_back({{name(isa)},
                          {format("%.1f", roof.bandwidth)},
                          {format("%.1f", roof.cache)},
                          {format("%.1f", roof.peak)}});
    roof_rows.push_back({{"isa", name(isa)},
                         {"memory_gbs", roof.bandwidth},
                         {"fastest_level_gbs", roof.cache},
                         {"peak_gflops", roof.peak}});
  }
  if (!roofs.empty()) section.table(table);
  for (const Point& p : points) {
    point_rows.push_back(
        {{"what", p.what}, {"of", p.of}, {"flop_per_byte", p.intensity}, {"gflops", p.gflops}});
  }
  section.data = {{"roofs", roof_rows}, {"points", point_rows}};
  return section;
}

}  // namespace lanewise::tools
