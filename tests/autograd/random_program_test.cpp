// Random programs of views, in-place ops, broadcasting, reductions, hooks and islands without gradients,
// against a tape of single numbers. LANEWISE_RANDOM_PROGRAMS=20000 runs more of them, LANEWISE_RANDOM_SEED
// begins elsewhere.

#include "random_program.h"

#include <cstdlib>

#include <gtest/gtest.h>

namespace lanewise::testing {
namespace {

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

TEST(RandomPrograms, AgreeWithTheTape) {
  const std::uint64_t count = from_environment("LANEWISE_RANDOM_PROGRAMS", 1000);
  const std::uint64_t first = from_environment("LANEWISE_RANDOM_SEED", 1);
  int shown = 0;
  for (std::uint64_t seed = first; seed < first + count && shown < 3; ++seed) {
    const Checks checks{.second_order = seed % 4 == 0, .finite_differences = seed % 4 == 1};
    const Program program = random_program(seed);
    const std::string problem = check(program, checks);
    if (problem.empty()) continue;
    ++shown;
    const Program small = shrink(program, checks);
    ADD_FAILURE() << "seed " << seed << ": " << problem << "\nshrunk to " << small.statements.size()
                  << " lines: " << check(small, checks) << "\n"
                  << as_code(small);
  }
}

TEST(RandomPrograms, AFaultIsFoundAndShrunk) {
  const Checks checks{.wrong_sin = true};
  std::uint64_t seed = 1;
  while (seed < 200 && check(random_program(seed), checks).empty()) ++seed;
  ASSERT_LT(seed, 200u);
  const Program small = shrink(random_program(seed), checks);
  EXPECT_LE(small.statements.size(), 3u) << as_code(small);
  EXPECT_NE(as_code(small).find(".sin"), std::string::npos) << as_code(small);
  EXPECT_EQ(check(small, {}), "");
}

}  // namespace
}  // namespace lanewise::testing
