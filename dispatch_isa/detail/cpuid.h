#pragma once

#include <cstdint>

#include <lanewise/dispatch_isa/isa.h>

namespace lanewise::detail {

/// The registers that decide which x86-64 tiers run.
struct CpuidRegisters {
  std::uint32_t leaf1_ecx = 0;
  std::uint32_t leaf7_ebx = 0;
  std::uint32_t extended1_ecx = 0;
  std::uint64_t xcr0 = 0;  ///< register state that the operating system saves; 0 without OSXSAVE
};

/// Reads the registers of this CPU; all zero on other architectures.
CpuidRegisters read_cpuid() noexcept;

/// True if a CPU with these registers runs the x86-64 tier. AVX tiers also need the operating system to save
/// their registers: a CPU that has AVX-512 under a kernel that does not save zmm and mask registers does not
/// run avx512.
bool runs(Isa isa, const CpuidRegisters& registers) noexcept;

}  // namespace lanewise::detail
