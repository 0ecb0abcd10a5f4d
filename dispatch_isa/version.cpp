#include <hwloc.h>
#include <oneapi/tbb/version.h>

#include <lanewise/dispatch_isa/version.h>
#include <lanewise/generated/version.h>

namespace lanewise {

const char* version() noexcept { return LANEWISE_VERSION; }

std::string tbb_version() { return TBB_runtime_version(); }

std::string hwloc_version() {
  const unsigned version = hwloc_get_api_version();
  return std::to_string(version >> 16) + "." + std::to_string(version >> 8 & 0xff);
}

}  // namespace lanewise
