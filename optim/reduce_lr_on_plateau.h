#pragma once

#include <cstdint>
#include <vector>

#include <lanewise/optim/optimizer.h>
#include <lanewise/tensor/array_ref.h>

namespace lanewise::optim {

/// Multiplies the learning rates of an optimizer's groups by `factor` when a metric, a loss or an accuracy, has not
/// got better for more than `patience` steps: step() once an epoch, with the metric. The optimizer must outlive it.
class LANEWISE_API ReduceLROnPlateauScheduler {
 public:
  /// Better is less, or more.
  enum SchedulerMode { min, max };
  /// By more than threshold * best, or by more than threshold.
  enum ThresholdMode { rel, abs };

  /// After a reduction `cooldown` steps do not count as bad. No rate falls below min_lr, one number for all groups or
  /// one for each; none is changed by eps or less. With `verbose`, each change is a line on stdout.
  ///
  /// Throws   ValueError unless 0 <= factor < 1, patience, cooldown and eps are not negative, the rest is finite and
  ///          min_lr is none, one or as many numbers as there are groups
  explicit ReduceLROnPlateauScheduler(Optimizer& optimizer, SchedulerMode mode = min, double factor = 0.1,
                                      std::int64_t patience = 10, double threshold = 1e-4,
                                      ThresholdMode threshold_mode = rel, std::int64_t cooldown = 0,
                                      ArrayRef<double> min_lr = {}, double eps = 1e-8, bool verbose = false);
  virtual ~ReduceLROnPlateauScheduler() = default;
  ReduceLROnPlateauScheduler(const ReduceLROnPlateauScheduler&) = delete;
  ReduceLROnPlateauScheduler& operator=(const ReduceLROnPlateauScheduler&) = delete;

  /// NaN is not better. Throws ValueError if groups have come or gone for which there is no min_lr.
  void step(double metric);
  /// The value of a tensor with one element.
  void step(const Tensor& metric) { step(metric.item<double>()); }

 private:
  bool is_better(double metric) const;
  void check_groups() const;
  void reduce();

  Optimizer& optimizer_;
  SchedulerMode mode_;
  double factor_;
  std::int64_t patience_;
  double threshold_;
  ThresholdMode threshold_mode_;
  std::int64_t cooldown_;
  std::vector<double> min_lr_;
  double eps_;
  bool verbose_;

  double best_;
  std::int64_t steps_ = 0;
  std::int64_t bad_steps_ = 0;
  std::int64_t cooldown_left_ = 0;
};

}  // namespace lanewise::optim
