#include <thread>

#include <lanewise/autograd/accumulate_grad.h>
#include <lanewise/autograd/hooks.h>

#include "helpers.h"

namespace lanewise::autograd {
namespace {

TEST(Accumulator, IsTheSameInOneGraphAfterAnother) {
  const Tensor x = leaf({1, 2});
  const Node* first = (x * 2).grad_fn()->next_edge(0).function.get();
  const Tensor y = x * 3, z = x * 4;
  EXPECT_EQ(y.grad_fn()->next_edge(0).function.get(), first);
  EXPECT_EQ(z.grad_fn()->next_edge(0).function.get(), first);
  EXPECT_TRUE(
      std::dynamic_pointer_cast<AccumulateGrad>(z.grad_fn()->next_edge(0).function)->variable().is_same(x));
}

TEST(Accumulator, KeepsALeafThatNobodyElseHolds) {
  std::vector<double> seen;
  Tensor y, same;
  {
    const Tensor x = leaf({2, 3});
    register_post_accumulate_grad_hook(x, [&](const Tensor& t) {
      seen = values(t.grad());
      same = t;
    });
    y = x * x;
  }
  y.sum().backward({}, true);
  EXPECT_EQ(seen, (std::vector<double>{4, 6}));
  // The leaf that comes out of the graph is an ordinary one, with the same accumulator.
  const Tensor z = same * 5;
  EXPECT_EQ(z.grad_fn()->next_edge(0).function, impl::try_get_grad_accumulator(same));
  z.sum().backward();
  EXPECT_VALUES(same.grad(), 9, 11);
}

TEST(Accumulator, LetsTheLeafGoWithTheGraph) {
  std::weak_ptr<int> alive;
  Tensor y;
  {
    const auto token = std::make_shared<int>();
    alive = token;
    const Tensor x = leaf({2, 3});
    x.register_hook([token](const Tensor&) {});
    y = x * 2;
  }
  EXPECT_FALSE(alive.expired());  // the graph keeps the leaf, the leaf its hook
  y = Tensor();
  EXPECT_TRUE(alive.expired());
}

TEST(Accumulator, LeafThatOutlivesItsGraphsIsFreed) {
  std::weak_ptr<int> alive;
  {
    const auto token = std::make_shared<int>();
    alive = token;
    const Tensor x = leaf({2, 3});
    x.register_hook([token](const Tensor&) {});
    (x * 2).sum().backward();
  }
  EXPECT_TRUE(alive.expired());
}

TEST(Accumulator, NodeHooksLastAsLongAsAGraph) {
  const Tensor x = leaf({1.0});
  int calls = 0;
  {
    const Tensor y = x * 2;
    impl::grad_accumulator(x)->add_pre_hook([&](const variable_list&) {
      ++calls;
      return variable_list();
    });
    y.backward();
  }
  EXPECT_EQ(calls, 1);
  (x * 2).backward();
  EXPECT_EQ(calls, 1);
  const std::shared_ptr<Node> held = impl::grad_accumulator(x);
  held->add_post_hook([&](const variable_list&, const variable_list&) {
    ++calls;
    return variable_list();
  });
  (x * 2).backward();
  EXPECT_EQ(calls, 2);
}

TEST(Accumulator, OfALeafWithOtherData) {
  const Tensor x = leaf({1, 2});
  const Tensor y = x * 2;
  x.set_data(constant({4, 5, 6}));
  const Tensor z = x * x;  // the old graph still knows the old shape
  z.sum().backward();
  EXPECT_VALUES(x.grad(), 8, 10, 12);
  x.mutable_grad() = Tensor();
  y.sum().backward();
  EXPECT_VALUES(x.grad(), 2, 2);
}

TEST(Accumulator, OfALeafThatIsFrozenSinceTakesNothing) {
  const Tensor x = leaf({1, 2}), w = leaf({3, 4});
  const Tensor y = (x * w).sum();
  x.requires_grad_(false);
  y.backward();
  EXPECT_FALSE(x.grad().defined());
  EXPECT_VALUES(w.grad(), 1, 2);
}

TEST(Accumulator, ThreadsReadAndDropOneLeaf) {
  for (int round = 0; round < 300; ++round) {
    Tensor x = leaf({1.0, 2.0});
    Tensor a = x * 2, b = x * 3;
    std::thread one([y = std::move(a)]() mutable {
      y.sum().backward();
      y = Tensor();
    });
    std::thread other([y = std::move(b)]() mutable { y = Tensor(); });
    x = Tensor();
    one.join();
    other.join();
  }
}

}  // namespace
}  // namespace lanewise::autograd
