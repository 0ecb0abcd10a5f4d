#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <lanewise/profiler/event.h>

#if __has_include(<sys/sdt.h>)
#include <sys/sdt.h>
#define LANEWISE_HAS_PROBES 1
#endif

/// Places where bpftrace, perf and systemtap can look into a running process that was started with
/// LANEWISE_PROBES=1: provider `lanewise`, probes op_begin(name, kind) and op_end(name, kind, ns, bytes).
/// Each is one instruction that does nothing until somebody attaches.
namespace lanewise::profiler::detail {

#ifdef LANEWISE_HAS_PROBES

inline constexpr bool kHasProbes = true;
// Names end with a zero: they are literals or kept by the recorder.
inline void probe_begin(Kind kind, std::string_view name) noexcept {
  DTRACE_PROBE2(lanewise, op_begin, name.data(), static_cast<int>(kind));
}
inline void probe_end(Kind kind, std::string_view name, std::int64_t ns, std::int64_t bytes) noexcept {
  DTRACE_PROBE4(lanewise, op_end, name.data(), static_cast<int>(kind), ns, bytes);
}

#else

inline constexpr bool kHasProbes = false;
inline void probe_begin(Kind, std::string_view) noexcept {}
inline void probe_end(Kind, std::string_view, std::int64_t, std::int64_t) noexcept {}

#endif

}  // namespace lanewise::profiler::detail
