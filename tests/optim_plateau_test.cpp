// ReduceLROnPlateauScheduler against the rates of torch.optim.lr_scheduler.ReduceLROnPlateau (PyTorch 1.13).

#include <limits>
#include <memory>
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

using Plateau = ReduceLROnPlateauScheduler;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Two groups, with rates 1 and 0.5.
struct TwoGroups {
  Tensor p = ones({1}, requires_grad()), q = ones({1}, requires_grad());
  SGD optimizer{std::vector<OptimizerParamGroup>{OptimizerParamGroup({p}),
                                                 OptimizerParamGroup({q}, std::make_unique<SGDOptions>(0.5))},
                SGDOptions(1)};

  double lr(std::size_t group) const { return optimizer.param_groups()[group].options().get_lr(); }
};

using Rates = std::vector<double>;

/// The rates of both groups after a step with each metric.
std::pair<Rates, Rates> rates(TwoGroups& groups, Plateau& schedule, const std::vector<double>& metrics) {
  std::pair<Rates, Rates> all;
  for (const double metric : metrics) {
    schedule.step(metric);
    all.first.push_back(groups.lr(0));
    all.second.push_back(groups.lr(1));
  }
  return all;
}

void expect_rates(const std::pair<Rates, Rates>& found, const Rates& first, const Rates& second) {
  EXPECT_THAT(found.first, ::testing::Pointwise(::testing::DoubleEq(), first));
  EXPECT_THAT(found.second, ::testing::Pointwise(::testing::DoubleEq(), second));
}

const std::vector<double> kFalling = {1.0,  0.9,  0.95, 0.9, 0.89995, 0.85, 0.86, 0.87,
                                      kNaN, 0.86, 0.85, 0.9, 0.8,     0.81, 0.82};
const std::vector<double> kRising = {0.1,  0.2, 0.21, 0.2,  0.3, 0.29, 0.28, 0.31,
                                     0.33, 0.3, kNaN, 0.35, 0.5, 0.51, 0.52};

TEST(Plateau, ReducesAfterMoreBadStepsThanItsPatience) {
  TwoGroups groups;
  Plateau schedule(groups.optimizer, Plateau::min, 0.1, 1);
  expect_rates(rates(groups, schedule, kFalling),
               {1, 1, 1, 0.1, 0.1, 0.1, 0.1, 1e-2, 1e-2, 1e-3, 1e-3, 1e-4, 1e-4, 1e-4, 1e-5},
               {0.5, 0.5, 0.5, 0.05, 0.05, 0.05, 0.05, 5e-3, 5e-3, 5e-4, 5e-4, 5e-5, 5e-5, 5e-5, 5e-6});
}

TEST(Plateau, CoolsDown) {
  TwoGroups groups;
  Plateau schedule(groups.optimizer, Plateau::SchedulerMode::min, 0.5, 2, 1e-4, Plateau::ThresholdMode::rel,
                   2);
  expect_rates(rates(groups, schedule, kFalling),
               {1, 1, 1, 1, 0.5, 0.5, 0.5, 0.5, 0.5, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25},
               {0.5, 0.5, 0.5, 0.5, 0.25, 0.25, 0.25, 0.25, 0.25, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125});
}

TEST(Plateau, HasAThresholdRelativeToTheBest) {
  TwoGroups groups;
  Plateau schedule(groups.optimizer, Plateau::max, 0.5, 1, 0.1);
  expect_rates(rates(groups, schedule, kRising),
               {1, 1, 1, 0.5, 0.5, 0.5, 0.25, 0.25, 0.125, 0.125, 0.0625, 0.0625, 0.0625, 0.0625, 0.03125},
               {0.5, 0.5, 0.5, 0.25, 0.25, 0.25, 0.125, 0.125, 0.0625, 0.0625, 0.03125, 0.03125, 0.03125,
                0.03125, 0.015625});
}

TEST(Plateau, HasAnAbsoluteThreshold) {
  TwoGroups groups;
  Plateau schedule(groups.optimizer, Plateau::max, 0.5, 0, 0.04, Plateau::abs, 1);
  expect_rates(
      rates(groups, schedule, kRising),
      {1, 1, 0.5, 0.5, 0.5, 0.25, 0.25, 0.125, 0.125, 0.0625, 0.0625, 0.0625, 0.0625, 0.03125, 0.03125},
      {0.5, 0.5, 0.25, 0.25, 0.25, 0.125, 0.125, 0.0625, 0.0625, 0.03125, 0.03125, 0.03125, 0.03125, 0.015625,
       0.015625});
}

