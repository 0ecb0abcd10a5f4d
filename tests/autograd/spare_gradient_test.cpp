#include <vector>

#include <gtest/gtest.h>

#include <lanewise/lanewise.h>

// A pointwise backward may write its result over the gradient that came in, if nobody else can see that.
namespace lanewise::autograd {
namespace {

constexpr std::int64_t kSize = 1000;

Tensor leaf() { return linspace(-2, 2, kSize).requires_grad_(); }

/// Where the gradient of `t` lies when it is known. Keeps no reference.
void note_address(const Tensor& t, std::vector<const void*>& into) {
  t.register_hook([&into](const Tensor& grad) { into.push_back(grad.data_ptr()); });
}

std::vector<float> values(const Tensor& t) {
  const float* data = t.data_ptr<float>();
  return {data, data + t.numel()};
}

TEST(SpareGradient, AChainOfPointwiseOpsWorksInOneBlock) {
  const Tensor x = leaf();
  std::vector<const void*> at;
  Tensor y = x.tanh();
  note_address(y, at);
  y = y.sigmoid();
  note_address(y, at);
  y = y * 3;
  note_address(y, at);
  (y * leaf().detach()).sum().backward();
  ASSERT_EQ(at.size(), 3);
  EXPECT_EQ(at[0], at[1]);
  EXPECT_EQ(at[1], at[2]);
  EXPECT_EQ(x.grad().data_ptr(), at[0]);  // AccumulateGrad takes it as well
}

TEST(SpareGradient, BothOperandsOfAProductGetTheirOwn) {
  const Tensor a = leaf(), b = (leaf() + 1).detach().requires_grad_();
  ((a * b) * 2).sum().backward();
  EXPECT_NE(a.grad().data_ptr(), b.grad().data_ptr());
  EXPECT_TRUE(a.grad().equal(b.detach() * 2));
  EXPECT_TRUE(b.grad().equal(a.detach() * 2));
}

TEST(SpareGradient, OneOperandOfAProductTakesItWhereTheOtherNeedsNone) {
  const Tensor a = leaf(), b = (leaf() + 1).detach();
  std::vector<const void*> at;
  const Tensor y = a * b;
  note_address(y, at);
  (y * 2).sum().backward();
  EXPECT_EQ(a.grad().data_ptr(), at[0]);
  EXPECT_TRUE(a.grad().equal(b * 2));
}

TEST(SpareGradient, TheCallersGradientStays) {
  const Tensor x = leaf(), given = leaf().detach(), before = given.clone();
  x.tanh().backward(given);
  EXPECT_TRUE(given.equal(before));
  const Tensor z = leaf();
  grad({z.tanh()}, {z}, {given});
  EXPECT_TRUE(given.equal(before));
}

TEST(SpareGradient, WhatAHookKeepsStays) {
  const Tensor x = leaf();
  const Tensor y = x.exp();
  Tensor kept;
  y.register_hook([&](const Tensor& grad) { kept = grad; });
  (y * 3).sum().backward();
  EXPECT_TRUE(kept.equal(full({kSize}, 3)));
  EXPECT_TRUE(x.grad().equal(x.detach().exp() * 3));
}

TEST(SpareGradient, AViewThatAHookKeepsStays) {
  const Tensor x = leaf();
  const Tensor y = x.exp();
  Tensor kept;
  y.register_hook([&](const Tensor& grad) { kept = grad.slice(0, 0, 10); });
  (y * 3).sum().backward();
  EXPECT_TRUE(kept.equal(full({10}, 3)));
}

TEST(SpareGradient, RetainedAndRequestedGradientsStay) {
  const Tensor x = leaf();
  const Tensor y = x.exp();
  y.retain_grad();
  (y * 3).sum().backward();
  EXPECT_TRUE(y.grad().equal(full({kSize}, 3)));

  const Tensor u = leaf();
  const Tensor v = u.exp();
  const auto grads = grad({(v * 3).sum()}, {v, u});
  EXPECT_TRUE(grads[0].equal(full({kSize}, 3)));
  EXPECT_TRUE(grads[1].equal(u.detach().exp() * 3));
}

TEST(SpareGradient, WhatAPostHookSeesIsWhatCameIn) {
  const Tensor x = leaf();
  const Tensor y = x.exp();
  Tensor in;
  y.grad_fn()->add_post_hook([&](const variable_list&, const variable_list& inputs) {
    in = inputs[0];
    return variable_list();
  });
  (y * 3).sum().backward();
  EXPECT_TRUE(in.equal(full({kSize}, 3)));
}

TEST(SpareGradient, OneGradientForTwoNodesServesBoth) {
  const Tensor a = leaf(), b = leaf();
  const Tensor p = a.exp(), q = b.tanh();
  ((p + q) * 5).sum().backward();  // both get the same tensor
  EXPECT_TRUE(a.grad().equal(a.detach().exp() * 5));
  const Tensor t = b.detach().tanh();
  EXPECT_TRUE(b.grad().allclose((1 - t * t) * 5));
}

/// Gives memory that is not the library's.
struct FromOutside : Function<FromOutside> {
  static inline float memory[kSize];
  static Tensor forward(AutogradContext*, const Tensor& x) { return x.clone(); }
  static variable_list backward(AutogradContext*, const variable_list&) {
    for (float& value : memory) value = 7;
    return {from_blob(memory, {kSize})};
  }
};

TEST(SpareGradient, MemoryFromOutsideStays) {
  const Tensor x = leaf();
  FromOutside::apply(x.exp()).sum().backward();
  for (const float value : FromOutside::memory) ASSERT_EQ(value, 7);
  EXPECT_TRUE(x.grad().equal(x.detach().exp() * 7));
}

TEST(SpareGradient, ABroadcastOrConvertedGradientGetsMemoryOfItsOwn) {
  const Tensor x = leaf(), wide = rand({3, kSize});
  (x * wide).sum().backward();
  EXPECT_TRUE(x.grad().allclose(wide.sum(0)));
  const Tensor h = leaf().detach().to(kHalf).requires_grad_();
  const Tensor w = rand({kSize});
  (h.exp() * w).sum().backward();
  EXPECT_EQ(h.grad().scalar_type(), kHalf);
  EXPECT_TRUE(h.grad().to(kFloat).allclose(h.detach().to(kFloat).exp() * w, 2e-3, 1e-3));
}

TEST(SpareGradient, StridesAreThoseOfAFreshResult) {
  const Tensor x = rand({30, 40}).requires_grad_();
  const auto grad_of = [&](const Tensor& weight, bool kept) {
    const Tensor y = x.t().exp();
    Tensor keeper;
    y.register_hook([&](const Tensor& grad) {
      if (kept) keeper = grad;
    });
    return grad({(y * weight).sum()}, {x})[0];
  };
  for (const Tensor& weight : {rand({30, 40}).t(), rand({40, 30}), rand({40, 1}), rand({30})}) {
    const Tensor found = grad_of(weight, false);
    EXPECT_EQ(found.strides(), grad_of(weight, true).strides());
    EXPECT_TRUE(found.allclose(x.detach().exp() * weight.expand({40, 30}).t()));
  }
}

TEST(SpareGradient, SecondDerivativesSeeTheFirst) {
  const Tensor x = leaf();
  const Tensor first = grad({(x.exp() * 3).sum()}, {x}, {}, true, /*create_graph=*/true)[0];
  const std::vector<float> before = values(first.detach());
  const Tensor second = grad({(first * first).sum()}, {x})[0];
  EXPECT_EQ(values(first.detach()), before);
  EXPECT_TRUE(second.allclose((x.detach() * 2).exp() * 18));
}

TEST(SpareGradient, AKeptGraphRunsAgain) {
  const Tensor x = leaf();
  const Tensor y = (x.tanh().sigmoid() * 3).sum();
  y.backward({}, /*retain_graph=*/true);
  const Tensor once = x.grad().clone();
  y.backward({}, true);
  EXPECT_TRUE(x.grad().equal(once * 2));
}

}  // namespace
}  // namespace lanewise::autograd
