// Products of halves and of small integers in pieces: the product in the dtype that they are summed up in, rounded once.

#include <gtest/gtest.h>

#include <lanewise/ops/copy.h>
#include <lanewise/ops/gemm.h>
#include <lanewise/ops/matmul.h>
#include <lanewise/ops/views.h>

#include "call.h"
#include "reduction_support.h"
#include "thread_count.h"

namespace lanewise {
namespace {

using namespace testing;

constexpr ScalarType kNarrow[] = {kHalf, kBFloat16, kByte, kChar, kShort};

Tensor wide(const Tensor& t) { return ops::to_copy(t, ops::product_type(t.scalar_type())); }
Tensor narrow_as(const Tensor& t, ScalarType type) { return ops::to_copy(t, type); }

/// [batches, rows, depth, columns]: batches that make one piece, several, parts of one; one too large for any; few.
const DimVector kBatches[] = {{700, 3, 3, 3}, {64, 12, 5, 12},   {200, 28, 28, 28},
                              {40, 1, 33, 8}, {9, 130, 70, 129}, {5, 300, 400, 6},
                              {4, 2, 0, 3},   {3, 4, 4, 4},      {90, 7, 300, 1}};
/// [rows, depth, columns].
const DimVector kTall[] = {{5000, 28, 28}, {3000, 3, 16},   {700, 64, 70}, {64, 5, 2},
                           {63, 5, 2},     {900, 500, 520}, {400, 9, 1}};

TEST(WidenedProducts, BatchesOfAnyLayoutAreRoundedOnce) {
  Rng rng(1);
  for (const ScalarType type : kNarrow) {
    for (const DimVector& s : kBatches) {
      const Tensor a = random_tensor(rng, {s[0], s[1], s[2]}, type),
                   b = random_tensor(rng, {s[0], s[2], s[3]}, type);
      const std::string expected = bits(narrow_as(ops::bmm(wide(a), wide(b)), type));
      const Tensor turned_a = ops::transpose(ops::contiguous(ops::transpose(a, 1, 2)), 1, 2);
      const Tensor turned_b = ops::transpose(ops::contiguous(ops::transpose(b, 0, 2)), 0, 2);
      const Tensor once = ops::expand(ops::narrow(b, 0, 0, 1), b.sizes());
      const std::string of_one = bits(narrow_as(ops::bmm(wide(a), wide(once)), type));
      for (const int threads : {1, 3}) {
        const ThreadCount guard(threads);
        ASSERT_EQ(bits(ops::bmm(a, b)), expected) << type << " " << IntArrayRef(s);
        ASSERT_EQ(bits(ops::bmm(turned_a, turned_b)), expected) << type << " " << IntArrayRef(s);
        ASSERT_EQ(bits(ops::bmm(scattered(rng, a), scattered(rng, b))), expected)
            << type << " " << IntArrayRef(s);
        ASSERT_EQ(bits(ops::bmm(a, once)), of_one) << type << " " << IntArrayRef(s);
      }
    }
  }
}

TEST(WidenedProducts, RowsOfAnyLayoutAreRoundedOnce) {
  Rng rng(2);
  for (const ScalarType type : kNarrow) {
    for (const DimVector& s : kTall) {
      const Tensor a = random_tensor(rng, {s[0], s[1]}, type), b = random_tensor(rng, {s[1], s[2]}, type);
      const std::string expected = bits(narrow_as(ops::mm(wide(a), wide(b)), type));
      for (const int threads : {1, 3}) {
        const ThreadCount guard(threads);
        ASSERT_EQ(bits(ops::mm(a, b)), expected) << type << " " << IntArrayRef(s);
        ASSERT_EQ(bits(ops::mm(scattered(rng, a), scattered(rng, b))), expected)
            << type << " " << IntArrayRef(s);
        Tensor out = scattered(rng, random_tensor(rng, {s[0], s[2]}, type));
        ops::mm_into({"mm", out, false}, a, b);
        ASSERT_EQ(bits(out), expected) << type << " " << IntArrayRef(s);
      }
    }
  }
}

TEST(WidenedProducts, WhatIsAddedIsNotRoundedBefore) {
  Rng rng(3);
  for (const ScalarType type : {kHalf, kBFloat16, kShort}) {
    const Scalar beta = 3, alpha = 2;
    const Tensor a = random_tensor(rng, {900, 20}, type), b = random_tensor(rng, {20, 30}, type);
    for (const DimVector& sizes : {DimVector{}, DimVector{30}, DimVector{900, 1}, DimVector{900, 30}}) {
      const Tensor s = random_tensor(rng, sizes, type);
      const Tensor expected = narrow_as(ops::addmm(wide(s), wide(a), wide(b), beta, alpha), type);
      ASSERT_EQ(bits(ops::addmm(s, a, b, beta, alpha)), bits(expected)) << type << " " << IntArrayRef(sizes);
      if (sizes.size() < 2 || sizes[1] == 1) continue;
      Tensor self = ops::clone(s);
      ops::addmm_into({"addmm_", self, false}, self, a, b, beta, alpha);
      ASSERT_EQ(bits(self), bits(expected)) << type;
    }
    const Tensor x = random_tensor(rng, {300, 5, 6}, type), y = random_tensor(rng, {300, 6, 4}, type);
    for (const DimVector& sizes : {DimVector{4}, DimVector{300, 1, 4}, DimVector{300, 5, 4}}) {
      const Tensor s = random_tensor(rng, sizes, type);
      const Tensor expected = narrow_as(ops::baddbmm(wide(s), wide(x), wide(y), beta, alpha), type);
      ASSERT_EQ(bits(ops::baddbmm(s, x, y, beta, alpha)), bits(expected))
          << type << " " << IntArrayRef(sizes);
    }
  }
}

TEST(WidenedProducts, BetaZeroIgnoresNan) {
  Rng rng(4);
  const Tensor a = random_tensor(rng, {200, 6}, kHalf), b = random_tensor(rng, {6, 5}, kHalf);
  const Tensor nan = ops::filled({5}, kHalf, std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(bits(ops::addmm(nan, a, b, 0, 1)), bits(ops::mm(a, b)));
}

TEST(WidenedProducts, OfNothing) {
  for (const ScalarType type : kNarrow) {
    const auto nothing = [&](IntArrayRef sizes) { return detail::empty_cpu(sizes, type); };
    EXPECT_EQ(ops::bmm(nothing({9, 0, 3}), nothing({9, 3, 0})).sizes(), IntArrayRef({9, 0, 0}));
    EXPECT_EQ(ops::bmm(nothing({9, 0, 3}), nothing({9, 3, 4})).sizes(), IntArrayRef({9, 0, 4}));
    EXPECT_EQ(ops::bmm(nothing({9, 2, 3}), nothing({9, 3, 0})).sizes(), IntArrayRef({9, 2, 0}));
    EXPECT_EQ(ops::mm(nothing({99, 3}), nothing({3, 0})).sizes(), IntArrayRef({99, 0}));
    EXPECT_EQ(ops::mm(nothing({0, 3}), nothing({3, 4})).sizes(), IntArrayRef({0, 4}));
    EXPECT_EQ(ops::addmm(nothing({0}), nothing({99, 3}), nothing({3, 0}), 1, 1).sizes(),
              IntArrayRef({99, 0}));
  }
}

TEST(WidenedProducts, LargeIntegersWrap) {
  const Tensor a = ops::filled({80, 3, 4}, kByte, 255), b = ops::filled({80, 4, 3}, kByte, 253);
  for (const Wide& v : values(ops::bmm(a, b))) ASSERT_EQ(v, Wide(4 * 255 * 253 % 256));
}

}  // namespace
}  // namespace lanewise
