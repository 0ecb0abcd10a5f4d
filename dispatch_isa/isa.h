#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <lanewise/dispatch_isa/api.h>

namespace lanewise {

/// The instruction sets that kernels are compiled for. Every name exists on every platform; what is built in
/// is built_in_isas().
///
///   sse4_2   SSE4.2 and POPCNT
///   avx2     AVX2, FMA, F16C, BMI1, BMI2, LZCNT
///   avx512   AVX-512 F, BW, CD, DQ, VL, on top of avx2
///   neon     Advanced SIMD of AArch64
enum class Isa : std::uint8_t { sse4_2, avx2, avx512, neon };

inline constexpr int kNumIsas = 4;

LANEWISE_API const char* name(Isa isa) noexcept;

/// The tier of that name.
/// Throws   IsaError if there is none; the message lists what is built in and what this CPU runs
LANEWISE_API Isa parse_isa(std::string_view name);

/// The tiers compiled into this library, best last.
LANEWISE_API std::span<const Isa> built_in_isas() noexcept;

/// The tiers that are built in and that this CPU and operating system run, best last.
LANEWISE_API std::span<const Isa> available_isas() noexcept;

LANEWISE_API bool is_available(Isa isa) noexcept;

namespace detail {

inline constexpr std::uint8_t kIsaNotChosen = 0xff;
/// Each kernel has a tier of its own, as LANEWISE_TUNE says (kernels/tuning.h).
inline constexpr std::uint8_t kIsaTuned = kNumIsas;

/// The tier in use, kIsaTuned, or kIsaNotChosen before the first question. Constant-initialised, so that code that runs
/// before main may ask.
LANEWISE_API extern std::atomic<std::uint8_t> active_isa;

/// What active_isa() says where no tier is in use.
LANEWISE_API Isa choose_isa();

}  // namespace detail

/// The tier that kernels run on: the one LANEWISE_ISA names, else the best available; chosen when first
/// asked. Where LANEWISE_TUNE gives some kernels a tier of their own, the one of all others.
/// Throws   IsaError, until one is in use, if LANEWISE_ISA is not the lower-case name of an available tier, or this
///          CPU runs no tier
inline Isa active_isa() {
  const std::uint8_t isa = detail::active_isa.load(std::memory_order_relaxed);
  if (isa >= kNumIsas) [[unlikely]] {
    return detail::choose_isa();
  }
  return static_cast<Isa>(isa);
}

/// Runs the ops of its scope on another tier, in all threads of the process; guards must end in the reverse
/// order of their beginning, so they belong to one thread.
/// Throws   IsaError if the tier is not available
class LANEWISE_API IsaGuard {
 public:
  explicit IsaGuard(Isa isa);
  ~IsaGuard();
  IsaGuard(const IsaGuard&) = delete;
  IsaGuard& operator=(const IsaGuard&) = delete;

 private:
  std::uint8_t previous_;
};

/// The model name that the CPU reports, such as "Intel(R) Xeon(R) ..."; empty if it reports none.
LANEWISE_API std::string cpu_model();

}  // namespace lanewise
