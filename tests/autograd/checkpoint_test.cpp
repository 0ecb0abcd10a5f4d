#include <thread>

#include <lanewise/autograd/checkpoint.h>
#include <lanewise/tensor/generator.h>

#include "../call.h"
#include "helpers.h"

namespace lanewise::autograd {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(Checkpoint, SameGradientsFromASecondRun) {
  int runs = 0;
  const Tensor x = leaf({0.1, 0.2}), w = leaf({2, 3});
  const auto fn = [&](const Tensor& t) {
    ++runs;
    return ((t * w).tanh() * t).exp();
  };
  const auto wanted = grad({fn(x).sum()}, {x, w});
  runs = 0;
  const Tensor y = checkpoint(fn, x);
  EXPECT_EQ(runs, 1);
  const auto found = grad({y.sum()}, {x, w}, {}, /*retain_graph=*/true);
  EXPECT_EQ(runs, 2);
  EXPECT_TRUE(found[0].equal(wanted[0]) && found[1].equal(wanted[1]));
  const auto again = grad({y.sum()}, {x, w});
  EXPECT_TRUE(again[0].equal(wanted[0]) && again[1].equal(wanted[1]));
  EXPECT_EQ(runs, 3);
}

TEST(Checkpoint, SameRandomNumbers) {
  const Tensor x = leaf({1, 2, 3, 4, 5, 6, 7, 8});
  const auto fn = [](const Tensor& t) { return t * t * rand({8}, kDouble); };
  manual_seed(7);
  const Tensor y = checkpoint(fn, x);
  const Tensor after = rand({3});
  const Tensor g = grad({y.sum()}, {x})[0];
  EXPECT_TRUE(allclose(g * x * 0.5, y.detach()));
  manual_seed(7);
  fn(x);
  EXPECT_TRUE(rand({3}).equal(after));
}

TEST(Checkpoint, Nests) {
  const Tensor x = leaf({0.1, 0.2});
  int inner_runs = 0;
  const auto inner = [&](const Tensor& t) {
    ++inner_runs;
    return t.exp().tanh();
  };
  const auto outer = [&](const Tensor& t) { return checkpoint(inner, t.sin() * 2).cos(); };
  const Tensor wanted = grad({inner(x.sin() * 2).cos().sum()}, {x})[0];
  inner_runs = 0;
  EXPECT_TRUE(grad({checkpoint(outer, x).sum()}, {x})[0].equal(wanted));
  EXPECT_GE(inner_runs, 2);
}

TEST(Checkpoint, SecondDerivatives) {
  const Tensor x = leaf({0.1, 0.2});
  const auto fn = [](const Tensor& t) { return (t * t * t).exp(); };
  const auto second = [&](const Tensor& y) {
    const Tensor g = grad({y.sum()}, {x}, {}, true, true)[0];
    return grad({(g * g).sum()}, {x})[0];
  };
  EXPECT_TRUE(allclose(second(checkpoint(fn, x)), second(fn(x))));
}

TEST(Checkpoint, SeveralInputsAndOutputs) {
  const Tensor a = leaf({1, 2}), b = constant({3, 4});
  const auto fn = [](const variable_list& in) { return variable_list{in[0] * in[1], in[0].exp()}; };
  const variable_list y = checkpoint(fn, {a, b});
  const Tensor g = grad({y[0].sum(), y[1].sum()}, {a})[0];
  EXPECT_TRUE(allclose(g, b + a.detach().exp()));
  const NoGradGuard guard;
  EXPECT_FALSE(checkpoint(fn, {a, b})[0].requires_grad());
}

TEST(Checkpoint, NoticesAnotherSecondRun) {
  const Tensor x = leaf({1, 2}), w = leaf({3, 4});
  int runs = 0;
  const auto shape = [&](const Tensor& t) { return runs++ == 0 ? t * t : (t * t).sum(); };
  const Tensor y = checkpoint(shape, x);
  EXPECT_THAT(Call([&] { grad({y.sum()}, {x}); }),
              ThrowsMessage<AutogradError>(HasSubstr("different metadata")));
  runs = 0;
  const auto captured = [&](const Tensor& t) { return runs++ == 0 ? t * w : t * t; };
  const Tensor z = checkpoint(captured, x);
  EXPECT_THAT(Call([&] { grad({z.sum()}, {x}); }),
              ThrowsMessage<AutogradError>(HasSubstr("depends on other tensors")));
  for (const std::size_t again : {1u, 3u}) {
    runs = 0;
    const auto number = [&](const variable_list& in) {
      return variable_list(runs++ == 0 ? 2 : again, in[0] * 2);
    };
    const variable_list two = checkpoint(number, variable_list{x});
    EXPECT_THAT(Call([&] { grad({two[0].sum()}, {x}); }),
                ThrowsMessage<AutogradError>(HasSubstr("values were recomputed")));
  }
}

TEST(Checkpoint, KeepsNoIntermediateResults) {
  const Tensor x = leaf({1, 2}), w = leaf({3, 4});
  const Tensor scaled = w * 2;  // captured, not a leaf
  const Tensor y = checkpoint([&](const Tensor& t) { return (t * scaled).exp().tanh(); }, x);
  EXPECT_EQ(y.grad_fn()->name(), "CheckpointBackward");
  ASSERT_EQ(y.grad_fn()->num_outputs(), 2u);
  EXPECT_EQ(next_name(*y.grad_fn(), 1), "MulBackward0");
  y.sum().backward();
  const Tensor wanted = grad({(x * (w * 2)).exp().tanh().sum()}, {w})[0];
  EXPECT_TRUE(w.grad().equal(wanted));
  EXPECT_THROW(y.sum().backward(), AutogradError);  // its inputs were freed
}

TEST(Checkpoint, CapturesWhatAnotherThreadMade) {
  const Tensor x = leaf({1, 2}), w = leaf({0.5, 1.0});
  Tensor captured;
  std::thread([&] {
    for (int i = 0; i < 1000; ++i) w.exp();
    captured = w.exp().sin();
  }).join();
  const Tensor y = checkpoint([&](const Tensor& t) { return (t * captured).exp(); }, x);
  ASSERT_EQ(y.grad_fn()->num_outputs(), 2u);
  EXPECT_EQ(next_name(*y.grad_fn(), 1), "SinBackward0");
  (y.sum() + captured.sum()).backward();
  const Tensor again = w.exp().sin();
  EXPECT_TRUE(w.grad().equal(grad({(x * again).exp().sum() + again.sum()}, {w})[0]));
}

TEST(Checkpoint, Sequential) {
  const Tensor x = leaf({0.1, 0.2});
  int runs = 0;
  std::vector<std::function<Tensor(const Tensor&)>> layers;
  for (int i = 0; i < 5; ++i) {
    layers.emplace_back([&runs, i](const Tensor& t) {
      ++runs;
      return (t * (i + 1)).tanh();
    });
  }
  Tensor plain = x;
  for (const auto& layer : layers) plain = layer(plain);
  runs = 0;
  const Tensor y = checkpoint_sequential(layers, 2, x);
  EXPECT_TRUE(y.equal(plain));
  EXPECT_EQ(runs, 5);
  EXPECT_TRUE(grad({y.sum()}, {x})[0].equal(grad({plain.sum()}, {x})[0]));
  EXPECT_EQ(runs, 7);  // the first two again
  EXPECT_THROW(checkpoint_sequential(layers, 6, x), ValueError);
}

}  // namespace
}  // namespace lanewise::autograd
