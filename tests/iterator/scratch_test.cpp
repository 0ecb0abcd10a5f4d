// Scratch memory of threads.
#include <cstdint>

#include <gtest/gtest.h>
#include <malloc.h>

#include <lanewise/iterator/scratch.h>
#include <lanewise/tensor/errors.h>

namespace lanewise::detail {
namespace {

constexpr std::size_t kMiB = 1 << 20;

TEST(Scratch, IsKeptForTheNextOneOfItsPurpose) {
  char* first = scratch(Scratch::Tile, 1000);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first) % 64, 0U);
  EXPECT_EQ(scratch(Scratch::Tile, 10), first);
  EXPECT_NE(scratch(Scratch::Values, 10), first);
}

TEST(Scratch, MuchIsGivenBack) {
  char* much = scratch(Scratch::Tile, 64 * kMiB);
  EXPECT_EQ(scratch(Scratch::Tile, 40 * kMiB), much);  // which may be needed again
  EXPECT_LT(malloc_usable_size(scratch(Scratch::Tile, 1000)), kMiB);
}

TEST(Scratch, MoreThanThereIsIsAnError) {
  EXPECT_THROW(scratch(Scratch::Tile, SIZE_MAX / 4), AllocationError);
  scratch(Scratch::Tile, 1000)[999] = 1;
}

}  // namespace
}  // namespace lanewise::detail
