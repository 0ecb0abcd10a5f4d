#include <algorithm>

#include <unistd.h>

#include <lanewise/dispatch_isa/detail/cpu_caches.h>

namespace lanewise::detail {
namespace {

[[maybe_unused]] std::int64_t configured(int name) {
  return std::max(0L, ::sysconf(name));
}

}  // namespace

CpuCaches cpu_caches() {
#if defined(_SC_LEVEL1_DCACHE_SIZE)  // glibc
  return {configured(_SC_LEVEL1_DCACHE_SIZE), configured(_SC_LEVEL2_CACHE_SIZE),
          l3_near_core(configured(_SC_LEVEL3_CACHE_SIZE), cpu_name())};
#else
  return {};
#endif
}

std::int64_t l3_near_core(std::int64_t bytes, const CpuName& cpu) {
  constexpr std::int64_t kL3OfZen = 32 << 20;
  return cpu.vendor == "AuthenticAMD" ? std::min(bytes, kL3OfZen) : bytes;
}

}  // namespace lanewise::detail
