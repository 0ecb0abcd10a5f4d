#include <lanewise/dispatch_isa/detail/cpu_name.h>
#include <lanewise/kernels/detail/cpu_prefetch.h>

namespace lanewise::kernels {
namespace {

/// 0 for CPUs of others.
const int amd_family = [] {
  const lanewise::detail::CpuName cpu = lanewise::detail::cpu_name();
  return cpu.vendor == "AuthenticAMD" ? cpu.family : 0;
}();

}  // namespace

// Zen 3 and Zen 4. Measured on Zen 4, where asking costs: sums of 1024 rows of 1024 f32, in L3, take 1.1 times as long, norms of
// rows of 4096 from memory 1.5 times, sums of rows of 64 1.5 times, a sum of 64 MiB of int32 1.3 times, stores to every second f64 in
// L3 1.2 times. On Xeons it gains, and on Zen 5: without, norms along rows take 1.3 times as long there, variances 2.1 times, sums of
// uint8 in L3 1.2 times, stores to every second of 4M f32 1.6 times.
const bool follows_streams = amd_family == 0x19;
const std::int64_t scatter_ahead = follows_streams ? 0 : 2048;

// Zen 5. Measured there: amax over 4096 rows of as many f32 reads 40 GB/s in place of 30 if nothing is asked for, argmax 37 in
// place of 34 if L1 is asked, in L3 and L2 1.3 times as much. On Zen 4 L2 has to be asked, on Xeons nothing else was tried.
const RowPrefetch row_prefetch = amd_family == 0x1a ? RowPrefetch::ByCpu : RowPrefetch::ToL2;

}  // namespace lanewise::kernels
