#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lanewise/dispatch_isa/detail/cpu_name.h>
#include <lanewise/dispatch_isa/detail/cpuid.h>
#include <lanewise/dispatch_isa/error.h>
#include <lanewise/dispatch_isa/isa.h>

#include "../call.h"

namespace lanewise {
namespace {

using ::testing::AllOf;
using ::testing::ExitedWithCode;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// Registers of a CPU that runs everything, under a system that saves all registers.
detail::CpuidRegisters full() {
  return {.leaf1_ecx = ~0U, .leaf7_ebx = ~0U, .extended1_ecx = ~0U, .xcr0 = 0xe7};
}

TEST(CpuName, IsDecodedAsTheVendorsSay) {
  constexpr const char *kIntel = "GenuineIntel", *kAmd = "AuthenticAMD";
  const struct {
    const char* vendor;
    std::uint32_t eax;
    int family, model;
  } cpus[] = {
      {kIntel, 0x306c3, 6, 0x3c},    // Haswell
      {kIntel, 0x50654, 6, 0x55},    // Skylake server
      {kIntel, 0x806f8, 6, 0x8f},    // Sapphire Rapids
      {kAmd, 0x830f10, 0x17, 0x31},  // Rome
      {kAmd, 0xa00f11, 0x19, 0x01},  // Milan
      {kAmd, 0xb00f21, 0x1a, 0x02},  // Turin
  };
  for (const auto& c : cpus) {
    const detail::CpuName cpu = detail::decode_cpu(c.vendor, c.eax);
    EXPECT_EQ(cpu.vendor, c.vendor);
    EXPECT_EQ(cpu.family, c.family) << std::hex << c.eax;
    EXPECT_EQ(cpu.model, c.model) << std::hex << c.eax;
  }
}

TEST(Cpuid, FullCpuRunsEveryX86Tier) {
  EXPECT_TRUE(detail::runs(Isa::sse4_2, full()));
  EXPECT_TRUE(detail::runs(Isa::avx2, full()));
  EXPECT_TRUE(detail::runs(Isa::avx512, full()));
  EXPECT_FALSE(detail::runs(Isa::neon, full()));
}

TEST(Cpuid, SystemThatDoesNotSaveZmmHasNoAvx512) {
  detail::CpuidRegisters registers = full();
  registers.xcr0 = 0x07;
  EXPECT_TRUE(detail::runs(Isa::avx2, registers));
  EXPECT_FALSE(detail::runs(Isa::avx512, registers));
}

TEST(Cpuid, SystemThatDoesNotSaveMaskRegistersHasNoAvx512) {
  detail::CpuidRegisters registers = full();
  registers.xcr0 = 0xc7;
  EXPECT_FALSE(detail::runs(Isa::avx512, registers));
}

TEST(Cpuid, SystemThatDoesNotSaveYmmHasSseOnly) {
  detail::CpuidRegisters registers = full();
  registers.xcr0 = 0x03;
  EXPECT_TRUE(detail::runs(Isa::sse4_2, registers));
  EXPECT_FALSE(detail::runs(Isa::avx2, registers));
  EXPECT_FALSE(detail::runs(Isa::avx512, registers));
}

TEST(Cpuid, EachFeatureOfATierIsNeeded) {
  for (const int bit : {12, 27, 28, 29}) {  // FMA, OSXSAVE, AVX, F16C
    detail::CpuidRegisters registers = full();
    registers.leaf1_ecx &= ~(1U << bit);
    EXPECT_TRUE(detail::runs(Isa::sse4_2, registers)) << bit;
    EXPECT_FALSE(detail::runs(Isa::avx2, registers)) << bit;
  }
  for (const int bit : {16, 17, 28, 30, 31}) {  // F, DQ, CD, BW, VL
    detail::CpuidRegisters registers = full();
    registers.leaf7_ebx &= ~(1U << bit);
    EXPECT_TRUE(detail::runs(Isa::avx2, registers)) << bit;
    EXPECT_FALSE(detail::runs(Isa::avx512, registers)) << bit;
  }
  detail::CpuidRegisters registers = full();
  registers.leaf1_ecx &= ~(1U << 23);  // POPCNT
  EXPECT_FALSE(detail::runs(Isa::sse4_2, registers));
}

#if defined(__x86_64__)
TEST(Isa, AgreesWithTheCompilersRuntime) {
  __builtin_cpu_init();
  const auto built_in = [](Isa isa) { return std::ranges::count(built_in_isas(), isa) != 0; };
  EXPECT_EQ(is_available(Isa::sse4_2), built_in(Isa::sse4_2) && __builtin_cpu_supports("sse4.2") != 0);
  EXPECT_EQ(is_available(Isa::avx2), built_in(Isa::avx2) && __builtin_cpu_supports("avx2") != 0);
  EXPECT_EQ(is_available(Isa::avx512), built_in(Isa::avx512) && __builtin_cpu_supports("avx512vl") != 0);
  EXPECT_FALSE(is_available(Isa::neon));
}
#endif

TEST(Isa, AvailableIsAnOrderedPartOfBuiltIn) {
  ASSERT_FALSE(available_isas().empty());
  ASSERT_LE(available_isas().size(), built_in_isas().size());
  for (std::size_t i = 0; i < available_isas().size(); ++i) {
    EXPECT_EQ(available_isas()[i], built_in_isas()[i]);
  }
}

TEST(Isa, BestIsTheOneExpectedOfAnImitatedCpu) {
  const char* expected = std::getenv("LANEWISE_EXPECTED_ISA");
  if (expected == nullptr) {
    GTEST_SKIP() << "runs under qemu";
  }
  EXPECT_STREQ(name(available_isas().back()), expected);
  EXPECT_EQ(active_isa(), available_isas().back());
}

TEST(Isa, NamesAreParsedBack) {
  for (const Isa isa : built_in_isas()) {
    EXPECT_EQ(parse_isa(name(isa)), isa);
  }
}

TEST(Isa, UnknownNameListsTheChoices) {
  EXPECT_THAT(
      Call([] { parse_isa("avx9"); }),
      ThrowsMessage<IsaError>(AllOf(HasSubstr("'avx9'"), HasSubstr("unknown"), HasSubstr("built in: "),
                                    HasSubstr("this CPU runs: "), HasSubstr(name(available_isas()[0])))));
}

TEST(IsaGuard, SwitchesAndRestores) {
  const Isa before = active_isa();
  for (const Isa isa : available_isas()) {
    const IsaGuard outer(isa);
    EXPECT_EQ(active_isa(), isa);
    {
      const IsaGuard inner(available_isas()[0]);
      EXPECT_EQ(active_isa(), available_isas()[0]);
    }
    EXPECT_EQ(active_isa(), isa);
  }
  EXPECT_EQ(active_isa(), before);
}

TEST(IsaGuard, RefusesWhatThisCpuCannotRun) {
  const Isa before = active_isa();
#if defined(__x86_64__)
  constexpr Isa kForeign = Isa::neon;
#else
  constexpr Isa kForeign = Isa::avx2;
#endif
  EXPECT_THAT(Call([] { const IsaGuard guard(kForeign); }),
              ThrowsMessage<IsaError>(AllOf(HasSubstr("IsaGuard: "), HasSubstr("not supported here"))));
  EXPECT_EQ(active_isa(), before);
}

/// Runs in a fresh process: prints the tier that LANEWISE_ISA=`value` leads to and exits with 0, or the error
/// and 3.
[[noreturn]] void ask_with(const char* value) {
  ::setenv("LANEWISE_ISA", value, 1);
  try {
    std::fputs(name(active_isa()), stderr);
    std::exit(0);
  } catch (const IsaError& error) {
    std::fputs(error.what(), stderr);
    std::exit(3);
  }
}

class IsaEnvironment : public ::testing::Test {
 protected:
  IsaEnvironment() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(IsaEnvironment, ChoosesEachAvailableTier) {
  for (const Isa isa : available_isas()) {
    EXPECT_EXIT(ask_with(name(isa)), ExitedWithCode(0), std::string("^") + name(isa) + "$");
  }
}

TEST_F(IsaEnvironment, EmptyMeansBest) {
  EXPECT_EXIT(ask_with(""), ExitedWithCode(0), std::string("^") + name(available_isas().back()) + "$");
}

TEST_F(IsaEnvironment, UnknownNameIsAnErrorAtFirstUse) {
  EXPECT_EXIT(ask_with("avx9"), ExitedWithCode(3),
              AllOf(HasSubstr("LANEWISE_ISA=avx9: unknown; built in: "), HasSubstr("this CPU runs: ")));
}

TEST_F(IsaEnvironment, TierOfAnotherMachineIsAnErrorAtFirstUse) {
#if defined(__x86_64__)
  const char* foreign = "neon";
#else
  const char* foreign = "avx2";
#endif
  EXPECT_EXIT(ask_with(foreign), ExitedWithCode(3), HasSubstr("not supported here; built in: "));
}

}  // namespace
}  // namespace lanewise
