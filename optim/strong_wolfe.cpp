#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <lanewise/optim/detail/strong_wolfe.h>

namespace lanewise::optim {
namespace {

constexpr double kDecrease = 1e-4;
constexpr double kCurvature = 0.9;
constexpr double kLeastMove = 1e-9;  // whatever LBFGSOptions::tolerance_change is, as in PyTorch
constexpr int kMaxTrials = 25;       // after the first evaluation

/// Where the cubic through two points with their slopes is least, within bounds; the middle of them if nowhere.
double cubic_minimum(const LinePoint& a, const LinePoint& b, double least, double most) {
  const double d1 = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.t - b.t);
  const double square = d1 * d1 - a.slope * b.slope;
  if (!(square >= 0)) return (least + most) / 2;
  const double d2 = std::sqrt(square);
  const auto [left, right] = a.t <= b.t ? std::pair(&a, &b) : std::pair(&b, &a);
  const double t =
      right->t - (right->t - left->t) * ((right->slope + d2 - d1) / (right->slope - left->slope + 2 * d2));
  return std::min(std::max(t, least), most);
}

}  // namespace

LinePoint strong_wolfe(FunctionRef<LinePoint(double)> evaluate, const LinePoint& start, double t,
                       double largest_of_direction) {
  const auto too_high = [&](const LinePoint& p) {
    return p.loss > start.loss + kDecrease * p.t * start.slope;
  };
  const auto level = [&](const LinePoint& p) { return std::abs(p.slope) <= -kCurvature * start.slope; };
  int trials = 0;

  // Further and further, until what is wanted lies between the last two points.
  LinePoint previous = start;
  LinePoint current = evaluate(t);
  while (trials < kMaxTrials && !too_high(current) && !(trials > 1 && current.loss >= previous.loss)) {
    if (level(current)) return current;
    if (current.slope >= 0) break;
    const double next =
        cubic_minimum(previous, current, current.t + 0.01 * (current.t - previous.t), current.t * 10);
    previous = std::move(current);
    current = evaluate(next);
    ++trials;
  }
  if (trials == kMaxTrials) previous = start;

  // Closer and closer. Of two equal losses the first one's point is the low one, wherever it lies.
  std::array<LinePoint, 2> bracket = {std::move(previous), std::move(current)};
  const auto lower = [&] { return bracket[0].loss <= bracket[1].loss ? std::size_t{0} : std::size_t{1}; };
  std::size_t low = lower();
  bool was_near_an_end = false;
  while (trials < kMaxTrials) {
    const double least = std::min(bracket[0].t, bracket[1].t), most = std::max(bracket[0].t, bracket[1].t);
    if ((most - least) * largest_of_direction < kLeastMove) break;
    t = cubic_minimum(bracket[0], bracket[1], least, most);
    // A tenth of the bracket away from an end, if that is where the minimum is, or was twice close to.
    const double margin = 0.1 * (most - least);
    bool near_an_end = std::min(most - t, t - least) < margin;
    if (near_an_end && (was_near_an_end || t >= most || t <= least)) {
      t = std::abs(t - most) < std::abs(t - least) ? most - margin : least + margin;
      near_an_end = false;
    }
    was_near_an_end = near_an_end;

    LinePoint trial = evaluate(t);
    ++trials;
    const std::size_t high = 1 - low;
    if (too_high(trial) || trial.loss >= bracket[low].loss) {
      bracket[high] = std::move(trial);
      low = lower();
      continue;
    }
    const bool done = level(trial);
    if (!done && trial.slope * (bracket[high].t - bracket[low].t) >= 0) bracket[high] = bracket[low];
    bracket[low] = std::move(trial);
    if (done) break;
  }
  return bracket[low];
}

}  // namespace lanewise::optim
