#pragma once

#include <array>
#include <cstddef>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/dispatch_isa/isa.h>
#include <lanewise/kernels/kernel_fields.h>

namespace lanewise::kernels {

namespace detail {
/// By Isa; null where a tier is not built in. The last is for kIsaTuned.
LANEWISE_API extern std::array<const KernelTable*, kNumIsas + 1> tables;

/// The table to use from now on: of LANEWISE_TUNE, or of the tier that choose_isa() gives.
LANEWISE_API const KernelTable& choose_kernels();
}  // namespace detail

/// The kernels of a tier.
/// Throws   IsaError if it is not available on this machine
LANEWISE_API const KernelTable& kernels_of(Isa isa);

/// The kernels of active_isa(), or those that LANEWISE_TUNE chose one by one.
inline const KernelTable& active_kernels() {
  const std::uint8_t isa = lanewise::detail::active_isa.load(std::memory_order_acquire);
  if (isa == lanewise::detail::kIsaNotChosen) [[unlikely]] {
    return detail::choose_kernels();
  }
  return *detail::tables[isa];
}

}  // namespace lanewise::kernels
