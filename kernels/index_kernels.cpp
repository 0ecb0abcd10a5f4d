// What indices are checked with before anything is written.

#include <lanewise/kernels/kernel_declarations.h>

namespace lanewise::kernels::LANEWISE_ISA {

// Only bits are combined, so that the compiler takes whole registers.
bool in_bounds(const std::int64_t* values, std::int64_t n, std::int64_t size) noexcept {
  const auto last = static_cast<std::uint64_t>(size) - 1;
  std::uint64_t outside = 0;  // the sign of v or of last - v
  for (std::int64_t i = 0; i < n; ++i) {
    const auto v = static_cast<std::uint64_t>(values[i]);
    outside |= v | (last - v);
  }
  return outside >> 63U == 0;
}

}  // namespace lanewise::kernels::LANEWISE_ISA
