#include <array>
#include <cmath>
#include <limits>

#include <lanewise/ops/draw_each.h>

namespace lanewise::ops {

namespace {

/// Walks up the probabilities until their sum reaches a uniform number. What rounding leaves of that ends where the
/// probabilities vanish beside it; for rates below 10 the first is larger.
double by_inversion(double rate, RandomStream& random) noexcept {
  double u = random.unit();
  double probability = std::exp(-rate);
  int k = 0;
  while (u > probability && probability > 0x1p-60) {
    u -= probability;
    ++k;
    probability *= rate / k;
  }
  return k;
}

/// log k! - (k log k - k + log(2 pi k) / 2), for k >= 1.
double stirling_rest(double k) noexcept {
  constexpr std::array<double, 10> kFirst = {
      0,
      0x1.4c071bcda0a5bp-4,
      0x1.52a9b923ea649p-5,
      0x1.c579a268d80b3p-6,
      0x1.54a2662fd78a9p-6,
      0x1.10b4e513fcbedp-6,
      0x1.c6b167bebdf36p-7,
      0x1.85d4d612e4a86p-7,
      0x1.552805e7b3076p-7,
      0x1.2f4871b12ab64p-7,
  };
  if (k < kFirst.size()) return kFirst[static_cast<std::size_t>(k)];
  const double inverse = 1 / k;
  const double square = inverse * inverse;
  return inverse * (1.0 / 12 - square * (1.0 / 360 - square * (1.0 / 1260 - square * (1.0 / 1680))));
}

/// log(rate^k e^-rate / k!), without the cancellation of its terms.
double log_probability(double rate, double k) noexcept {
  if (k == 0) return -rate;
  constexpr double kTwoPi = 6.28318530717958647692528676655900577;
  const double excess = k - rate;
  return excess - k * std::log1p(excess / rate) - 0.5 * std::log(kTwoPi * k) - stirling_rest(k);
}

/// Transformed rejection with a squeeze, for rates of 10 and more: W. Hörmann, The transformed rejection method for
/// generating Poisson random variables, Insurance: Mathematics and Economics 12 (1993), algorithm PTRS.
double by_rejection(double rate, RandomStream& random) noexcept {
  const double b = 0.931 + 2.53 * std::sqrt(rate);
  const double a = -0.059 + 0.02483 * b;
  const double log_inverse_alpha = std::log(1.1239 + 1.1328 / (b - 3.4));
  const double squeeze = 0.9277 - 3.6224 / (b - 2);
  while (true) {
    const double u = random.unit() - 0.5;
    const double v = random.unit();
    const double us = 0.5 - std::fabs(u);
    const double k = std::floor((2 * a / us + b) * u + rate + 0.43);
    if (us >= 0.07 && v <= squeeze) return k;
    if (!(k >= 0) || (us < 0.013 && v > us)) continue;
    if (std::log(v) + log_inverse_alpha - std::log(a / (us * us) + b) <= log_probability(rate, k)) return k;
  }
}

double poisson_number(double rate, RandomStream random) noexcept {
  if (!(std::fabs(rate) < std::numeric_limits<double>::infinity())) return rate;
  return rate < 10 ? by_inversion(rate, random) : by_rejection(rate, random);
}

}  // namespace

Tensor poisson(const Tensor& self) {
  return draw_each("poisson", "rates", self, poisson_number, [](double rate) { return rate >= 0; });
}

}  // namespace lanewise::ops
