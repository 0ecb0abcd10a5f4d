#include <lanewise/autograd/hooks.h>

#include "helpers.h"

namespace lanewise::autograd {
namespace {

TEST(Hooks, ReplaceInOrderAndCanBeRemoved) {
  const Tensor x = leaf({1.0});
  const Tensor y = x * 2;
  std::vector<int> order;
  const unsigned first = y.register_hook([&](const Tensor& g) {
    order.push_back(1);
    return g * 3;
  });
  y.register_hook([&](const Tensor& g) {
    order.push_back(2);
    return g + 1;
  });
  y.register_hook([&](const Tensor& g) {
    order.push_back(3);
    EXPECT_VALUES(g, 4);
  });
  y.backward({}, true);
  EXPECT_VALUES(x.grad(), 8);
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
  y.remove_hook(first);
  order.clear();
  y.remove_hook(2);
  y.backward();
  EXPECT_VALUES(x.grad(), 8 + 4);
  EXPECT_EQ(order, (std::vector<int>{2}));
  EXPECT_THROW(y.remove_hook(7), IndexError);
}

TEST(Hooks, OnALeafBeforeAndAfterTheGraphExists) {
  const Tensor x = leaf({1.0});
  x.register_hook([](const Tensor& g) { return g * 10; });
  const Tensor y = x * 2;
  x.register_hook([](const Tensor& g) { return g + 1; });
  y.backward();
  EXPECT_VALUES(x.grad(), 21);
  (x * 3).backward();
  EXPECT_VALUES(x.grad(), 21 + 31);
}

TEST(Hooks, SeeTheWholeGradient) {
  const Tensor x = leaf({1.0});
  int calls = 0;
  x.register_hook([&](const Tensor& g) {
    ++calls;
    EXPECT_VALUES(g, 7);
  });
  (x * 3 + x * 4).backward();
  EXPECT_EQ(calls, 1);
}

TEST(Hooks, RetainGrad) {
  const Tensor x = leaf({2.0});
  Tensor y = x * 3;
  EXPECT_FALSE(y.retains_grad());
  y.retain_grad();
  y.retain_grad();
  EXPECT_TRUE(y.retains_grad());
  y.register_hook([](const Tensor& g) { return g * 2; });
  const Tensor z = y * y;
  z.backward({}, true);
  EXPECT_VALUES(y.grad(), 24);
  z.backward({}, true);
  EXPECT_VALUES(y.grad(), 48);
  y = Tensor();  // its storage for the gradient dies with it
  z.backward();
  EXPECT_VALUES(x.grad(), 3 * 72);
  EXPECT_THROW(constant({1}).retain_grad(), AutogradError);
}

TEST(Hooks, StayWithTheOldValueWhenATensorIsModified) {
  const Tensor x = leaf({1.0});
  Tensor y = x * 3;
  std::vector<double> seen;
  y.register_hook([&](const Tensor& g) { seen.push_back(g.item<double>()); });
  y.retain_grad();
  y.mul_(2);
  y.register_hook([&](const Tensor& g) { seen.push_back(g.item<double>() * 100); });
  (y * 5).backward();
  EXPECT_EQ(seen, (std::vector<double>{500, 10}));
  EXPECT_VALUES(y.grad(), 5);
  EXPECT_VALUES(x.grad(), 30);
}

TEST(Hooks, OfNodes) {
  const Tensor x = leaf({1.0});
  const Tensor y = x * 2;
  std::vector<std::string> order;
  y.register_hook([&](const Tensor&) { order.push_back("tensor"); });
  const std::uint64_t pre = y.grad_fn()->add_pre_hook([&](const variable_list& grads) {
    order.push_back("pre");
    return variable_list{grads[0] * 10};
  });
  y.grad_fn()->add_post_hook([&](const variable_list& outputs, const variable_list& inputs) {
    order.push_back("post");
    EXPECT_VALUES(inputs[0], 10);
    variable_list replaced = outputs;
    replaced[0] = outputs[0] + 1;
    return replaced;
  });
  y.backward({}, true);
  EXPECT_EQ(order, (std::vector<std::string>{"tensor", "pre", "post"}));
  EXPECT_VALUES(x.grad(), 21);
  EXPECT_TRUE(y.grad_fn()->remove_pre_hook(pre));
  EXPECT_FALSE(y.grad_fn()->remove_pre_hook(pre));
}

TEST(Hooks, OfNodesMayRemoveThemselvesAndOthers) {
  const Tensor x = leaf({2.0});
  const Tensor y = x * 3;
  const std::shared_ptr<Node> node = y.grad_fn();
  std::string order;
  std::uint64_t once = 0, later = 0;
  const auto note = [&](char name) {
    return [&order, name](const variable_list&) {
      order += name;
      return variable_list();
    };
  };
  once = node->add_pre_hook([&](const variable_list&) {
    order += 'a';
    EXPECT_TRUE(node->remove_pre_hook(once));
    return variable_list();
  });
  node->add_pre_hook(note('b'));
  node->add_pre_hook([&](const variable_list&) {
    order += 'c';
    node->remove_pre_hook(later);
    return variable_list();
  });
  later = node->add_pre_hook(note('d'));
  node->add_pre_hook(note('e'));
  y.backward({}, true);
  EXPECT_EQ(order, "abce");
  y.backward({}, true);
  EXPECT_EQ(order, "abcebce");
}

TEST(Hooks, PostAccumulate) {
  const Tensor x = leaf({1.0});
  std::vector<double> seen;
  const unsigned handle = register_post_accumulate_grad_hook(
      x, [&](const Tensor& t) { seen.push_back(t.grad().item<double>()); });
  (x * 2).backward();
  (x * 3).backward();
  remove_post_accumulate_grad_hook(x, handle);
  (x * 4).backward();
  EXPECT_EQ(seen, (std::vector<double>{2, 5}));
  EXPECT_THROW(register_post_accumulate_grad_hook(x * 2, [](const Tensor&) {}), AutogradError);
}

TEST(Hooks, HandlesRemove) {
  const Tensor x = leaf({1.0});
  const Tensor y = x * 2;
  int calls = 0;
  RemovableHandle of_tensor = register_hook(y, [&](const Tensor& g) { return ++calls, g * 10; });
  RemovableHandle before =
      register_prehook(y.grad_fn(), [&](const variable_list&) { return ++calls, variable_list(); });
  RemovableHandle after = register_hook(
      y.grad_fn(), [&](const variable_list&, const variable_list&) { return ++calls, variable_list(); });
  y.backward({}, true);
  EXPECT_EQ(calls, 3);
  EXPECT_VALUES(x.grad(), 20);
  for (RemovableHandle* handle : {&of_tensor, &before, &after, &of_tensor}) handle->remove();
  y.backward();
  EXPECT_EQ(calls, 3);
  EXPECT_VALUES(x.grad(), 22);
}

TEST(Hooks, OfSeveralTensors) {
  const Tensor x = leaf({1.0}), w = leaf({2.0}), unused = leaf({3.0});
  const Tensor y = x * w;
  std::vector<variable_list> all;
  std::vector<double> first;
  RemovableHandle handle =
      register_multi_grad_hook({y, w, unused, x}, [&](const variable_list& grads) { all.push_back(grads); });
  RemovableHandle any =
      register_multi_grad_hook_any({x, y, w}, [&](const Tensor& g) { first.push_back(g.item<double>()); });
  const Tensor out = y * 5;
  out.backward({}, true);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_VALUES(all[0][0], 5);
  EXPECT_VALUES(all[0][1], 5);
  EXPECT_FALSE(all[0][2].defined());
  EXPECT_VALUES(all[0][3], 10);
  EXPECT_EQ(first, (std::vector<double>{5}));
  grad({out}, {x}, {}, true);  // y comes by, w does not
  ASSERT_EQ(all.size(), 2u);
  EXPECT_FALSE(all[1][1].defined());
  EXPECT_VALUES(all[1][3], 10);
  EXPECT_EQ(first.size(), 2u);
  handle.remove();
  any.remove();
  out.backward();
  EXPECT_EQ(all.size(), 2u);
  EXPECT_EQ(first.size(), 2u);
}

// PyTorch 2: where a gradient is asked for and its node does not run, the tensor's hooks have seen it
// (in 1.13 they had not); where the node runs, what is returned is the gradient before the hooks, as in 1.13.
TEST(Hooks, AndGradientsThatAreAskedFor) {
  const Tensor x = leaf({2.0});
  const Tensor y = x * x;
  const Tensor z = y * 3;
  y.register_hook([](const Tensor& g) { return g * 10; });
  x.register_hook([](const Tensor& g) { return g * 100; });
  EXPECT_VALUES(grad({z}, {y}, {}, true)[0], 30);
  EXPECT_VALUES(grad({z}, {x}, {}, true)[0], 12000);
  const variable_list both = grad({z}, {y, x}, {}, true);
  EXPECT_VALUES(both[0], 3);
  EXPECT_VALUES(both[1], 12000);
}

TEST(Hooks, TensorPreHooksAndRetainedGradients) {
  const Tensor x = leaf({2.0});
  const Tensor y = x * 3;
  std::vector<std::string> order;
  y.retain_grad();
  y.grad_fn()->add_pre_hook([&](const variable_list& grads) {
    order.push_back("pre");
    return variable_list{grads[0] * 100};
  });
  y.grad_fn()->add_tensor_pre_hook([&](const variable_list& grads) {
    order.push_back("tensor pre");
    return variable_list{grads[0] * 10};
  });
  y.register_hook([&](const Tensor&) { order.push_back("tensor"); });
  y.backward();
  EXPECT_EQ(order, (std::vector<std::string>{"tensor", "tensor pre", "pre"}));
  EXPECT_VALUES(y.grad(), 10);
  EXPECT_VALUES(x.grad(), 3000);
}

TEST(Hooks, RetainedGradientsFollowAViewWhoseBaseIsModified) {
  const Tensor x = leaf({1, 2});
  Tensor y = x * 2;
  const Tensor z = y.narrow(0, 0, 2);
  z.retain_grad();
  y.mul_(3);
  z.sum().backward();
  EXPECT_VALUES(z.grad(), 1, 1);
  EXPECT_VALUES(x.grad(), 6, 6);
}

TEST(Hooks, OfSeveralTensorsKeepNothingOfARunThatThrew) {
  const Tensor x = leaf({1, 2});
  const Tensor y = x * 2;
  double memory[] = {3, 4};
  bool freed = false;
  y.register_hook([&](const Tensor&) {
    return from_blob(
        memory, {2}, [&](void*) { freed = true; }, kDouble);
  });
  int calls = 0;
  const RemovableHandle handle = register_multi_grad_hook({y, x}, [&](const variable_list&) { ++calls; });
  const unsigned bad = x.register_hook([](const Tensor&) -> Tensor { throw std::logic_error("stop"); });
  EXPECT_THROW(y.sum().backward({}, true), std::logic_error);
  EXPECT_TRUE(freed);
  EXPECT_EQ(calls, 0);
  x.remove_hook(bad);
  y.sum().backward();
  EXPECT_EQ(calls, 1);
}

TEST(Hooks, OfResultsWithoutAGradient) {
  const Tensor x = leaf({1.0, 2.0});
  int leaf_calls = 0;
  x.register_hook([&](const Tensor&) { ++leaf_calls; });
  const auto halves = (x * 2).unbind();
  std::vector<bool> seen;
  halves[0].register_hook([&](const Tensor& g) {
    seen.push_back(g.defined());
    return Tensor();
  });
  halves[1].backward();
  EXPECT_EQ(seen, std::vector<bool>{false});
  EXPECT_EQ(leaf_calls, 1);
  const auto again = (x * 2).unbind();
  again[0].register_hook([](const Tensor&) { return ones({}, kDouble); });
  EXPECT_THROW(again[1].backward(), AutogradError);  // it must stay undefined
}

TEST(Hooks, WrongTypeIsAnError) {
  const Tensor x = leaf({1, 2});
  x.register_hook([](const Tensor& g) { return g.to(kFloat); });
  EXPECT_THROW((x * 2).sum().backward(), AutogradError);
}

TEST(Hooks, WrongShapeIsAnError) {
  const Tensor x = leaf({1, 2});
  const Tensor y = x * 2;
  y.register_hook([](const Tensor& g) { return g.sum(); });
  EXPECT_THROW(y.sum().backward(), AutogradError);
  EXPECT_THROW(constant({1}).register_hook([](const Tensor&) {}), AutogradError);
}

TEST(Hooks, MayRegisterOthersAndThrow) {
  const Tensor x = leaf({1.0});
  const Tensor y = x * 2;
  int later = 0;
  y.register_hook([&](const Tensor&) { y.register_hook([&](const Tensor&) { ++later; }); });
  y.backward({}, true);
  EXPECT_EQ(later, 1);
  const unsigned bad = y.register_hook([](const Tensor&) { throw std::logic_error("stop"); });
  EXPECT_THROW(y.backward({}, true), std::logic_error);
  y.remove_hook(bad);
  y.backward();
  EXPECT_VALUES(x.grad(), 4);
}

TEST(RetainGrad, MayFreeTheTensorThatItIsOf) {
  const Tensor x = leaf({1.0});
  Tensor w;
  {
    const Tensor y = x * 2;
    y.retain_grad();
    w = y + 1;
    (y * y * y).backward({}, true, /*create_graph=*/true);  // y.grad() has a graph, which saves y
  }
  x.mutable_grad() = Tensor();
  w.backward();
  EXPECT_VALUES(x.grad(), 2);
}

}  // namespace
}  // namespace lanewise::autograd
