#pragma once

#include <cstdint>

#include <lanewise/dispatch_isa/detail/cpu_name.h>
#include <lanewise/dispatch_isa/topology.h>

namespace lanewise::detail {

/// Sizes of caches as the C library has read them from CPUID, 0 where it does not tell: for virtual machines whose kernel publishes none.
void read_caches_of_libc(Topology& topology);

/// The part of an L3 that is near one core: older CPUID leaves of AMD give the sum over the package, which consists of caches of 16 to
/// 96 MiB, most of them 32.
std::int64_t l3_near_core(std::int64_t bytes, const CpuName& cpu);

}  // namespace lanewise::detail
