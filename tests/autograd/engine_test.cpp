#include <stdexcept>

#include <lanewise/autograd/engine.h>
#include <lanewise/autograd/graph_root.h>

#include "../call.h"
#include "helpers.h"

namespace lanewise::autograd {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(Engine, GradReturnsWithoutAccumulating) {
  const Tensor x = leaf({2, 3});
  const Tensor y = leaf({5, 7});
  const variable_list grads = grad({(x * y).sum()}, {x, y});
  EXPECT_VALUES(grads[0], 5, 7);
  EXPECT_VALUES(grads[1], 2, 3);
  EXPECT_FALSE(x.grad().defined());
}

TEST(Engine, GradOfIntermediate) {
  const Tensor x = leaf({2, 3});
  const Tensor y = x * x;
  const variable_list grads = grad({(y * 3).sum()}, {y, x, y});
  EXPECT_VALUES(grads[0], 3, 3);
  EXPECT_VALUES(grads[1], 12, 18);
  EXPECT_VALUES(grads[2], 3, 3);
}

TEST(Engine, UnusedInputs) {
  const Tensor x = leaf({2, 3});
  const Tensor unused = leaf({1});
  EXPECT_THAT(Call([&] { grad({(x * 2).sum()}, {unused}); }),
              ThrowsMessage<AutogradError>(HasSubstr("allow_unused")));
  const variable_list grads = grad({(x * 2).sum()}, {unused, x}, {}, std::nullopt, false, true);
  EXPECT_FALSE(grads[0].defined());
  EXPECT_VALUES(grads[1], 2, 2);
  EXPECT_THAT(Call([&] { grad({(x * 2).sum()}, {constant({1})}); }),
              ThrowsMessage<AutogradError>(HasSubstr("does not require grad")));
}

TEST(Engine, UnusedInputsAsZeros) {
  const Tensor x = leaf({2, 3}), unused = leaf({{1, 2}});
  const variable_list grads =
      grad({(x * 2).sum()}, {unused, x}, {}, std::nullopt, false, false, /*materialize_grads=*/true);
  EXPECT_VALUES(grads[0], 0, 0);
  EXPECT_EQ(grads[0].sizes(), IntArrayRef({1, 2}));
  EXPECT_VALUES(grads[1], 2, 2);
}

TEST(Engine, InputsRestrictBackward) {
  const Tensor x = leaf({2.0}), y = leaf({3.0});
  const Tensor z = x * y;
  const Tensor out = z * z;
  out.backward({}, true, false, ArrayRef<Tensor>{x});
  EXPECT_VALUES(x.grad(), 36);
  EXPECT_FALSE(y.grad().defined());
  out.backward({}, false, false, ArrayRef<Tensor>{z, y});
  EXPECT_VALUES(z.grad(), 12);
  EXPECT_VALUES(y.grad(), 24);
  EXPECT_VALUES(x.grad(), 36);
}

/// Counts its runs.
struct Counter : Node {
  explicit Counter(int* runs) : runs_(runs) {}
  int* runs_;

