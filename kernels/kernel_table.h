#pragma once

#include <array>
#include <cstddef>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/dispatch_isa/isa.h>
#include <lanewise/kernels/kernel_fields.h>

namespace lanewise::kernels {

namespace detail {
/// By Isa; null where a tier is not built in.
LANEWISE_API extern const std::array<const KernelTable*, kNumIsas> tables;
}  // namespace detail

/// The kernels of a tier.
/// Throws   IsaError if it is not available on this machine
LANEWISE_API const KernelTable& kernels_of(Isa isa);

/// The kernels of active_isa().
inline const KernelTable& active_kernels() { return *detail::tables[static_cast<std::size_t>(active_isa())]; }

}  // namespace lanewise::kernels
