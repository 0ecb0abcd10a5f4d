#include "special_references.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace lanewise::tools {
namespace {

using Wide = long double;
constexpr Wide kPi = std::numbers::pi_v<Wide>;
constexpr Wide kInf = std::numeric_limits<Wide>::infinity();
constexpr Wide kNaN = std::numeric_limits<Wide>::quiet_NaN();

/// B_2j for j = 1 to 10.
constexpr Wide kBernoulli[] = {1 / 6.0L,       -1 / 30.0L, 1 / 42.0L,      -1 / 30.0L,     5 / 66.0L,
                               -691 / 2730.0L, 7 / 6.0L,   -3617 / 510.0L, 43867 / 798.0L, -174611 / 330.0L};

/// y with erfc(y) = c, by Newton's method for log erfc; c must be a normal long double.
Wide erfc_inverse(Wide c) {
  if (c == 0) return kInf;
  if (c > 1) return -erfc_inverse(2 - c);
  const Wide l = -std::log(c * std::sqrt(kPi));
  Wide y = c < 0.3L ? std::sqrt(l - std::log(std::sqrt(l))) : (1 - c) * 0.9L;
  for (int i = 0; i < 8; ++i) {
    const Wide e = std::erfc(y);
    y += std::log(e / c) * e * std::sqrt(kPi) / 2 * std::exp(y * y);
  }
  return y;
}

}  // namespace

Wide reference_sigmoid(Wide x) { return x > 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x)); }

Wide reference_sinc(Wide x) {
  if (x == 0) return 1;
  const Wide turn = std::remainder(x, 2.0L);
  const Wide r = std::fabs(turn) <= 0.5L ? turn : std::copysign(1 - std::fabs(turn), turn);
  return std::sin(kPi * r) / (kPi * x);
}

Wide reference_logit(Wide x) {
  if (x > 0.25L && x < 0.75L) return 2 * std::atanh(2 * x - 1);
  return std::log(x) - std::log1p(-x);
}

namespace {
/// The sum of B_2j / (2j x^2j).
Wide digamma_series(Wide x) {
  Wide power = 1;
  Wide sum = 0;
  for (int j = 1; j <= 10; ++j) {
    power /= x * x;
    sum += kBernoulli[j - 1] / (2 * j) * power;
  }
  return sum;
}
}  // namespace

Wide reference_digamma(Wide x) {
  constexpr int kSteps = 20;
  // Around its zero digamma is the difference from there, term by term.
  constexpr Wide kZero = 1.4616321449683623413L;
  constexpr Wide kZeroRest = -1.8257096315963484215e-20L;
  const Wide d = (x - kZero) - kZeroRest;
  if (std::fabs(d) < 0.4L) {
    Wide sum = 0;
    for (int k = 0; k < kSteps; ++k) sum += d / ((x + static_cast<Wide>(k)) * (kZero + static_cast<Wide>(k)));
    const Wide a = x + kSteps;
    const Wide b = kZero + kSteps;
    return sum + std::log1p(d / b) + d / (2 * a * b) - (digamma_series(a) - digamma_series(b));
  }
  Wide sum = 0;
  for (; x < kSteps; x += 1) sum -= 1 / x;
  return sum + (std::log(x) - 1 / (2 * x) - digamma_series(x));
}

namespace {
Wide zeta_right(Wide s, Wide q) {
  Wide sum = 0;
  Wide a = q;
  for (int k = 0; k < 20; ++k, a += 1) sum += std::pow(a, -s);
  const Wide power = std::pow(a, 1 - s);
  Wide rest = 0.5L;
  Wide rising = s / a;
  Wide factorial = 2;
  for (int j = 1; j <= 10; ++j) {
    rest += kBernoulli[j - 1] / factorial * rising;
    factorial *= static_cast<Wide>(2 * j + 1) * static_cast<Wide>(2 * j + 2);
    rising *= (s + static_cast<Wide>(2 * j - 1)) * (s + static_cast<Wide>(2 * j)) / (a * a);
  }
  return power == 0 ? sum : sum + power * (1 / (s - 1) + rest / a);
}
}  // namespace