TEST(Plateau, LeavesAloneWhatIsAtItsMinimumOrWouldHardlyChange) {
  TwoGroups groups;
  Plateau schedule(groups.optimizer, Plateau::min, 0.5, 0, 0.06, Plateau::abs, 0, {0.1, 0.2}, 0.05);
  expect_rates(rates(groups, schedule, kFalling),
               {1, 1, 0.5, 0.25, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125},
               {0.5, 0.5, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25});
}

TEST(Plateau, TakesOneMinimumForAllGroups) {
  TwoGroups groups;
  Plateau schedule(groups.optimizer, Plateau::min, 0.5, 0, 0, Plateau::rel, 0, 0.375);
  expect_rates(rates(groups, schedule, {1, 1, 1, 1}), {1, 0.5, 0.375, 0.375}, {0.5, 0.375, 0.375, 0.375});
}

TEST(Plateau, TakesATensorAndIsQuietByDefault) {
  TwoGroups groups;
  Plateau schedule(groups.optimizer, Plateau::min, 0.5, 0);
  ::testing::internal::CaptureStdout();
  for (int i = 0; i < 2; ++i) schedule.step(full({}, 2.0));
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(groups.lr(0), 0.5);
}

TEST(Plateau, SaysWhatItDoesIfVerbose) {
  TwoGroups groups;
  Plateau schedule(groups.optimizer, Plateau::min, 0.5, 0, 1e-4, Plateau::rel, 0, {0.0, 0.5}, 1e-8, true);
  ::testing::internal::CaptureStdout();
  for (int i = 0; i < 2; ++i) schedule.step(2);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(),
            "ReduceLROnPlateauScheduler, step 2: the learning rate of group 0 is now 5.0000e-01\n");
}

TEST(Plateau, RefusesBadOptions) {
  TwoGroups groups;
  Optimizer& o = groups.optimizer;
  EXPECT_THAT(Call([&] { Plateau(o, Plateau::min, 1); }),
              ThrowsMessage<ValueError>(HasSubstr("factor is 1, expected 0 <= factor < 1")));
  EXPECT_THAT(Call([&] { Plateau(o, Plateau::min, kNaN); }),
              ThrowsMessage<ValueError>(HasSubstr("factor is nan")));
  EXPECT_THAT(Call([&] { Plateau(o, Plateau::min, 0.1, -1); }),
              ThrowsMessage<ValueError>(HasSubstr("patience is -1")));
  EXPECT_THAT(Call([&] { Plateau(o, Plateau::min, 0.1, 1, kNaN); }),
              ThrowsMessage<ValueError>(HasSubstr("threshold is nan")));
  EXPECT_THAT(Call([&] { Plateau(o, Plateau::min, 0.1, 1, 0, Plateau::rel, -2); }),
              ThrowsMessage<ValueError>(HasSubstr("cooldown is -2")));
  EXPECT_THAT(Call([&] {
                Plateau(o, Plateau::min, 0.1, 1, 0, Plateau::rel, 0, {0.0, kNaN});
              }),
              ThrowsMessage<ValueError>(HasSubstr("min_lr is nan")));
  EXPECT_THAT(Call([&] {
                Plateau(o, Plateau::min, 0.1, 1, 0, Plateau::rel, 0, {0.0, 0.0, 0.0});
              }),
              ThrowsMessage<ValueError>(HasSubstr("the number of min_lr is 3, expected one, or as many")));
  EXPECT_THAT(Call([&] { Plateau(o, Plateau::min, 0.1, 1, 0, Plateau::rel, 0, {}, -1); }),
              ThrowsMessage<ValueError>(HasSubstr("eps is -1")));
}

TEST(Plateau, RefusesGroupsThatItHasNoMinimumFor) {
  TwoGroups groups;
  Plateau schedule(groups.optimizer, Plateau::min, 0.5, 0, 0, Plateau::rel, 0, {0.1, 0.1});
  schedule.step(1);
  groups.optimizer.add_param_group(OptimizerParamGroup({ones({1}, requires_grad())}));
  EXPECT_THAT(Call([&] { schedule.step(1); }),
              ThrowsMessage<ValueError>(HasSubstr("the number of min_lr is 2")));
  EXPECT_EQ(groups.lr(0), 1);
}

}  // namespace
}  // namespace lanewise::optim
