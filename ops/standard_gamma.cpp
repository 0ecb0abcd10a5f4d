#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/generated/functions.h>
#include <lanewise/ops/draw_each.h>
#include <lanewise/tensor/promotion.h>

namespace lanewise::ops {

namespace {

/// The ratio of uniform numbers between two quadratic curves, so that one in a hundred needs a logarithm: J. L. Leva, A fast
/// normal random number generator, ACM TOMS 18 (1992).
double normal_number(RandomStream& random) noexcept {
  while (true) {
    const double u = random.unit();
    const double v = 1.7156 * (random.unit() - 0.5);
    const double x = u - 0.449871;
    const double y = std::fabs(v) + 0.386595;
    const double q = x * x + y * (0.196 * y - 0.25472 * x);
    if (q < 0.27597 || (q <= 0.27846 && v * v <= -4 * u * u * std::log(u))) return v / u;
  }
}

/// G. Marsaglia, W. W. Tsang, A simple method for generating gamma variables, ACM TOMS 26 (2000), for shapes from 1 on.
double by_squeeze(double shape, RandomStream& random) noexcept {
  const double d = shape - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  while (true) {
    const double x = normal_number(random);
    const double root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    const double u = random.unit();
    const double square = x * x;
    if (u < 1 - 0.0331 * square * square || std::log(u) < 0.5 * square + d * (1 - v + std::log(v)))
      return d * v;
  }
}

double gamma_number(double shape, RandomStream random) noexcept {
  if (shape == 0 || !(shape < std::numeric_limits<double>::infinity())) return shape;
  if (shape >= 1) return by_squeeze(shape, random);
  // A draw of shape + 1 times u^(1 / shape), in logarithms: the power alone may underflow.
  const double boost = std::log(random.unit()) / shape;
  return std::exp(boost + std::log(by_squeeze(shape + 1, random)));
}

double polynomial(std::span<const double> c, double x) noexcept {
  double p = 0;
  for (auto i = c.rbegin(); i != c.rend(); ++i) p = p * x + *i;
  return p;
}

/// How far series are followed, and the power series is taken: to the last bits of f64, or well beyond those of f32. There six of
/// its sixteen digits may cancel.
struct Reach {
  double tolerance, terms;
  double beyond, deviations;  ///< the largest x for the power series is a and so much, and so many roots of a
};
constexpr Reach kDoubleReach{1e-17, 1, 0.5, 0}, kFloatReach{1e-11, 0.6, 5, 3};

/// The derivative of P by a over the density, by the power series of P, for x up to about a; psi is
/// digamma(a + 1).
double slope_below(double a, double x, double psi, const Reach& reach) noexcept {
  const double outer = psi - std::log(x);
  double term = 1;
  double harmonic = 0;
  double sum = outer;
  for (int k = 1; k < 4000; ++k) {
    const double share = 1 / (a + k);
    term *= x * share;
    harmonic += share;
    const double more = term * (outer + harmonic);
    sum += more;
    if (term * (std::fabs(outer) + harmonic) < reach.tolerance * std::fabs(sum) && x < a + k) break;
  }
  return x / a * sum;
}

/// Minus that of Q, by its continued fraction and its derivative, from the back.
double slope_beyond(double a, double x, double psi, const Reach& reach) noexcept {
  const int terms = static_cast<int>(reach.terms * (30 + 97 / x + 4 * std::sqrt(std::min(a, 1e4))));
  double f = x + (2 * terms + 1) - a;
  double slope = -1;
  for (int k = terms; k > 0; --k) {
    const double over = k / f;
    slope = -1 + over - over * (a - k) * slope / f;
    f = x + (2 * k - 1) - a + over * (a - k);
  }
  // Q over the density is a / f.
  return x * ((std::log(x) - psi + 1 / a) - slope / f) / f;
}

/// The same by Temme's expansion (DLMF 8.12), for a from 400 on and x within a quarter of it.
double slope_near(double a, double x) noexcept {
  constexpr std::array<double, 7> kFirst = {-1.0 / 3,   1.0 / 12,         -2.0 / 135,  1.0 / 864,
                                            1.0 / 2835, -139.0 / 777'600, 1.0 / 25'515};
  constexpr std::array<double, 7> kFirstSlope = {
      1.0 / 12, -4.0 / 135, 1.0 / 288, 4.0 / 2835, -139.0 / 155'520, 6.0 / 25'515, -571.0 * 7 / 261'273'600};
  constexpr std::array<double, 5> kSecond = {-1.0 / 540, -1.0 / 288, 1.0 / 378, -77.0 / 77'760, 1.0 / 4860};
  constexpr std::array<double, 4> kSecondSlope = {-1.0 / 288, 2.0 / 378, -77.0 / 25'920, 4.0 / 4860};
  const double t = (x - a) / a;
  const double log = std::log1p(t);
  double half_square = t - log;  // eta^2 / 2
  if (std::fabs(t) < 0.05) {
    double sum = 0;
    for (int n = 14; n >= 2; --n) sum = 1.0 / n - t * sum;
    half_square = t * t * sum;
  }
  const double eta = std::copysign(std::sqrt(2 * half_square), t);
  const double second = polynomial(kSecond, eta);
  const double third = 25.0 / 6048 - 139.0 / 51'840 * eta;
  const double s = polynomial(kFirst, eta) + (second + third / a) / a;
  const double s_slope = polynomial(kFirstSlope, eta) + polynomial(kSecondSlope, eta) / a;
  const double log_ratio = t == 0 ? 1 : log / eta;
  const double t_ratio = t == 0 ? 1 : t / eta;
  const double stirling = 1 + (1.0 / 12 + (1.0 / 288 - 139.0 / 51'840 / a) / a) / a;
  return x / a * stirling * (log_ratio + s * log - (0.5 * s + second / a + s_slope * t_ratio) / a);
}

/// d x / d a along x = the inverse of P(a, .): what a draw x of shape a moves with a. psi is digamma(a + 1).
double gamma_slope(double a, double x, double psi, const Reach& reach) noexcept {
  if (!(a > 0) || !(x >= 0) || std::isinf(a) || std::isinf(x))
    return std::numeric_limits<double>::quiet_NaN();
  if (x == 0) return 0;
  if (a >= 400 && std::fabs(x - a) <= 0.25 * a) return slope_near(a, x);
  const double last = std::max(a + reach.beyond + reach.deviations * std::sqrt(a), 1.0);
  return x <= last ? slope_below(a, x, psi, reach) : slope_beyond(a, x, psi, reach);
}

/// The smallest normal number: what a draw is at least, so that its logarithm is finite.
double smallest(ScalarType dtype) noexcept {
  switch (dtype) {
    case kHalf: return 0x1p-14;
    case kBFloat16:
    case kFloat: return std::numeric_limits<float>::min();
    default: return std::numeric_limits<double>::min();
  }
}

}  // namespace

Tensor standard_gamma(const Tensor& self) {
  return draw_each(
      "_standard_gamma", "shapes", self,
      [least = smallest(self.scalar_type())](double shape, RandomStream random) {
        const double x = gamma_number(shape, random);
        return x < least && shape != 0 ? least : x;
      },
      [](double shape) { return !(shape < 0); });
}

Tensor standard_gamma_grad(const Tensor& self, const Tensor& output) {
  constexpr std::int64_t kGrain = 128;  // elements, of up to a microsecond
  check_floating_self("_standard_gamma_grad", self);
  check_floating_self("_standard_gamma_grad", output);
  LANEWISE_CHECK(DtypeError, self.scalar_type() == output.scalar_type(), "_standard_gamma_grad: Found dtype ",
                 to_string(output.scalar_type()), " but expected ", to_string(self.scalar_type()),
                 ", that of self; convert one with to()");
  const std::vector<Tensor> both = lanewise::broadcast_tensors({self.detach(), output.detach()});
  const Tensor shapes = both[0].to(kDouble).contiguous();
  const Tensor draws = both[1].to(kDouble).contiguous();
  const Tensor slopes = lanewise::digamma(shapes + 1);
  const auto* a = static_cast<const double*>(shapes.const_data_ptr());
  const auto* x = static_cast<const double*>(draws.const_data_ptr());
  auto* out = static_cast<double*>(slopes.data_ptr());
  const Reach& reach = self.scalar_type() == kDouble ? kDoubleReach : kFloatReach;
  parallel_for(0, slopes.numel(), kGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) out[i] = gamma_slope(a[i], x[i], out[i], reach);
  });
  return slopes.to(self.scalar_type());
}

}  // namespace lanewise::ops
