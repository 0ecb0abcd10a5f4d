#include "digest.h"

#include <cstdint>

#include <gtest/gtest.h>

namespace lanewise::test {
namespace {

/// All tiers with a fused fma compute the same bits; the digests say which. When a method changes on purpose,
/// put the found numbers into digests.inc after the bounds of math_test have been checked.
TEST(Math, HasTheSameBitsOnEveryTierWithFma) {
  if (!vec::kFusedFma) GTEST_SKIP() << "this tier rounds products before it adds";
  const auto check = [](const Row& row) {
    const Digest* expected = find_digest(row.name);
    ASSERT_NE(expected, nullptr) << row.name << " 0x" << std::hex << digest_of<float>(row) << ", 0x"
                                 << digest_of<double>(row);
    EXPECT_EQ(digest_of<float>(row), expected->f32) << std::hex << row.name;
    EXPECT_EQ(digest_of<double>(row), expected->f64) << std::hex << row.name;
  };
  for (const Row& row : kRows) check(row);
  for (const Row& row : kSpecialRows) check(row);
}

}  // namespace
}  // namespace lanewise::test
