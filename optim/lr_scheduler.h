#pragma once

#include <cstdint>

#include <lanewise/optim/optimizer.h>

namespace lanewise::optim {

/// Changes the learning rates of an optimizer's groups as training goes on: step() once an epoch, after the
/// optimizer's. The optimizer must outlive it.
class LANEWISE_API LRScheduler {
 public:
  explicit LRScheduler(Optimizer& optimizer) : optimizer_(optimizer) {}
  virtual ~LRScheduler() = default;
  LRScheduler(const LRScheduler&) = delete;
  LRScheduler& operator=(const LRScheduler&) = delete;

  void step();

 protected:
  /// The rate of a group that has `lr` now, for this many steps so far.
  virtual double next_lr(double lr, std::int64_t steps) const = 0;

 private:
  Optimizer& optimizer_;
  std::int64_t steps_ = 0;
};

/// Every step_size steps, the learning rates are multiplied by gamma.
class LANEWISE_API StepLR : public LRScheduler {
 public:
  /// Throws   ValueError unless step_size > 0
  StepLR(Optimizer& optimizer, std::int64_t step_size, double gamma = 0.1);

 private:
  double next_lr(double lr, std::int64_t steps) const override {
    return steps % step_size_ == 0 ? lr * gamma_ : lr;
  }

  std::int64_t step_size_;
  double gamma_;
};

}  // namespace lanewise::optim
