// Optimizers against their formulas written out in double, and what they refuse.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include <lanewise/lanewise.h>

namespace lanewise::optim {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr int kSteps = 7;

/// The gradient of sum(p^4)/4 - sum(p).
double gradient(double p) { return p * p * p - 1; }

std::vector<double> start_values() {
  std::vector<double> values;
  for (int i = 0; i < 37; ++i) values.push_back(0.1 * i - 1.65);  // not 1, where the gradient is all rounding error
  return values;
}

Tensor parameter(ScalarType dtype) {
  const auto values = start_values();
  return tensor(values, kDouble).to(dtype).detach().requires_grad_();
}

/// Runs the optimizer on p^4/4 - p and compares with `reference`, which updates one number in double.
void expect_follows(Tensor p, Optimizer& optimizer, const std::function<double(double start)>& reference, double tolerance) {
  for (int step = 0; step < kSteps; ++step) {
    optimizer.zero_grad();
    (p.pow(4).sum() / 4 - p.sum()).backward();
    optimizer.step();
  }
  const auto start = start_values();
  const Tensor found = p.detach().to(kDouble);
  for (std::size_t i = 0; i < start.size(); ++i) {
    const double want = reference(start[i]);
    EXPECT_NEAR(found.data_ptr<double>()[i], want, tolerance * (1 + std::abs(want))) << "element " << i;
  }
}

std::function<double(double)> sgd_reference(SGDOptions o) {
  return [o](double p) {
    double buffer = 0;
    for (int step = 0; step < kSteps; ++step) {
      const double g = gradient(p) + o.weight_decay() * p;
      buffer = step == 0 ? g : o.momentum() * buffer + (1 - o.dampening()) * g;
      p -= o.lr() * (o.momentum() == 0 ? g : o.nesterov() ? g + o.momentum() * buffer : buffer);
    }
    return p;
  };
}

std::function<double(double)> adam_reference(AdamOptions o, bool decoupled) {
  return [=](double p) {
    double m = 0, v = 0, largest = 0;
    for (int t = 1; t <= kSteps; ++t) {
      double g = gradient(p);
      if (decoupled) {
        p -= o.lr() * o.weight_decay() * p;
      } else {
        g += o.weight_decay() * p;
      }
      m = o.betas()[0] * m + (1 - o.betas()[0]) * g;
      v = o.betas()[1] * v + (1 - o.betas()[1]) * g * g;
      largest = std::max(largest, v);
      const double second = o.amsgrad() ? largest : v;
      const double denominator = std::sqrt(second) / std::sqrt(1 - std::pow(o.betas()[1], t)) + o.eps();
      p -= o.lr() / (1 - std::pow(o.betas()[0], t)) * m / denominator;
    }
    return p;
  };
}

TEST(SGD, FollowsItsFormula) {
  const std::vector<SGDOptions> all = {SGDOptions(0.05), SGDOptions(0.05).weight_decay(0.1), SGDOptions(0.05).momentum(0.9),
                                       SGDOptions(0.05).momentum(0.9).dampening(0.3).weight_decay(0.1),
                                       SGDOptions(0.05).momentum(0.9).nesterov(true)};
  for (const SGDOptions& options : all) {
    for (const auto& [dtype, tolerance] : {std::pair(kDouble, 1e-12), std::pair(kFloat, 1e-5)}) {
      const Tensor p = parameter(dtype);
      SGD optimizer({p}, options);
      expect_follows(p, optimizer, sgd_reference(options), tolerance);
    }
  }
}

TEST(Adam, FollowsItsFormula) {
  for (const AdamOptions& options : {AdamOptions(0.01), AdamOptions(0.01).weight_decay(0.1), AdamOptions(0.02).betas({0.8, 0.99}).eps(1e-6), AdamOptions(0.01).amsgrad(true)}) {
    for (const auto& [dtype, tolerance] : {std::pair(kDouble, 1e-12), std::pair(kFloat, 1e-5)}) {
      const Tensor p = parameter(dtype);
      Adam optimizer({p}, options);
      expect_follows(p, optimizer, adam_reference(options, false), tolerance);
    }
  }
}

TEST(AdamW, FollowsItsFormula) {
  const Tensor p = parameter(kDouble);
  AdamW optimizer({p}, AdamWOptions(0.01));
  expect_follows(p, optimizer, adam_reference(AdamWOptions(0.01), true), 1e-12);
}

TEST(Optimizer, WorksOnATransposedParameter) {
  const Tensor plain = rand({4, 6}, kDouble).requires_grad_(), turned = plain.detach().t().contiguous().t().requires_grad_();
  ASSERT_FALSE(turned.is_contiguous());
  for (const Tensor& p : {plain, turned}) {
    Adam optimizer({p});
    for (int i = 0; i < 3; ++i) {
      optimizer.zero_grad();
      p.pow(2).sum().backward();
      optimizer.step();
    }
  }
  EXPECT_TRUE(equal(plain.detach(), turned.detach()));
}

TEST(Optimizer, LeavesAParameterWithoutGradientAlone) {
  const Tensor p = ones({3}, requires_grad()), q = ones({3}, requires_grad());
  SGD optimizer({p, q}, SGDOptions(0.5));
  p.sum().backward();
  optimizer.step();
  EXPECT_TRUE(equal(p.detach(), full({3}, 0.5)));
  EXPECT_TRUE(equal(q.detach(), ones({3})));
}

TEST(Optimizer, AStepIsAChangeThatAutogradNotices) {
  const Tensor p = ones({3}, requires_grad());
  SGD optimizer({p}, SGDOptions(0.5));
  const Tensor loss = p.pow(2).sum();
  p.mutable_grad() = ones({3});
  optimizer.step();
  EXPECT_THAT([&] { loss.backward(); }, ThrowsMessage<AutogradError>(HasSubstr("modified by an inplace operation")));
}

TEST(Optimizer, ZeroGradDropsOrClears) {
  const Tensor p = ones({3}, requires_grad());
  SGD optimizer({p}, SGDOptions(0.5));
  p.sum().backward();
  optimizer.zero_grad(false);
  EXPECT_TRUE(equal(p.grad(), zeros({3})));
  optimizer.zero_grad();
  EXPECT_FALSE(p.grad().defined());
}

TEST(Optimizer, RefusesWhatItCannotTrain) {
  EXPECT_THROW(SGD({}, SGDOptions(0.1)), ValueError);
  EXPECT_THAT([] { SGD({ones({2})}, SGDOptions(0.1)); }, ThrowsMessage<ValueError>(HasSubstr("requires_grad_()")));
  EXPECT_THAT([] { SGD({ones({2}, requires_grad()) * 2}, SGDOptions(0.1)); }, ThrowsMessage<ValueError>(HasSubstr("not a leaf")));
  const Tensor p = ones({2}, requires_grad());
  EXPECT_THAT([&] { SGD({p}, SGDOptions(-1)); }, ThrowsMessage<ValueError>(HasSubstr("lr is -1")));
  EXPECT_THROW(SGD({p}, SGDOptions(0.1).nesterov(true)), ValueError);
  EXPECT_THAT([&] { Adam({p}, AdamOptions().betas({0.9, 1.0})); }, ThrowsMessage<ValueError>(HasSubstr("beta is 1")));
}

}  // namespace
}  // namespace lanewise::optim
