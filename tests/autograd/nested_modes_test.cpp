// Modes inside of one another: tangents through backwards, through saved tensors that hooks pack, and under vmap.
#include <lanewise/autograd/forward_ad.h>
#include <lanewise/autograd/func.h>
#include <lanewise/autograd/functional.h>
#include <lanewise/autograd/saved_tensor_hooks.h>
#include <lanewise/autograd/vmap.h>

#include "helpers.h"

namespace lanewise::autograd {
namespace {

using Function = std::function<Tensor(const Tensor&)>;

Tensor each(const Function& f, const Tensor& rows) {
  std::vector<Tensor> results;
  for (std::int64_t i = 0; i < rows.size(0); ++i) results.push_back(f(rows[i]));
  return stack(results);
}

/// By forward mode over a backward that records nothing; functional::hessian differentiates the backward.
void expect_hessian(const Function& f, const Tensor& x) {
  EXPECT_TRUE(allclose(func::hessian(f)(x), functional::hessian(f, x)));
}

TEST(ForwardOverReverse, GoesThroughInPlaceOpsOnViews) {
  const Tensor x = tensor({0.3, 1.2, 2.0}, kDouble);
  expect_hessian(
      [](const Tensor& t) {
        const Tensor y = t * 1;
        y.slice(0, 0, 2).sin_();
        return y.sum();
      },
      x);
  expect_hessian(
      [](const Tensor& t) {
        const Tensor y = t * 2, all = y.view({3});
        all.div_(t * t + 1);
        y.select(0, 1).mul_(t[0]);
        return (y * y).sum();
      },
      x);
}

TEST(ForwardOverReverse, OfProductsWithZeros) {
  for (const Tensor& x : {tensor({0.0, 3.0, 4.0}, kDouble), tensor({0.0, 0.0, 4.0}, kDouble)}) {
    expect_hessian([](const Tensor& t) { return t.prod(); }, x);
    expect_hessian([](const Tensor& t) { return t.prod(0).exp(); }, x);
    expect_hessian([](const Tensor& t) { return t.cumprod(0).sum(); }, x);
  }
}

// A comparison in place on a view has no derivative, also where the view and its base have tangents.
TEST(ForwardOverReverse, ComparisonsInPlaceOnViews) {
  const forward_ad::dual_level level;
  const Tensor x = leaf({1, 2, 3});
  const Tensor dual = forward_ad::make_dual(x * 1, constant({4, 5, 6}));
  const Tensor part = dual.slice(0, 0, 2);
  part.eq_(1);
  (part.sum() + dual.sum()).backward();
  EXPECT_VALUES(forward_ad::unpack_dual(x.grad()).primal, 0, 0, 1);
  EXPECT_VALUES(forward_ad::unpack_dual(dual).tangent, 0, 0, 6);
}

TEST(ForwardOverReverse, OfLogcumsumexpWithZeroGradients) {
  const Tensor x = tensor({0.3, -1.2, 2.0}, kDouble), v = tensor({1.0, 2.0, -0.5}, kDouble);
  const auto f = [](const Tensor& t) { return logcumsumexp(t, 0); };
  // By two backwards, the first of which has a gradient of 0.
  const auto [value, derivative] = functional::jvp(f, x, v);
  EXPECT_TRUE(allclose(derivative, std::get<1>(func::jvp(f, x, v))));
  expect_hessian([&](const Tensor& t) { return f(t)[1].exp(); }, x);
  const Tensor rows = tensor({{0.3, -1.2, 2.0}, {1.0, 0.0, -4.0}}, kDouble);
  const auto g = [](const Tensor& t) { return logcumsumexp(t, 1); };
  EXPECT_TRUE(allclose(std::get<1>(functional::jvp(g, rows, rows)), std::get<1>(func::jvp(g, rows, rows))));
}

TEST(SavedTensorHooks, KeepTangents) {
  const SavedTensorHooks guard([](const Tensor& t) { return std::any(t.clone()); },
                               [](const std::any& packed) { return std::any_cast<Tensor>(packed); });
  const Tensor x = tensor({0.3, 1.2, 2.0}, kDouble);
  expect_hessian([](const Tensor& t) { return (t * t * t).sum(); }, x);
  expect_hessian([](const Tensor& t) { return (t.exp() * t.sin()).sum(); }, x);
  const Tensor rows = tensor({{1.0, 2.0}, {3.0, 4.0}}, kDouble);
  const auto gradient = func::grad([](const Tensor& t) { return (t * t).sum(); });
  EXPECT_TRUE(allclose(func::vmap(gradient)(rows), rows * 2));
}

TEST(SavedTensorHooks, UnpackOnceForAllInputs) {
  const Tensor x = leaf({1.0, 5.0, 3.0}), least = leaf({2.0, 2.0, 2.0}), most = leaf({4.0, 4.0, 4.0});
  int packed = 0, unpacked = 0;
  const SavedTensorHooks guard(
      [&](const Tensor& t) {
        ++packed;
        return std::any(t);
      },
      [&](const std::any& p) {
        ++unpacked;
        return std::any_cast<Tensor>(p);
      });
  for (const Tensor& y : {x.clamp(least, most), x.atan2(least), maximum(x, most), x.pow(least),
                          where(x > least, x, most), mse_loss(x, most)}) {
    packed = unpacked = 0;
    y.sum().backward();
    EXPECT_GT(unpacked, 0);
  }
  packed = unpacked = 0;
  x.clamp(least, most).sum().backward();
  EXPECT_EQ(unpacked, packed);
}

TEST(SavedTensors, AreOnlyReadForGradientsThatNeedThem) {
  const Tensor a = leaf({1.0}), b = leaf({2.0}), c = leaf({3.0}) * 1, w = leaf({0.3}) * 1;
  const Tensor y = addcdiv(a, b, c), z = lerp(a, b, w);
  {
    const NoGradGuard guard;
    c.add_(1);
    w.add_(1);
  }
  EXPECT_VALUES(grad({y}, {a})[0], 1);
  EXPECT_THROW(grad({y}, {b}), AutogradError);
  EXPECT_VALUES(grad({z}, {w})[0], 1);
  EXPECT_THROW(grad({z}, {a}), AutogradError);
}

TEST(Vmap, OfTangentsOfOpsThatDeriveThemFromTheirBackward) {
  const Tensor x = randn({4, 3}, kDouble), v = randn({4, 3}, kDouble);
  const std::vector<Function> functions = {
      [](const Tensor& t) { return t.var(); },
      [](const Tensor& t) { return t.norm(); },
      [](const Tensor& t) { return t.cumprod(0); },
      [](const Tensor& t) { return t.logsumexp(0); },
      [](const Tensor& t) { return t.unsqueeze(0).renorm(2, 0, 1); },
  };
  for (const Function& f : functions) {
    const auto slope = [&](const Tensor& a, const Tensor& b) { return std::get<1>(func::jvp(f, a, b)); };
    std::vector<Tensor> wanted;
    for (std::int64_t i = 0; i < 4; ++i) wanted.push_back(slope(x[i], v[i]));
    EXPECT_TRUE(allclose(func::vmap(slope)(x, v), stack(wanted)));
    const auto all = [&](const Tensor& t) { return func::vmap(f)(t); };
    EXPECT_TRUE(allclose(std::get<1>(func::jvp(all, x, v)), stack(wanted)));
  }
  const auto sine = [](const Tensor& t) {
    return functional::jvp([](const Tensor& s) { return s.sin(); }, t, ones_like(t)).second;
  };
  EXPECT_TRUE(allclose(func::vmap(sine)(x), x.cos()));
}

TEST(Vmap, OfGradientsByTheMatrixOfALinearMap) {
  const Tensor x = randn({5, 3}, kDouble), weight = randn({4, 3}, kDouble);
  const auto by_weight = [&](const Tensor& row) {
    return func::grad([&](const Tensor& w) { return linear(row, w).sin().sum(); })(weight);
  };
  EXPECT_TRUE(allclose(func::vmap(by_weight)(x), each(by_weight, x)));
}

TEST(Vmap, OfViewsInPlace) {
  const Tensor x = randn({5, 3}, kDouble), w = randn({2, 3}, kDouble);
  const auto there_and_back = [](const Tensor& row) {
    Tensor t = row * 2;
    t.unsqueeze_(0).transpose_(0, 1).t_();
    return t.squeeze_();
  };
  EXPECT_TRUE(equal(func::vmap(there_and_back)(x), x * 2));
  const auto pairs = func::vmap([&](const Tensor& row) {
    return func::vmap([&](const Tensor& other) {
      Tensor t = (row * other).unsqueeze(-1);
      return t.squeeze_(-1);
    })(w);
  });
  EXPECT_TRUE(equal(pairs(x), x.unsqueeze(1) * w));
}

// Numbers are doubles, whatever the default dtype.
TEST(Gradients, ByComplexNumbersKeepTheirDigits) {
  const Tensor x = view_as_complex(randn({3, 2}, kDouble)).requires_grad_();
  const std::complex<double> number(0.1, 0.7);
  const auto slope = [&](const Tensor& y) { return grad({y}, {x}, {ones_like(y)})[0]; };
  EXPECT_TRUE(equal(slope(x * Scalar(number)), full({3}, std::conj(number), kComplexDouble)));
  EXPECT_TRUE(
      allclose(slope(x / Scalar(number)), full({3}, 1.0 / std::conj(number), kComplexDouble), 1e-15, 1e-15));
}

}  // namespace
}  // namespace lanewise::autograd
