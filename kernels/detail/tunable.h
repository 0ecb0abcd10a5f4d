#pragma once

#include <string_view>

#include <lanewise/kernels/kernel_fields.h>
#include <lanewise/kernels/tuning.h>

namespace lanewise::kernels {

/// Throws   ValueError if there is no such kernel, it does not compute in that type, or another number is out of
///          its range; IsaError is never seen, the message lists the tiers
void check_tuning(const Tuning& tuning);

/// Null if there is no such kernel.
const ElementwiseKernel* KernelTable::*tunable_field(std::string_view name) noexcept;

}  // namespace lanewise::kernels
