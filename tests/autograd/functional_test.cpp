#include <lanewise/autograd/custom_function.h>
#include <lanewise/autograd/forward_ad.h>
#include <lanewise/autograd/func.h>
#include <lanewise/autograd/functional.h>
#include <lanewise/autograd/gradcheck.h>

#include "../call.h"
#include "helpers.h"

namespace lanewise::autograd {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

Tensor cube(const Tensor& x) { return x * x * x; }
Tensor cube_sum(const Tensor& x) { return cube(x).sum(); }

TEST(Functional, VjpAndJvp) {
  const Tensor x = constant({1, 2}), v = constant({3, 4});
  const auto [y, back] = functional::vjp(cube, x, v);
  EXPECT_VALUES(y, 1, 8);
  EXPECT_VALUES(back, 9, 48);
  EXPECT_FALSE(y.requires_grad() || back.requires_grad());
  const auto [z, forward] = functional::jvp(cube, x, v);
  EXPECT_VALUES(z, 1, 8);
  EXPECT_VALUES(forward, 9, 48);
  EXPECT_FALSE(x.requires_grad());
  EXPECT_VALUES(functional::vjp(cube_sum, x).second, 3, 12);  // v may be left out
  EXPECT_THROW(functional::vjp(cube, x), AutogradError);
  EXPECT_THROW(functional::vjp(cube, x, constant({1})), AutogradError);
}

TEST(Functional, JacobianOfSeveral) {
  const auto fn = [](const variable_list& in) { return variable_list{in[0] * in[1], in[0].sum()}; };
  const Tensor a = constant({1, 2}), b = constant({3, 4});
  for (const char* strategy : {"reverse-mode", "forward-mode"}) {
    const bool vectorize = std::string(strategy) == "forward-mode";
    const auto jacobians = functional::jacobian(fn, variable_list{a, b}, false, false, vectorize, strategy);
    ASSERT_EQ(jacobians.size(), 2u);
    EXPECT_VALUES(jacobians[0][0], 3, 0, 0, 4);
    EXPECT_VALUES(jacobians[0][1], 1, 0, 0, 2);
    EXPECT_VALUES(jacobians[1][0], 1, 1);
    EXPECT_VALUES(jacobians[1][1], 0, 0);
    EXPECT_EQ(jacobians[1][1].sizes(), IntArrayRef({2}));
  }
  const Tensor matrix = constant({{1, 2, 3}, {4, 5, 6}});
  EXPECT_EQ(functional::jacobian([](const Tensor& x) { return x.sum(IntArrayRef{0}); }, matrix).sizes(),
            IntArrayRef({3, 2, 3}));
}

TEST(Functional, HessianAndProducts) {
  const Tensor x = constant({1, 2}), v = constant({3, 4});
  const auto fn = [](const Tensor& t) { return (t.prod() * t.sum()); };  // x^2 y + x y^2
  for (const char* strategy : {"reverse-mode", "forward-mode"}) {
    EXPECT_VALUES(functional::hessian(fn, x, false, false, std::string(strategy) == "forward-mode", strategy),
                  4, 6, 6, 2);
  }
  EXPECT_VALUES(functional::hvp(fn, x, v).second, 36, 26);
  EXPECT_VALUES(functional::vhp(fn, x, v).second, 36, 26);
  EXPECT_VALUES(functional::vhp(fn, x, v).first, 6);
}

TEST(Functional, CreateGraph) {
  const Tensor x = leaf({1, 2});
  const Tensor jacobian = functional::jacobian(cube, x, /*create_graph=*/true);
  EXPECT_VALUES(grad({jacobian.sum()}, {x})[0], 6, 12);
  EXPECT_FALSE(functional::jacobian(cube, x).requires_grad());
  const Tensor hvp = functional::hvp(cube_sum, x, constant({1, 1}), true).second;
  EXPECT_VALUES(grad({hvp.sum()}, {x})[0], 6, 6);
}

TEST(Functional, Strict) {
  const Tensor x = constant({1, 2});
  const auto independent = [](const Tensor&) { return constant({1, 2}); };
  EXPECT_VALUES(functional::jacobian(independent, x), 0, 0, 0, 0);
  EXPECT_THAT(Call([&] { functional::jacobian(independent, x, false, true); }),
              ThrowsMessage<AutogradError>(HasSubstr("strict mode")));
  const auto second = [](const variable_list& in) { return variable_list{in[0].sum()}; };
  EXPECT_THAT(Call([&] {
                functional::vjp(second, variable_list{x, x.clone()}, {}, false, true);
              }),
              ThrowsMessage<AutogradError>(HasSubstr("independent of input 1")));
  EXPECT_THROW(functional::jacobian(cube, x, false, true, true), AutogradError);
  EXPECT_THROW(functional::jacobian(cube, x, false, false, false, "forward-mode"), NotImplementedError);
  EXPECT_THROW(functional::jacobian(cube, x, false, false, false, "sideways"), ValueError);
}

// What PyTorch 1.13 answers.
TEST(Functional, AsPyTorch) {
  const Tensor x = constant({0.5, -1.5, 2.0}), v = constant({1.0, 2.0, -0.5});
  const auto f = [](const Tensor& t) { return t.tanh() * t.sum() + (-t * t).exp(); };
  const auto g = [&](const Tensor& t) { return f(t).prod() + t.softmax(0)[1]; };
  const auto near = [](const Tensor& found, const TensorLiteral& wanted) {
    EXPECT_TRUE(allclose(found.reshape(-1), constant(wanted), 1e-13, 1e-14)) << found;
  };
  near(functional::jvp(f, x, v).second, {1.1629398430445468, -1.2690620088936826, 2.4113748155404284});
  near(func::jvp(f, x, v).second, {1.1629398430445468, -1.2690620088936826, 2.4113748155404284});
  near(functional::vjp(f, x, v).second, {-1.8225461901731088, -0.8363845148491482, -1.8288872747167453});
  for (const Tensor& jacobian : {functional::jacobian(f, x), func::jacfwd(f)(x), func::jacrev(f)(x)}) {
    near(jacobian, {0.46976410715453226, 0.46211715726000974, 0.46211715726000974, -0.9051482536448664,
                    -0.4082439410356248, -0.9051482536448664, 0.9640275800758169, 0.9640275800758169,
                    0.9614158493740447});
  }
  for (const Tensor& hessian : {functional::hessian(g, x), func::hessian(g)(x)}) {
    near(hessian, {-3.7809562874003797, -3.2905921225447794, -4.389890502307397, -3.29059212254478,
                   -0.2988649489841666, -2.745816322246147, -4.389890502307397, -2.7458163222461467,
                   -3.9402544529465744});
  }
  near(functional::hvp(g, x, v).second, {-8.167195281336241, -2.515413859390038, -7.911395920326403});
  near(functional::vhp(g, x, v).second, {-8.167195281336241, -2.515413859390038, -7.911395920326403});
  near(func::jvp(g, x, v).second, {-4.801388639776999});
}

TEST(Func, Grad) {
  const Tensor x = constant({1, 2});
  const Tensor g = func::grad(cube_sum)(x);
  EXPECT_VALUES(g, 3, 12);
  EXPECT_FALSE(g.requires_grad() || x.requires_grad());
  // Of itself, twice.
  const auto sum_of_grad = [](const Tensor& t) { return func::grad(cube_sum)(t).sum(); };
  EXPECT_VALUES(func::grad(sum_of_grad)(x), 6, 12);
  EXPECT_VALUES(func::grad([&](const Tensor& t) { return func::grad(sum_of_grad)(t).sum(); })(x), 6, 6);
  const auto both = func::value_and_grad(cube_sum)(x);
  EXPECT_VALUES(both.first, 9);
  EXPECT_VALUES(both.second, 3, 12);
  const auto of_two = func::grad([](const variable_list& in) { return (in[0] * in[1]).sum(); },
                                 {1, 0})({x, constant({5, 6})});
  EXPECT_VALUES(of_two[0], 1, 2);
  EXPECT_VALUES(of_two[1], 5, 6);
  EXPECT_THROW(func::grad(cube)(x), AutogradError);
}

TEST(Func, GradIsDifferentiableByWhatItCaptures) {
  const Tensor w = leaf({2, 3}), x = constant({1, 2});
  const Tensor g = func::grad([&](const Tensor& t) { return (w * t * t).sum(); })(x);  // 2 w x
  EXPECT_VALUES(grad({g.sum()}, {w})[0], 2, 4);
  const Tensor leaf_x = leaf({1, 2});
  EXPECT_VALUES(grad({func::grad(cube_sum)(leaf_x).sum()}, {leaf_x})[0], 6, 12);
}

TEST(Func, NoConfusionOfPerturbations) {
  // d/dx x * d/dy (x + y) = 1
  const auto outer = [](const Tensor& x) {
    return x * func::grad([&](const Tensor& y) { return x + y; })(constant(1));
  };
  EXPECT_VALUES(func::grad(outer)(constant(2)), 1);
  const auto forward = [](const Tensor& x) {
    return x * func::jvp([&](const Tensor& y) { return x + y; }, constant(1), constant(1)).second;
  };
  EXPECT_VALUES(func::jvp(forward, constant(2), constant(1)).second, 1);
}

TEST(Func, JacobiansAndHessian) {
  const Tensor x = constant({{0.1, 0.2}, {0.3, 0.4}});
  const auto fn = [](const Tensor& t) { return t.mm(t).tanh(); };
  const Tensor reverse = func::jacrev(fn)(x), forward = func::jacfwd(fn)(x);
  EXPECT_EQ(reverse.sizes(), IntArrayRef({2, 2, 2, 2}));
  EXPECT_TRUE(allclose(reverse, forward));
  EXPECT_TRUE(allclose(reverse, functional::jacobian(fn, x)));
  const auto scalar = [&](const Tensor& t) { return fn(t).exp().sum(); };
  const Tensor hessian = functional::hessian(scalar, x);
  EXPECT_TRUE(allclose(func::hessian(scalar)(x), hessian));
  EXPECT_TRUE(allclose(func::jacrev(func::jacfwd(scalar))(x), hessian));
  EXPECT_TRUE(allclose(func::jacfwd(func::jacfwd(scalar))(x), hessian));
  EXPECT_TRUE(allclose(func::jacrev(func::jacrev(scalar))(x), hessian));
}

TEST(Func, Vjp) {
  const auto [y, back] = func::vjp(cube, constant({1, 2}));
  EXPECT_VALUES(y, 1, 8);
  EXPECT_FALSE(y.requires_grad());
  EXPECT_VALUES(back(constant({1, 0})), 3, 0);
  EXPECT_VALUES(back(constant({0, 1})), 0, 12);
  const auto pair = func::vjp([](const variable_list& in) { return variable_list{in[0] * in[1]}; },
                              {constant({2}), constant({3})});
  EXPECT_VALUES(pair.second({constant({1})})[1], 2);
}

struct Sine : Function<Sine> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, double scale) {
    ctx->save_for_backward({x});
    ctx->saved_data["scale"] = scale;
    return x.sin() * scale;
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    return {grads[0] * ctx->get_saved_variables()[0].cos() * ctx->saved_data["scale"].toDouble(), Tensor()};
  }
  static variable_list jvp(AutogradContext* ctx, variable_list tangents) {
    EXPECT_FALSE(tangents[1].defined());
    return {tangents[0] * ctx->get_saved_variables()[0].cos() * ctx->saved_data["scale"].toDouble()};
  }
};

