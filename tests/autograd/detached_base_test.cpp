// Tensors that leave the graph in which their views or results still are. What is expected is what PyTorch 1.13 answers.
#include <lanewise/autograd/hooks.h>

#include "../call.h"
#include "helpers.h"

namespace lanewise::autograd {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(DetachedBase, ItsViewsLeadNowhereOnceItIsModified) {
  const Tensor x = leaf({1, 2, 3});
  Tensor b = x * 2;
  const Tensor v = b.slice(0, 0, 2);
  b.detach_();
  EXPECT_EQ(v.grad_fn()->name(), "SliceBackward0");
  b.fill_(7);
  EXPECT_EQ(v.grad_fn()->name(), "AsStridedBackward0");
  EXPECT_FALSE(v.grad_fn()->next_edge(0).is_valid());
  v.sum().backward();
  EXPECT_FALSE(x.grad().defined());
}

TEST(DetachedBase, OfALeafThatIsFrozen) {
  const Tensor x = leaf({1, 2, 3});
  const Tensor u = x.view({3});
  x.requires_grad_(false);
  x.fill_(7);
  EXPECT_EQ(u.grad_fn()->name(), "AsStridedBackward0");
}

TEST(DetachedBase, OfSeveralViewsIsAnError) {
  const Tensor x = leaf({1, 2, 3});
  Tensor b = x * 2;
  const Tensor v = b.unbind(0)[0];
  b.detach_();
  b.fill_(7);
  EXPECT_THAT(Call([&] { v.backward(); }), ThrowsMessage<AutogradError>(HasSubstr("is a view and its base")));
}

TEST(DetachedBase, AViewOfALeafWithoutARecordIsStaleWhenItsBaseIsModified) {
  const Tensor x = leaf({1, 2, 3});
  Tensor v;
  {
    const NoGradGuard guard;
    v = x.slice(0, 0, 2);
    x.mul_(2);
  }
  EXPECT_THAT(Call([&] { v* x.slice(0, 0, 2); }),
              ThrowsMessage<AutogradError>(HasSubstr("A view was created in no_grad mode")));
}

TEST(DetachedBase, StaleViewsFindTheirHistoryInInferenceModeToo) {
  const Tensor x = leaf({1, 2, 3});
  Tensor y = x * 2;
  const Tensor v = y.slice(0, 0, 2);
  v.retain_grad();
  y.mul_(3);
  {
    const InferenceMode guard;
    EXPECT_EQ(v.grad_fn()->name(), "AsStridedBackward0");
  }
  v.sum().backward();
  EXPECT_VALUES(x.grad(), 6, 6, 0);
  EXPECT_VALUES(v.grad(), 1, 1);
}

TEST(DetachedBase, ALeafInsideOfAGraphGetsNoGradient) {
  const Tensor x = leaf({1, 2, 3}), w = leaf({4, 5, 6});
  const Tensor y = x * 2;
  x.detach_();
  x.mul_(w);
  EXPECT_THAT(
      Call([&] { y.sum().backward(); }),
      ThrowsMessage<AutogradError>(HasSubstr("leaf variable has been moved into the graph interior")));
}

TEST(DetachedBase, GradientsOfMeansMayBeModified) {
  const Tensor x = leaf({1, 2, 4});
  const Tensor y = x * 1;
  y.register_hook([](const Tensor& g) { g.mul_(3); });
  y.mean().backward();
  EXPECT_VALUES(x.grad(), 1, 1, 1);
  EXPECT_TRUE(grad({x.view({1, 3}).mean({1})}, {x})[0].is_contiguous());
}

// What a backward leaves may be modified under a gradient where PyTorch's is no view.
TEST(DetachedBase, SumsOfGradientsAreNoViews) {
  const Tensor number = leaf({2}).sum().detach().requires_grad_(), w = leaf({3, 4}), x = leaf({1, 2});
  Tensor g = grad({(number + zeros({2, 3}, kDouble)).sum()}, {number})[0];
  g.mul_(w.sum());
  EXPECT_VALUES(g, 42);
  Tensor twice = grad({(x.reshape({2, 1}) * x.reshape({2, 1})).sum()}, {x})[0];
  twice.mul_(w);
  EXPECT_VALUES(twice, 6, 16);
}

TEST(DetachedBase, AStaleViewThatIsALeafKeepsItsGradientAnyway) {
  const Tensor x = leaf({1, 2, 3});
  const NoGradGuard guard;
  const Tensor v = x.view({3, 1});
  v.sub_(4);
  EXPECT_NO_THROW(v.retain_grad());
  EXPECT_FALSE(v.retains_grad());
}

TEST(DetachedBase, InInferenceModeNothingIsDetached) {
  const Tensor y = leaf({1, 2}) * 2;
  {
    const InferenceMode guard;
    y.detach_();
  }
  EXPECT_NE(y.grad_fn(), nullptr);
}

TEST(DetachedBase, ProductsAreNoViewsOfWhatNobodySees) {
  const Tensor a = leaf({1, 2}), b = constant({3, 4}).view({2, 1});
  EXPECT_FALSE(matmul(a, b).is_view());
  const NoGradGuard guard;
  for (const Tensor& y :
       {kron(a, b), quantile(a, 0.5, 0), combinations(a), channel_shuffle(a.view({1, 2, 1}), 2)})
    EXPECT_FALSE(y.is_view());
}

}  // namespace
}  // namespace lanewise::autograd
