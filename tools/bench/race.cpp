#include "bench/race.h"

#include <utility>

#include <lanewise/dispatch_isa/isa.h>

#include "bench/sample.h"

namespace lanewise::tools {
Race::Race(PreparedCase& prepared, double seconds_of_a_turn, std::vector<Lane> lanes)
    : prepared_(prepared), seconds_(seconds_of_a_turn), lanes_(std::move(lanes)), samples_(lanes_.size()) {}

void Race::run(int turns) {
  step_ = turns;
  for (int i = 0; i < turns; ++i, ++turns_) {
    for (std::size_t j = 0; j < lanes_.size(); ++j) {
      const std::size_t lane = turns_ % 2 == 0 ? j : lanes_.size() - 1 - j;
      samples_[lane].push_back(sample(lanes_[lane]));
    }
  }
}

Interval Race::decide(std::size_t a, std::size_t b, double bound) {
  Interval interval = ratio(a, b);
  for (int round = 1; round < kMostRounds && interval.low < bound && interval.high > bound; ++round) {
    run(step_);
    interval = ratio(a, b);
  }
  return interval;
}

std::size_t Race::fastest(std::size_t first) const {
  std::size_t best = first;
  for (std::size_t i = first + 1; i < lanes_.size(); ++i) {
    if (median_ns(i) < median_ns(best)) best = i;
  }
  return best;
}

double Race::sample(const Lane& lane) {
  if (lane.fixed) {
    const IsaGuard guard(*lane.fixed);
    return timed();
  }
  const kernels::TuneGuard guard(lane.tunings);
  return timed();
}

double Race::timed() {
  prepared_.run();  // the tier's code and the operands are warm again
  if (calls_ == 0) calls_ = take_sample(prepared_, seconds_).calls;
  return take_sample(prepared_, calls_).ns_per_call();
}

}  // namespace lanewise::tools