Wide reference_zeta(Wide s, Wide q) {
  if (std::isnan(s) || std::isnan(q) || s < 1) return kNaN;
  if (s == 1) return kInf;
  if (q > 0) return zeta_right(s, q);
  if (q == std::floor(q)) return kInf;
  if (s != std::floor(s)) return kNaN;
  // The terms left of 0 are a difference of two sums over positive numbers.
  const Wide r = q - std::floor(q);
  const Wide left = zeta_right(s, 1 - r) - zeta_right(s, 1 - q);
  const bool even = std::fmod(s, 2) == 0;
  if (std::isinf(left)) return even || r < 0.5L ? kInf : -kInf;  // the term nearest to 0 decides
  return zeta_right(s, r) + (even ? left : -left);
}

namespace {
/// log Gamma(1 + a) / a, by its power series near 0.
Wide log_gamma_ratio(Wide a) {
  if (a > 0.01L) return std::lgamma(1 + a) / a;
  Wide sum = 0;
  for (int k = 12; k >= 2; --k)
    sum = (k % 2 == 0 ? 1 : -1) * zeta_right(static_cast<Wide>(k), 1) / k + a * sum;
  return a * sum - std::numbers::egamma_v<Wide>;
}
/// Q for a < 1 and x <= 1.
Wide upper_near_zero(Wide a, Wide x) {
  const Wide u = a * (std::log(x) - log_gamma_ratio(a));
  Wide power = 1;
  Wide sum = 0;
  for (int n = 1; n < 30; ++n) {
    power *= -x / n;
    sum -= power / (a + n);
  }
  return a * sum * std::exp(u) - std::expm1(u);
}
}  // namespace

