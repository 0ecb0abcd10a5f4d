// Optimizers and models to a stream and back: training goes on as if it had not stopped; what is another one's is refused.

#include <limits>
#include <memory>
#include <sstream>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lanewise/lanewise.h>

namespace lanewise {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// Two parameters, the loss of which pulls them to 1.
struct Model {
  Tensor w = full({3}, 0.25, requires_grad()), v = full({2, 2}, -1.0, requires_grad());

  std::vector<Tensor> parameters() const { return {w, v}; }
  NamedTensors named_tensors() const { return {{"w", w}, {"v", v}}; }
  void load_named_tensors(const NamedTensors& tensors) {
    w.set_data(tensors.at("w"));
    v.set_data(tensors.at("v"));
  }
  Tensor loss() const { return (w - 1).pow(4).sum() + (v - 1).square().sum(); }
};

/// Trains on after saving and loading, beside one that was never saved.
template <class Optimizer, class Options>
void expect_goes_on(const Options& options, const Options& others) {
  const auto step = [](Model& model, Optimizer& optimizer) {
    optimizer.step([&] {
      optimizer.zero_grad();
      const Tensor loss = model.loss();
      loss.backward();
      return loss;
    });
  };
  Model straight, first, second;
  Optimizer a(straight.parameters(), options), b(first.parameters(), options), c(second.parameters(), others);
  for (int i = 0; i < 6; ++i) step(straight, a);
  for (int i = 0; i < 3; ++i) step(first, b);
  std::stringstream stream;
  save(first, stream);
  save(b, stream);
  load(second, stream);
  load(c, stream);
  EXPECT_TRUE(static_cast<const Options&>(c.param_groups()[0].options()) ==
              static_cast<const Options&>(b.param_groups()[0].options()));
  for (int i = 0; i < 3; ++i) step(second, c);
  EXPECT_TRUE(second.w.equal(straight.w));
  EXPECT_TRUE(second.v.equal(straight.v));
}

TEST(SaveOptimizer, GoesOnAsIfItHadNotStopped) {
  using namespace optim;
  expect_goes_on<SGD>(SGDOptions(0.1).momentum(0.9).nesterov(true), SGDOptions(1));
  expect_goes_on<SGD>(SGDOptions(0.1), SGDOptions(1).momentum(0.5));
  expect_goes_on<Adam>(AdamOptions(0.1).betas({0.8, 0.99}).amsgrad(true), AdamOptions(1));
  expect_goes_on<AdamW>(AdamWOptions(0.1).weight_decay(0.5), AdamWOptions(1));
  expect_goes_on<Adagrad>(AdagradOptions(0.1).lr_decay(0.1), AdagradOptions(1));
  expect_goes_on<RMSprop>(RMSpropOptions(0.1).centered(true).momentum(0.5), RMSpropOptions(1));
  expect_goes_on<LBFGS>(LBFGSOptions(0.5).max_iter(3).history_size(4), LBFGSOptions(1));
  expect_goes_on<LBFGS>(LBFGSOptions(0.5).max_iter(2).line_search_fn("strong_wolfe"), LBFGSOptions(1));
}

TEST(SaveOptimizer, OfOthersIsAnErrorThatChangesNothing) {
  using namespace optim;
  Model model;
  Adam adam(model.parameters(), AdamOptions(0.1));
  model.loss().backward();
  adam.step();
  const NamedTensors saved = adam.named_tensors();

  const auto without = [&](const char* name) {
    NamedTensors all = saved;
    EXPECT_EQ(all.erase(name), 1U) << name;
    return all;
  };
  const auto with = [&](const char* name, const Tensor& t) {
    NamedTensors all = saved;
    all[name] = t;
    return all;
  };
  Adam other(model.parameters(), AdamOptions(0.25));
  const std::pair<NamedTensors, const char*> cases[] = {
      {without("param_groups.0.lr"), "the setting lr is missing"},
      {without("param_groups.0.params"), "there is no group 0"},
      {without("state.1.exp_avg"), "exp_avg is missing"},
      {with("param_groups.0.momentum", ones({}, kDouble)), "the setting momentum is another optimizer's"},
      {with("param_groups.0.lr", ones({}, kFloat)), "the setting lr is Float"},
      {with("param_groups.0.lr", full({}, -1, kDouble)), "Invalid learning rate"},
      {with("param_groups.1.lr", ones({}, kDouble)), "a different number of parameter groups"},
      {with("param_groups.0.params", arange(3)), "a different size"},
      {with("state.2.exp_avg", ones({1})), "a different number of parameters"},
      {with("state.x.exp_avg", ones({1})), "is no part of a saved optimizer"},
      {with("param_groups.99999999999999999999.lr", ones({}, kDouble)), "is no part of a saved optimizer"},
      {with("param_groups.00.lr", ones({}, kDouble)), "is no part of a saved optimizer"},
      {with("param_groups.0.params", arange(2, kFloat)), "a different size"},
      {with("state..exp_avg", ones({1})), "is no part of a saved optimizer"},
      {with("state.1", ones({1})), "is no part of a saved optimizer"},
      {with("weight", ones({1})), "is no part of a saved optimizer"},
      {with("state.0.exp_avg", ones({4})), "expected [3]"},
  };
  for (const auto& [tensors, message] : cases) {
    const auto refused = [&other, &all = tensors] { other.load_named_tensors(all); };
    EXPECT_THAT(refused, ThrowsMessage<Error>(HasSubstr(message)));
    EXPECT_EQ(other.options().lr(), 0.25);
    EXPECT_TRUE(other.state().empty());
  }
  other.load_named_tensors(saved);
  EXPECT_EQ(other.options().lr(), 0.1);
  EXPECT_EQ(other.state().size(), 2U);
}

TEST(SaveOptimizer, SeveralGroups) {
  using namespace optim;
  Model model;
  const auto groups = [&](double first, double second) {
    return std::vector<OptimizerParamGroup>{{{model.w}, std::make_unique<SGDOptions>(first)},
                                            {{model.v}, std::make_unique<SGDOptions>(second)}};
  };
  SGD a(groups(0.5, 0.25), SGDOptions(1)), b(groups(1, 1), SGDOptions(1));
  std::stringstream stream;
  save(a, stream);
  load(b, stream);
  EXPECT_EQ(b.param_groups()[0].options().get_lr(), 0.5);
  EXPECT_EQ(b.param_groups()[1].options().get_lr(), 0.25);
  SGD one(model.parameters(), SGDOptions(1));
  EXPECT_THROW(one.load_named_tensors(a.named_tensors()), ValueError);
}

TEST(SaveOptimizer, StatesOfLBFGSAreChecked) {
  Model model;
  optim::LBFGS lbfgs(model.parameters(), optim::LBFGSOptions(0.5).max_iter(2));
  lbfgs.step([&] {
    lbfgs.zero_grad();
    const Tensor loss = model.loss();
    loss.backward();
    return loss;
  });
  NamedTensors saved = lbfgs.named_tensors(), other = saved, counts = saved, none = saved;
  other["state.0.exp_avg"] = ones({1});
  counts["state.0.numbers"] = full({5}, std::numeric_limits<double>::quiet_NaN(), kDouble);
  none["state.0.d"] = Tensor();
  for (const NamedTensors& each : {other, counts, none})
    EXPECT_THROW(lbfgs.load_named_tensors(each), ValueError);
  EXPECT_NO_THROW(lbfgs.load_named_tensors(saved));
}

TEST(SaveOptimizer, OfYoursSaysWhatIsMissing) {
  struct Options : optim::OptimizerCloneableOptions<Options> {};
  struct Own : optim::Optimizer {
    explicit Own(const std::vector<Tensor>& parameters)
        : Optimizer(parameters, std::make_unique<Options>()) {}
    Tensor step(LossClosure) override { return {}; }
  };
  const Own own({ones({1}, requires_grad())});
  std::stringstream stream;
  EXPECT_THAT([&] { save(own, stream); },
              ThrowsMessage<NotImplementedError>(HasSubstr("override settings()")));
}

}  // namespace
}  // namespace lanewise
