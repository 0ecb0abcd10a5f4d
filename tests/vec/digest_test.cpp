#include "digest.h"

#include <cstdint>

#include <gtest/gtest.h>

namespace lanewise::test {
namespace {

/// All tiers with a fused fma compute the same bits; the digests say which. When a method changes on purpose,
/// put the found numbers into digests.inc after the bounds of math_test have been checked.
TEST(Math, HasTheSameBitsOnEveryTierWithFma) {
  if (!vec::kFusedFma) GTEST_SKIP() << "this tier rounds products before it adds";
  for (const Row& row : kRows) {
    const Digest* expected = find_digest(row.name);
    ASSERT_NE(expected, nullptr) << row.name;
    EXPECT_EQ(digest_of<float>(row), expected->f32) << std::hex << row.name;
    EXPECT_EQ(digest_of<double>(row), expected->f64) << std::hex << row.name;
  }
}

}  // namespace
}  // namespace lanewise::test
