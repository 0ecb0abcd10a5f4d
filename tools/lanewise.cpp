// The command-line tool: `lanewise info` prints what the library sees of this machine, `lanewise passport` the errors and speed
// of its mathematics.
#include <cstdio>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <lanewise/dispatch_isa/isa.h>
#include <lanewise/dispatch_isa/threads.h>
#include <lanewise/dispatch_isa/topology.h>
#include <lanewise/dispatch_isa/version.h>

#include "passport.h"

namespace {

std::string names(std::span<const lanewise::Isa> isas) {
  std::string text;
  for (const lanewise::Isa isa : isas) {
    text += text.empty() ? "" : ", ";
    text += lanewise::name(isa);
  }
  return text.empty() ? "none" : text;
}

/// "48 KiB", "2 MiB", "unknown" for 0.
std::string size(std::int64_t bytes) {
  if (bytes <= 0) {
    return "unknown";
  }
  constexpr std::string_view kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof(text), value < 10 && value != static_cast<int>(value) ? "%.1f " : "%.0f ", value);
  return text + std::string(kUnits[unit]);
}

std::string shared_by(int pus) { return pus > 1 ? ", shared by " + std::to_string(pus) + " hardware threads" : ""; }

void line(const char* label, const std::string& text) { std::printf("%-14s%s\n", label, text.c_str()); }

int info() {
  const lanewise::Topology& t = lanewise::topology();
  line("lanewise", lanewise::version());
  line("oneTBB", lanewise::tbb_version());
  line("hwloc", lanewise::hwloc_version());
  line("compiler", __VERSION__);
  const std::string model = lanewise::cpu_model();
  line("CPU", model.empty() ? "unknown" : model);
  line("ISA built in", names(lanewise::built_in_isas()));
  line("ISA available", names(lanewise::available_isas()));
  line("ISA in use", lanewise::name(lanewise::active_isa()));
  line("cores", std::to_string(t.cores) + " (" + std::to_string(t.pus) + " hardware threads) in " +
                    std::to_string(t.packages) + (t.packages == 1 ? " package" : " packages"));
  line("usable", std::to_string(t.usable_cores) + " cores (" + std::to_string(t.usable_pus) + " hardware threads)");
  char quota[32] = "none";
  if (t.cpu_quota > 0) {
    std::snprintf(quota, sizeof(quota), "%.2f CPUs", t.cpu_quota);
  }
  line("CPU quota", quota);
  line("threads", std::to_string(lanewise::get_num_threads()));
  line("L1 data", size(t.l1d_bytes) + ", lines of " + std::to_string(t.line_bytes) + " B");
  line("L2", size(t.l2_bytes) + shared_by(t.l2_pus));
  line("L3", size(t.l3_bytes) + shared_by(t.l3_pus));
  for (const lanewise::NumaNode& node : t.numa_nodes) {
    line(("NUMA node " + std::to_string(node.os_index)).c_str(),
         size(node.bytes) + ", " + std::to_string(node.pus) + " hardware threads");
  }
  return 0;
}

int usage(std::FILE* to) {
  std::fputs(
      "usage: lanewise <command>\n\n"
      "  info       instruction sets, caches, cores, threads and versions\n"
      "  passport   largest error and speed of every mathematical op: [--markdown] [--points N] [op...]\n"
      "  help       this text\n",
      to);
  return to == stdout ? 0 : 2;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view command = argc >= 2 ? argv[1] : "";
  try {
    if (command == "passport") {
      const std::vector<std::string_view> arguments(argv + 2, argv + argc);
      return lanewise::tools::passport(arguments);
    }
    if (argc > 2) return usage(stderr);
    if (command == "info") {
      return info();
    }
    if (command == "help" || command == "--help" || command == "-h") {
      return usage(stdout);
    }
    if (command == "--version") {
      std::printf("lanewise %s\n", lanewise::version());
      return 0;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "lanewise: %s\n", error.what());
    return 1;
  }
  return usage(stderr);
}
