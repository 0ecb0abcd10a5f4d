#include "machine.h"

#include <span>

#include <nlohmann/json.hpp>

#include <lanewise/dispatch_isa/isa.h>
#include <lanewise/dispatch_isa/threads.h>
#include <lanewise/dispatch_isa/topology.h>
#include <lanewise/dispatch_isa/version.h>

namespace lanewise::tools {
namespace {

nlohmann::json names(std::span<const Isa> isas) {
  nlohmann::json list = nlohmann::json::array();
  for (const Isa isa : isas) list.push_back(name(isa));
  return list;
}

}  // namespace

nlohmann::json machine_json() {
  const Topology& t = topology();
  nlohmann::json nodes = nlohmann::json::array();
  for (const NumaNode& node : t.numa_nodes)
    nodes.push_back({{"index", node.os_index}, {"bytes", node.bytes}, {"hardware_threads", node.pus}});
  return {{"lanewise", version()},
          {"oneTBB", tbb_version()},
          {"hwloc", hwloc_version()},
          {"compiler", __VERSION__},
          {"cpu", cpu_model()},
          {"isas_built_in", names(built_in_isas())},
          {"isas_available", names(available_isas())},
          {"isa", name(active_isa())},
          {"packages", t.packages},
          {"cores", t.cores},
          {"hardware_threads", t.pus},
          {"usable_cores", t.usable_cores},
          {"usable_hardware_threads", t.usable_pus},
          {"cpu_quota", t.cpu_quota},
          {"threads", get_num_threads()},
          {"l1d_bytes", t.l1d_bytes},
          {"l2_bytes", t.l2_bytes},
          {"l3_bytes", t.l3_bytes},
          {"l2_hardware_threads", t.l2_pus},
          {"l3_hardware_threads", t.l3_pus},
          {"line_bytes", t.line_bytes},
          {"numa_nodes", nodes}};
}

}  // namespace lanewise::tools
