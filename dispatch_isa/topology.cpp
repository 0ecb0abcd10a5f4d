#include <algorithm>
#include <thread>

#include <hwloc.h>

#include <lanewise/dispatch_isa/detail/cgroup.h>
#include <lanewise/dispatch_isa/detail/cpu_caches.h>
#include <lanewise/dispatch_isa/detail/machine.h>
#include <lanewise/dispatch_isa/error.h>
#include <lanewise/dispatch_isa/topology.h>

namespace lanewise {

namespace detail {

MachinePtr load_machine() {
  hwloc_topology_t raw = nullptr;
  LANEWISE_CHECK(Error, hwloc_topology_init(&raw) == 0, "topology: hwloc_topology_init failed");
  MachinePtr machine(raw);
  // The x86 component would move this thread over all CPUs to ask each; the operating system's own files
  // suffice.
  hwloc_topology_set_components(raw, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
  LANEWISE_CHECK(Error, hwloc_topology_load(raw) == 0, "topology: hwloc_topology_load failed");
  return machine;
}

BitmapPtr usable_pus(hwloc_topology_t machine) {
  BitmapPtr set(hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(machine)));
  const BitmapPtr bound(hwloc_bitmap_alloc());
  // The affinity of the asking thread, which is what workers started from it inherit.
  if (hwloc_get_cpubind(machine, bound.get(), HWLOC_CPUBIND_THREAD) == 0 &&
      hwloc_bitmap_intersects(set.get(), bound.get()) != 0) {
    hwloc_bitmap_and(set.get(), set.get(), bound.get());
  }
  return set;
}

}  // namespace detail

namespace {

int count(hwloc_topology_t topology, hwloc_obj_type_t type) {
  return std::max(0, hwloc_get_nbobjs_by_type(topology, type));
}

/// Objects of a type that have a hardware thread in `set`.
int count_inside(hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_const_cpuset_t set) {
  int inside = 0;
  for (hwloc_obj_t object = nullptr;
       (object = hwloc_get_next_obj_by_type(topology, type, object)) != nullptr;) {
    inside += hwloc_bitmap_intersects(object->cpuset, set) != 0 ? 1 : 0;
  }
  return inside;
}

void read_cache(hwloc_topology_t topology, hwloc_obj_type_t type, std::int64_t& bytes, int* pus, int* line) {
  const hwloc_obj_t cache = hwloc_get_obj_by_type(topology, type, 0);
  if (cache == nullptr) {
    return;
  }
  bytes = static_cast<std::int64_t>(cache->attr->cache.size);
  if (pus != nullptr) {
    *pus = hwloc_bitmap_weight(cache->cpuset);
  }
  if (line != nullptr && cache->attr->cache.linesize > 0) {
    *line = static_cast<int>(cache->attr->cache.linesize);
  }
}

Topology read() {
  const detail::MachinePtr owner = detail::load_machine();
  hwloc_topology_t machine = owner.get();
  Topology result;

  const detail::BitmapPtr set = detail::usable_pus(machine);

  result.packages = count(machine, HWLOC_OBJ_PACKAGE);
  result.pus = count(machine, HWLOC_OBJ_PU);
  result.cores = count(machine, HWLOC_OBJ_CORE);
  result.usable_pus = count_inside(machine, HWLOC_OBJ_PU, set.get());
  result.usable_cores = count_inside(machine, HWLOC_OBJ_CORE, set.get());
  if (result.pus == 0) {  // nothing readable, as in some sandboxes
    result.pus = result.usable_pus = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  }
  if (result.cores == 0) {
    result.cores = result.pus;
  }
  if (result.usable_cores == 0) {
    result.usable_cores = std::max(1, result.usable_pus);
  }
  result.cpu_quota = detail::cgroup_cpu_quota("/proc/self/cgroup", "/sys/fs/cgroup");

  read_cache(machine, HWLOC_OBJ_L1CACHE, result.l1d_bytes, nullptr, &result.line_bytes);
  read_cache(machine, HWLOC_OBJ_L2CACHE, result.l2_bytes, &result.l2_pus, nullptr);
  read_cache(machine, HWLOC_OBJ_L3CACHE, result.l3_bytes, &result.l3_pus, nullptr);
  if (result.l1d_bytes == 0 && result.l2_bytes == 0 && result.l3_bytes == 0)
    detail::read_caches_of_libc(result);

  for (hwloc_obj_t node = nullptr;
       (node = hwloc_get_next_obj_by_type(machine, HWLOC_OBJ_NUMANODE, node)) != nullptr;) {
    result.numa_nodes.push_back({static_cast<int>(node->os_index),
                                 static_cast<std::int64_t>(node->attr->numanode.local_memory),
                                 std::max(0, hwloc_bitmap_weight(node->cpuset))});
  }
  return result;
}

}  // namespace

const Topology& topology() {
  static const Topology instance = read();
  return instance;
}

int default_num_threads(const Topology& topology) noexcept {
  int threads = topology.usable_cores;
  if (topology.cpu_quota > 0 && topology.cpu_quota < threads) {
    threads = static_cast<int>(topology.cpu_quota);  // rounded down: a thread more would only be throttled
  }
  return std::max(1, threads);
}

}  // namespace lanewise
