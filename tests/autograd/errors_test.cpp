// Each wrong use of the graph: the type of the error, what it says, and that nothing has happened.

#include <lanewise/autograd/custom_function.h>
#include <lanewise/autograd/engine.h>
#include <lanewise/autograd/forward_ad.h>
#include <lanewise/autograd/hooks.h>

#include "../call.h"
#include "helpers.h"

namespace lanewise::autograd {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

#define EXPECT_AUTOGRAD_ERROR(statement, ...) \
  EXPECT_THAT(Call([&] { statement; }), ThrowsMessage<AutogradError>(AllOf(__VA_ARGS__)))

TEST(Errors, BackwardTwice) {
  const Tensor x = leaf({2.0});
  const Tensor y = x * x;
  y.backward();
  EXPECT_AUTOGRAD_ERROR(y.backward(), HasSubstr("MulBackward0"),
                        HasSubstr("Trying to backward through the graph a second time"),
                        HasSubstr("retain_graph=true"));
  EXPECT_VALUES(x.grad(), 4);
  const Tensor z = x + x;  // saves nothing, so a second time is fine
  z.backward();
  z.backward();
  EXPECT_VALUES(x.grad(), 8);
}

TEST(Errors, ModifiedSavedTensor) {
  const Tensor x = leaf({2.0});
  Tensor y = x.exp();
  const Tensor z = y * 2;
  y.add_(1);
  EXPECT_AUTOGRAD_ERROR(z.backward(), HasSubstr("ExpBackward0"),
                        HasSubstr("[CPUDoubleType [1]], which is output 0 of ExpBackward0"),
                        HasSubstr("is at version 1; expected version 0"), HasSubstr("clone()"));
}

TEST(Errors, LeafInPlace) {
  Tensor x = leaf({2.0});
  EXPECT_AUTOGRAD_ERROR(
      x.mul_(2), HasSubstr("mul_"),
      HasSubstr("a leaf Variable that requires grad is being used in an in-place operation"),
      HasSubstr("NoGradGuard"));
  EXPECT_AUTOGRAD_ERROR(
      x.view({1, 1}).mul_(2),
      HasSubstr("a view of a leaf Variable that requires grad is being used in an in-place operation"));
  EXPECT_VALUES(x, 2);
  EXPECT_EQ(x._version(), 0);
}

TEST(Errors, DerivativesThatAreNotImplemented) {
  const auto not_implemented = [](const char* text) {
    return ThrowsMessage<NotImplementedError>(HasSubstr(text));
  };
  const Tensor x = leaf({2.0}), y = leaf({3.0});
  const Tensor z = special_zeta(x, y);
  EXPECT_THAT(Call([&] { z.backward(); }),
              not_implemented("the derivative for 'self' of 'special_zeta' is not implemented (no formula"));
  // Where nobody asks for it, the other input has its own.
  EXPECT_TRUE(grad({special_zeta(x, y)}, {y})[0].defined());
  EXPECT_TRUE(special_zeta(x.detach(), y).requires_grad());
  EXPECT_THAT(Call([&] { nextafter(x, y).backward(); }), not_implemented("'nextafter' is not implemented"));
  EXPECT_EQ(nextafter(x, y).grad_fn()->name(), "NextafterBackward0");
  const forward_ad::dual_level level;
  const Tensor dual = forward_ad::make_dual(leaf({2.0}).detach(), leaf({1.0}).detach());
  EXPECT_THAT(Call([&] { special_zeta(dual, y); }), not_implemented("'self' of 'special_zeta'"));
  EXPECT_TRUE(forward_ad::unpack_dual(special_zeta(x.detach(), dual)).tangent.defined());
  EXPECT_THAT(Call([&] { nextafter(dual, y); }),
              not_implemented("nextafter: has no forward-mode derivative"));
}

TEST(Errors, Roots) {
  const Tensor x = leaf({1, 2});
  EXPECT_AUTOGRAD_ERROR((x * 2).backward(),
                        HasSubstr("grad can be implicitly created only for scalar outputs"), HasSubstr("[2]"),
                        HasSubstr("sum()"));
  EXPECT_AUTOGRAD_ERROR(
      (x * 2).backward(constant({1, 2, 3})), HasSubstr("backward: "),
      HasSubstr("invalid gradient at index 0 - got [3] but expected shape compatible with [2]"));
  EXPECT_AUTOGRAD_ERROR(backward({x.sum(), x * 2}, {Tensor(), constant({1, 2, 3})}),
                        HasSubstr("invalid gradient at index 1 - got [3]"));
  EXPECT_AUTOGRAD_ERROR(
      (x * 2).sum().backward(full({}, std::complex<double>(1, 1), TensorOptions(kComplexDouble))),
      HasSubstr("Mismatch in dtype"));
  EXPECT_AUTOGRAD_ERROR(constant({1.0}).backward(),
                        HasSubstr("element 0 of tensors does not require grad and does not have a grad_fn"));
  EXPECT_AUTOGRAD_ERROR(backward({x.sum(), Tensor()}), HasSubstr("tensor 1 is undefined"));
  EXPECT_AUTOGRAD_ERROR(backward({x.sum()}, {Tensor(), Tensor()}),
                        HasSubstr("got 1 tensors and 2 gradients"));
  EXPECT_FALSE(x.grad().defined());
}

TEST(Errors, Inputs) {
  const Tensor x = leaf({1.0}), unused = leaf({1.0});
  const Tensor y = x * 2;
  EXPECT_AUTOGRAD_ERROR(grad({y}, {}), HasSubstr("grad requires non-empty inputs."));
  EXPECT_AUTOGRAD_ERROR(grad({y}, {unused}),
                        HasSubstr("One of the differentiated Tensors appears to not have been used in the "
                                  "graph. Set allow_unused=True "
                                  "if this is the desired behavior."),
                        HasSubstr("input 0"));
  EXPECT_AUTOGRAD_ERROR(grad({y}, {constant({1.0})}), HasSubstr("does not require grad"));
  EXPECT_AUTOGRAD_ERROR(y.backward({}, false, false, std::vector<Tensor>{}),
                        HasSubstr("inputs argument cannot be empty"));
}

TEST(Errors, RequiresGradOfIntegers) {
  EXPECT_THAT(Call([] {
                tensor({1, 2}).set_requires_grad(true);
              }),
              ThrowsMessage<DtypeError>(
                  AllOf(HasSubstr("Only Tensors of floating point and complex dtype can require gradients"),
                        HasSubstr("Long"))));
  EXPECT_AUTOGRAD_ERROR((leaf({1.0}) * 2).set_requires_grad(false),
                        HasSubstr("you can only change requires_grad flags of leaf variables."),
                        HasSubstr("detach()"));
}

struct WrongShape : Function<WrongShape> {
  static Tensor forward(AutogradContext*, const Tensor& x) { return x * 2; }
  static variable_list backward(AutogradContext*, variable_list) {
    return {ones({10}, TensorOptions(kDouble))};
  }
};
struct IntegerGradient : Function<IntegerGradient> {
  static Tensor forward(AutogradContext*, const Tensor& x) { return x * 2; }
  static variable_list backward(AutogradContext*, variable_list grads) {
    return {ones(grads[0].sizes(), TensorOptions(kLong))};
  }
};

TEST(Errors, GradientsOfNodes) {
  const Tensor x = leaf({1, 2, 3});
  EXPECT_AUTOGRAD_ERROR(
      WrongShape::apply(x).sum().backward(), HasSubstr("WrongShapeBackward"),
      HasSubstr("invalid gradient at index 0 - got [10] but expected shape compatible with [3]"));
  EXPECT_FALSE(x.grad().defined());
  const Tensor z = x.detach().to(kComplexDouble).requires_grad_();
  EXPECT_AUTOGRAD_ERROR(real(IntegerGradient::apply(z)).sum().backward(),
                        HasSubstr("IntegerGradientBackward"), HasSubstr("Long"));
  EXPECT_FALSE(z.grad().defined());
  IntegerGradient::apply(x).sum().backward();
  EXPECT_TRUE(equal(x.grad(), constant({1, 1, 1})));
}

TEST(Errors, Hooks) {
  const Tensor x = leaf({1.0});
  EXPECT_AUTOGRAD_ERROR(constant({1.0}).register_hook([](const Tensor&) {}),
                        HasSubstr("cannot register a hook on a variable that doesn't require gradient"));
  EXPECT_AUTOGRAD_ERROR(constant({1.0}).retain_grad(),
                        HasSubstr("can't retain_grad on Tensor that has requires_grad=False"));
  EXPECT_AUTOGRAD_ERROR(register_post_accumulate_grad_hook(x * 2, [](const Tensor&) {}),
                        HasSubstr("non-leaf"));
  EXPECT_AUTOGRAD_ERROR(register_multi_grad_hook({x, constant({1.0})}, [](const variable_list&) {}),
                        HasSubstr("doesn't require gradient"));
  EXPECT_THAT(Call([&] { x.remove_hook(3); }),
              ThrowsMessage<IndexError>(HasSubstr("Invalid index, no hook at position 3")));
  EXPECT_AUTOGRAD_ERROR(Engine::get_default_engine().queue_callback([] {}),
                        HasSubstr("Final callbacks can only be installed during backward pass"));
}

TEST(Errors, ViewsOfSeveralResults) {
  const Tensor x = leaf({{1, 2}, {3, 4}});
  const Tensor y = x * 1;
  const std::vector<Tensor> rows = y.unbind(0);
  EXPECT_AUTOGRAD_ERROR(rows[0].mul_(2),
                        HasSubstr("Output 0 of UnbindBackward0 is a view and is being modified inplace"),
                        HasSubstr("returns multiple views"), HasSubstr("out-of-place"));
  EXPECT_AUTOGRAD_ERROR(y.split(1)[1].add_(1), HasSubstr("Output 1 of SplitBackward0 is a view"));
  EXPECT_AUTOGRAD_ERROR(y.chunk(2)[1].add_(1), HasSubstr("is a view and is being modified inplace"));
  EXPECT_AUTOGRAD_ERROR(rows[1].view({2, 1}).add_(1), HasSubstr("returns multiple views"));
  EXPECT_VALUES(y, 1, 2, 3, 4);
  Tensor same = y;
  same.mul_(2);
  EXPECT_AUTOGRAD_ERROR(rows[1].grad_fn(),
                        HasSubstr("its base or another view of its base has been modified inplace"));
  const NoGradGuard guard;
  rows[0].mul_(10);
  EXPECT_VALUES(y, 20, 40, 6, 8);
}

TEST(Errors, ExpandedTensorInPlace) {
  const Tensor x = leaf({{1.0}, {2.0}});
  Tensor y = (x * 1).expand({2, 3});
  EXPECT_THAT(Call([&] { y.mul_(2); }),
              ThrowsMessage<StorageError>(
                  AllOf(HasSubstr("mul"), HasSubstr("single memory location"), HasSubstr("clone()"))));
  EXPECT_VALUES(y, 1, 1, 1, 2, 2, 2);
  EXPECT_EQ(y._version(), 0);
  EXPECT_EQ(y.grad_fn()->name(), "ExpandBackward0");
}

TEST(Errors, ArgumentsWithoutADerivative) {
  const Tensor x = rand({3}), weight = rand({3}).requires_grad_();
  EXPECT_AUTOGRAD_ERROR(binary_cross_entropy(x, x, weight),
                        HasSubstr("not differentiable with respect to argument 'weight'"));
  EXPECT_AUTOGRAD_ERROR(soft_margin_loss(x, weight), HasSubstr("argument 'target'"));
  EXPECT_AUTOGRAD_ERROR(nll_loss(rand({2, 3}), tensor({0, 1}), weight), HasSubstr("argument 'weight'"));
  EXPECT_AUTOGRAD_ERROR(batch_norm(rand({2, 3}), {}, {}, weight, {}, false, 0.1, 1e-5),
                        HasSubstr("argument 'running_mean'"));
  const NoGradGuard guard;
  EXPECT_NO_THROW(binary_cross_entropy(x, x, weight));
}

TEST(Errors, OutWhereThereIsAGradientToHide) {
  const Tensor x = rand({3}).requires_grad_();
  Tensor truth = empty({3}, kBool), numbers = empty({3}), place = empty({}, kLong);
  EXPECT_NO_THROW(gt_out(truth, x, 0.5));
  EXPECT_NO_THROW(argmax_out(place, x));
  EXPECT_NO_THROW(floor_divide_out(numbers, x, x));
  EXPECT_AUTOGRAD_ERROR(mul_out(numbers, x, x), HasSubstr("don't support automatic differentiation"));
  EXPECT_AUTOGRAD_ERROR(nextafter_out(numbers, x, x), HasSubstr("don't support automatic differentiation"));
}

TEST(Errors, Resize) {
  const Tensor x = leaf({1, 2});
  EXPECT_AUTOGRAD_ERROR(x.resize_({3}), HasSubstr("cannot resize variables that require grad"));
  const Tensor y = constant({1, 2});
  y.resize_({1, 2});
  EXPECT_EQ(y.sizes(), IntArrayRef({1, 2}));
}

TEST(Errors, OfNullsAndShortLists) {
  const Tensor x = ones({2}, TensorOptions().requires_grad(true)), y = x * 2;
  EXPECT_THROW(Engine::get_default_engine().execute({gradient_edge(y)}, {}, false, false, true),
               AutogradError);
  EXPECT_THROW(register_prehook(std::shared_ptr<Node>(), Node::PreHook()), AutogradError);
  EXPECT_THROW(create_gradient_edge(Tensor(), y.grad_fn()), AutogradError);
  EXPECT_FALSE(AutogradContext().needs_input_grad(0));
}

TEST(AsStridedScatter, HasAGradientForContiguousTensorsOnly) {
  const Tensor x = leaf({{1, 2}, {3, 4}}), src = leaf({5, 6});
  as_strided_scatter(x, src, {2}, {1}, 1).sum().backward();
  EXPECT_VALUES(x.grad(), 1, 0, 0, 1);
  EXPECT_VALUES(src.grad(), 1, 1);
  EXPECT_THROW(as_strided_scatter(x.t(), src, {2}, {1}, 1).sum().backward(), NotImplementedError);
}

}  // namespace
}  // namespace lanewise::autograd
