#include <algorithm>

#include "report/sections.h"
#include "report/svg.h"
#include "text.h"

namespace lanewise::tools {
namespace {

constexpr double kDrawingWidth = 480, kGap = 8, kRow = 30;

/// Memory above, then what is shared by ever fewer hardware threads, down to the cores.
std::string drawing(const nlohmann::json& m) {
  const int cores = std::max(1, m.at("cores").get<int>()),
            threads = std::max(cores, m.at("hardware_threads").get<int>());
  const int shown = std::min(cores, 8);
  const double per_core = static_cast<double>(threads) / cores;
  const double core_width = (kDrawingWidth - kGap * (shown + 1)) / shown;
  double y = kGap;
  int rows = 2;  // memory and cores
  for (const char* cache : {"l1d_bytes", "l2_bytes", "l3_bytes"}) rows += m.at(cache).get<std::int64_t>() > 0;
  Svg svg(kDrawingWidth, kGap + rows * (kRow + kGap) + (cores > shown ? 22 : 0),
          "Caches and cores of the machine");
  const auto shared_row = [&](const std::string& text) {
    svg.rect(kGap, y, kDrawingWidth - 2 * kGap, kRow, "box");
    svg.text(kDrawingWidth / 2, y + 19, text, "", "middle");
    y += kRow + kGap;
  };
  std::int64_t memory = 0;
  for (const auto& node : m.at("numa_nodes")) memory += node.at("bytes").get<std::int64_t>();
  const std::size_t nodes = m.at("numa_nodes").size();
  shared_row("Memory " + size_text(memory) +
             (nodes > 1 ? " in " + std::to_string(nodes) + " NUMA nodes" : ""));
  const auto cache_row = [&](const char* name, const char* size, int sharing) {
    const std::int64_t bytes = m.at(size);
    if (bytes <= 0) return;
    const std::string text = std::string(name) + " " + size_text(bytes);
    const int each = std::max(1, static_cast<int>(sharing / per_core));  // cores that share one
    if (each >= cores) return shared_row(text + (cores > 1 ? ", shared" : ""));
    for (int core = 0; core < shown; core += each) {
      const int span = std::min(each, shown - core);
      const double x = kGap + core * (core_width + kGap), width = span * core_width + (span - 1) * kGap;
      svg.rect(x, y, width, kRow, "box", text);
      svg.text(x + width / 2, y + 19, width > 95 ? text : size_text(bytes), "", "middle");
    }
    y += kRow + kGap;
  };
  cache_row("L3", "l3_bytes", m.at("l3_hardware_threads"));
  cache_row("L2", "l2_bytes", std::max(1, m.at("l2_hardware_threads").get<int>()));
  cache_row("L1d", "l1d_bytes", 1);
  for (int core = 0; core < shown; ++core) {
    const double x = kGap + core * (core_width + kGap);
    svg.rect(x, y, core_width, kRow, "core", "core " + std::to_string(core));
    svg.text(x + core_width / 2, y + 19,
             core_width > 60 ? "core " + std::to_string(core) : std::to_string(core), "strong", "middle");
  }
  y += kRow + 20;
  if (cores > shown)
    svg.text(
        kDrawingWidth / 2, y,
        "... " + std::to_string(cores) + " cores in all, " + std::to_string(threads) + " hardware threads",
        "tick", "middle");
  return svg.str();
}

}  // namespace

Section machine_section(const nlohmann::json& m) {
  Section section{.title = "Machine"};
  const auto list = [](const nlohmann::json& names) {
    std::string text;
    for (const auto& name : names) text += (text.empty() ? "" : ", ") + name.get<std::string>();
    return text;
  };
  Table table{.head = {"", ""}};
  table.rows = {
      {{"CPU"}, {m.at("cpu").get<std::string>()}},
      {{"cores"},
       {format("%d (%d hardware threads) in %d package%s, %d usable", m.at("cores").get<int>(),
               m.at("hardware_threads").get<int>(), m.at("packages").get<int>(),
               m.at("packages") == 1 ? "" : "s", m.at("usable_cores").get<int>())}},
      {{"caches"},
       {"L1d " + size_text(m.at("l1d_bytes")) + ", L2 " + size_text(m.at("l2_bytes")) + ", L3 " +
        size_text(m.at("l3_bytes"))}},
      {{"tiers"}, {list(m.at("isas_available"))}},
      {{"threads"},
       {std::to_string(m.at("threads").get<int>()) +
        (m.at("cpu_quota") > 0 ? format(", a cgroup allows %.2f CPUs", m.at("cpu_quota").get<double>())
                               : "")}},
      {{"library"},
       {"Lanewise " + m.at("lanewise").get<std::string>() + ", compiler " +
        m.at("compiler").get<std::string>() + ", oneTBB " + m.at("oneTBB").get<std::string>()}}};
  section.data = m;
  section.html += "<div class=\"plots\">\n";
  section.drawing(drawing(m), "Caches and cores as hwloc sees them");
  section.table(table);
  section.html += "</div>\n";
  return section;
}

}  // namespace lanewise::tools
