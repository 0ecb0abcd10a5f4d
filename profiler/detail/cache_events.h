#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <lanewise/dispatch_isa/detail/cpu_name.h>

/// Misses of the second and of the last cache have no name in perf_event_open that means the same on every CPU: there
/// is none for L2, and PERF_COUNT_HW_CACHE_MISSES is the last cache on Intel, L2 on AMD, L1 on AArch64. So they are
/// asked for by the CPU's own numbers.
namespace lanewise::profiler::detail {

/// What perf_event_attr wants.
struct CacheEvent {
  std::uint32_t type = 0;
  std::uint64_t config = 0;

  bool operator==(const CacheEvent&) const = default;
};

struct CacheEvents {
  std::optional<CacheEvent> l2_misses, llc_misses;  ///< empty where none is known
};

/// Of x86-64 CPUs: L2 of Intel's from Haswell on, but for those with two kinds of cores, which count different
/// things; both of AMD's from Zen on. Sources: Intel's perfmon event lists (L2_RQSTS.MISS, L2_LINES_IN.ALL), AMD's
/// Processor Programming References (PMCx064, PMCx043).
CacheEvents cache_events(const lanewise::detail::CpuName& cpu);

/// Of other CPUs: what the kernel names in <devices>/<unit>/events as l2d_cache_refill and ll_cache_miss_rd, if there is
/// one unit that has it. `devices` is /sys/bus/event_source/devices.
CacheEvents cache_events_in(const std::string& devices);

/// "event=0x24,umask=0x3f" by <unit>/format, whose files say which bits of config a word fills ("config:0-7,32-35").
/// Empty for a word that is not there or that goes elsewhere than into config.
std::optional<std::uint64_t> parse_event(std::string_view event, const std::string& format_folder);

/// Of this machine.
CacheEvents cache_events();

}  // namespace lanewise::profiler::detail
