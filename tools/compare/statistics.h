#pragma once

#include <cstdint>
#include <vector>

namespace lanewise::tools {

/// Linear between the two nearest samples. At least one sample.
double quantile(std::vector<double> samples, double q);
double median(std::vector<double> samples);

struct Interval {
  double value;      ///< of the samples themselves
  double low, high;  ///< 95 % of what other samples of the same kind would give
};

/// median(a) / median(b) by the bootstrap; the same answer each time.
/// Source: B. Efron, R. Tibshirani, An Introduction to the Bootstrap (1993), chapter 13.
Interval ratio_of_medians(const std::vector<double>& a, const std::vector<double>& b);
/// The median of a[i] / b[i], for samples taken together.
Interval median_of_ratios(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace lanewise::tools
