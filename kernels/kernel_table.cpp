#include <array>
#include <cstddef>

#include <lanewise/dispatch_isa/error.h>
#include <lanewise/kernels/kernel_table.h>

namespace lanewise::kernels {

// Defined in kernel_table_isa.cpp, once per tier.
#define LANEWISE_TIER(tier)       \
  namespace tier {                \
  extern const KernelTable table; \
  }
#include <lanewise/generated/tiers.inc>
#undef LANEWISE_TIER

namespace detail {

consteval std::array<const KernelTable*, kNumIsas + 1> tables_of_tiers() {
  std::array<const KernelTable*, kNumIsas + 1> all{};
#define LANEWISE_TIER(tier) all[static_cast<std::size_t>(Isa::tier)] = &tier::table;
#include <lanewise/generated/tiers.inc>
#undef LANEWISE_TIER
  return all;
}

constinit std::array<const KernelTable*, kNumIsas + 1> tables = tables_of_tiers();

}  // namespace detail

const KernelTable& kernels_of(Isa isa) {
  LANEWISE_CHECK(IsaError, is_available(isa), "kernels_of: ", name(isa),
                 " is not available on this machine; available_isas() lists what is");
  return *detail::tables[static_cast<std::size_t>(isa)];
}

}  // namespace lanewise::kernels
