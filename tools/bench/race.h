#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <lanewise/kernels/tuning.h>

#include "bench/case.h"
#include "compare/statistics.h"

namespace lanewise::tools {

/// A way to run a case: as tunings say, or on one tier, as IsaGuard has it.
struct Lane {
  std::vector<kernels::Tuning> tunings = {};
  std::optional<Isa> fixed = {};
};

/// Times a case in several ways, side by side: a turn takes a sample of each lane, in turns from the first to the
/// last and from the last to the first, so that neither a drift of the machine nor what ran just before favours
/// one.
class Race {
 public:
  Race(PreparedCase& prepared, double seconds_of_a_turn, std::vector<Lane> lanes);

  void run(int turns);
  /// Adds as many turns again until the interval of time(a) / time(b) lies on one side of `bound`, at most
  /// kMostRounds times.
  Interval decide(std::size_t a, std::size_t b, double bound);
  /// time(a) / time(b) of the turns so far: above 1 where b is faster.
  Interval ratio(std::size_t a, std::size_t b) const { return median_of_ratios(samples_[a], samples_[b]); }
  double median_ns(std::size_t lane) const { return median(samples_[lane]); }
  /// Of the lanes from `first` on.
  std::size_t fastest(std::size_t first = 0) const;

 private:
  static constexpr int kMostRounds = 6;

  double sample(const Lane& lane);
  double timed();

  PreparedCase& prepared_;
  double seconds_;
  std::vector<Lane> lanes_;
  std::vector<std::vector<double>> samples_;  ///< ns of a call; turn i of all lanes together
  std::int64_t calls_ = 0;
  int turns_ = 0, step_ = 0;
};

}  // namespace lanewise::tools
