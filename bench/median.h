#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace bench {

/// The middle of samples, of which there is at least one; of two middle ones their mean.
inline double median(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const std::size_t half = samples.size() / 2;
  return samples.size() % 2 == 1 ? samples[half] : (samples[half - 1] + samples[half]) / 2;
}

}  // namespace bench
