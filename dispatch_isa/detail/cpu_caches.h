#pragma once

#include <cstdint>

#include <lanewise/dispatch_isa/detail/cpu_name.h>

namespace lanewise::detail {

/// Bytes of one cache of each level as a core sees it, 0 where nothing tells.
struct CpuCaches {
  std::int64_t l1d_bytes = 0;
  std::int64_t l2_bytes = 0;
  std::int64_t l3_bytes = 0;
};

/// What the C library has read from CPUID. Virtual machines whose CPUs have no TOPOEXT leaf publish no caches in sysfs.
CpuCaches cpu_caches();

/// The part of an L3 that is near one core: what older CPUID leaves of AMD give is the sum over the package, which from Zen 3 on consists
/// of caches of 32 MiB.
std::int64_t l3_near_core(std::int64_t bytes, const CpuName& cpu);

}  // namespace lanewise::detail
