#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lanewise::detail {

/// What kind of CPU it is, for what no feature bit tells.
struct CpuName {
  std::string vendor;  ///< "GenuineIntel"
  int family = 0, model = 0;
};

/// Decodes CPUID leaf 1, EAX, as the vendors say it: extended family and model are added where they count.
CpuName decode_cpu(std::string_view vendor, std::uint32_t leaf1_eax);

/// Of this machine; empty on other architectures than x86-64.
CpuName cpu_name();

}  // namespace lanewise::detail
