// Optimizers against their formulas written out in double.

#include <cmath>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include <lanewise/lanewise.h>

namespace lanewise::optim {
namespace {

constexpr int kSteps = 7;

/// The gradient of sum(p^4)/4 - sum(p).
double gradient(double p) { return p * p * p - 1; }

std::vector<double> start_values() {
  std::vector<double> values;
  for (int i = 0; i < 37; ++i)
    values.push_back(0.1 * i - 1.65);  // not 1, where the gradient is all rounding error
  return values;
}

Tensor parameter(ScalarType dtype) {
  const auto values = start_values();
  return tensor(values, kDouble).to(dtype).detach().requires_grad_();
}

/// Runs the optimizer on p^4/4 - p and compares with `reference`, which updates one number in double.
void expect_follows(Tensor p, Optimizer& optimizer, const std::function<double(double start)>& reference,
                    double tolerance) {
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

template <class Options>
std::function<double(double)> adam_reference(Options o, bool decoupled) {
  return [=](double p) {
    const auto [beta1, beta2] = o.betas();
    double m = 0, v = 0, largest = 0;
    for (int t = 1; t <= kSteps; ++t) {
      double g = gradient(p);
      if (decoupled) {
        p -= o.lr() * o.weight_decay() * p;
      } else {
        g += o.weight_decay() * p;
      }
      m = beta1 * m + (1 - beta1) * g;
      v = beta2 * v + (1 - beta2) * g * g;
      largest = std::max(largest, v);
      const double second = o.amsgrad() ? largest : v;
      const double denominator = std::sqrt(second) / std::sqrt(1 - std::pow(beta2, t)) + o.eps();
      p -= o.lr() / (1 - std::pow(beta1, t)) * m / denominator;
    }
    return p;
  };
}

TEST(SGD, FollowsItsFormula) {
  const std::vector<SGDOptions> all = {SGDOptions(0.05), SGDOptions(0.05).weight_decay(0.1),
                                       SGDOptions(0.05).momentum(0.9),
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
  for (const AdamOptions& options :
       {AdamOptions(0.01), AdamOptions(0.01).weight_decay(0.1),
        AdamOptions(0.02).betas({0.8, 0.99}).eps(1e-6), AdamOptions(0.01).amsgrad(true)}) {
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

std::function<double(double)> rmsprop_reference(RMSpropOptions o) {
  return [o](double p) {
    double square = 0, mean = 0, buffer = 0;
    for (int step = 0; step < kSteps; ++step) {
      const double g = gradient(p) + o.weight_decay() * p;
      square = o.alpha() * square + (1 - o.alpha()) * g * g;
      mean = o.alpha() * mean + (1 - o.alpha()) * g;
      const double d = g / (std::sqrt(o.centered() ? square - mean * mean : square) + o.eps());
      buffer = o.momentum() * buffer + d;
      p -= o.lr() * (o.momentum() == 0 ? d : buffer);
    }
    return p;
  };
}

TEST(RMSprop, FollowsItsFormula) {
  for (const RMSpropOptions& options :
       {RMSpropOptions(0.01), RMSpropOptions(0.02).alpha(0.9).eps(1e-6).weight_decay(0.1),
        RMSpropOptions(0.01).momentum(0.9), RMSpropOptions(0.01).centered(true),
        RMSpropOptions(0.01).momentum(0.5).centered(true).weight_decay(0.1)}) {
    for (const auto& [dtype, tolerance] : {std::pair(kDouble, 1e-11), std::pair(kFloat, 1e-4)}) {
      const Tensor p = parameter(dtype);
      RMSprop optimizer({p}, options);
      expect_follows(p, optimizer, rmsprop_reference(options), tolerance);
    }
  }
}

/// The numbers are those of torch.optim.
TEST(RMSprop, KeepsItsBufferWhereThereIsNoMomentum) {
  const Tensor p = tensor({1.0, 2.0}, kDouble).requires_grad_();
  RMSprop optimizer({p}, RMSpropOptions(0.01).centered(true));
  for (const double momentum : {0.9, 0.9, 0.0, 0.9}) {
    static_cast<RMSpropOptions&>(optimizer.param_groups()[0].options()).momentum(momentum);
    p.mutable_grad() = p.detach().clone();
    optimizer.step();
  }
  EXPECT_TRUE(allclose(p.detach(), tensor({0.5073686590150015, 1.4934582211790348}, kDouble), 0, 1e-12)) << p;
}

TEST(Adagrad, FollowsItsFormula) {
  for (const AdagradOptions& options :
       {AdagradOptions(0.05), AdagradOptions(0.05).lr_decay(0.1).weight_decay(0.1),
        AdagradOptions(0.1).initial_accumulator_value(0.3).eps(1e-6)}) {
    const auto reference = [&](double p) {
      double sum = options.initial_accumulator_value();
      for (int step = 0; step < kSteps; ++step) {
        const double g = gradient(p) + options.weight_decay() * p;
        sum += g * g;
        p -= options.lr() / (1 + step * options.lr_decay()) * g / (std::sqrt(sum) + options.eps());
      }
      return p;
    };
    for (const auto& [dtype, tolerance] : {std::pair(kDouble, 1e-12), std::pair(kFloat, 1e-5)}) {
      const Tensor p = parameter(dtype);
      Adagrad optimizer({p}, options);
      expect_follows(p, optimizer, reference, tolerance);
    }
  }
}

TEST(Adagrad, HasItsStateFromTheStart) {
  const Tensor p = ones({2}, requires_grad());
  Adagrad optimizer({p}, AdagradOptions(0.1).initial_accumulator_value(0.5));
  auto& state = static_cast<AdagradParamState&>(*optimizer.state().at(p.unsafeGetTensorImpl()));
  EXPECT_EQ(state.step(), 0);
  EXPECT_TRUE(state.sum().equal(full({2}, 0.5)));
}

}  // namespace
}  // namespace lanewise::optim
