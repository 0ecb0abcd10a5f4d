#pragma once

#include <cstdint>
#include <vector>

#include <lanewise/dispatch_isa/api.h>

namespace lanewise {

struct NumaNode {
  int os_index = 0;
  std::int64_t bytes = 0;
  int pus = 0;  ///< hardware threads near this node
};

/// The machine as this process may use it. Sizes are bytes, 0 where the machine does not tell.
struct Topology {
  int packages = 0;
  int cores = 0;         ///< physical cores of the machine
  int pus = 0;           ///< hardware threads of the machine
  int usable_cores = 0;  ///< cores with at least one hardware thread in this process's CPU set
  int usable_pus = 0;    ///< hardware threads in this process's CPU set (cpuset and affinity)
  double cpu_quota = 0;  ///< CPUs' worth of time that the cgroup grants; 0 without a limit

  std::int64_t l1d_bytes = 0;  ///< one cache's size, as a core sees it
  std::int64_t l2_bytes = 0;
  std::int64_t l3_bytes = 0;
  int l2_pus = 0;  ///< hardware threads that share one cache, 0 if unknown
  int l3_pus = 0;
  int line_bytes = 64;

  std::vector<NumaNode> numa_nodes;
};

/// Read once, with hwloc, when first asked; sizes of caches by the C library where hwloc finds none, as in some virtual machines.
LANEWISE_API const Topology& topology();

/// The number of threads worth running: usable cores, fewer if a cgroup's CPU quota is smaller, at least 1.
/// Hardware threads of one core share its vector units, so they do not count.
LANEWISE_API int default_num_threads(const Topology& topology) noexcept;

}  // namespace lanewise
