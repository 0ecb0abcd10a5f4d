#include <lanewise/dispatch_isa/detail/cpuid.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace lanewise::detail {

namespace {

constexpr std::uint32_t bit(int n) { return std::uint32_t{1} << n; }

// Leaf 1, ECX: SSE3, SSSE3, SSE4.1, SSE4.2, POPCNT.
constexpr std::uint32_t kLeaf1Sse42 = bit(0) | bit(9) | bit(19) | bit(20) | bit(23);
// Leaf 1, ECX: FMA, OSXSAVE, AVX, F16C.
constexpr std::uint32_t kLeaf1Avx2 = bit(12) | bit(27) | bit(28) | bit(29);
// Leaf 7, EBX: BMI1, AVX2, BMI2.
constexpr std::uint32_t kLeaf7Avx2 = bit(3) | bit(5) | bit(8);
// Leaf 0x80000001, ECX: LZCNT.
constexpr std::uint32_t kExtended1Avx2 = bit(5);
// Leaf 7, EBX: AVX-512 F, DQ, CD, BW, VL.
constexpr std::uint32_t kLeaf7Avx512 = bit(16) | bit(17) | bit(28) | bit(30) | bit(31);
// XCR0: xmm and ymm; and for AVX-512 the mask registers, the upper halves of zmm0-15, and zmm16-31.
constexpr std::uint64_t kXcr0Avx = 0x06;
constexpr std::uint64_t kXcr0Avx512 = 0xe6;

constexpr bool has(std::uint64_t value, std::uint64_t wanted) { return (value & wanted) == wanted; }

}  // namespace

CpuidRegisters read_cpuid() noexcept {
  CpuidRegisters registers;
#if defined(__x86_64__)
  std::uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0) {
    registers.leaf1_ecx = ecx;
  }
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0) {
    registers.leaf7_ebx = ebx;
  }
  if (__get_cpuid(0x80000001U, &eax, &ebx, &ecx, &edx) != 0) {
    registers.extended1_ecx = ecx;
  }
  if (has(registers.leaf1_ecx, bit(27))) {  // XGETBV faults without OSXSAVE
    std::uint32_t low = 0, high = 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    registers.xcr0 = (std::uint64_t{high} << 32) | low;
  }
#endif
  return registers;
}

bool runs(Isa isa, const CpuidRegisters& registers) noexcept {
  const bool sse4_2 = has(registers.leaf1_ecx, kLeaf1Sse42);
  const bool avx2 = sse4_2 && has(registers.leaf1_ecx, kLeaf1Avx2) && has(registers.leaf7_ebx, kLeaf7Avx2) &&
                    has(registers.extended1_ecx, kExtended1Avx2) && has(registers.xcr0, kXcr0Avx);
  const bool avx512 = avx2 && has(registers.leaf7_ebx, kLeaf7Avx512) && has(registers.xcr0, kXcr0Avx512);
  switch (isa) {
    case Isa::sse4_2: return sse4_2;
    case Isa::avx2: return avx2;
    case Isa::avx512: return avx512;
    case Isa::neon: return false;
  }
  return false;
}

}  // namespace lanewise::detail
