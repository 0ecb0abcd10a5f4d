// Overlap of strided operands against a look at every byte.

#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <lanewise/iterator/memory_overlap.h>

namespace lanewise {
namespace {

struct Operand {
  std::vector<std::int64_t> sizes, strides;
  std::int64_t start = 0, element = 1;

  MemoryFootprint footprint(const char* base) const { return {base + start, sizes, strides, element}; }

  std::vector<std::int64_t> addresses() const {
    std::vector<std::int64_t> all = {start};
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      std::vector<std::int64_t> wider;
      for (const std::int64_t at : all) {
        for (std::int64_t k = 0; k < sizes[d]; ++k) {
          wider.push_back(at + k * strides[d]);
        }
      }
      all = wider;
    }
    return all;
  }
};

Operand random_operand(std::mt19937_64& rng) {
  const auto pick = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(rng);
  };
  Operand o;
  o.element = std::int64_t{1} << pick(0, 3);
  for (std::int64_t d = pick(0, 3); d > 0; --d) {
    o.sizes.push_back(pick(0, 12) == 0 ? 0 : pick(1, 5));
    o.strides.push_back(o.element * pick(-9, 9) + (pick(0, 5) == 0 ? pick(0, 3) : 0));
  }
  o.start = pick(-60, 60);
  return o;
}

TEST(MemoryOverlap, OfOneOperandIsExact) {
  std::mt19937_64 rng(7);
  static const char base[1] = {};
  int yes = 0, no = 0;
  for (int i = 0; i < 20'000; ++i) {
    const Operand o = random_operand(rng);
    auto all = o.addresses();
    std::sort(all.begin(), all.end());
    bool shares = false;
    for (std::size_t k = 1; k < all.size(); ++k) {
      shares = shares || all[k] - all[k - 1] < o.element;
    }
    EXPECT_EQ(internal_overlap(o.footprint(base)) != MemoryOverlap::None, shares) << i;
    ++(shares ? yes : no);
  }
  EXPECT_GT(yes, 2000);
  EXPECT_GT(no, 2000);
}

TEST(MemoryOverlap, OfTwoOperandsIsExact) {
  std::mt19937_64 rng(8);
  static const char base[1] = {};
  int counts[3] = {};
  for (int i = 0; i < 40'000; ++i) {
    const Operand a = random_operand(rng);
    Operand b = random_operand(rng);
    if (i % 4 == 0) {
      b = a;
    }
    const auto x = a.addresses(), y = b.addresses();
    bool shares = false;
    for (const std::int64_t p : x) {
      for (const std::int64_t q : y) {
        shares = shares || (p < q + b.element && q < p + a.element);
      }
    }
    const MemoryOverlap expected = !shares ? MemoryOverlap::None
                                   : a.sizes == b.sizes && a.element == b.element && x == y
                                       ? MemoryOverlap::Full
                                       : MemoryOverlap::Partial;
    const MemoryOverlap found = mutual_overlap(a.footprint(base), b.footprint(base));
    EXPECT_EQ(found, expected) << i;
    ++counts[static_cast<int>(expected)];
  }
  EXPECT_GT(*std::min_element(counts, counts + 3), 2000);
}

}  // namespace
}  // namespace lanewise
