#include "../call.h"
#include "helpers.h"

namespace lanewise::autograd {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(Versions, ModifiedSavedTensor) {
  const Tensor x = leaf({{1, 2}, {3, 4}});
  Tensor y = x.tanh();
  const Tensor out = (y * y).sum();
  y.add_(1);
  EXPECT_EQ(y._version(), 1);
  EXPECT_THAT(Call([&] { out.backward(); }),
              ThrowsMessage<AutogradError>(AllOf(
                  HasSubstr("modified by an inplace operation"), HasSubstr("MulBackward0"),
                  HasSubstr("[CPUDoubleType [2, 2]]"), HasSubstr("is at version 1; expected version 0"))));
}

TEST(Versions, ModifiedSavedResultNamesItsNode) {
  const Tensor x = leaf({{1, 2}, {3, 4}});
  Tensor y = x.tanh();
  y.add_(1);
  EXPECT_THAT(Call([&] { y.sum().backward(); }),
              ThrowsMessage<AutogradError>(
                  AllOf(HasSubstr("which is output 0 of TanhBackward0"), HasSubstr("is at version 1"))));
}

TEST(Versions, GradientOfAVarianceNeedsOnlyItsInput) {
  const Tensor x = leaf({1, 2, 6});
  const auto [var, mean] = var_mean(x, 0, /*unbiased=*/true);
  var.mul_(2);
  (var + mean).backward();
  EXPECT_VALUES(x.grad(), 1. / 3 - 4, 1. / 3 - 2, 1. / 3 + 6);
}

TEST(Versions, SharedByViewsAndDetach) {
  const Tensor x = constant({1, 2, 3, 4});
  Tensor v = x.view({2, 2});
  Tensor d = x.detach();
  v.add_(1);
  d.add_(1);
  EXPECT_EQ(x._version(), 2);
  Tensor escaped = x.variable_data();
  escaped.add_(1);
  EXPECT_EQ(x._version(), 2);
  EXPECT_VALUES(x, 4, 5, 6, 7);
}

TEST(Versions, DetachIsNoticedVariableDataIsNot) {
  const Tensor x = leaf({2.0});
  const Tensor square = x * x;
  Tensor data = x.variable_data();
  data.mul_(10);
  square.backward();
  EXPECT_VALUES(x.grad(), 40);
  const Tensor again = x * x;
  x.detach().mul_(2);
  EXPECT_THROW(again.backward(), AutogradError);
}

TEST(Inplace, LeafRules) {
  const Tensor x = leaf({1, 2});
  EXPECT_THAT(Call([&] { x.add_(1); }),
              ThrowsMessage<AutogradError>(
                  HasSubstr("a leaf Variable that requires grad is being used in an in-place operation")));
  EXPECT_THAT(Call([&] {
                x.view({2, 1}).add_(1);
              }),
              ThrowsMessage<AutogradError>(
                  HasSubstr("a view of a leaf Variable that requires grad is being used in an in-place")));
  EXPECT_VALUES(x, 1, 2);
  {
    const NoGradGuard guard;
    x.add_(1);
  }
  EXPECT_VALUES(x, 2, 3);
  EXPECT_TRUE(x.is_leaf());
}

TEST(Inplace, LeafBecomesResult) {
  const Tensor w = leaf({3, 4});
  Tensor x = constant({1, 2});
  x.mul_(w);
  EXPECT_FALSE(x.is_leaf());
  (x * x).sum().backward();
  EXPECT_VALUES(w.grad(), 2 * 3 * 1, 2 * 8 * 2);
}

TEST(Inplace, ChainOfOps) {
  const Tensor x = leaf({2.0});
  Tensor y = x * 1;
  y.mul_(x);  // x^2
  y.add_(x);  // x^2 + x
  y.mul_(3);
  y.backward();
  EXPECT_VALUES(x.grad(), 3 * (2 * 2 + 1));
}

TEST(Inplace, WithItself) {
  const Tensor x = leaf({2, 3});
  std::weak_ptr<Node> node;
  {
    Tensor y = x * 1;
    y.mul_(y);
    node = y.grad_fn();
    y.sum().backward();
  }
  EXPECT_VALUES(x.grad(), 4, 6);
  EXPECT_TRUE(node.expired());  // no cycle through what it saved
}

TEST(Inplace, ComparisonsGiveZerosToBothSides) {
  const Tensor x = leaf({1, 2, 3}), y = leaf({2, 2, 2});
  const std::pair<const char*, Tensor& (Tensor::*)(const Tensor&) const> ops[] = {
      {"EqBackward1", &Tensor::eq_}, {"NeBackward1", &Tensor::ne_}, {"LtBackward1", &Tensor::lt_},
      {"LeBackward1", &Tensor::le_}, {"GtBackward1", &Tensor::gt_}, {"GeBackward1", &Tensor::ge_}};
  for (const auto& [node, op] : ops) {
    Tensor z = x * 1;
    (z.*op)(y);
    EXPECT_EQ(z.grad_fn()->name(), node);
    const auto grads = grad({z.sum()}, {x, y});
    for (const Tensor& g : grads) EXPECT_TRUE(equal(g, constant({0, 0, 0}))) << node;
  }
  Tensor plain = constant({1, 2, 3});
  plain.lt_(y);
  EXPECT_TRUE(plain.requires_grad());
  Tensor number = x * 1;
  number.lt_(2);
  EXPECT_EQ(number.grad_fn()->name(), "LtBackward0");
}

// Checked against central differences, which the cofactors are.
TEST(Determinant, GradientOfSingularMatrices) {
  for (const Tensor& values :
       {constant({{2, 2}, {1, 1}}), constant({{0, 0}, {3, 5}}), constant({{0, 3}, {0, 5}}),
        constant({{0, 0}, {0, 0}}), constant({{1, 2, 3}, {2, 4, 6}, {1, 0, 1}}),
        constant({{1, 2, 3}, {2, 4, 6}, {3, 6, 9}}), constant({{1, 2, 3}, {4, 5, 6}, {7, 8, 9}})}) {
    const Tensor A = values.clone().requires_grad_();
    linalg_det(A).backward();
    for (std::int64_t i = 0; i < values.numel(); ++i) {
      constexpr double kStep = 1e-3;
      Tensor above = values.clone(), below = values.clone();
      above.data_ptr<double>()[i] += kStep;
      below.data_ptr<double>()[i] -= kStep;
      const double slope =
          (linalg_det(above).item<double>() - linalg_det(below).item<double>()) / (2 * kStep);
      EXPECT_NEAR(A.grad().data_ptr<double>()[i], slope, 1e-9) << values << " at " << i;
    }
  }
}

TEST(Views, TrackTheirBase) {
  const Tensor x = constant({1, 2, 3, 4});
  const Tensor v = x.view({2, 2});
  const Tensor w = v.select(0, 1);
  EXPECT_TRUE(v._is_view());
  EXPECT_TRUE(w._base().is_same(x));
  EXPECT_FALSE(x._is_view());
  EXPECT_FALSE(x.detach()._is_view());
  EXPECT_THROW(x._base(), AutogradError);
}

TEST(Views, InplaceOnAViewReachesTheBase) {
  const Tensor x = leaf({1, 2, 3, 4});
  const Tensor y = x * 2;
  y.select(0, 1).mul_(10);
  EXPECT_EQ(y.grad_fn()->name(), "CopySlices");
  EXPECT_VALUES(y, 2, 40, 6, 8);
  (y * y).sum().backward();
  EXPECT_VALUES(x.grad(), 2 * 2 * 2, 2 * 40 * 20, 2 * 6 * 2, 2 * 8 * 2);
}

TEST(Views, InplaceOnAViewOfAConstantWithAVariable) {
  Tensor base = constant({0, 0, 0, 0});
  const Tensor w = leaf({5, 6});
  Tensor v = base.slice(0, 1, 3);
  EXPECT_FALSE(base.requires_grad());
  v.add_(w);
  EXPECT_TRUE(base.requires_grad());
  EXPECT_TRUE(v.requires_grad());
  EXPECT_EQ(v.grad_fn()->name(), "AsStridedBackward0");
  (base * constant({1, 2, 3, 4})).sum().backward({}, true);
  EXPECT_VALUES(w.grad(), 2, 3);
  v.sum().backward();
  EXPECT_VALUES(w.grad(), 3, 4);
}

TEST(Views, InplaceOnTheBaseRegeneratesTheView) {
  const Tensor x = leaf({1, 2, 3, 4});
  Tensor y = x * 2;
  const Tensor v = y.view({2, 2});
  EXPECT_EQ(v.grad_fn()->name(), "ViewBackward0");
  y.mul_(x);  // 2 x^2
  EXPECT_EQ(v.grad_fn()->name(), "AsStridedBackward0");
  v.select(0, 1).sum().backward();
  EXPECT_VALUES(x.grad(), 0, 0, 12, 16);
}

TEST(Views, InplaceOnOverlappingSiblings) {
  const Tensor x = leaf({1, 2, 3});
  Tensor y = x * 1;
  Tensor a = y.slice(0, 0, 2), b = y.slice(0, 1, 3);
  a.mul_(2);                       // 2x0, 2x1, x2
  b.mul_(a.select(0, 0).clone());  // 2x0, 4x0x1, 2x0x2
  EXPECT_VALUES(y, 2, 8, 6);
  (y * constant({1, 10, 100})).sum().backward();
  EXPECT_VALUES(x.grad(), 2 + 10 * 8 + 100 * 6, 10 * 4, 100 * 2);
}

TEST(Views, CopyIntoASlice) {
  const Tensor x = leaf({1, 2, 3});
  const Tensor w = leaf({7.0});
  Tensor y = x * 2;
  y.slice(0, 1, 2).copy_(w);
  EXPECT_VALUES(y, 2, 7, 6);
  (y * y).sum().backward();
  EXPECT_VALUES(x.grad(), 8, 0, 24);
  EXPECT_VALUES(w.grad(), 14);
}

TEST(Views, TransposedViewModified) {
  const Tensor x = leaf({{1, 2, 3}, {4, 5, 6}});
  Tensor y = x * 1;
  Tensor t = y.t();
  t.mul_(constant({{1, 2}, {3, 4}, {5, 6}}));
  (y * y).sum().backward();
  EXPECT_VALUES(x.grad(), 2 * 1, 2 * 2 * 9, 2 * 3 * 25, 2 * 4 * 4, 2 * 5 * 16, 2 * 6 * 36);
}

TEST(Views, SecondDerivativeThroughCopySlices) {
  const Tensor x = leaf({2, 3});
  const Tensor y = x * x;               // x0^2, x1^2
  y.select(0, 0).mul_(x.select(0, 1));  // x0^2 x1
  const Tensor first = grad({(y * y).sum()}, {x}, {}, std::nullopt, true)[0];
  // L = x0^4 x1^2 + x1^4
  EXPECT_VALUES(first, 4 * 8 * 9, 2 * 16 * 3 + 4 * 27);
  const Tensor second = grad({first.select(0, 0)}, {x})[0];
  EXPECT_VALUES(second, 12 * 4 * 9, 8 * 8 * 3);
}

TEST(Views, SavedResultOfAnInplaceOpOnAView) {
  const Tensor x = leaf({0.5, 0.25});
  const Tensor y = x * 1;
  y.select(0, 0).tanh_();
  const Tensor first = grad({y.sum()}, {x}, {}, std::nullopt, true)[0];
  const double t = std::tanh(0.5);
  EXPECT_NEAR(values(first)[0], 1 - t * t, 1e-15);
  EXPECT_EQ(values(first)[1], 1);
  EXPECT_NEAR(values(grad({first.sum()}, {x})[0])[0], -2 * t * (1 - t * t), 1e-15);
}

TEST(Views, RestrictedBackwardThroughCopySlices) {
  const Tensor x = leaf({1, 2}), w = leaf({3.0});
  const Tensor y = x * 1;
  y.slice(0, 0, 1).mul_(w);
  EXPECT_VALUES(grad({y.sum()}, {w}, {}, true)[0], 1);
  EXPECT_VALUES(grad({y.sum()}, {x})[0], 3, 1);
}

TEST(Views, MadeInNoGradMode) {
  const Tensor x = leaf({1, 2});
  const Tensor y = x * 1;
  Tensor v;
  {
    const NoGradGuard guard;
    v = y.view({2, 1});
    v.add_(1);
  }
  EXPECT_VALUES(y, 2, 3);
  EXPECT_THAT(Call([&] { v.mul_(2); }), ThrowsMessage<AutogradError>(HasSubstr("created in no_grad mode")));
}

// No gradient reaches integers, so that nothing is lost by writing what has one into them.
TEST(Views, IntegersOfAListAreWritten) {
  const Tensor whole = zeros({4}, kLong);
  whole.chunk(2)[1].copy_(leaf({5, 7}));
  EXPECT_VALUES(whole, 0, 0, 5, 7);
}

TEST(Views, DetachInPlaceRules) {
  const Tensor x = leaf({1, 2});
  Tensor y = x * 2;
  EXPECT_THROW(y.view({2, 1}).detach_(), AutogradError);
  y.detach_();
  EXPECT_TRUE(y.is_leaf());
  EXPECT_FALSE(y.requires_grad());
}

TEST(Views, SetData) {
  const Tensor x = leaf({1, 2});
  (x * 2).sum().backward();
  x.set_data(constant({4, 5, 6}));
  x.mutable_grad() = Tensor();
  (x * x).sum().backward();
  EXPECT_VALUES(x.grad(), 8, 10, 12);
  EXPECT_THROW(x.set_data(tensor({1, 2})), DtypeError);
}

TEST(Inference, TensorsStayOutsideOfGraphs) {
  const Tensor x = leaf({1, 2});
  Tensor y;
  {
    const InferenceMode guard;
    EXPECT_TRUE(InferenceMode::is_enabled());
    y = x * 2;
    EXPECT_FALSE(y.requires_grad());
  }
  EXPECT_TRUE(y.is_inference());
  EXPECT_THAT(Call([&] { x* y; }),
              ThrowsMessage<AutogradError>(HasSubstr("Inference tensors cannot be saved for backward")));
  EXPECT_THROW(y.requires_grad_(), AutogradError);
  EXPECT_THROW(y.add_(1), AutogradError);
  EXPECT_VALUES(y, 2, 4);
  (x * y.clone()).sum().backward();
  EXPECT_VALUES(x.grad(), 2, 4);
}

TEST(Versions, ResizingToTheSameSizeIsNoChange) {
  const Tensor x = leaf({{1, 2}, {3, 4}});
  const Tensor y = x * x;
  x.detach().resize_({2, 2});
  x.detach().resize_as_(y);
  EXPECT_EQ(x._version(), 0);
  y.sum().backward();
  EXPECT_VALUES(x.grad(), 2, 4, 6, 8);
}

}  // namespace
}  // namespace lanewise::autograd