 protected:
  variable_list apply(variable_list&& grads) override {
    ++*runs_;
    return std::move(grads);
  }
};

Tensor through(std::shared_ptr<Node> node, const Tensor& t) {
  node->set_next_edges(collect_next_edges(t));
  Tensor out = t.detach();
  set_history(out, std::move(node));
  return out;
}

TEST(Engine, PrunedBranchesDoNotRun) {
  const Tensor x = leaf({2.0}), y = leaf({3.0});
  int of_x = 0, of_y = 0;
  const Tensor out = through(make_node<Counter>(&of_x), x * 1) + through(make_node<Counter>(&of_y), y * 1);
  grad({out}, {x});
  EXPECT_EQ(of_x, 1);
  EXPECT_EQ(of_y, 0);
}

TEST(Engine, NodeRunsOnceAfterAllItsGradients) {
  const Tensor x = leaf({2.0});
  int runs = 0;
  const Tensor shared = through(make_node<Counter>(&runs), x * 1);
  const Tensor out = shared * 3 + (shared * 2).tanh() * 0 + shared;
  out.backward();
  EXPECT_EQ(runs, 1);
  EXPECT_VALUES(x.grad(), 4);
}

TEST(Engine, SeveralRootsOneBehindTheOther) {
  const Tensor x = leaf({2.0});
  const Tensor y = x * x;
  const Tensor z = y * 3;
  backward({y, z, y}, {constant({1}), constant({10}), constant({100})});
  EXPECT_VALUES(x.grad(), 4 * (1 + 30 + 100));
}

TEST(Engine, LeafAsRoot) {
  const Tensor x = leaf({2.0});
  x.backward();
  x.backward(constant({3}));
  EXPECT_VALUES(x.grad(), 4);
}

TEST(Engine, GradientsAreReducedAndCast) {
  struct Sends : Node {
    explicit Sends(Tensor g) : grad_(std::move(g)) {}
    Tensor grad_;

   protected:
    variable_list apply(variable_list&&) override { return {grad_}; }
  };
  const Tensor x = ones({2, 1}).requires_grad_();
  through(make_node<Sends>(ones({3, 2, 4}, TensorOptions(kDouble))), x).sum().backward();
  EXPECT_EQ(x.grad().scalar_type(), kFloat);
  EXPECT_EQ(x.grad().sizes(), IntArrayRef({2, 1}));
  EXPECT_VALUES(x.grad(), 12, 12);

  const Tensor bad = through(make_node<Sends>(ones({2, 3})), ones({2, 2}).requires_grad_());
  EXPECT_THAT(Call([&] { bad.sum().backward(); }),
              ThrowsMessage<AutogradError>(HasSubstr("expected shape compatible with [2, 2]")));
  const Tensor complex = full({2}, std::complex<double>(3, 4), TensorOptions(kComplexDouble));
  const Tensor r = leaf({1, 1});
  through(make_node<Sends>(complex), r).sum().backward();
  EXPECT_VALUES(r.grad(), 3, 3);
}

TEST(Engine, WrongNumberOfGradients) {
  struct Two : Node {
   protected:
    variable_list apply(variable_list&& grads) override { return {grads[0], grads[0]}; }
  };
  const Tensor out = through(make_node<Two>(), leaf({1.0}));
  EXPECT_THAT(Call([&] { out.backward(); }),
              ThrowsMessage<AutogradError>(HasSubstr("invalid number of gradients")));
}

TEST(Engine, ExceptionsLeaveTheGraphUsable) {
  struct Fails : Node {
    int failures = 1;

   protected:
    variable_list apply(variable_list&& grads) override {
      if (failures-- > 0) throw std::runtime_error("not today");
      return std::move(grads);
    }
  };
  const Tensor x = leaf({2.0});
  const Tensor out = through(make_node<Fails>(), x * x);
  EXPECT_THROW(out.backward({}, true), std::runtime_error);
  EXPECT_FALSE(x.grad().defined());
  out.backward();
  EXPECT_VALUES(x.grad(), 4);
  EXPECT_TRUE(GradMode::is_enabled());
}

TEST(Engine, UndefinedGradientsAreSkipped) {
  struct Nothing : Node {
   protected:
    variable_list apply(variable_list&&) override { return {Tensor()}; }
  };
  const Tensor x = leaf({2.0});
  through(make_node<Nothing>(), x * x).backward();
  EXPECT_FALSE(x.grad().defined());
}

TEST(Engine, SecondDerivatives) {
  const Tensor x = leaf({2.0});
  const Tensor first = grad({x * x * x}, {x}, {}, std::nullopt, /*create_graph=*/true)[0];
  EXPECT_VALUES(first, 12);
  const Tensor second = grad({first}, {x}, {}, std::nullopt, true)[0];
  EXPECT_VALUES(second, 12);
  EXPECT_VALUES(grad({second}, {x})[0], 6);

  const Tensor y = leaf({0.3});
  const double t = std::tanh(0.3);
  y.tanh().backward({}, std::nullopt, true);
  EXPECT_NEAR(y.grad().item<double>(), 1 - t * t, 1e-15);
  EXPECT_NEAR(grad({y.grad()}, {y})[0].item<double>(), -2 * t * (1 - t * t), 1e-15);
  y.mutable_grad() = Tensor();  // its graph leads back to y
}

TEST(Engine, AccumulationRules) {
  const Tensor x = leaf({1, 2});
  (x * 2).sum().backward();
  const Tensor first = x.grad();
  (x * 3).sum().backward();
  EXPECT_TRUE(x.grad().is_same(first));  // in place
  EXPECT_VALUES(first, 5, 5);
  (x * x).sum().backward({}, std::nullopt, /*create_graph=*/true);
  EXPECT_FALSE(x.grad().is_same(first));  // a new tensor, the old one unchanged
  EXPECT_VALUES(first, 5, 5);
  EXPECT_VALUES(x.grad(), 7, 9);
  EXPECT_TRUE(x.grad().requires_grad());
  x.mutable_grad() = Tensor();  // its graph leads back to x

  const Tensor a = leaf({1, 2}), b = leaf({3, 4});
  const Tensor g = constant({1, 1});
  (a + b).backward(g);  // one gradient for both: neither may take it over
  EXPECT_FALSE(a.grad().is_alias_of(b.grad()));
  EXPECT_FALSE(a.grad().is_alias_of(g));
  const Tensor c = leaf({{1, 2}, {3, 4}});
  const Tensor gc = constant({1, 1, 1, 1});
  c.view({4}).backward(gc);
  EXPECT_FALSE(c.grad().is_alias_of(gc));

  const Tensor t = ones({2, 3}, TensorOptions(kDouble)).t().requires_grad_();
  (t * 2).sum().backward();
  EXPECT_EQ(t.grad().strides(), t.strides());
}

TEST(Engine, ViewsOfGradientsAreTakenOver) {
  const Tensor x = leaf({1, 2, 3, 4});
  Tensor seen;
  x.register_hook([&](const Tensor& g) {
    seen = g;
    EXPECT_FALSE(g._is_view());
  });
  (x * 2).view({2, 2}).sum(0).sum().backward();
  EXPECT_VALUES(x.grad(), 2, 2, 2, 2);
  const Tensor y = leaf({1, 2, 3, 4});
  Tensor kept;  // a view made inside of the backward must not lose a gradient silently
  y.register_hook([&](const Tensor& g) { kept = g.view({2, 2}); });
  (y * 2).sum().backward();
  EXPECT_THROW(kept.mul_(leaf({2.0})), AutogradError);
  EXPECT_VALUES(kept, 2, 2, 2, 2);
  const Tensor z = leaf({1, 2, 3, 4});
  (z.view({2, 2}) * constant({{1, 2}, {3, 4}})).sum().backward();
  z.grad().mul_(leaf({2.0}));  // a taken-over view is an ordinary tensor
  EXPECT_TRUE(z.grad().requires_grad());
  EXPECT_VALUES(z.grad(), 2, 4, 6, 8);
}

TEST(Engine, FinalCallbacks) {
  const Tensor x = leaf({1.0});
  std::vector<int> order;
  x.register_hook([&](const Tensor&) {
    Engine::get_default_engine().queue_callback([&] { order.push_back(2); });
    order.push_back(1);
  });
  (x * 2).backward();
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
  EXPECT_THROW(Engine::get_default_engine().queue_callback([] {}), AutogradError);
}

TEST(Engine, ExtraNodes) {
  const Tensor x = leaf({2.0});
  through(make_node<Identity>(), x * 1).backward();
  EXPECT_VALUES(x.grad(), 1);
  const Tensor stopped = through(make_node<UndefinedGradBackward>(), x * 1);
  stopped.backward();
  EXPECT_VALUES(x.grad(), 1);
  const Tensor late = DelayedError("cannot go back from here", 1).apply({x * 1})[0];
  EXPECT_VALUES(late, 2);
  EXPECT_THAT(Call([&] { late.backward(); }),
              ThrowsMessage<AutogradError>(HasSubstr("cannot go back from here")));
  const auto root = make_node<GraphRoot>(edge_list{gradient_edge(x), gradient_edge(x)},
                                         variable_list{constant({5}), constant({6})});
  Engine::get_default_engine().execute({{root, 0}}, {Tensor()}, false, false, true);
  EXPECT_VALUES(x.grad(), 12);
}

}  // namespace
}  // namespace lanewise::autograd
