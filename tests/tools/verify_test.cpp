// lanewise verify-isa.
#include <cstdlib>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "run_tool.h"

namespace lanewise::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

#if defined(__x86_64__) && !defined(LANEWISE_SANITIZED)

TEST(VerifyIsa, TheToolItselfIsClean) {
  const ToolRun run = run_tool({"verify-isa", LANEWISE_TOOL, "--json"});
  EXPECT_EQ(run.status, 0) << run.output;
  const json report = json::parse(run.output)[0];
  EXPECT_EQ(report.at("misplaced"), 0);
  EXPECT_GT(report.at("tiers").at("avx2").at("avx").get<int>(), 1000);
  EXPECT_EQ(report.at("tiers").at("none").at("avx"), 0);
}

TEST(VerifyIsa, FindsPlantedCode) {
  const struct {
    const char *name, *flags, *code;
  } plants[] = {
      {"ymm", "-mavx2", "__m256 planted(__m256 a) { return _mm256_add_ps(a, a); }"},
      {"vex", "-mavx", "__m128 planted(__m128 a) { return _mm_add_ps(a, a); }"},
      {"zmm", "-mavx512f", "__m512 planted(__m512 a) { return _mm512_add_ps(a, a); }"},
      {"lzcnt", "-mlzcnt", "unsigned planted(unsigned a) { return _lzcnt_u32(a); }"},
      {"evex", "-mavx512f -mavx512vl",
       "__attribute__((section(\".lanewise.text.avx2\"))) __m256i planted(__m256i a, __m256i b) { return "
       "_mm256_ternarylogic_epi32(a, b, a, 30); }"},
  };
  for (const auto& plant : plants) {
    const std::string source = scratch_file(std::string(plant.name) + ".cpp"),
                      object = scratch_file(std::string(plant.name) + ".o");
    std::ofstream(source) << "#include <immintrin.h>\n" << plant.code << "\n";
    ASSERT_EQ(
        std::system(
            (std::string(LANEWISE_CXX " -O1 -c ") + plant.flags + " " + source + " -o " + object).c_str()),
        0);
    const ToolRun run = run_tool({"verify-isa", object});
    EXPECT_EQ(run.status, 3) << plant.name;
    EXPECT_THAT(run.output, HasSubstr("planted"));
    EXPECT_EQ(run_tool({"verify-isa", object, "--allow", "^planted"}).status, 0) << plant.name;
  }
}

TEST(VerifyIsa, SaysWhatIsNoProgram) {
  const std::string file = scratch_file("text");
  std::ofstream(file) << "no program\n";
  const ToolRun text = run_tool({"verify-isa", file});
  EXPECT_EQ(text.status, 1);
  EXPECT_THAT(text.errors, HasSubstr(file));
  EXPECT_THAT(run_tool({"verify-isa", "/no/such/file"}).errors, HasSubstr("cannot be read"));
  EXPECT_THAT(run_tool({"verify-isa", file, "--allow", "("}).errors, HasSubstr("regular expression"));
  EXPECT_EQ(run_tool({"verify-isa"}).status, 2);
}

#endif

}  // namespace
}  // namespace lanewise::test
