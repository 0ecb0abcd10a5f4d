#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include <lanewise/optim/detail/check.h>
#include <lanewise/optim/reduce_lr_on_plateau.h>

namespace lanewise::optim {

ReduceLROnPlateauScheduler::ReduceLROnPlateauScheduler(Optimizer& optimizer, SchedulerMode mode,
                                                       double factor, std::int64_t patience, double threshold,
                                                       ThresholdMode threshold_mode, std::int64_t cooldown,
                                                       ArrayRef<double> min_lr, double eps, bool verbose)
    : optimizer_(optimizer),
      mode_(mode),
      factor_(factor),
      patience_(patience),
      threshold_(threshold),
      threshold_mode_(threshold_mode),
      cooldown_(cooldown),
      min_lr_(min_lr.begin(), min_lr.end()),
      eps_(eps),
      verbose_(verbose),
      best_(mode == min ? std::numeric_limits<double>::infinity()
                        : -std::numeric_limits<double>::infinity()) {
  const auto check = [](bool good, const char* what, double value, const char* expected) {
    check_value(good, "ReduceLROnPlateauScheduler", what, value, expected);
  };
  check(factor >= 0 && factor < 1, "factor", factor, "0 <= factor < 1");
  check(patience >= 0, "patience", static_cast<double>(patience), "a number >= 0");
  check(std::isfinite(threshold), "threshold", threshold, "a finite number");
  check(cooldown >= 0, "cooldown", static_cast<double>(cooldown), "a number >= 0");
  check(std::isfinite(eps) && eps >= 0, "eps", eps, "a finite number >= 0");
  for (const double least : min_lr_) check(std::isfinite(least), "min_lr", least, "a finite number");
  check_groups();
}

void ReduceLROnPlateauScheduler::check_groups() const {
  check_value(min_lr_.size() <= 1 || min_lr_.size() == optimizer_.param_groups().size(),
              "ReduceLROnPlateauScheduler", "the number of min_lr", static_cast<double>(min_lr_.size()),
              "one, or as many as there are groups");
}

bool ReduceLROnPlateauScheduler::is_better(double metric) const {
  const double sign = mode_ == min ? -1 : 1;
  const double bar = threshold_mode_ == rel ? best_ * (1 + sign * threshold_) : best_ + sign * threshold_;
  return mode_ == min ? metric < bar : metric > bar;
}

void ReduceLROnPlateauScheduler::step(double metric) {
  check_groups();
  ++steps_;
  if (is_better(metric)) {
    best_ = metric;
    bad_steps_ = 0;
  } else {
    ++bad_steps_;
  }
  if (cooldown_left_ > 0) {
    --cooldown_left_;
    bad_steps_ = 0;
  }
  if (bad_steps_ > patience_) {
    reduce();
    cooldown_left_ = cooldown_;
    bad_steps_ = 0;
  }
}

void ReduceLROnPlateauScheduler::reduce() {
  std::vector<OptimizerParamGroup>& groups = optimizer_.param_groups();
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const double lr = groups[i].options().get_lr();
    const double least = min_lr_.empty() ? 0 : min_lr_[min_lr_.size() == 1 ? 0 : i];
    const double reduced = std::max(lr * factor_, least);
    if (!(lr - reduced > eps_)) continue;
    groups[i].options().set_lr(reduced);
    if (verbose_) {
      std::printf("ReduceLROnPlateauScheduler, step %lld: the learning rate of group %zu is now %.4e\n",
                  static_cast<long long>(steps_), i, reduced);
    }
  }
}

}  // namespace lanewise::optim
