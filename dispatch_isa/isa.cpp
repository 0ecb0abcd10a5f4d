#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include <lanewise/dispatch_isa/isa.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <lanewise/dispatch_isa/detail/cpuid.h>
#include <lanewise/dispatch_isa/error.h>

namespace lanewise {

namespace {

constexpr std::array<const char*, kNumIsas> kNames = {"sse4_2", "avx2", "avx512", "neon"};

#define LANEWISE_TIER(tier) Isa::tier,
constexpr std::array kBuiltIn = {
#include <lanewise/generated/tiers.inc>
};
#undef LANEWISE_TIER

struct Available {
  std::array<Isa, kBuiltIn.size()> isas{};
  std::size_t count = 0;

  Available() noexcept {
    const detail::CpuidRegisters registers = detail::read_cpuid();
    for (const Isa isa : kBuiltIn) {
      if (isa == Isa::neon || detail::runs(isa, registers)) {  // every AArch64 CPU has Advanced SIMD
        isas[count++] = isa;
      }
    }
  }
};

std::string list(std::span<const Isa> isas) {
  std::string text;
  for (std::size_t i = isas.size(); i-- > 0;) {  // best first, as a reader looks for it
    text += name(isas[i]);
    text += i > 0 ? ", " : "";
  }
  return text.empty() ? "none of them" : text;
}

std::string choices() {
  return "built in: " + list(built_in_isas()) + "; this CPU runs: " + list(available_isas());
}

/// `source` begins the message: "LANEWISE_ISA=avx9".
Isa find(std::string_view text, const std::string& source) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (text == kNames[i]) {
      return static_cast<Isa>(i);
    }
  }
  throw IsaError(source + ": unknown; " + choices());
}

void check_available(Isa isa, const std::string& source) {
  LANEWISE_CHECK(IsaError, is_available(isa), source, ": not supported here; ", choices());
}

}  // namespace

namespace detail {

constinit std::atomic<std::uint8_t> active_isa{kIsaNotChosen};

Isa choose_isa() {
  if (active_isa.load() == kIsaTuned) return available_isas().back();
  LANEWISE_CHECK(IsaError, !available_isas().empty(), "this CPU runs no instruction set of this build; ",
                 choices());
  Isa isa = available_isas().back();
  const char* wanted = std::getenv("LANEWISE_ISA");
  if (wanted != nullptr && *wanted != '\0') {
    const std::string source = std::string("LANEWISE_ISA=") + wanted;
    isa = find(wanted, source);
    check_available(isa, source);
  }
  const char* tune = std::getenv("LANEWISE_TUNE");
  if ((wanted == nullptr || *wanted == '\0') && tune != nullptr && *tune != '\0') {
    return isa;  // the first kernel reads that file and chooses
  }
  // Keeps the choice of a guard that another thread has just set.
  std::uint8_t expected = kIsaNotChosen;
  if (!active_isa.compare_exchange_strong(expected, static_cast<std::uint8_t>(isa))) {
    isa = static_cast<Isa>(expected);
  }
  return isa;
}

}  // namespace detail

const char* name(Isa isa) noexcept {
  const auto i = static_cast<std::size_t>(isa);
  return i < kNames.size() ? kNames[i] : "unknown";
}

Isa parse_isa(std::string_view text) { return find(text, "parse_isa: '" + std::string(text) + "'"); }

std::span<const Isa> built_in_isas() noexcept { return kBuiltIn; }

std::span<const Isa> available_isas() noexcept {
  static const Available available;
  return {available.isas.data(), available.count};
}

bool is_available(Isa isa) noexcept {
  for (const Isa candidate : available_isas()) {
    if (candidate == isa) {
      return true;
    }
  }
  return false;
}

IsaGuard::IsaGuard(Isa isa) : previous_(detail::kIsaNotChosen) {
  check_available(isa, std::string("IsaGuard: ") + name(isa));
  previous_ = detail::active_isa.exchange(static_cast<std::uint8_t>(isa));
}

IsaGuard::~IsaGuard() { detail::active_isa.store(previous_); }

std::string cpu_model() {
  std::string model;
#if defined(__x86_64__)
  if (__get_cpuid_max(0x80000000U, nullptr) >= 0x80000004U) {
    std::array<std::uint32_t, 12> registers{};
    for (std::uint32_t leaf = 0; leaf < 3; ++leaf) {
      std::uint32_t* out = registers.data() + std::size_t{4} * leaf;
      __get_cpuid(0x80000002U + leaf, out, out + 1, out + 2, out + 3);
    }
    std::array<char, sizeof(registers) + 1> text{};
    std::memcpy(text.data(), registers.data(), sizeof(registers));
    model = text.data();
    model.erase(0, model.find_first_not_of(' '));
    model.erase(model.find_last_not_of(' ') + 1);
  }
#endif
  return model;
}

}  // namespace lanewise
