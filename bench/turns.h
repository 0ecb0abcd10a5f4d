#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <vector>

/// Times that are worth comparing: the runs take turns, so that a drift of the machine hits them alike.
namespace bench {

inline double seconds_of(const std::function<void()>& run, int repeats) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < repeats; ++i) run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Seconds of one run, [run][turn]. A turn repeats a run for `turn_seconds`.
inline std::vector<std::vector<double>> seconds_in_turns(const std::vector<std::function<void()>>& runs,
                                                         int turns, double turn_seconds) {
  std::vector<int> repeats;
  for (const auto& run : runs) {
    run();
    const double once = std::max(seconds_of(run, 3) / 3, 1e-9);
    repeats.push_back(std::max(1, static_cast<int>(turn_seconds / once)));
  }
  std::vector<std::vector<double>> samples(runs.size());
  for (int turn = 0; turn < turns; ++turn) {
    for (std::size_t i = 0; i < runs.size(); ++i) {
      samples[i].push_back(seconds_of(runs[i], repeats[i]) / repeats[i]);
    }
  }
  return samples;
}

}  // namespace bench
