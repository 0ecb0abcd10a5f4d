// Losses where shapes or dtypes of input and target differ, as in PyTorch 1.13.
#include <cmath>

#include <gtest/gtest.h>

#include <lanewise/lanewise.h>

namespace lanewise {
namespace {

constexpr std::int64_t kNone = 0;

Tensor gaussian(const Tensor& input, const Tensor& var) {
  return gaussian_nll_loss(input, zeros_like(input), var, false, 1e-6, kNone);
}

TEST(GaussianNllLoss, TakesOneVarianceForEachRow) {
  const Tensor input = tensor({1., 2., 3., 4.}, kDouble).view({2, 2});
  const Tensor rows = tensor({1., 100.}, kDouble);
  const Tensor each = tensor({1., 1., 100., 100.}, kDouble).view({2, 2});
  EXPECT_TRUE(equal(gaussian(input, rows), gaussian(input, each)));
  EXPECT_TRUE(equal(gaussian(input, rows.view({2, 1})), gaussian(input, each)));
  EXPECT_TRUE(allclose(gaussian(input, rows).flatten(),
                       tensor({0.5, 2., 2.3475850929940454, 2.3825850929940455}, kDouble)));
  EXPECT_THROW(gaussian(input, tensor({1., 2., 3.}, kDouble)), ShapeError);
  EXPECT_THROW(gaussian(input, tensor({1., 2.}, kDouble).view({1, 2})), ShapeError);
}

TEST(Losses, HaveTheDtypeOfTheInput) {
  const Tensor narrow = ones({3}, kFloat), wide = zeros({3}, kDouble), integers = zeros({3}, kChar);
  EXPECT_EQ(huber_loss(narrow, wide).scalar_type(), kFloat);
  EXPECT_EQ(huber_loss(narrow.to(kBFloat16), narrow).scalar_type(), kBFloat16);
  EXPECT_EQ(soft_margin_loss(narrow, wide).scalar_type(), kFloat);
  EXPECT_EQ(poisson_nll_loss(narrow.to(kBFloat16), zeros({3}, kByte), true, true, 1e-8, 1).scalar_type(),
            kBFloat16);
  EXPECT_THROW(huber_loss(integers, narrow), DtypeError);
  EXPECT_THROW(soft_margin_loss(integers, narrow), DtypeError);
}

TEST(MultilabelSoftMarginLoss, AveragesOverTheClassesOfTheInput) {
  const Tensor input = zeros({5}, kDouble), target = ones({1, 5}, kDouble);
  const Tensor loss = multilabel_soft_margin_loss(input, target, {}, kNone);
  EXPECT_EQ(loss.sizes(), IntArrayRef({5}));
  EXPECT_NEAR(loss[0].item<double>(), std::log(2) / 5, 1e-15);
}

TEST(Losses, SecondDerivativeOfCrossEntropyIsFiniteForCertainty) {
  const Tensor p = tensor({1.0, 0.0, 0.0, 0.5}, kDouble).requires_grad_(),
               t = tensor({1.0, 0.0, 1.0, 1.0}, kDouble);
  const Tensor slope = autograd::grad({binary_cross_entropy(p, t).sum()}, {p}, {}, true, true)[0];
  const Tensor second = autograd::grad({slope.sum()}, {p})[0] * 4;
  EXPECT_TRUE(allclose(second, tensor({1.0, 1.0, 1e24, 4.0}, kDouble)));
}

}  // namespace
}  // namespace lanewise