Wide reference_incomplete_gamma(Wide a, Wide x, bool upper) {
  const auto lower = [upper](Wide p) { return upper ? 1 - p : p; };
  if (a < 0 || x < 0 || (a == 0 && !(x > 0)) || (std::isinf(a) && std::isinf(x))) return kNaN;
  if (a == 0 || std::isinf(x)) return lower(1);
  if (x == 0 || std::isinf(a)) return lower(0);
  if (std::isnan(a) || std::isnan(x)) return kNaN;
  const bool from_zero = x <= std::max(a, Wide(1));
  Wide log_density = 0;  // of x^a e^-x / Gamma(a + 1)
  if (a > 1000) {
    const Wide stirling = 1 / (12 * a) - 1 / (360 * a * a * a);
    log_density = a * std::log1p((x - a) / a) - (x - a) - std::log(2 * kPi * a) / 2 - stirling;
  } else {
    log_density = a * std::log(x) - x - (a < 1 ? a * log_gamma_ratio(a) : std::lgamma(a + 1));
  }
  if (log_density < -12000) return lower(from_zero ? 0 : 1);
  if (from_zero) {
    if (upper && a < 1) return upper_near_zero(a, x);
    Wide term = std::exp(log_density);
    Wide p = term;
    for (int k = 1; k < 100'000 && term > p * 1e-21L; ++k) p += term *= x / (a + k);
    return lower(p);
  }
  Wide fraction = x + 1601 - a;
  for (int k = 800; k > 0; --k) fraction = (x + (2 * k - 1) - a) + k * (a - k) / fraction;
  const Wide q = a * std::exp(log_density) / fraction;
  return upper ? q : 1 - q;
}

Wide reference_bessel_i(int order, bool scaled, Wide x) {
  const Wide ax = std::fabs(x);
  if (std::isnan(x)) return x;
  Wide r = 0;
  if (ax > 100) {
    Wide term = 1;
    const Wide mu = static_cast<Wide>(4 * order * order);
    for (int k = 1; k < 30; ++k) {
      r += term;
      const Wide odd = static_cast<Wide>(2 * k - 1);
      term *= -(mu - odd * odd) / (static_cast<Wide>(8 * k) * ax);
    }
    r /= std::sqrt(2 * kPi * ax);
    if (!scaled) r = ax > 10000 ? kInf : r * std::exp(ax);
  } else {
    Wide term = order == 0 ? 1 : ax / 2;
    for (int k = 1; k < 300; ++k) {
      r += term;
      term *= ax * ax / 4 / static_cast<Wide>(k * (k + order));
    }
    if (scaled) r *= std::exp(-ax);
  }
  return order == 1 ? std::copysign(r, x) : r;
}

Wide reference_bessel_k(int order, bool scaled, Wide x) {
  if (std::isnan(x) || x < 0) return kNaN;
  if (x == 0) return kInf;
  if (std::isinf(x)) return 0;
  if (x > 1) {
    // The integral of e^(-x (cosh t - 1)) cosh(n t) by the trapezoidal rule.
    const Wide h = x > 16 ? 0.5L / std::sqrt(x) : 0.125L;
    Wide sum = 0.5L;
    Wide exponent = 0;
    for (int i = 1; exponent < 60; ++i) {
      const Wide s = std::sinh(static_cast<Wide>(i) * h / 2);
      exponent = 2 * x * s * s;
      sum += std::exp(-exponent) * (order == 0 ? 1 : 2 * s * s + 1);
    }
    return sum * h * (scaled ? 1 : std::exp(-x));
  }
  // Power series; the order 1 from the Wronskian.
  constexpr Wide kEuler = 0.577215664901532860606512090082402431L;
  const Wide start = -(std::log(x / 2) + kEuler);
  Wide k0 = 0, i0 = 0, i1 = 0, harmonic = 0, term = 1;
  for (int k = 1; k < 25; ++k) {
    const Wide n = static_cast<Wide>(k);
    k0 += term * (start + harmonic);
    i0 += term;
    i1 += term * x / 2 / n;
    harmonic += 1 / n;
    term *= x * x / 4 / (n * n);
  }
  return (order == 0 ? k0 : (1 / x - i1 * k0) / i0) * (scaled ? std::exp(x) : 1);
}

Wide reference_spherical_j0(Wide x) { return x == 0 ? 1 : std::isinf(x) ? 0 : std::sin(x) / x; }

Wide reference_erfinv(Wide x) {
  if (std::fabs(x) > 1 || std::isnan(x)) return kNaN;
  if (std::fabs(x) == 1) return x * kInf;
  if (std::fabs(x) < 0.5L) {  // 1 - |x| would lose what erf keeps
    Wide y = std::sqrt(kPi) / 2 * x;
    for (int i = 0; i < 6; ++i) y -= (std::erf(y) - x) * (std::sqrt(kPi) / 2) * std::exp(y * y);
    return y;
  }
  return std::copysign(erfc_inverse(1 - std::fabs(x)), x);
}

Wide reference_ndtri(Wide p) {
  if (!(p >= 0 && p <= 1)) return kNaN;
  if (p == 0 || p == 1) return p == 0 ? -kInf : kInf;
  const Wide root = std::sqrt(2.0L);
  if (std::fabs(p - 0.5L) < 0.25L) return root * reference_erfinv(2 * p - 1);
  return p < 0.5L ? -root * erfc_inverse(2 * p) : root * erfc_inverse(2 * (1 - p));
}

Wide reference_erfcx(Wide x) {
  if (x < 20) return x < -200 ? kInf : std::exp(x * x) * std::erfc(x);
  const Wide z = 1 / (x * x);
  Wide term = 1;
  Wide sum = 0;
  for (int k = 1; k < 20; ++k) {
    sum += term;
    term *= -static_cast<Wide>(2 * k - 1) / 2 * z;
  }
  return sum / (x * std::sqrt(kPi));
}

Wide reference_ndtr(Wide x) { return std::erfc(-x / std::sqrt(2.0L)) / 2; }

Wide reference_log_ndtr(Wide x) {
  if (x > 0) return std::log1p(-std::erfc(x / std::sqrt(2.0L)) / 2);
  if (x > -5) return std::log(std::erfc(-x / std::sqrt(2.0L)) / 2);
  return std::log(reference_erfcx(-x / std::sqrt(2.0L)) / 2) - x * x / 2;
}

Wide reference_remainder(Wide x, Wide y) {
  const Wide r = std::fmod(x, y);
  return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

}  // namespace lanewise::tools
