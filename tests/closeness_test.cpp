// equal, isclose and allclose, on every tier: values at and beside the tolerance, layouts, sizes that threads share.
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include <gtest/gtest.h>

#include <lanewise/lanewise.h>

namespace lanewise {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity(),
                 kNan = std::numeric_limits<double>::quiet_NaN();

TEST(AllClose, UsesBothTolerances) {
  const auto one = [](double x, ScalarType type = kDouble) { return full({1}, x, type); };
  EXPECT_TRUE(allclose(tensor({1., 1e-9}, kDouble), tensor({1 + 1e-6, 0.}, kDouble)));
  EXPECT_FALSE(allclose(one(1), one(1.001)));
  EXPECT_TRUE(allclose(one(1), one(1.001), 1e-2));
  EXPECT_FALSE(allclose(one(kNan), one(kNan)));
  EXPECT_TRUE(allclose(one(kNan), one(kNan), 1e-5, 1e-8, true));
  EXPECT_FALSE(allclose(one(kNan), one(1), 1e-5, 1e-8, true));
  EXPECT_TRUE(allclose(one(kInf, kFloat), one(kInf, kFloat)));
  EXPECT_FALSE(allclose(one(kInf, kFloat), one(-kInf, kFloat)));
  EXPECT_FALSE(allclose(one(1, kFloat), one(kInf, kFloat)));
  EXPECT_FALSE(allclose(one(1, kFloat), one(kInf, kFloat), 1));
  EXPECT_FALSE(allclose(complex(one(1), one(1)), complex(one(1), one(-1))));
  EXPECT_TRUE(allclose(one(0.1, kFloat), one(0, kFloat), 0, 0.1));  // tolerances are numbers of the dtype
  EXPECT_TRUE(allclose(one(1, kFloat), one(2, kFloat), 1e300));
}

TEST(AllClose, Broadcasts) {
  const Tensor x = tensor({1., 2., 1., 2.}, kDouble).view({2, 2});
  EXPECT_TRUE(allclose(ones({1}), ones({2})));
  EXPECT_TRUE(allclose(x, tensor({1., 2.}, kDouble)));
  EXPECT_FALSE(allclose(x, tensor({1., 2.}, kDouble).view({2, 1})));
  EXPECT_TRUE(allclose(empty({0, 3}), ones({3})));
}

TEST(AllClose, RefusesWhatItCannotCompare) {
  EXPECT_THROW(allclose(ones({1}, kFloat), ones({1}, kDouble)), DtypeError);
  EXPECT_THROW(allclose(ones({3}), ones({2})), ShapeError);
  EXPECT_THROW(allclose(ones({1}), ones({1}), -1), ValueError);
  EXPECT_THROW(allclose(ones({1}), ones({1}), kNan), ValueError);
  EXPECT_THROW(allclose(ones({1}), Tensor()), ValueError);
}

/// The definition, step by step.
Tensor in_steps(const Tensor& x, const Tensor& y, double rtol, double atol, bool equal_nan) {
  const Tensor difference = (x - y).abs();
  const Tensor within = (difference <= y.abs() * rtol + atol).logical_and(difference.isfinite());
  const Tensor close = (x == y).logical_or(within);
  return equal_nan ? close.logical_or(x.isnan().logical_and(y.isnan())) : close;
}

class IsClose : public ::testing::TestWithParam<ScalarType> {};

TEST_P(IsClose, IsItsDefinition) {
  manual_seed(1);
  const Tensor grid = (randn({37, 53}) * 4).round() / 8;
  Tensor x = grid.to(GetParam()), y = (grid + (randn({37, 53}) * 2).round() / 16).to(GetParam());
  for (const auto& [row, left, right] : {std::tuple{3, kNan, kNan}, std::tuple{7, kInf, kInf},
                                         std::tuple{9, kInf, -kInf}, std::tuple{20, 1.0, kInf}}) {
    x.select(0, row).fill_(left);
    y.select(0, row).slice(0, 0, 40).fill_(right);
  }
  for (const bool equal_nan : {false, true}) {
    for (const auto& [rtol, atol] : {std::pair{0.0, 0.0}, std::pair{0.1, 0.0625}, std::pair{0.5, 0.0}}) {
      const Tensor want = in_steps(x, y, rtol, atol, equal_nan);
      EXPECT_TRUE(isclose(x, y, rtol, atol, equal_nan).equal(want)) << rtol;
      EXPECT_TRUE(isclose(x.t(), y.t(), rtol, atol, equal_nan).equal(want.t())) << rtol;
      const Tensor row = y.select(0, 11);
      EXPECT_TRUE(isclose(x, row, rtol, atol, equal_nan).equal(in_steps(x, row, rtol, atol, equal_nan)));
      EXPECT_EQ(allclose(x, y, rtol, atol, equal_nan), want.all().item<bool>());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, IsClose,
                         ::testing::Values(kFloat, kDouble, kHalf, kBFloat16, kComplexFloat, kComplexDouble),
                         [](const auto& test) { return to_string(test.param); });

TEST(IsClose, OfIntegersIsThatOfTheDefaultDtype) {
  const Tensor x = tensor({(1 << 24) + 1, 100, -5, 7}), y = tensor({1 << 24, 101, 5, 8});
  EXPECT_TRUE(isclose(x, y, 0, 1e-9).equal(tensor({true, false, false, false})));  // the first are one f32
  EXPECT_TRUE(isclose(x, y, 0, 0).equal(x == y));
  EXPECT_TRUE(isclose(x, y, 0.01, 0).equal(tensor({true, true, false, false})));
  EXPECT_FALSE(allclose(x, y, 0.01));
  EXPECT_TRUE(allclose(x, y, 2));
}

TEST(Equal, ComparesValuesOfAnyTypeAndLayout) {
  const Tensor a = tensor({1., 2., 3., 4.}, kFloat).view({2, 2});
  const Tensor transposed = tensor({1, 3, 2, 4}, kLong).view({2, 2}).t();
  EXPECT_TRUE(equal(a, transposed));
  EXPECT_TRUE(a.equal(transposed));
  EXPECT_FALSE(equal(a, tensor({1., 2., 3., 5.}, kFloat).view({2, 2})));
  EXPECT_FALSE(equal(a, a.view({4})));
  EXPECT_FALSE(equal(full({1}, kNan), full({1}, kNan)));
  EXPECT_FALSE(equal(full({1}, INT64_MAX, kLong), full({1}, INT64_MAX - 1, kLong)));
  EXPECT_TRUE(equal(empty({0, 3}, kFloat), empty({0, 3}, kInt)));
  EXPECT_TRUE(equal(full({}, 2, kDouble), full({}, 2, kComplexFloat)));
  EXPECT_FALSE(equal(full({5000, 3}, kNan, kHalf), full({5000, 3}, kNan, kHalf)));
  EXPECT_TRUE(equal(full({5000, 3}, -0.0, kHalf), zeros({5000, 3}, kHalf)));
}

/// One element changed at a time, in tensors that several threads share.
TEST(Equal, FindsTheOnlyDifference) {
  const int threads = get_num_threads();
  for (const int count : {1, 2, 3, 7}) {
    set_num_threads(count);
    for (const ScalarType type : {kFloat, kLong, kBool, kBFloat16, kComplexFloat}) {
      const Tensor x = ones({257, 600}, type), padded = ones({257, 602}, type);
      for (const Tensor& y : {ones({257, 600}, type), ones({600, 257}, type).t(), padded.narrow(1, 1, 600)}) {
        EXPECT_TRUE(equal(x, y));
        EXPECT_TRUE(equal(y, x));
        for (const std::int64_t at : {std::int64_t{0}, std::int64_t{256}, std::int64_t{100}}) {
          const Tensor one = y.select(0, at).select(0, at * 2);
          one.zero_();
          EXPECT_FALSE(equal(x, y)) << at;
          EXPECT_FALSE(equal(y, x)) << at;
          one.fill_(1);
        }
        EXPECT_TRUE(equal(x, y.to(kComplexDouble)));
      }
      const Tensor flat = ones({300000}, type), other = ones({300000}, type);
      for (const std::int64_t at : {0, 16383, 16384, 299999}) {
        other.select(0, at).zero_();
        EXPECT_FALSE(equal(flat, other)) << at;
        other.select(0, at).fill_(1);
      }
      EXPECT_TRUE(equal(flat, other));
    }
  }
  set_num_threads(threads);
}

TEST(Equal, OfShortRowsWithGaps) {
  const Tensor x = ones({40000, 4}, kByte).narrow(1, 0, 3), y = ones({40000, 6}, kByte).slice(1, 0, 6, 2);
  EXPECT_TRUE(equal(x, y) && equal(x.t(), y.t()));
  y[39999][2] = 0;
  EXPECT_FALSE(equal(x, y) || equal(y.t(), x.t()));
}

TEST(Equal, OfFewElementsAndExpandedOnes) {
  const int threads = get_num_threads();
  set_num_threads(3);
  EXPECT_TRUE(equal(ones({}), ones({})));
  EXPECT_FALSE(equal(ones({}), zeros({})));
  EXPECT_TRUE(equal(empty({0, 7}), empty({0, 7})));
  EXPECT_TRUE(equal(empty({7, 0}), empty({7, 0})));
  const Tensor row = arange(500.);
  const Tensor wide = row.expand({400, 500}), copied = wide.contiguous();
  EXPECT_TRUE(equal(wide, copied));
  EXPECT_TRUE(equal(copied, wide));
  EXPECT_TRUE(equal(wide.t(), copied.t()));
  copied[399][499] = -1;
  EXPECT_FALSE(equal(wide, copied));
  EXPECT_FALSE(equal(copied.t(), wide.t()));
  set_num_threads(threads);
}

}  // namespace
}  // namespace lanewise
