#include <algorithm>

#include <unistd.h>

#include <lanewise/dispatch_isa/detail/cpu_caches.h>

namespace lanewise::detail {

void read_caches_of_libc([[maybe_unused]] Topology& topology) {
#if defined(_SC_LEVEL1_DCACHE_SIZE)  // glibc
  const auto bytes = [](int name) { return std::max<std::int64_t>(0, ::sysconf(name)); };
  topology.l1d_bytes = bytes(_SC_LEVEL1_DCACHE_SIZE);
  topology.l2_bytes = bytes(_SC_LEVEL2_CACHE_SIZE);
  topology.l3_bytes = l3_near_core(bytes(_SC_LEVEL3_CACHE_SIZE), cpu_name());
#endif
}

std::int64_t l3_near_core(std::int64_t bytes, const CpuName& cpu) {
  constexpr std::int64_t kNear = 32 << 20;
  return cpu.vendor == "AuthenticAMD" ? std::min(bytes, kNear) : bytes;
}

}  // namespace lanewise::detail
