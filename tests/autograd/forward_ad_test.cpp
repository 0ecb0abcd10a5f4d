#include <lanewise/autograd/forward_ad.h>
#include <lanewise/autograd/gradcheck.h>

#include "../call.h"
#include "helpers.h"

namespace lanewise::autograd {
namespace {

using forward_ad::dual_level;
using forward_ad::make_dual;
using forward_ad::unpack_dual;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

Tensor tangent(const Tensor& t) { return unpack_dual(t).tangent; }

TEST(ForwardAd, CarriesTangents) {
  const Tensor x = constant({1, 2, 3}), v = constant({1, 0, 2});
  const dual_level level;
  const Tensor y = make_dual(x, v) * x;
  EXPECT_VALUES(y, 1, 4, 9);
  EXPECT_VALUES(tangent(y), 1, 0, 6);
  EXPECT_FALSE(tangent(x * x).defined());
  EXPECT_FALSE(tangent(unpack_dual(y).primal).defined());
  EXPECT_VALUES(unpack_dual(y).primal, 1, 4, 9);
  EXPECT_FALSE(tangent(y > 2).defined());
  EXPECT_FALSE(tangent(y.detach()).defined());
  EXPECT_FALSE(y.requires_grad());
  const NoGradGuard guard;
  EXPECT_VALUES(tangent(y.sum()), 7);
}

TEST(ForwardAd, TangentsEndWithTheirLevel) {
  const Tensor x = constant({1, 2});
  Tensor dual, result;
  {
    const dual_level level;
    dual = make_dual(x, x);
    result = dual * 2;
    EXPECT_TRUE(tangent(result).defined());
  }
  EXPECT_TRUE(unpack_dual(dual).primal.is_same(dual));
  EXPECT_FALSE(tangent(dual).defined());
  const dual_level level;
  EXPECT_FALSE(tangent(dual).defined());
  EXPECT_FALSE(tangent(result + 1).defined());
}

TEST(ForwardAd, TellsWhatIsWrong) {
  const Tensor x = constant({1, 2});
  const auto error = [](const char* text) { return ThrowsMessage<AutogradError>(HasSubstr(text)); };
  EXPECT_THAT(Call([&] { make_dual(x, x); }), error("no level exists"));
  const dual_level level;
  EXPECT_THAT(Call([] { forward_ad::enter_dual_level(); }), error("Nested forward mode AD is not supported"));
  EXPECT_THAT(Call([] { forward_ad::exit_dual_level(1); }), error("not the innermost"));
  EXPECT_THAT(Call([&] { make_dual(x, constant({1, 2, 3})); }), error("different size"));
  EXPECT_THROW(make_dual(x.to(kLong), x), ValueError);
  const Tensor dual = make_dual(x, x);
  EXPECT_THAT(Call([&] { make_dual(dual, x); }), error("already has a forward gradient"));
  EXPECT_THAT(Call([&] { make_dual(x, dual); }), error("itself has a forward gradient"));
  Tensor out = empty({2}, kDouble);
  EXPECT_THROW(mul_out(out, dual, x), NotImplementedError);
}

TEST(ForwardAd, CanBeSwitchedOff) {
  const dual_level level;
  const Tensor dual = make_dual(constant({1, 2}), constant({1, 1}));
  Tensor product;
  {
    const AutoFwGradMode off(false);
    product = dual * 2;
    EXPECT_FALSE(tangent(dual).defined());
    EXPECT_FALSE(dual._fw_grad(0).defined());
  }
  EXPECT_FALSE(tangent(product).defined());
  EXPECT_VALUES(tangent(dual), 1, 1);
}

TEST(ForwardAd, InferenceModeKnowsNoTangents) {
  const dual_level level;
  const Tensor dual = make_dual(constant({1, 2}), constant({1, 1}));
  Tensor made;
  {
    const InferenceMode guard;
    EXPECT_FALSE(tangent(dual * 2).defined());
    made = make_dual(constant({1, 2}), constant({1, 1}));
    const InferenceMode out(false);
    EXPECT_VALUES(tangent(dual * 2), 2, 2);
  }
  EXPECT_FALSE(tangent(made).defined());
  EXPECT_VALUES(tangent(dual * 2), 2, 2);
}

TEST(ForwardAd, InPlace) {
  const dual_level level;
  Tensor x = constant({1, 2}), v = constant({1, 1});
  Tensor dual = make_dual(x, v);
  dual.mul_(3);
  EXPECT_VALUES(v, 3, 3);  // the tangent itself, as in PyTorch
  dual.mul_(dual);
  EXPECT_VALUES(tangent(dual), 18, 36);
  dual.fill_(2);
  EXPECT_VALUES(tangent(dual), 0, 0);
  Tensor plain = constant({5, 6});
  plain.add_(make_dual(x.detach(), constant({1, 2})));
  EXPECT_VALUES(tangent(plain), 1, 2);
  plain.copy_(make_dual(constant({3}), constant({4})));
  EXPECT_VALUES(tangent(plain), 4, 4);
  EXPECT_THROW(plain.floor_divide_(2), NotImplementedError);  // as in PyTorch
  plain.div_(2, "floor");
  EXPECT_VALUES(tangent(plain), 0, 0);
}

TEST(ForwardAd, ViewsShareTheTangentOfTheirBase) {
  const dual_level level;
  Tensor x = make_dual(constant({{1, 2}, {3, 4}}), constant({{1, 1}, {1, 1}}));
  Tensor row = x[1], column = x.t()[0];
  EXPECT_VALUES(tangent(row), 1, 1);
  row.mul_(10);
  EXPECT_VALUES(tangent(x), 1, 1, 10, 10);
  EXPECT_VALUES(tangent(column), 1, 10);
  x.mul_(2);
  EXPECT_VALUES(tangent(row), 20, 20);

  // A base gets a tangent through its view, also for views that were there before.
  Tensor base = constant({1, 2, 3, 4});
  Tensor first = base.slice(0, 0, 2), middle = base.slice(0, 1, 3);
  EXPECT_FALSE(tangent(first).defined());
  middle.mul_(make_dual(constant({1, 1}), constant({5, 6})));
  EXPECT_VALUES(tangent(middle), 10, 18);
  EXPECT_VALUES(tangent(base), 0, 10, 18, 0);
  EXPECT_VALUES(tangent(first), 0, 10);
  EXPECT_VALUES(tangent(first * 2), 0, 20);
}

TEST(ForwardAd, ViewsOfAnotherDtype) {
  const dual_level level;
  Tensor z =
      make_dual(view_as_complex(constant({{1, 2}, {3, 4}})), view_as_complex(constant({{1, 0}, {0, 1}})));
  Tensor parts = view_as_real(z);
  parts.select(1, 1).mul_(2);
  EXPECT_VALUES(view_as_real(tangent(z)), 1, 0, 0, 2);
}

TEST(ForwardAd, ReverseOverForward) {
  const Tensor x = leaf({1, 2}), v = leaf({3, 4});
  const dual_level level;
  const Tensor dual = make_dual(x, v);
  EXPECT_TRUE(dual.requires_grad());
  const Tensor jvp = tangent((dual * dual * dual).sum());  // 3 x^2 v
  EXPECT_VALUES(jvp, 9 + 48);
  const auto grads = grad({jvp}, {x, v});
  EXPECT_VALUES(grads[0], 18, 48);
  EXPECT_VALUES(grads[1], 3, 12);
}

TEST(ForwardAd, ForwardOverReverse) {
  const Tensor x = leaf({1, 2}), v = constant({3, 4});
  const dual_level level;
  const Tensor dual = make_dual(x, v);
  const Tensor y = (dual.exp() * dual).tanh().sum();  // saves inputs and results
  const Tensor hvp = tangent(grad({y}, {dual})[0]);
  ASSERT_TRUE(hvp.defined());
  const Tensor z = ((x.exp() * x).tanh()).sum();
  const Tensor g = grad({z}, {x}, {}, true, true)[0];
  const Tensor wanted = grad({(g * v).sum()}, {x})[0];
  EXPECT_TRUE(allclose(hvp, wanted));
}

TEST(ForwardAd, SavedResultsOfInPlaceOps) {
  const Tensor x = leaf({0.1, 0.2}), v = constant({3, 4});
  const dual_level level;
  const Tensor dual = make_dual(x, v);
  Tensor y = dual * 1;
  y.tanh_();
  y = y.exp();
  const Tensor hvp = tangent(grad({y.sum()}, {dual})[0]);
  const Tensor g = grad({x.tanh().exp().sum()}, {x}, {}, true, true)[0];
  EXPECT_TRUE(allclose(hvp, grad({(g * v).sum()}, {x})[0]));
}

TEST(ForwardAd, GradientsOfTangentsOfInPlaceOps) {
  const Tensor x = leaf({0.1, 0.2}), v = constant({3, 4});
  std::weak_ptr<autograd::Node> node;
  {
    const dual_level level;
    const Tensor dual = make_dual(x, v);
    Tensor y = dual * 1;
    y.add_(y);
    y.tanh_();  // its tangent is read by the formula that overwrites it
    const Tensor wanted = tangent((dual * 2).tanh());
    EXPECT_TRUE(allclose(tangent(y), wanted));
    EXPECT_TRUE(allclose(grad({tangent(y).sum()}, {x})[0], grad({wanted.sum()}, {x})[0]));
  }
  {
    const dual_level level;
    Tensor y = make_dual(x, v) * 1;
    y.tanh_();
    node = y.grad_fn();
  }
  EXPECT_TRUE(node.expired()) << "the tangent and its history keep each other alive";
}

TEST(ForwardAd, LevelsNestInside) {
  const Tensor x = constant({2}), one = constant({1});
  const forward_ad::NestedLevel outer;
  const Tensor outer_dual = make_dual(x, one, outer.level());
  Tensor inner_tangent;
  {
    const forward_ad::NestedLevel inner;
    const Tensor y = make_dual(outer_dual, one, inner.level());
    const Tensor cube = y * y * y;
    inner_tangent = unpack_dual(cube, inner.level()).tangent;
    EXPECT_VALUES(unpack_dual(cube, outer.level()).tangent, 12);
    EXPECT_VALUES(unpack_dual(unpack_dual(cube, inner.level()).primal, outer.level()).tangent, 12);
  }
  EXPECT_VALUES(inner_tangent, 12);
  EXPECT_VALUES(unpack_dual(inner_tangent, outer.level()).tangent, 12);  // 6 x
  // x d/dx(x + y) at y = 1 does not mix its two derivatives up.
  const forward_ad::NestedLevel inner;
  const Tensor y = make_dual(one, one, inner.level());
  const Tensor sum = outer_dual + y;
  EXPECT_VALUES(unpack_dual(outer_dual * unpack_dual(sum, inner.level()).tangent, outer.level()).tangent, 1);
}

TEST(ForwardAd, RealAndComplexTogether) {
  const dual_level level;
  const Tensor real = make_dual(constant({2}), constant({1}));
  const Tensor z = view_as_complex(constant({{0, 3}}));
  EXPECT_VALUES(view_as_real(tangent(real * z)), 0, 3);
  EXPECT_VALUES(view_as_real(tangent(z / real)), 0, -0.75);
  EXPECT_VALUES(tangent((real * z).abs()), 3);
}

TEST(Gradcheck, FindsAWrongTangent) {
  // A tangent that is lost on the way.
  const auto lost = [](const variable_list& in) {
    const AutoFwGradMode off(!forward_ad::unpack_dual(in[0]).tangent.defined());
    return variable_list{in[0] * in[0]};
  };
  EXPECT_TRUE(gradcheck(lost, {leaf({1, 2})}));
  EXPECT_THAT(Call([&] {
                gradcheck(lost, {leaf({1, 2})}, {.check_forward_ad = true});
              }),
              ThrowsMessage<AutogradError>(
                  HasSubstr("forward-mode Jacobian mismatch for output 0 with respect to input 0")));
}

TEST(ForwardAd, ViewsOfAPrimalHaveNoTangent) {
  const forward_ad::dual_level level;
  const Tensor dual = forward_ad::make_dual(ones({2, 2}, kDouble), full({2, 2}, 3, kDouble));
  const Tensor primal = forward_ad::unpack_dual(dual.exp()).primal;
  EXPECT_FALSE(forward_ad::unpack_dual(primal.view({4})).tangent.defined());
  EXPECT_FALSE(forward_ad::unpack_dual(primal.t().select(0, 1)).tangent.defined());
  EXPECT_TRUE(forward_ad::unpack_dual(dual.t().select(0, 1)).tangent.defined());
  EXPECT_TRUE(forward_ad::unpack_dual(dual.exp().view({4})).tangent.defined());
}

// Nothing is recorded, so that the view need not know where gradients of the changed leaf go.
TEST(ForwardAd, InPlaceOnADualOfALeafUnderNoGrad) {
  const forward_ad::dual_level level;
  const NoGradGuard no_grad;
  const Tensor leaf = full({2}, 3, TensorOptions().dtype(kDouble).requires_grad(true));
  const Tensor dual = forward_ad::make_dual(leaf, ones({2}, kDouble));
  dual.mul_(2);
  dual.square_();
  EXPECT_VALUES(forward_ad::unpack_dual(dual).tangent, 24, 24);
  EXPECT_VALUES(leaf.detach(), 36, 36);
}

// The formulas read arguments as they were before the op wrote into memory that they share with self.
TEST(ForwardAd, InPlaceWithArgumentsOverTheSameMemory) {
  const Tensor x = constant({2, 3, 5}), v = constant({1, 10, 100}), other = constant({7, 8, 9});
  const auto expect_same = [&](const auto& inplace, const auto& functional) {
    const dual_level level;
    const Tensor dual = make_dual(x.clone(), v.clone());
    inplace(dual);
    const Tensor expected = functional(make_dual(x, v));
    EXPECT_TRUE(equal(forward_ad::unpack_dual(dual).primal, forward_ad::unpack_dual(expected).primal));
    EXPECT_TRUE(allclose(tangent(dual), tangent(expected)));
  };
  expect_same([](const Tensor& d) { d.mul_(d.view({3})); }, [](const Tensor& d) { return d * d; });
  expect_same([](const Tensor& d) { d.mul_(d.alias()).mul_(d); }, [](const Tensor& d) { return d.pow(4); });
  expect_same([&](const Tensor& d) { d.addcmul_(d, other); }, [&](const Tensor& d) { return d + d * other; });
  expect_same([&](const Tensor& d) { d.addcmul_(d.view({3}), d); },
              [&](const Tensor& d) { return d + d * d; });
}

TEST(ForwardAd, ShapesOfDualsStay) {
  const dual_level level;
  const Tensor dual = make_dual(constant({1, 2}), constant({3, 4}));
  EXPECT_THAT(Call([&] { dual.resize_({5}); }), ThrowsMessage<NotImplementedError>(HasSubstr("resize_")));
  EXPECT_THAT(Call([&] {
                dual.set_(constant({1, 2, 3}));
              }),
              ThrowsMessage<NotImplementedError>(HasSubstr("set_")));
  EXPECT_EQ(dual.sizes(), IntArrayRef({2}));
  EXPECT_VALUES(tangent(dual), 3, 4);
}

TEST(ForwardAd, AnErrorKeepsTheTangent) {
  const dual_level level;
  const Tensor dual = make_dual(constant({1, 2}), constant({3, 4}));
  EXPECT_THROW(dual.eq_(constant({1, 2, 3})), ShapeError);
  EXPECT_VALUES(tangent(dual), 3, 4);
  dual.eq_(constant({1, 3}));
  EXPECT_VALUES(tangent(dual), 0, 0);
}

// The bytes of a leaf as another dtype are no function of it.
TEST(ForwardAd, BytesOfAnotherDtypeHaveNoGradient) {
  const Tensor leaf = ones({2}, TensorOptions().dtype(kFloat).requires_grad(true));
  const Tensor bits = leaf.view(kInt);
  EXPECT_FALSE(bits.requires_grad());
  EXPECT_FALSE(bits.is_view());
  EXPECT_EQ(bits.data_ptr(), leaf.data_ptr());
}

TEST(ForwardAd, ALevelMayEndBeforeItsScope) {
  {
    const dual_level level;
    forward_ad::exit_dual_level(level.level());
  }
  const dual_level next;
  EXPECT_EQ(next.level(), 0u);
}

TEST(StandardDeviation, OfZeroTakesNoGradientHoweverLarge) {
  const Tensor x = leaf({1, 1, 1});
  x.std(false).sqrt().backward();
  EXPECT_VALUES(x.grad(), 0, 0, 0);
}

TEST(ForwardAd, StandardDeviationsOfZero) {
  const dual_level level;
  const Tensor x = make_dual(constant({{1, 2}, {1, 4}}), constant({{1, 1}, {1, 2}}));
  const Tensor t = tangent(std(x, IntArrayRef{0}, false));
  EXPECT_VALUES(t, 0, 0.5);
}

}  // namespace
}  // namespace lanewise::autograd
