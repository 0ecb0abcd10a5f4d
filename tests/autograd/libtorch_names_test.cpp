// What programs written for libtorch call: the same names and shapes of calls after `namespace torch =
// lanewise`.

#include <lanewise/lanewise.h>

#include "../call.h"
#include "helpers.h"

namespace torch = lanewise;
namespace at = lanewise;

using namespace torch::autograd;
using lanewise::Call;
using ::testing::HasSubstr;
using ::testing::Throws;
using ::testing::ThrowsMessage;

namespace {

void expect_close(const torch::Tensor& a, const torch::Tensor& b) {
  EXPECT_TRUE(torch::allclose(a, b)) << a << b;
}

Variable weigh(const Variable& x, const Variable& y) { return x * y + 3 * y; }

TEST(LibtorchNames, BackwardAndGrad) {
  Variable x = torch::randn({2, 2}, torch::requires_grad());
  Variable y = torch::randn({2, 2}, torch::requires_grad());
  backward({weigh(x, y).sum()}, {});
  expect_close(x.grad(), y);
  expect_close(y.grad(), x + 3);
  auto out = weigh(x, y);
  backward({out}, {torch::ones({2, 2})}, {}, true);
  backward({out}, {torch::ones({2, 2})});
  expect_close(x.grad(), y * 3);
  auto found = grad({weigh(x, y)}, {x, y}, {torch::ones({2, 2})}, {}, true);
  expect_close(found[1], x + 3);
  EXPECT_THAT(Call([&] {
                grad({x * 2}, {y}, {torch::ones({2, 2})}, {}, false, false);
              }),
              Throws<torch::Error>());
  EXPECT_THAT(Call([&] { grad({x * 2}, {}, {x}); }),
              ThrowsMessage<torch::Error>(HasSubstr("grad requires non-empty inputs.")));
  x.mutable_grad() = Variable();
  y.mutable_grad() = Variable();
  weigh(x, y).backward(torch::ones({2, 2}), false, false, {x});
  EXPECT_TRUE(x.grad().defined());
  EXPECT_FALSE(y.grad().defined());
  auto z = x * x;
  (y * z).backward(torch::ones({2, 2}), false, false, std::vector<Variable>{x, z});
  expect_close(z.grad(), y);
}

TEST(LibtorchNames, FunctionOfATensorList) {
  struct SumOfProducts : public Function<SumOfProducts> {
    static Variable forward(AutogradContext* ctx, at::TensorList tensors) {
      variable_list kept(tensors.begin(), tensors.end());
      ctx->save_for_backward(kept);
      return tensors[0] * tensors[1] + tensors[1];
    }
    static variable_list backward(AutogradContext* ctx, variable_list grads) {
      auto saved = ctx->get_saved_variables();
      return {grads[0] * saved[1], grads[0] * (saved[0] + 1)};
    }
  };
  variable_list list = {torch::randn({3}, torch::requires_grad()), torch::randn({3}, torch::requires_grad())};
  at::TensorList tensors = list;
  SumOfProducts::apply(tensors).sum().backward();
  expect_close(list[0].grad(), list[1]);
  expect_close(list[1].grad(), list[0] + 1);
}

TEST(LibtorchNames, NeedsInputGradByRange) {
  struct Looks : public Function<Looks> {
    static Variable forward(AutogradContext* ctx, Variable a, Variable b, bool first, bool second) {
      ctx->saved_data["first"] = first;
      ctx->saved_data["second"] = second;
      return a + b;
    }
    static variable_list backward(AutogradContext* ctx, variable_list grads) {
      const bool first = ctx->saved_data["first"].toBool(), second = ctx->saved_data["second"].toBool();
      IndexRange of_a = {0, 1}, of_b = {1, 2};
      EXPECT_EQ(ctx->needs_input_grad(0), first);
      EXPECT_EQ(ctx->needs_input_grad(1), second);
      EXPECT_EQ(ctx->needs_input_grad({of_a}), first);
      EXPECT_EQ(ctx->needs_input_grad({of_b}), second);
      EXPECT_EQ(ctx->needs_input_grad({of_a, of_b}), first || second);
      return {grads[0], grads[0], Variable(), Variable()};
    }
  };
  Variable x = torch::randn({5}, torch::requires_grad()), y = torch::randn({5}, torch::requires_grad());
  grad({Looks::apply(x, y, true, false)}, {x}, {torch::ones({5})});
  grad({Looks::apply(x, y, false, true)}, {y}, {torch::ones({5})});
  grad({Looks::apply(x, y, true, true)}, {x, y}, {torch::ones({5})});
}

TEST(LibtorchNames, UndefinedGradients) {
  struct Zeros : public Function<Zeros> {
    static Variable forward(AutogradContext* ctx, Variable x, bool materialize) {
      ctx->set_materialize_grads(materialize);
      ctx->saved_data["materialize"] = materialize;
      return x;
    }
    static variable_list backward(AutogradContext* ctx, variable_list grads) {
      EXPECT_EQ(grads[0].defined(), ctx->saved_data["materialize"].toBool());
      return {grads[0], Variable()};
    }
  };
  auto x = torch::ones({1}, torch::requires_grad());
  x.register_hook([](at::Tensor g) -> at::Tensor { return g; });
  UndefinedGrad().apply({Zeros::apply(x, true)})[0].backward();
  expect_close(x.grad(), torch::zeros({1}));
  x.mutable_grad() = Variable();
  UndefinedGrad().apply({Zeros::apply(x, false)})[0].backward();
  EXPECT_FALSE(x.grad().defined());
  auto late = DelayedError("not today", 2).apply({x * 2, x * 3});
  EXPECT_THAT(Call([&] { late[1].backward(); }), ThrowsMessage<torch::Error>(HasSubstr("not today")));
  EXPECT_THAT(Call([] { NotImplemented("my_op").apply({}); }),
              ThrowsMessage<torch::Error>(HasSubstr("derivative for my_op is not implemented")));
}

TEST(LibtorchNames, SameResultTwice) {
  struct Twice : public Function<Twice> {
    static variable_list forward(AutogradContext*, Variable x) {
      auto y = x * 2;
      return {y, y};
    }
    static variable_list backward(AutogradContext*, variable_list grads) {
      return {(grads[0] + grads[1]) * 2};
    }
  };
  struct InPlaceTwice : public Function<InPlaceTwice> {
    static variable_list forward(AutogradContext* ctx, Variable x) {
      x.mul_(2);
      ctx->mark_dirty({x});
      return {x, x};
    }
    static variable_list backward(AutogradContext*, variable_list grads) {
      return {(grads[0] + grads[1]) * 2};
    }
  };
  auto x = torch::randn({3}, torch::requires_grad());
  auto out = Twice::apply(x);
  EXPECT_TRUE(torch::equal(out[0], out[1]));
  EXPECT_THAT(Call([&] { InPlaceTwice::apply(x); }),
              ThrowsMessage<torch::Error>(HasSubstr("leaf Variable that requires grad")));
  out = InPlaceTwice::apply(x.clone());
  EXPECT_TRUE(torch::equal(out[0], out[1]));
  out[0].sum().backward();
  EXPECT_TRUE(x.grad().defined());
}

/// A backward that runs a backward, thousands deep.
struct CountsDown : public Function<CountsDown> {
  static Variable forward(AutogradContext* ctx, Variable x) {
    {
      at::AutoGradMode enable_grad(true);
      ctx->saved_data["x"] = make_variable(x.tensor_data(), true) - 1;
    }
    return ctx->saved_data["x"].toTensor().detach();
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    if (!ctx->saved_data["x"].toTensor().is_nonzero()) return grads;
    at::AutoGradMode enable_grad(true);
    apply(ctx->saved_data["x"].toTensor())[0].sum().backward();
    return grads;
  }
};

TEST(LibtorchNames, DeepReentrant) {
  auto x = torch::tensor({4000}, torch::dtype(torch::kFloat).requires_grad(true));
  CountsDown::apply(x).sum().backward();
  expect_close(x.grad(), torch::ones({1}));
}

TEST(LibtorchNames, ReentrantRunsComeFirst) {
  static std::vector<int> order;
  struct Notes : public Function<Notes> {
    static Variable forward(AutogradContext*, Variable x) { return x; }
    static variable_list backward(AutogradContext*, variable_list grads) {
      order.push_back(0);
      return grads;
    }
  };
  struct Nests : public Function<Nests> {
    static Variable forward(AutogradContext* ctx, Variable x) {
      at::AutoGradMode enable_grad(true);
      ctx->saved_data["x"] = make_variable(x.tensor_data(), true) - 1;
      return ctx->saved_data["x"].toTensor().detach();
    }
    static variable_list backward(AutogradContext* ctx, variable_list grads) {
      order.push_back(1);
      if (!ctx->saved_data["x"].toTensor().is_nonzero()) return grads;
      at::AutoGradMode enable_grad(true);
      apply(ctx->saved_data["x"].toTensor())[0].sum().backward();
      return grads;
    }
  };
  order.clear();
  auto a = Notes::apply(torch::tensor({6}, torch::dtype(torch::kFloat).requires_grad(true)));
  auto b = Nests::apply(torch::tensor({9}, torch::dtype(torch::kFloat).requires_grad(true)));
  (a * b).backward();
  EXPECT_EQ(order, (std::vector<int>{1, 1, 1, 1, 1, 1, 1, 1, 1, 0}));
}

TEST(LibtorchNames, HooksAsObjects) {
  struct Doubles : FunctionPreHook {
    variable_list operator()(const variable_list& grads) override { return {grads[0] * 2}; }
  };
  struct AddsOne : FunctionPostHook {
    variable_list operator()(const variable_list& outputs, const variable_list&) override {
      return {outputs[0] + 1, outputs[1]};
    }
  };
  auto x = torch::ones({1}, torch::requires_grad());
  auto y = x * 3;
  y.grad_fn()->add_pre_hook(std::make_unique<Doubles>());
  y.grad_fn()->add_tensor_pre_hook(std::make_unique<Doubles>());
  const auto key = y.grad_fn()->add_post_hook(std::make_unique<AddsOne>());
  y.backward({}, true);
  expect_close(x.grad(), torch::full({1}, 13.0));
  EXPECT_TRUE(y.grad_fn()->del_post_hook(key));
  y.backward();
  expect_close(x.grad(), torch::full({1}, 25.0));
  EXPECT_EQ(get_current_node(), nullptr);
  EXPECT_EQ(get_current_graph_task_id(), -1);
}

TEST(LibtorchNames, GraphByHand) {
  auto x = torch::ones({2}, torch::requires_grad());
  auto node = std::make_shared<Identity>(collect_next_edges(x));
  auto y = x.detach();
  const auto nr = create_gradient_edge(y, node);
  EXPECT_EQ(nr, 0u);
  EXPECT_EQ(impl::gradient_edge(y).function, node);
  EXPECT_EQ(node->num_inputs(), 1u);
  EXPECT_EQ(node->input_metadata(0).shape(), torch::IntArrayRef({2}));
  y.sum().backward();
  expect_close(x.grad(), torch::ones({2}));
  auto moved = x.detach();
  impl::set_gradient_edge(moved, Edge(y.grad_fn(), 0));
  EXPECT_EQ(moved.grad_fn(), y.grad_fn());
  const auto accumulator = impl::grad_accumulator(x);
  EXPECT_EQ(accumulator->name(), "AccumulateGrad");
  Identity longer;
  longer.set_next_edges({Edge(y.grad_fn(), 0)});
  EXPECT_EQ(longer.topological_nr(), y.grad_fn()->topological_nr() + 1);
}

struct Doubling : FunctionPreHook {
  variable_list operator()(const variable_list& grads) override { return {grads[0] * 2}; }
};
struct Counting : FunctionPostHook {
  explicit Counting(int& c) : count(c) {}
  variable_list operator()(const variable_list& outputs, const variable_list&) override {
    return ++count, outputs;
  }
  int& count;
};

TEST(LibtorchNames, HooksOfTensorsAndNodesCanBeListed) {
  const Variable x = torch::ones({2}, torch::requires_grad());
  EXPECT_TRUE(torch::autograd::impl::hooks(x).empty());
  x.register_hook([](Variable g) { return g + 1; });
  x.register_hook([](Variable g) { return g + 1; });
  EXPECT_EQ(torch::autograd::impl::hooks(x).size(), 1U);
  EXPECT_TRUE(
      torch::equal((*torch::autograd::impl::hooks(x)[0])({torch::zeros({2})})[0], torch::full({2}, 2.0)));
  torch::autograd::impl::add_hook(x, std::make_shared<Doubling>());
  EXPECT_EQ(torch::autograd::impl::hooks(x).size(), 2U);
  x.sum().backward();
  EXPECT_TRUE(torch::equal(x.grad(), torch::full({2}, 6.0)));
  torch::autograd::impl::clear_hooks(x);
  EXPECT_TRUE(torch::autograd::impl::hooks(x).empty());
  x.mutable_grad().reset();
  x.sum().backward();
  EXPECT_TRUE(torch::equal(x.grad(), torch::ones({2})));

  const Variable y = x * 2;
  EXPECT_TRUE(y.grad_fn()->pre_hooks().empty());
  y.register_hook([](Variable g) { return g * 3; });
  y.grad_fn()->add_pre_hook(std::make_unique<Doubling>());
  int count = 0;
  y.grad_fn()->add_post_hook(std::make_unique<Counting>(count));
  ASSERT_EQ(y.grad_fn()->pre_hooks().size(), 2U);
  EXPECT_TRUE(torch::equal((*y.grad_fn()->pre_hooks()[1])({torch::ones({2})})[0], torch::full({2}, 2.0)));
  ASSERT_EQ(y.grad_fn()->post_hooks().size(), 1U);
  y.sum().backward();
  EXPECT_EQ(count, 1);
  EXPECT_TRUE(torch::equal(x.grad(), torch::full({2}, 13.0)));
  x.register_hook([](Variable) { return torch::ones({5}); });
  EXPECT_THAT(Call([&] { x.sum().backward(); }),
              ThrowsMessage<torch::Error>(HasSubstr("hook '2' has changed the size of value")));
}

TEST(LibtorchNames, OfNodesAndVariables) {
  const Variable x = torch::ones({2}, torch::requires_grad());
  const Variable y = x * 2;
  EXPECT_TRUE(y.grad_fn()->is_traceable());
  EXPECT_FALSE(Identity({}).is_traceable());
  EXPECT_FALSE(y.grad_fn()->passes_state_transparently());
  EXPECT_EQ(Identity({Edge(y.grad_fn(), 0)}).num_outputs(), 1U);
  EXPECT_EQ(AccumulateGrad(x).name(), "AccumulateGrad");
  EXPECT_TRUE(SavedVariable(x, false, false).unpack().is_same(x));
  EXPECT_EQ(make_variable(torch::ones({2}), Edge(y.grad_fn(), 0)).grad_fn(), y.grad_fn());
  EXPECT_FALSE(make_variable(torch::ones({2}), Edge()).requires_grad());
  EXPECT_FALSE(make_variable(Variable()).defined());
  EXPECT_EQ(torch::autograd::impl::materialize_autograd_meta(x), torch::autograd::impl::get_autograd_meta(x));
  EXPECT_EQ(x.name(), "");
  torch::autograd::impl::set_name(x, "weight");
  EXPECT_EQ(x.name(), "weight");
  EXPECT_EQ(y.data<float>(), y.data_ptr<float>());
  {
    const torch::autograd::NoGradGuard none;
    EXPECT_FALSE(torch::autograd::GradMode::is_enabled());
    const torch::autograd::AutoGradMode some(true);
    EXPECT_TRUE(torch::autograd::GradMode::is_enabled());
    const torch::autograd::InferenceMode inference;
    EXPECT_TRUE(torch::ones({1}).is_inference());
  }
  const forward_ad::dual_level level;
  const Variable dual = forward_ad::make_dual(x.detach(), torch::full({2}, 3.0));
  EXPECT_TRUE(torch::equal(dual._fw_grad(0), torch::full({2}, 3.0)));
  EXPECT_FALSE(dual._fw_primal(0)._fw_grad(0).defined());
  EXPECT_FALSE(x._fw_grad(0).defined());
  EXPECT_FALSE(Variable()._fw_grad(0).defined());
}

TEST(LibtorchNames, AnUndefinedTensorIsNoLeaf) {
  const Variable none;
  const auto raises = [](const char* op) {
    return ThrowsMessage<torch::AutogradError>(
        HasSubstr(std::string(op) + ": cannot call get_autograd_meta() on undefined tensor"));
  };
  EXPECT_THAT(Call([&] { none.is_leaf(); }), raises("is_leaf"));
  EXPECT_THAT(Call([&] { none.grad_fn(); }), raises("grad_fn"));
  EXPECT_THAT(Call([&] { none.output_nr(); }), raises("output_nr"));
  EXPECT_THAT(Call([&] { none.is_view(); }), raises("is_view"));
  EXPECT_THAT(Call([&] { none.grad(); }), raises("grad"));
  EXPECT_THAT(Call([&] { none._base(); }), raises("_base"));
  EXPECT_THAT(Call([&] { none.retains_grad(); }), raises("retains_grad"));
  EXPECT_THAT(Call([&] { none.is_signed(); }), Throws<torch::Error>());
  EXPECT_FALSE(none.requires_grad());
  EXPECT_FALSE(none.set_requires_grad(false).defined());
}

}  // namespace
