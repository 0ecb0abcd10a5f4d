// What all optimizers have in common: groups, states, steps, closures, what they refuse, and writing your own.

#include <type_traits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lanewise/lanewise.h>

#include "call.h"

namespace lanewise::optim {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(ParamGroups, HaveSettingsOfTheirOwn) {
  const Tensor a = ones({2}, requires_grad()), b = ones({2}, requires_grad()), c = ones({2}, requires_grad());
  SGD optimizer(std::vector<OptimizerParamGroup>{OptimizerParamGroup({a}),
                                                 OptimizerParamGroup({b}, std::make_unique<SGDOptions>(0.5))},
                SGDOptions(0.1));
  optimizer.add_param_group(
      OptimizerParamGroup({c}, std::make_unique<SGDOptions>(SGDOptions(0.25).momentum(0.9))));
  ASSERT_EQ(optimizer.param_groups().size(), 3U);
  EXPECT_EQ(optimizer.size(), 3U);
  (a + b + c).sum().backward();
  optimizer.step();
  EXPECT_FLOAT_EQ(a[0].item<float>(), 0.9F);
  EXPECT_FLOAT_EQ(b[0].item<float>(), 0.5F);
  EXPECT_FLOAT_EQ(c[0].item<float>(), 0.75F);
  static_cast<SGDOptions&>(optimizer.param_groups()[1].options()).lr(0);
  optimizer.step();
  EXPECT_FLOAT_EQ(b[0].item<float>(), 0.5F);
  EXPECT_FLOAT_EQ(c[0].item<float>(), 0.75F - 0.25F * 1.9F);
  EXPECT_THAT(Call([&] { optimizer.add_param_group(OptimizerParamGroup({a})); }),
              ThrowsMessage<ValueError>(HasSubstr("more than one parameter group")));
  const Tensor d = ones({2}, requires_grad());
  EXPECT_THAT(
      Call([&] { optimizer.add_param_group(OptimizerParamGroup({d}, std::make_unique<AdamOptions>())); }),
      ThrowsMessage<ValueError>(HasSubstr("another optimizer's")));
  EXPECT_THAT(
      Call([&] { optimizer.add_param_group(OptimizerParamGroup({d}, std::make_unique<SGDOptions>(-1))); }),
      ThrowsMessage<ValueError>(HasSubstr("Invalid learning rate: -1")));
  EXPECT_EQ(optimizer.size(), 3U);
}

/// Trains on where a copy of the optimizer has been left off: parameters and state taken over must give the
/// same bits.
template <class Kind, class Options>
void expect_resumes(const Options& options) {
  const auto train = [](Optimizer& optimizer, const Tensor& p, int steps) {
    for (int i = 0; i < steps; ++i) {
      optimizer.zero_grad();
      (p.pow(4).sum() / 4 - p.sum()).backward();
      optimizer.step();
    }
  };
  const Tensor p = linspace(-1.65, 1.95, 37).requires_grad_(), untouched = ones({2}, requires_grad());
  Kind first({p, untouched}, options);
  train(first, p, 3);
  const Tensor q = p.detach().clone().requires_grad_();
  Kind second({q, untouched}, options);
  const std::vector<ParameterState> saved = first.state_dict();
  EXPECT_EQ(saved[1].empty(), (!std::is_same_v<Kind, Adagrad>));  // whose state is there from the start
  second.load_state_dict(saved);
  train(first, p, 3);
  train(second, q, 3);
  EXPECT_TRUE(equal(p.detach(), q.detach()));
  EXPECT_THROW(second.load_state_dict({}), ValueError);
  if (!saved[0].empty()) {
    EXPECT_THROW(second.load_state_dict({saved[1], saved[0]}), ShapeError);
  }
}

TEST(State, IsSavedAndTakenUpAgain) {
  expect_resumes<SGD>(SGDOptions(0.05));
  expect_resumes<SGD>(SGDOptions(0.05).momentum(0.9));
  expect_resumes<Adam>(AdamOptions(0.05).amsgrad(true));
  expect_resumes<AdamW>(AdamWOptions(0.05));
  expect_resumes<RMSprop>(RMSpropOptions(0.05).momentum(0.9).centered(true));
  expect_resumes<Adagrad>(AdagradOptions(0.05).lr_decay(0.1));
}

TEST(Closure, ComputesTheLossWithGradients) {
  const Tensor p = full({2}, 3.0, requires_grad());
  SGD optimizer({p}, SGDOptions(0.5));
  const NoGradGuard no_grad;
  const Tensor loss = optimizer.step([&] {
    optimizer.zero_grad();
    const Tensor value = p.pow(2).sum();
    value.backward();
    return value;
  });
  EXPECT_EQ(loss.item<float>(), 18);
  EXPECT_TRUE(equal(p.detach(), zeros({2})));
}

TEST(StepLR, MultipliesEveryFewSteps) {
  const Tensor p = ones({2}, requires_grad()), q = ones({2}, requires_grad());
  Adam optimizer(
      std::vector<OptimizerParamGroup>{OptimizerParamGroup({p}),
                                       OptimizerParamGroup({q}, std::make_unique<AdamOptions>(0.5))},
      AdamOptions(1));
  StepLR schedule(optimizer, 2, 0.5);
  std::vector<double> rates;
  for (int i = 0; i < 5; ++i) {
    schedule.step();
    rates.push_back(optimizer.param_groups()[0].options().get_lr());
  }
  EXPECT_EQ(rates, (std::vector<double>{1, 0.5, 0.5, 0.25, 0.25}));
  EXPECT_EQ(optimizer.param_groups()[1].options().get_lr(), 0.125);
  EXPECT_THROW(StepLR(optimizer, 0), ValueError);
}

TEST(Optimizer, WorksOnATransposedParameter) {
  const Tensor plain = rand({4, 6}, kDouble).requires_grad_(),
               turned = plain.detach().t().contiguous().t().requires_grad_();
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
  EXPECT_THAT(Call([&] { loss.backward(); }),
              ThrowsMessage<AutogradError>(HasSubstr("modified by an inplace operation")));
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

// Not in the denormals, where each step of some CPUs takes many times as long and 0.9 of the smallest rounds
// to itself.
TEST(State, OfAParameterAtRestDecaysToZero) {
  for (const Isa isa : available_isas()) {
    const IsaGuard tier(isa);
    const Tensor p = ones({37}, requires_grad()), q = ones({37}, requires_grad());
    SGD sgd({p}, SGDOptions(0.1).momentum(0.9));
    Adam adam({q}, AdamOptions(0.1).betas({0.9, 0.9}));
    for (int step = 0; step < 1200; ++step) {
      for (const Tensor& t : {p, q}) t.mutable_grad() = full({37}, step == 0 ? 1.0 : 0.0);
      sgd.step();
      adam.step();
    }
    EXPECT_TRUE(equal(sgd.state_dict()[0].at("momentum_buffer"), zeros({37}))) << name(isa);
    EXPECT_TRUE(equal(adam.state_dict()[0].at("exp_avg"), zeros({37}))) << name(isa);
    EXPECT_TRUE(equal(adam.state_dict()[0].at("exp_avg_sq"), zeros({37}))) << name(isa);
  }
}

TEST(Optimizer, RefusesWhatItCannotTrain) {
  EXPECT_THAT(Call([] { SGD({ones({2}, requires_grad()) * 2}, SGDOptions(0.1)); }),
              ThrowsMessage<ValueError>(HasSubstr("can't optimize a non-leaf Tensor")));
  const Tensor p = ones({2}, requires_grad());
  EXPECT_THAT(Call([&] { SGD({p}, SGDOptions(-1)); }),
              ThrowsMessage<ValueError>(HasSubstr("Invalid learning rate: -1")));
  EXPECT_THROW(SGD({p}, SGDOptions(0.1).nesterov(true)), ValueError);
  EXPECT_THAT(Call([&] {
                Adam({p}, AdamOptions().betas({0.9, 1.0}));
              }),
              ThrowsMessage<ValueError>(HasSubstr("Invalid beta parameter at index 1: 1")));
}

TEST(Optimizer, TakesWhatLibtorchTakes) {
  SGD none(std::vector<Tensor>{}, 0.1);
  none.step();
  EXPECT_EQ(none.size(), 0U);
  const Tensor plain = ones({2}), counts = ones({2}, kLong);
  SGD optimizer({plain, counts}, 0.5);
  plain.mutable_grad() = ones({2});
  optimizer.step();
  EXPECT_TRUE(equal(plain, full({2}, 0.5)));
  EXPECT_TRUE(equal(counts, ones({2}, kLong)));
}

TEST(Options, AreNumbersAndReferences) {
  SGDOptions options = 0.5;
  options.lr() = 0.25;
  options.momentum(0.5).nesterov() = true;
  EXPECT_EQ(options, SGDOptions(0.25).momentum(0.5).nesterov(true));
  EXPECT_NE(options, SGDOptions(0.25).momentum(0.5));
  AdamOptions adam;
  std::get<0>(adam.betas()) = 0.5;
  EXPECT_EQ(adam, AdamOptions(1e-3).betas({0.5, 0.999}));
  EXPECT_NE(adam, AdamOptions());

  const Tensor p = ones({2}, requires_grad());
  Adam optimizer({p}, 0.5);
  static_cast<AdamOptions&>(optimizer.defaults()).eps() = 0.25;
  const Tensor q = ones({2}, requires_grad());
  optimizer.add_param_group(OptimizerParamGroup({q}));
  EXPECT_EQ(static_cast<AdamOptions&>(optimizer.param_groups()[1].options()), AdamOptions(0.5).eps(0.25));
}

TEST(ParamGroups, GrowWithTheirStatesInPlace) {
  const Tensor a = ones({2}, requires_grad()), b = ones({2}, requires_grad()), c = ones({2}, requires_grad());
  Adam optimizer(std::vector<OptimizerParamGroup>{OptimizerParamGroup({a}), OptimizerParamGroup({b})}, 0.5);
  b.sum().backward();
  optimizer.step();
  ASSERT_EQ(optimizer.state().size(), 1U);
  const auto& state = static_cast<const AdamParamState&>(*optimizer.state().at(b.unsafeGetTensorImpl()));
  EXPECT_EQ(state.step(), 1);
  EXPECT_TRUE(equal(state.exp_avg(), full({2}, 0.1)));
  EXPECT_FALSE(state == AdamParamState());
  EXPECT_TRUE(static_cast<const AdamParamState&>(*state.clone()) == state);
  optimizer.param_groups()[0].params().push_back(c);  // in front of b
  c.sum().backward();
  optimizer.step();
  EXPECT_EQ(state.step(), 2);
  EXPECT_EQ(optimizer.state_dict()[1].at("step").item<std::int64_t>(), 1);
  const Tensor d = ones({2}, requires_grad());
  optimizer.add_parameters({d});
  EXPECT_TRUE(optimizer.param_groups()[0].params().back().is_same(d));
  EXPECT_THROW(optimizer.add_parameters({b}), ValueError);
}

struct SignOptions : OptimizerCloneableOptions<SignOptions> {
  explicit SignOptions(double lr) : lr_(lr) {}
  LANEWISE_ARG(double, lr);
};
struct SignState : OptimizerCloneableParamState<SignState> {
  LANEWISE_ARG(int, steps) = 0;
};
struct Sign : Optimizer {
  Sign(std::vector<Tensor> parameters, double lr)
      : Optimizer(std::move(parameters), std::make_unique<SignOptions>(lr)) {}
  Tensor step(LossClosure closure = nullptr) override {
    return step_each(closure, [this](Tensor& p, const Tensor& grad, const OptimizerOptions& options) {
      p.sub_(grad.sign(), options.get_lr());
      auto& state = state_[p.unsafeGetTensorImpl()];
      if (state == nullptr) {
        state = std::make_unique<SignState>();
        state->keep(p);
      }
      ++static_cast<SignState&>(*state).steps();
    });
  }
};

TEST(Optimizer, CanBeYourOwn) {
  const Tensor p = ones({2}, requires_grad());
  Sign own({p}, 0.25);
  Optimizer& optimizer = own;
  StepLR schedule(optimizer, 1, 0.5);
  const Tensor loss = optimizer.step([&] {
    const Tensor value = p.pow(2).sum();
    value.backward();
    return value;
  });
  EXPECT_EQ(loss.item<float>(), 2);
  schedule.step();
  optimizer.step();
  EXPECT_TRUE(equal(p.detach(), full({2}, 0.625)));
  EXPECT_EQ(static_cast<SignState&>(*optimizer.state().at(p.unsafeGetTensorImpl())).steps(), 2);
  EXPECT_THAT(Call([&] { optimizer.state_dict(); }),
              ThrowsMessage<NotImplementedError>(HasSubstr("override saved()")));
}

// Where a parameter is dropped, the next tensor may get its address, and must not get its state.
TEST(Optimizer, AStateBelongsToOneParameter) {
  Adam optimizer({ones({3}, requires_grad())}, AdamOptions(0.1));
  for (int i = 0; i < 3; ++i) {
    std::vector<Tensor>& params = optimizer.param_groups()[0].params();
    params.clear();
    params.push_back(ones({3 + i}, requires_grad()));
    params[0].mutable_grad() = ones({3 + i});
    optimizer.step();
    EXPECT_EQ(optimizer.state_dict()[0].at("step").item<std::int64_t>(), 1);
  }
}

TEST(Optimizer, AStateThatWasLoadedKeepsItsParameterToo) {
  Tensor w = ones({2}, requires_grad());
  w.mutable_grad() = ones({2});
  Adam first({w});
  first.step();
  Adam second({w});
  second.load_state_dict(first.state_dict());
  const auto uses = w.use_count();
  second.param_groups()[0].params().clear();
  EXPECT_EQ(w.use_count(), uses - 1);  // one in the group, one in the state
  second.state().clear();
  EXPECT_EQ(w.use_count(), uses - 2);
  LBFGS third({w});
  const auto before = w.use_count();
  third.step([&] {
    w.mutable_grad() = w.detach() * 2;
    return (w.detach() * w.detach()).sum();
  });
  EXPECT_EQ(w.use_count(), before + 1);
}

TEST(Optimizer, RefusesWhatItCannotUse) {
  const Tensor w = ones({2}, requires_grad());
  w.mutable_grad() = ones({2});
  Adam adam({w});
  adam.param_groups()[0].set_options(std::make_unique<SGDOptions>(0.1));
  EXPECT_THAT(Call([&] { adam.step(); }), ThrowsMessage<ValueError>(HasSubstr("another optimizer's")));
  EXPECT_THROW(adam.options(), ValueError);
  EXPECT_THROW(SGD(std::vector<OptimizerParamGroup>{}, 0.1).options(), ValueError);
  EXPECT_THROW(SGD({w}, SGDOptions(0.1).dampening(std::nan(""))), ValueError);
  const Tensor wide = ones({1}, requires_grad()).detach().expand({3}).requires_grad_();
  wide.mutable_grad() = ones({3});
  SGD both({w, wide}, 0.1);
  EXPECT_THAT(Call([&] { both.step(); }), ThrowsMessage<StorageError>(HasSubstr("parameter 1 is expanded")));
  const Tensor z = ones({2}, TensorOptions(kComplexFloat).requires_grad(true));
  z.mutable_grad() = ones({2}, kComplexFloat);
  SGD mixed({w, z}, 0.1);
  EXPECT_THROW(mixed.step(), DtypeError);
  EXPECT_TRUE(equal(w.detach(), ones({2})));  // nothing was written

  Adam fresh({w});
  fresh.step();
  std::vector<ParameterState> states = fresh.state_dict();
  states[0]["momentum_buffer"] = ones({2});
  EXPECT_THAT(Call([&] { fresh.load_state_dict(states); }),
              ThrowsMessage<ValueError>(HasSubstr("momentum_buffer")));
  states[0].erase("momentum_buffer");
  for (const Tensor& step : {scalar_tensor(-5, kLong), scalar_tensor(1.5), Tensor()}) {
    states[0]["step"] = step;
    EXPECT_THROW(fresh.load_state_dict(states), ValueError);
  }
}

}  // namespace
}  // namespace lanewise::optim
