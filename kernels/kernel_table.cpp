#include <lanewise/kernels/kernel_table.h>

#include <lanewise/dispatch_isa/error.h>

namespace lanewise::kernels {

// Defined in kernel_table_isa.cpp, once per tier.
#if defined(__x86_64__)
namespace sse4_2 {
extern const KernelTable table;
}
namespace avx2 {
extern const KernelTable table;
}
namespace avx512 {
extern const KernelTable table;
}
#else
namespace neon {
extern const KernelTable table;
}
#endif

namespace detail {
#if defined(__x86_64__)
constinit const KernelTable* const tables[kNumIsas] = {&sse4_2::table, &avx2::table, &avx512::table, nullptr};
#else
constinit const KernelTable* const tables[kNumIsas] = {nullptr, nullptr, nullptr, &neon::table};
#endif
}  // namespace detail

const KernelTable& kernels_of(Isa isa) {
  LANEWISE_CHECK(IsaError, is_available(isa), "kernels_of: ", name(isa),
                 " is not available on this machine; available_isas() lists what is");
  return *detail::tables[static_cast<int>(isa)];
}

}  // namespace lanewise::kernels
