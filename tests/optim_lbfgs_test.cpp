// LBFGS against the numbers of torch.optim.LBFGS (PyTorch 1.13), what ends a step, its state, and what it refuses.

#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lanewise/lanewise.h>

#include "call.h"

namespace lanewise::optim {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

using Loss = std::function<Tensor(const std::vector<Tensor>&)>;

Tensor rosenbrock(const std::vector<Tensor>& p) {
  const Tensor x = p[0][0], y = p[0][1];
  return (1 - x).pow(2) + 100 * (y - x.pow(2)).pow(2);
}

/// The mean square of eight residuals of a linear model: weights [3, 1] and a 0-dim bias.
Tensor least_squares(const std::vector<Tensor>& p) {
  const Tensor x = (arange(0, 24, kDouble).reshape({8, 3}) * 0.7).sin();
  const Tensor y = (arange(0, 8, kDouble) * 1.3).cos();
  return (x.matmul(p[0]).squeeze(1) + p[1] - y).pow(2).mean();
}

/// Many valleys.
Tensor wavy(const std::vector<Tensor>& p) { return (p[0].pow(2) * 0.1 + (5 * p[0]).sin()).sum(); }

Tensor quartic(const std::vector<Tensor>& p) { return p[0].pow(4).sum(); }

Tensor swells(const std::vector<Tensor>& p) { return (p[0].pow(2) + 3 * p[0].sin()).sum(); }

/// As steep as anywhere beside where it is least.
Tensor kinks(const std::vector<Tensor>& p) {
  return (p[0].abs() * tensor({1.0, 10.0, 100.0}, kDouble)).sum();
}

std::vector<Tensor> rosenbrock_start() { return {tensor({-1.2, 1.0}, kDouble).requires_grad_()}; }
std::vector<Tensor> least_squares_start() {
  return {zeros({3, 1}, kDouble).requires_grad_(), zeros({}, kDouble).requires_grad_()};
}
std::vector<Tensor> one_start() { return {tensor({3.3}, kDouble).requires_grad_()}; }
std::vector<Tensor> three_start() { return {tensor({3.3, -2.0, 0.4}, kDouble).requires_grad_()}; }

std::function<Tensor()> closure(Optimizer& optimizer, const Loss& loss,
                                const std::vector<Tensor>& parameters) {
  return [&optimizer, loss, parameters] {
    optimizer.zero_grad();
    const Tensor value = loss(parameters);
    value.backward();
    return value;
  };
}

const LBFGSParamState& state_of(const LBFGS& optimizer) {
  const void* first = optimizer.parameters()[0].unsafeGetTensorImpl();
  return static_cast<const LBFGSParamState&>(*optimizer.state().at(first));
}

std::vector<double> values(const std::vector<Tensor>& parameters) {
  std::vector<double> all;
  for (const Tensor& p : parameters) {
    const Tensor flat = p.detach().flatten();
    for (std::int64_t i = 0; i < flat.numel(); ++i) all.push_back(flat[i].item<double>());
  }
  return all;
}

void expect_near(const std::vector<double>& found, const std::vector<double>& want, const char* what) {
  ASSERT_EQ(found.size(), want.size()) << what;
  for (std::size_t i = 0; i < want.size(); ++i)
    EXPECT_NEAR(found[i], want[i], 1e-9 * (1e-3 + std::abs(want[i]))) << what << ' ' << i;
}

LBFGSOptions strong_wolfe(double lr = 1) { return LBFGSOptions(lr).line_search_fn("strong_wolfe"); }

struct PyTorchRun {
  const char* name;
  LBFGSOptions options;
  Loss loss;
  std::vector<Tensor> (*start)();
  std::vector<double> losses;  ///< what each step returns
  std::vector<double> parameters;
  std::int64_t evaluations, iterations;
  std::size_t history;
};

const std::vector<PyTorchRun> kRuns = {
    {"rosenbrock",
     LBFGSOptions(0.1).max_iter(4),
     rosenbrock,
     rosenbrock_start,
     {24.199999999999996, 7.762415367488737, 5.773396957586572},
     {-1.0656310618118967, 1.0582333010137979},
     12,
     12,
     11},
    {"rosenbrock_searched",
     strong_wolfe().max_iter(5),
     rosenbrock,
     rosenbrock_start,
     {24.199999999999996, 4.111816451757751, 3.4231654622927565, 1.657962640897188},
     {0.34184236067537155, 0.09925827373849652},
     27,
     18,
     17},
    {"rosenbrock_from_a_short_step",  // the search goes further and further
     strong_wolfe(1e-4).max_iter(4),
     rosenbrock,
     rosenbrock_start,
     {24.199999999999996, 10.565633722077013},
     {-1.0474907737532326, 1.0655025441656254},
     11,
     2,
     1},
    {"rosenbrock_from_a_long_step",  // and comes back
     strong_wolfe(30).max_iter(4),
     rosenbrock,
     rosenbrock_start,
     {24.199999999999996, 15.774889536753474},
     {-1.0211795214210206, 1.0543694538028847},
     12,
     3,
     2},
    {"rosenbrock_max_eval",
     LBFGSOptions(0.02).max_iter(6).max_eval(3),
     rosenbrock,
     rosenbrock_start,
     {24.199999999999996, 20.21337238531802, 19.077952948296694},
     {-1.173400570744462, 1.0122758238609628},
     9,
     6,
     5},
    {"rosenbrock_searched_max_eval",
     strong_wolfe().max_eval(9),
     rosenbrock,
     rosenbrock_start,
     {24.199999999999996, 3.9091442795206404},
     {-0.256089576896647, 0.037261981616223905},
     18,
     13,
     12},
    {"rosenbrock_small_moves",
     LBFGSOptions(1e-4).tolerance_change(1e-3),
     rosenbrock,
     rosenbrock_start,
     {24.199999999999996, 24.182142976200883},
     {-1.1999148475874843, 1.0000353379902092},
     4,
     2,
     1},
    {"least_squares",
     LBFGSOptions().max_iter(3),
     least_squares,
     least_squares_start,
     {0.5508887942265721, 0.5428455480172846, 0.5427741834842927},
     {-0.08978720522730249, -0.0017153626791767292, 0.0871632417402468, 0.03268593850869576},
     8,
     6,
     5},
    {"least_squares_short_history",
     LBFGSOptions(0.5).max_iter(6).history_size(2),
     least_squares,
     least_squares_start,
     {0.5508887942265721, 0.5427750295134881, 0.5427741809326256},
     {-0.08976553969003387, -0.0017129601738813233, 0.08714525127778784, 0.03268340935733247},
     13,
     13,
     2},
    {"least_squares_searched",
     strong_wolfe().max_iter(4),
     least_squares,
     least_squares_start,
     {0.5508887942265721, 0.5427741834842927},
     {-0.08978720522730249, -0.0017153626791767292, 0.0871632417402468, 0.03268593850869576},
     7,
     6,
     5},
    {"least_squares_tolerance_grad",
     LBFGSOptions().tolerance_grad(1e-2),
     least_squares,
     least_squares_start,
     {0.5508887942265721, 0.5427743841651154},
     {-0.08995276953011587, -0.0019842725595923677, 0.08691745880082123, 0.032990544127121484},
     5,
     3,
     2},
    {"least_squares_tolerance_change",
     LBFGSOptions().tolerance_change(1e-3),
     least_squares,
     least_squares_start,
     {0.5508887942265721, 0.5428455480172846},
     {-0.09776469886366963, -0.005846865888181113, 0.08882083947431842, 0.029598958122799286},
     4,
     4,
     2},
    {"quartic",  // a step after which the search goes less far than it may
     strong_wolfe(0.1).max_iter(1),
     quartic,
     three_start,
     {134.61769999999996, 79.0661295079874},
     {2.390034827061401, -1.7008562210588136, 0.39711043051458955},
     6,
     2,
     1},
    {"swells",  // where minima of cubics stay close to an end
     strong_wolfe(100).max_iter(4),
     swells,
     one_start,
     {10.416762917570255, -1.3657355969234541},
     {-0.9148564784492645},
     11,
     3,
     2},
    {"wavy",
     strong_wolfe(3).max_iter(6),
     wavy,
     three_start,
     {2.246533195345928, 0.3560213456449155},
     {3.4480178056117707, 0.9013399438678168, 0.9057831703327563},
     16,
     6,
     5},
    {"wavy_small_changes_of_the_loss",
     LBFGSOptions().max_iter(6).tolerance_change(1e-3),
     wavy,
     three_start,
     {2.246533195345928, -1.4815005443720632},
     {3.428259174841421, -1.5584584085238362, 0.9350177307790293},
     8,
     6,
     5},
    {"wavy_no_change_at_all",
     strong_wolfe(1e-22).max_iter(4),
     wavy,
     three_start,
     {2.246533195345928, 2.246533195345928},
     {3.3, -2.0, 0.4},
     8,
     2,
     0},
    {"kinks",  // where the search gives up
     strong_wolfe().max_iter(6),
     kinks,
     three_start,
     {63.3, 22.896000005605302},
     {3.2959999999994336, -1.9599999999943376, -5.662491656122093e-11},
     32,
     2,
     1},
    {"kinks_tolerance_change",  // which is not the search's
     strong_wolfe().max_iter(6).tolerance_change(1e-3),
     kinks,
     three_start,
     {63.3, 22.896000005605302},
     {3.2959999999994336, -1.9599999999943376, -5.662491656122093e-11},
     32,
     2,
     1}};

TEST(LBFGS, FollowsPyTorch) {
  for (const PyTorchRun& run : kRuns) {
    SCOPED_TRACE(run.name);
    const std::vector<Tensor> parameters = run.start();
    LBFGS optimizer(parameters, run.options);
    int calls = 0;
    const auto once = closure(optimizer, run.loss, parameters);
    const auto counted = [&] {
      ++calls;
      return once();
    };
    std::vector<double> losses;
    for (std::size_t i = 0; i < run.losses.size(); ++i)
      losses.push_back(optimizer.step(counted).item<double>());
    expect_near(losses, run.losses, "loss");
    expect_near(values(parameters), run.parameters, "parameter");
    const LBFGSParamState& state = state_of(optimizer);
    EXPECT_EQ(calls, run.evaluations);
    EXPECT_EQ(state.func_evals(), run.evaluations);
    EXPECT_EQ(state.n_iter(), run.iterations);
    EXPECT_EQ(state.ro().size(), run.history);
    EXPECT_EQ(state.old_dirs().size(), run.history);
    EXPECT_EQ(state.old_stps().size(), run.history);
  }
}

TEST(LBFGS, FindsTheValleysEnd) {
  for (const ScalarType dtype : {kDouble, kFloat}) {
    const std::vector<Tensor> p = {tensor({-1.2, 1.0}, kDouble).to(dtype).detach().requires_grad_()};
    LBFGS optimizer(p, strong_wolfe().max_iter(50));
    for (int i = 0; i < 2; ++i) optimizer.step(closure(optimizer, rosenbrock, p));
    EXPECT_TRUE(allclose(p[0].detach(), ones({2}, dtype), 1e-3)) << p[0];
  }
}

TEST(LBFGS, LeavesAnOptimumAlone) {
  const std::vector<Tensor> p = {ones({2}, kDouble).requires_grad_()};
  LBFGS optimizer(p);
  const auto version = p[0]._version();
  EXPECT_EQ(optimizer.step(closure(optimizer, rosenbrock, p)).item<double>(), 0);
  EXPECT_EQ(p[0]._version(), version);
  EXPECT_EQ(state_of(optimizer).func_evals(), 1);
  EXPECT_EQ(state_of(optimizer).n_iter(), 0);
}

TEST(LBFGS, WithoutIterationsOnlyEvaluates) {
  const std::vector<Tensor> p = rosenbrock_start();
  LBFGS optimizer(p, LBFGSOptions().max_iter(0));
  EXPECT_NEAR(optimizer.step(closure(optimizer, rosenbrock, p)).item<double>(), 24.2, 1e-12);
  EXPECT_EQ(values(p), values(rosenbrock_start()));
}

TEST(LBFGS, RecordsTheClosureAndNothingElse) {
  const std::vector<Tensor> p = rosenbrock_start();
  LBFGS optimizer(p, strong_wolfe());
  const Tensor loss = p[0].pow(2).sum();
  {
    const NoGradGuard no_grad;
    optimizer.step(closure(optimizer, rosenbrock, p));
  }
  EXPECT_TRUE(p[0].is_leaf());
  EXPECT_FALSE(state_of(optimizer).d().requires_grad());
  EXPECT_THAT(Call([&] { loss.backward(); }),
              ThrowsMessage<AutogradError>(HasSubstr("modified by an inplace operation")));
}

TEST(LBFGS, WorksOnATransposedParameterAndWithOneThatHasNoGradient) {
  const Tensor first = rand({4, 6}, kDouble);
  const Loss loss = [](const std::vector<Tensor>& p) { return (p[0] - 1).pow(4).sum() + p[0].sum().pow(2); };
  std::vector<std::vector<double>> found;
  for (const bool turned : {false, true}) {
    const Tensor p = (turned ? first.t().contiguous().t() : first.clone()).requires_grad_();
    const Tensor idle = ones({3}, kDouble).requires_grad_();
    LBFGS optimizer({p, idle}, strong_wolfe().max_iter(3));
    const auto once = closure(optimizer, loss, {p});
    for (int i = 0; i < 2; ++i) optimizer.step(once);
    EXPECT_TRUE(idle.detach().equal(ones({3}, kDouble)));
    EXPECT_FALSE(p.detach().equal(first));
    found.push_back(values({p}));
  }
  expect_near(found[1], found[0], "parameter");
}

TEST(LBFGS, HoldsNoGradientThatIsClearedInPlace) {
  const std::vector<Tensor> p = rosenbrock_start(), q = rosenbrock_start();
  LBFGS dropping(p, strong_wolfe().max_iter(5)), clearing(q, strong_wolfe().max_iter(5));
  for (int i = 0; i < 2; ++i) {
    dropping.step(closure(dropping, rosenbrock, p));
    clearing.step([&] {
      clearing.zero_grad(false);
      const Tensor value = rosenbrock(q);
      value.backward();
      return value;
    });
  }
  EXPECT_EQ(values(p), values(q));
}

TEST(LBFGS, OptionsFillInMaxEval) {
  const std::vector<Tensor> p = rosenbrock_start();
  LBFGS optimizer(p, LBFGSOptions().max_iter(10));
  EXPECT_EQ(optimizer.options(), LBFGSOptions().max_iter(10).max_eval(12));
  EXPECT_NE(optimizer.options(), LBFGSOptions().max_iter(10));
  EXPECT_EQ(static_cast<LBFGSOptions&>(optimizer.defaults()).max_eval(), 12);
  StepLR schedule(optimizer, 1, 0.5);
  schedule.step();
  EXPECT_EQ(optimizer.options().lr(), 0.5);
}

TEST(LBFGS, TakesItsStateUpAgain) {
  const std::vector<Tensor> p = least_squares_start();
  const LBFGSOptions options = strong_wolfe(0.5).max_iter(4).history_size(3);
  LBFGS first(p, options);
  EXPECT_TRUE(first.state_dict()[0].empty());
  for (int i = 0; i < 3; ++i) first.step(closure(first, least_squares, p));
  const std::vector<Tensor> q = {p[0].detach().clone().requires_grad_(),
                                 p[1].detach().clone().requires_grad_()};
  LBFGS second(q, options);
  const std::vector<ParameterState> saved = first.state_dict();
  EXPECT_TRUE(saved[1].empty());
  EXPECT_EQ(saved[0].at("old_dirs").sizes(), IntArrayRef({3, 4}));
  second.load_state_dict(saved);
  EXPECT_TRUE(state_of(first) == state_of(second));
  EXPECT_TRUE(state_of(first) == static_cast<const LBFGSParamState&>(*state_of(first).clone()));
  first.step(closure(first, least_squares, p));
  EXPECT_FALSE(state_of(first) == state_of(second));
  second.step(closure(second, least_squares, q));
  EXPECT_TRUE(state_of(first) == state_of(second));
  EXPECT_EQ(values(p), values(q));
}

TEST(LBFGS, RefusesTheStateOfOthers) {
  const std::vector<Tensor> p = least_squares_start();
  LBFGS optimizer(p, strong_wolfe().max_iter(4));
  optimizer.step(closure(optimizer, least_squares, p));
  const std::vector<ParameterState> saved = optimizer.state_dict();
  const auto load = [&](const std::function<void(std::vector<ParameterState>&)>& change) {
    return Call([&optimizer, change, changed = saved]() mutable {
      change(changed);
      optimizer.load_state_dict(changed);
    });
  };
  using States = std::vector<ParameterState>;
  EXPECT_THAT(load([](States& s) { std::swap(s[0], s[1]); }),
              ThrowsMessage<ValueError>(HasSubstr("parameter 1 has a state")));
  EXPECT_THAT(load([](States& s) { s[0].erase("numbers"); }),
              ThrowsMessage<ValueError>(HasSubstr("numbers is missing")));
  EXPECT_THAT(load([](States& s) { s[0].erase("old_dirs"); }),
              ThrowsMessage<ValueError>(HasSubstr("old_dirs is missing")));
  EXPECT_THAT(load([](States& s) { s[0]["d"] = ones({5}, kDouble); }),
              ThrowsMessage<ShapeError>(HasSubstr("d of parameter 0 has shape [5], expected [4]")));
  EXPECT_THAT(load([](States& s) { s[0]["numbers"] = ones({5}, kFloat); }),
              ThrowsMessage<DtypeError>(HasSubstr("numbers of parameter 0 is Float, expected Double")));
  EXPECT_THAT(load([](States& s) { s.pop_back(); }),
              ThrowsMessage<ValueError>(HasSubstr("the state is of 1")));
  optimizer.load_state_dict(saved);
}

TEST(LBFGS, AClosureThatThrowsLeavesEverythingAsItWas) {
  for (const LBFGSOptions& options : {LBFGSOptions().max_iter(3), strong_wolfe().max_iter(3)}) {
    for (const bool after_a_step : {false, true}) {
      const std::vector<Tensor> p = rosenbrock_start(), q = rosenbrock_start();
      LBFGS optimizer(p, options), undisturbed(q, options);
      const auto once = closure(optimizer, rosenbrock, p), other = closure(undisturbed, rosenbrock, q);
      if (after_a_step) {
        optimizer.step(once);
        undisturbed.step(other);
      }
      for (const int bad : {1, 2, 3}) {
        int calls = 0;
        EXPECT_THROW(optimizer.step([&] {
          if (++calls == bad) throw std::runtime_error("no more data");
          return once();
        }),
                     std::runtime_error);
        EXPECT_EQ(calls, bad);
      }
      EXPECT_EQ(values(p), values(q));
      optimizer.step(once);
      undisturbed.step(other);
      EXPECT_EQ(values(p), values(q));
      EXPECT_TRUE(state_of(optimizer) == state_of(undisturbed));
    }
  }
}

TEST(LBFGS, NeedsAClosure) {
  LBFGS optimizer(rosenbrock_start());
  EXPECT_THAT(Call([&] { optimizer.step(); }),
              ThrowsMessage<ValueError>(HasSubstr("LBFGS::step: there is no closure")));
}

TEST(LBFGS, HasOneGroup) {
  const OptimizerParamGroup a(rosenbrock_start()), b(rosenbrock_start());
  EXPECT_THAT(Call([&] {
                LBFGS(std::vector<OptimizerParamGroup>{a, b});
              }),
              ThrowsMessage<ValueError>(HasSubstr("the number of parameter groups is 2, expected one")));
  EXPECT_THAT(Call([&] { LBFGS(std::vector<OptimizerParamGroup>{}); }),
              ThrowsMessage<ValueError>(HasSubstr("the number of parameter groups is 0, expected one")));
  LBFGS optimizer(std::vector<OptimizerParamGroup>{a});
  EXPECT_THROW(optimizer.add_param_group(b), ValueError);
  optimizer.param_groups().push_back(b);
  EXPECT_THAT(Call([&] { optimizer.step(closure(optimizer, rosenbrock, a.params())); }),
              ThrowsMessage<ValueError>(HasSubstr("the number of parameter groups is 2")));
}

TEST(LBFGS, SaysWhenItsParametersHaveChanged) {
  const std::vector<Tensor> p = rosenbrock_start();
  LBFGS optimizer(p, LBFGSOptions(0.1).max_iter(2));
  optimizer.step(closure(optimizer, rosenbrock, p));
  optimizer.add_parameters({ones({3}, kDouble).requires_grad_()});
  EXPECT_THAT(
      Call([&] { optimizer.step(closure(optimizer, rosenbrock, p)); }),
      ThrowsMessage<ValueError>(HasSubstr("the number of elements is 5, expected that of the steps before")));
  optimizer.state().clear();
  optimizer.step(closure(optimizer, rosenbrock, p));
  EXPECT_EQ(state_of(optimizer).d().numel(), 5);
}

TEST(LBFGS, RefusesSettingsThatMakeNoSense) {
  const auto make = [](const LBFGSOptions& options) {
    return Call([options] { LBFGS(rosenbrock_start(), options); });
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(make(-1), ThrowsMessage<ValueError>(HasSubstr("Invalid learning rate: -1")));
  EXPECT_THAT(make(LBFGSOptions().tolerance_grad(nan)),
              ThrowsMessage<ValueError>(HasSubstr("Invalid tolerance_grad")));
  EXPECT_THAT(make(LBFGSOptions().tolerance_change(-1)),
              ThrowsMessage<ValueError>(HasSubstr("Invalid tolerance_change: -1")));
  EXPECT_THAT(make(LBFGSOptions().max_iter(-1)),
              ThrowsMessage<ValueError>(HasSubstr("Invalid max_iter: -1")));
  EXPECT_THAT(make(LBFGSOptions().max_eval(-1)),
              ThrowsMessage<ValueError>(HasSubstr("Invalid max_eval: -1")));
  EXPECT_THAT(make(LBFGSOptions().history_size(0)),
              ThrowsMessage<ValueError>(HasSubstr("history_size is 0")));
  EXPECT_THAT(make(LBFGSOptions().line_search_fn("armijo")),
              ThrowsMessage<ValueError>(HasSubstr("line_search_fn is armijo, expected strong_wolfe")));

  const std::vector<Tensor> p = rosenbrock_start();
  LBFGS optimizer(p);
  optimizer.options().line_search_fn("weak_wolfe");
  EXPECT_THAT(Call([&] { optimizer.step(closure(optimizer, rosenbrock, p)); }),
              ThrowsMessage<ValueError>(HasSubstr("line_search_fn is weak_wolfe")));
  EXPECT_EQ(values(p), values(rosenbrock_start()));
}

TEST(LBFGS, RefusesWhatItCannotTrain) {
  const auto step = [](const Tensor& p) {
    return Call([p] {
      LBFGS optimizer({p});
      optimizer.step([] { return zeros({}); });
    });
  };
  EXPECT_THAT(step(ones({2}, kComplexDouble).requires_grad_()),
              ThrowsMessage<DtypeError>(HasSubstr("parameter 0 is ComplexDouble")));
  EXPECT_THAT(step(ones({2}, kLong)), ThrowsMessage<DtypeError>(HasSubstr("parameter 0 is Long")));
  EXPECT_THAT(step(ones({0}, requires_grad())),
              ThrowsMessage<ValueError>(HasSubstr("the number of elements is 0")));
  EXPECT_THAT(Call([] { LBFGS(std::vector<Tensor>{}).step([] { return zeros({}); }); }),
              ThrowsMessage<ValueError>(HasSubstr("the number of elements is 0")));
}

}  // namespace
}  // namespace lanewise::optim