struct NoJvp : Function<NoJvp> {
  static Tensor forward(AutogradContext*, const Tensor& x) { return x * 2; }
  static variable_list backward(AutogradContext*, variable_list grads) { return {grads[0] * 2}; }
};

struct DoubleInPlace : Function<DoubleInPlace> {
  static Tensor forward(AutogradContext* ctx, Tensor x) {
    x.mul_(2);
    ctx->mark_dirty({x});
    return x;
  }
  static variable_list backward(AutogradContext*, variable_list grads) { return {grads[0] * 2}; }
  static variable_list jvp(AutogradContext*, variable_list tangents) { return {tangents[0] * 2}; }
};

TEST(Function, ForwardMode) {
  const auto fn = [](const variable_list& in) { return variable_list{Sine::apply(in[0], 3.0)}; };
  EXPECT_TRUE(gradcheck(fn, {leaf({0.3, 0.7})}, {.check_forward_ad = true}));
  EXPECT_TRUE(gradgradcheck(fn, {leaf({0.3, 0.7})}, {}, {.check_forward_ad = true}));
  const auto tangent = [](const variable_list& in) {
    const forward_ad::dual_level level;
    return variable_list{
        forward_ad::unpack_dual(Sine::apply(forward_ad::make_dual(in[0], in[0]), 3.0)).tangent};
  };
  EXPECT_TRUE(gradcheck(tangent, {leaf({0.3, 0.7})}));
  const forward_ad::dual_level level;
  const Tensor dual = forward_ad::make_dual(constant({1}), constant({1}));
  EXPECT_THAT(Call([&] { NoJvp::apply(dual); }),
              ThrowsMessage<NotImplementedError>(HasSubstr("NoJvpBackward: forward mode needs a `static")));
  Tensor x = dual * 1;
  const Tensor y = DoubleInPlace::apply(x);
  EXPECT_VALUES(forward_ad::unpack_dual(y).tangent, 2);
}

}  // namespace
}  // namespace lanewise::autograd
