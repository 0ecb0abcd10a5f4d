#include "compare/statistics.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace lanewise::tools {
namespace {

constexpr int kResamples = 1000;

/// The middle 95 % of what `statistic` gives on resampled data.
template <class F>
Interval bootstrap(double value, F&& statistic) {
  std::mt19937_64 random(1);
  std::vector<double> values;
  for (int i = 0; i < kResamples; ++i) values.push_back(statistic(random));
  return {value, quantile(values, 0.025), quantile(values, 0.975)};
}

std::vector<double> resampled(const std::vector<double>& samples, std::mt19937_64& random) {
  std::vector<double> result;
  for (std::size_t i = 0; i < samples.size(); ++i) result.push_back(samples[random() % samples.size()]);
  return result;
}

}  // namespace

double quantile(std::vector<double> samples, double q) {
  std::sort(samples.begin(), samples.end());
  const double at = q * static_cast<double>(samples.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const double above = samples[std::min(below + 1, samples.size() - 1)];
  return samples[below] + (at - static_cast<double>(below)) * (above - samples[below]);
}

double median(std::vector<double> samples) { return quantile(std::move(samples), 0.5); }

Interval ratio_of_medians(const std::vector<double>& a, const std::vector<double>& b) {
  return bootstrap(median(a) / median(b), [&](std::mt19937_64& random) {
    const double top = median(resampled(a, random));
    return top / median(resampled(b, random));
  });
}

Interval median_of_ratios(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) ratios.push_back(a[i] / b[i]);
  return bootstrap(median(ratios),
                   [&](std::mt19937_64& random) { return median(resampled(ratios, random)); });
}

}  // namespace lanewise::tools
