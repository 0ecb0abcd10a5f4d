#include <cstdio>
#include <memory>
#include <span>
#include <string>

#include <nlohmann/json.hpp>

#include <lanewise/dispatch_isa/isa.h>
#include <lanewise/dispatch_isa/threads.h>
#include <lanewise/dispatch_isa/topology.h>
#include <lanewise/dispatch_isa/version.h>

#include "command_line.h"
#include "commands.h"
#include "machine.h"
#include "text.h"

namespace lanewise::tools {
namespace {

std::string names(std::span<const Isa> isas) {
  std::string text;
  for (const Isa isa : isas) {
    text += text.empty() ? "" : ", ";
    text += name(isa);
  }
  return text.empty() ? "none" : text;
}

std::string shared_by(int pus) {
  return pus > 1 ? ", shared by " + std::to_string(pus) + " hardware threads" : "";
}

void line(const char* label, const std::string& text) { std::printf("%-14s%s\n", label, text.c_str()); }

void print_info() {
  // Errors of LANEWISE_ISA and LANEWISE_NUM_THREADS come before the first line.
  const Isa isa = active_isa();
  const int threads = get_num_threads();
  const Topology& t = topology();
  line("lanewise", version());
  line("oneTBB", tbb_version());
  line("hwloc", hwloc_version());
  line("compiler", __VERSION__);
  const std::string model = cpu_model();
  line("CPU", model.empty() ? "unknown" : model);
  line("ISA built in", names(built_in_isas()));
  line("ISA available", names(available_isas()));
  line("ISA in use", name(isa));
  line("cores", std::to_string(t.cores) + " (" + std::to_string(t.pus) + " hardware threads) in " +
                    std::to_string(t.packages) + (t.packages == 1 ? " package" : " packages"));
  line("usable",
       std::to_string(t.usable_cores) + " cores (" + std::to_string(t.usable_pus) + " hardware threads)");
  char quota[32] = "none";
  if (t.cpu_quota > 0) std::snprintf(quota, sizeof(quota), "%.2f CPUs", t.cpu_quota);
  line("CPU quota", quota);
  line("threads", std::to_string(threads));
  line("L1 data", size_text(t.l1d_bytes) + ", lines of " + std::to_string(t.line_bytes) + " B");
  line("L2", size_text(t.l2_bytes) + shared_by(t.l2_pus));
  line("L3", size_text(t.l3_bytes) + shared_by(t.l3_pus));
  for (const NumaNode& node : t.numa_nodes) {
    line(("NUMA node " + std::to_string(node.os_index)).c_str(),
         size_text(node.bytes) + ", " + std::to_string(node.pus) + " hardware threads");
  }
}

}  // namespace

void add_info(CommandLine& line) {
  Command command = line.command("info", "Instruction sets, caches, cores, threads and versions");
  const auto json = std::make_shared<bool>(false);
  command.flag("--json", *json, "Print a JSON object");
  command.action([json] {
    if (*json) {
      std::printf("%s\n", machine_json().dump(2).c_str());
    } else {
      print_info();
    }
    return kSuccess;
  });
}

}  // namespace lanewise::tools
