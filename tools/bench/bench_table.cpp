#include "bench/bench_table.h"

#include "text.h"

namespace lanewise::tools {

std::string bench_head() {
  return format("%-8s %10s %6s %10s %9s %9s %8s %9s  %s\n", "tier", "time", "+-", "ns/elem", "GB/s",
                "GFLOP/s", "of limit", "speed-up", "path");
}

std::string bench_rows(const std::vector<BenchResult>& results) {
  std::string text = results.empty() ? "" : results[0].what.key() + "\n";
  bool unstable = false, counted = false;
  for (const BenchResult& r : results) {
    const double ns = r.median();
    text += format("%-8s %10s %5.1f%% %10.4f %9.1f %9s %7.0f%% %8.2fx  %s%s\n", name(r.isa),
                   time_text(ns).c_str(), 100 * r.spread(),
                   ns / static_cast<double>(std::max<std::int64_t>(r.elements, 1)),
                   static_cast<double>(r.bytes) / ns,
                   r.flops > 0 ? format("%.1f", r.flops / ns).c_str() : "-", 100 * r.share_of_limit(),
                   results[0].median() / ns, r.path.c_str(), r.is_unstable() ? "  unstable" : "");
    unstable |= r.is_unstable();
    counted |= r.instructions > 0;
  }
  if (counted) {
    for (const BenchResult& r : results)
      text +=
          format("%-8s %.3f cycles, %.3f instructions per element\n", name(r.isa), r.cycles, r.instructions);
  }
  if (unstable)
    text +=
        "unstable: half of the samples differ by more than 5 % from the middle; is something else running? "
        "--turns and --seconds help\n";
  return text;
}

}  // namespace lanewise::tools
