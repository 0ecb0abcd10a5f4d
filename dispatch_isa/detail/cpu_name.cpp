#include <lanewise/dispatch_isa/detail/cpu_name.h>

#if defined(__x86_64__)
#include <array>
#include <cstring>

#include <cpuid.h>
#endif

namespace lanewise::detail {

CpuName decode_cpu(std::string_view vendor, std::uint32_t leaf1_eax) {
  const auto bits = [&](int from, std::uint32_t mask) { return static_cast<int>(leaf1_eax >> from & mask); };
  CpuName cpu{std::string(vendor), bits(8, 0xf), bits(4, 0xf)};
  if (cpu.family == 0xf || cpu.family == 6) cpu.model |= bits(16, 0xf) << 4;
  if (cpu.family == 0xf) cpu.family += bits(20, 0xff);
  return cpu;
}

CpuName cpu_name() {
#if defined(__x86_64__)
  std::uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid(0, &eax, &ebx, &ecx, &edx) == 0) return {};
  std::array<char, 12> vendor{};
  std::memcpy(vendor.data(), &ebx, 4);
  std::memcpy(vendor.data() + 4, &edx, 4);
  std::memcpy(vendor.data() + 8, &ecx, 4);
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0) return {};
  return decode_cpu({vendor.data(), vendor.size()}, eax);
#else
  return {};
#endif
}

}  // namespace lanewise::detail
