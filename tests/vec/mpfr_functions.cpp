#include "mpfr_functions.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace lanewise::test {
namespace {

constexpr auto kRound = MPFR_RNDN;

/// A number of 192 bits.
class Number {
 public:
  Number() { mpfr_init2(value_, 192); }
  explicit Number(double x) : Number() { mpfr_set_d(value_, x, kRound); }
  explicit Number(mpfr_srcptr x) : Number() { mpfr_set(value_, x, kRound); }
  Number(const Number& other) : Number(other.get()) {}
  Number& operator=(const Number& other) {
    mpfr_set(value_, other.value_, kRound);
    return *this;
  }
  ~Number() { mpfr_clear(value_); }
  mpfr_ptr get() { return value_; }
  mpfr_srcptr get() const { return value_; }
  double rough() const { return mpfr_get_d(value_, kRound); }

  friend Number operator+(const Number& a, const Number& b) { return with(mpfr_add, a, b); }
  friend Number operator-(const Number& a, const Number& b) { return with(mpfr_sub, a, b); }
  friend Number operator*(const Number& a, const Number& b) { return with(mpfr_mul, a, b); }
  friend Number operator/(const Number& a, const Number& b) { return with(mpfr_div, a, b); }
  Number operator-() const { return of(mpfr_neg, *this); }

  static Number floor(const Number& a) {
    Number r;
    mpfr_floor(r.value_, a.value_);
    return r;
  }
  template <class F>
  static Number of(F f, const Number& a) {
    Number r;
    f(r.value_, a.value_, kRound);
    return r;
  }
  template <class F>
  static Number with(F f, const Number& a, const Number& b) {
    Number r;
    f(r.value_, a.value_, b.value_, kRound);
    return r;
  }

 private:
  mpfr_t value_;
};

Number pi() {
  Number r;
  mpfr_const_pi(r.get(), kRound);
  return r;
}
Number power(const Number& a, const Number& b) {
  if (mpfr_integer_p(b.get()) && mpfr_cmpabs(b.get(), Number(100.0).get()) < 0) {
    Number r;
    mpfr_pow_si(r.get(), a.get(), mpfr_get_si(b.get(), kRound), kRound);
    return r;
  }
  return Number::with(mpfr_pow, a, b);
}
Number exp(const Number& x) { return Number::of(mpfr_exp, x); }
Number log(const Number& x) { return Number::of(mpfr_log, x); }
Number sqrt(const Number& x) { return Number::of(mpfr_sqrt, x); }
Number erfc(const Number& x) { return Number::of(mpfr_erfc, x); }

int set(mpfr_ptr r, const Number& x) { return mpfr_set(r, x.get(), kRound); }
int set_nan(mpfr_ptr r) {
  mpfr_set_nan(r);
  return 0;
}
int set_inf(mpfr_ptr r, int sign) {
  mpfr_set_inf(r, sign);
  return 0;
}
bool is_integer(mpfr_srcptr x) { return mpfr_integer_p(x) != 0; }

/// B_2j / (2j)! = 2 (-1)^(j + 1) zeta(2j) / (2 pi)^2j.
const Number& bernoulli_factor(unsigned j) {
  static const std::array<Number, 26> kFactors = [] {
    std::array<Number, 26> f;
    for (unsigned k = 1; k < f.size(); ++k) {
      Number z;
      mpfr_zeta_ui(z.get(), 2 * k, kRound);
      const Number two_pi = pi() + pi();
      f[k] = Number(k % 2 == 1 ? 2.0 : -2.0) * z / power(two_pi, Number(2.0 * k));
    }
    return f;
  }();
  return kFactors[j];
}

/// s > 1, q > 0.
Number zeta_right(const Number& s, const Number& q) {
  constexpr int kTerms = 20;
  Number sum(0.0);
  Number a = q;
  for (int k = 0; k < kTerms; ++k, a = a + Number(1.0)) sum = sum + power(a, -s);
  const Number last = power(a, -s);
  Number rising = s / a;
  Number rest(0.5);
  for (unsigned j = 1; j < 26; ++j) {
    rest = rest + bernoulli_factor(j) * rising;
    rising = rising * (s + Number(2.0 * j - 1)) * (s + Number(2.0 * j)) / (a * a);
  }
  return sum + last * (a / (s - Number(1.0)) + rest);
}

}  // namespace

int mpfr_log_abs_gamma(mpfr_ptr r, mpfr_srcptr x) {
  if (mpfr_inf_p(x)) return set_inf(r, 1);
  int sign = 0;
  return mpfr_lgamma(r, &sign, x, kRound);
}

int mpfr_psi(mpfr_ptr r, mpfr_srcptr x) {
  if (mpfr_zero_p(x)) return set_inf(r, mpfr_signbit(x) ? 1 : -1);
  if (mpfr_inf_p(x)) return mpfr_signbit(x) ? set_nan(r) : set_inf(r, 1);
  if (mpfr_sgn(x) < 0 && is_integer(x)) return set_nan(r);
  return mpfr_digamma(r, x, kRound);
}

int mpfr_trigamma(mpfr_ptr r, mpfr_srcptr x) {
  if (mpfr_nan_p(x)) return set_nan(r);
  const Number z(x);
  if (mpfr_sgn(x) > 0) return mpfr_inf_p(x) ? mpfr_set_ui(r, 0, kRound) : set(r, zeta_right(Number(2.0), z));
  if (mpfr_inf_p(x)) return set_nan(r);
  if (is_integer(x)) return set_inf(r, 1);
  const Number ratio = pi() / Number::of(mpfr_sinpi, z);
  return set(r, ratio * ratio - zeta_right(Number(2.0), Number(1.0) - z));
}

int mpfr_hurwitz_zeta(mpfr_ptr r, mpfr_srcptr s, mpfr_srcptr q) {
  if (mpfr_nan_p(s) || mpfr_nan_p(q)) return set_nan(r);
  if (mpfr_cmp_ui(s, 1) == 0) return set_inf(r, 1);
  if (mpfr_cmp_ui(s, 1) < 0) return set_nan(r);
  if (mpfr_sgn(q) <= 0) {
    if (is_integer(q) || mpfr_inf_p(q)) return set_inf(r, 1);
    if (!is_integer(s)) return set_nan(r);
    Number sum(0.0);
    Number a(q);
    if (mpfr_cmp_si(q, -50) < 0) {
      // Most terms left of 0 as a difference of two sums.
      const Number skipped = Number::floor(-a) - Number(20.0);
      const Number difference =
          zeta_right(Number(s), -(a + skipped) + Number(1.0)) - zeta_right(Number(s), Number(1.0) - a);
      const bool odd = !is_integer((Number(s) * Number(0.5)).get());
      sum = odd ? -difference : difference;
      a = a + skipped;
    }
    // Those next to it one by one, then the rest.
    for (; mpfr_sgn(a.get()) < 0; a = a + Number(1.0)) sum = sum + power(a, -Number(s));
    return set(r, sum + zeta_right(Number(s), a));
  }
  if (mpfr_inf_p(q)) return mpfr_set_ui(r, 0, kRound);
  if (mpfr_inf_p(s)) return set(r, power(Number(q), -Number(s)));
  return set(r, zeta_right(Number(s), Number(q)));
}

namespace {

/// P over x^a e^-x / Gamma(a + 1).
Number incomplete_gamma_series(const Number& a, const Number& x) {
  Number sum(1.0);
  Number term(1.0);
  Number divisor = a;
  do {
    divisor = divisor + Number(1.0);
    term = term * x / divisor;
    sum = sum + term;
  } while (mpfr_get_exp(term.get()) > mpfr_get_exp(sum.get()) - 192);
  return sum;
}
/// For a > 10^7: Temme's expansion (DLMF 8.12.8), sign (1 for Q, -1 for P), x^a e^-x / Gamma(a + 1) = e^-square / ...
Number temme(const Number& a, const Number& x, const Number& square, bool upper) {
  const Number eta = (x.rough() < a.rough() ? Number(-1.0) : Number(1.0)) * sqrt((square + square) / a);
  const double c0[] = {-1.0 / 3, 1.0 / 12, -2.0 / 135, 1.0 / 864, 1.0 / 2835, -139.0 / 777600, 1.0 / 25515};
  Number s(0.0);
  for (int i = 6; i >= 0; --i) s = s * eta + Number(c0[i]);
  s = s + (Number(-1.0 / 540) - eta * Number(1.0 / 288)) / a;
  const Number rest = exp(-square) * s / sqrt((pi() + pi()) * a);
  const Number tail =
      erfc(upper ? eta * sqrt(a * Number(0.5)) : -(eta * sqrt(a * Number(0.5)))) * Number(0.5);
  return upper ? tail + rest : tail - rest;
}

}  // namespace

int mpfr_incomplete_gamma(mpfr_ptr r, mpfr_srcptr a, mpfr_srcptr x, bool upper) {
  const auto known = [&](double p) { return mpfr_set_d(r, upper ? 1 - p : p, kRound); };
  if (mpfr_sgn(a) < 0 || mpfr_sgn(x) < 0) return set_nan(r);
  if (mpfr_zero_p(a)) return mpfr_sgn(x) > 0 ? known(1) : set_nan(r);
  if (mpfr_zero_p(x)) return known(0);
  if (mpfr_inf_p(a)) return mpfr_inf_p(x) ? set_nan(r) : known(0);
  if (mpfr_inf_p(x)) return known(1);
  if (mpfr_nan_p(a) || mpfr_nan_p(x)) return set_nan(r);
  const Number shape(a);
  const Number z(x);
  const Number one(1.0);
  const bool small = mpfr_cmp_ui(a, 1) < 0;
  const bool lower = small ? mpfr_cmp_ui(x, 1) <= 0 : mpfr_lessequal_p(x, a) != 0;
  // The part that may be small is about e^-square.
  const Number square = small ? z - shape * log(z) : z - shape - shape * log(z / shape);
  if (square.rough() > 2000) return known(lower ? 0 : 1);
  if (mpfr_cmp_ui(a, 10000000) > 0) return set(r, temme(shape, z, square, upper));
  if (lower) {
    const Number density = exp(shape * log(z) - z) / Number::of(mpfr_gamma, shape + one);
    const Number p = density * incomplete_gamma_series(shape, z);
    if (!upper) return set(r, p);
    // 1 - P would lose all.
    const bool tiny = mpfr_cmp_d(a, 0x1p-80) < 0;
    return set(r, tiny ? shape * Number::with(mpfr_gamma_inc, Number(0.0), z) : one - p);
  }
  const Number q = mpfr_cmp_d(a, 0x1p-80) < 0
                       ? shape * Number::with(mpfr_gamma_inc, Number(0.0), z)
                       : Number::with(mpfr_gamma_inc, shape, z) / Number::of(mpfr_gamma, shape);
  return set(r, upper ? q : one - q);
}

int mpfr_polygamma(mpfr_ptr r, unsigned n, mpfr_srcptr x) {
  Number factor;
  mpfr_fac_ui(factor.get(), n, kRound);
  if (n % 2 == 0) factor = -factor;
  Number z;
  mpfr_hurwitz_zeta(z.get(), Number(n + 1.0).get(), x);
  return set(r, factor * z);
}

int mpfr_bessel_i(mpfr_ptr r, unsigned order, bool scaled, mpfr_srcptr x) {
  if (mpfr_nan_p(x)) return set_nan(r);
  const bool negative = order == 1 && mpfr_signbit(x);
  if (mpfr_inf_p(x)) {
    if (!scaled) return set_inf(r, negative ? -1 : 1);
    return mpfr_set_d(r, negative ? -0.0 : 0.0, kRound);
  }
  Number ax;
  mpfr_abs(ax.get(), x, kRound);
  Number result;
  if (mpfr_cmp_ui(ax.get(), 150) > 0) {
    // Hankel's expansion.
    Number term(1.0);
    result = term;
    const double mu = 4.0 * order * order;
    for (int k = 1; k < 60; ++k) {
      const double odd = 2 * k - 1;
      term = term * Number(-(mu - odd * odd)) / (Number(8.0 * k) * ax);
      result = result + term;
    }
    result = result / sqrt((pi() + pi()) * ax);
    if (!scaled) result = result * exp(ax);
  } else {
    const Number z = ax * ax * Number(0.25);
    Number term = order == 0 ? Number(1.0) : ax * Number(0.5);
    for (int k = 1; k < 500; ++k) {
      result = k == 1 ? term : result + term;
      if (mpfr_regular_p(term.get()) && mpfr_get_exp(term.get()) < mpfr_get_exp(result.get()) - 150) break;
      term = term * z / Number(double(k) * (k + order));
    }
    if (scaled) result = result * exp(-ax);
  }
  return set(r, negative ? -result : result);
}

namespace {
/// y with erfc(y) = c, 0 < c <= 1.
Number erfc_inverse(const Number& c) {
  Number y(0.0);
  const double rough = c.rough();
  if (mpfr_cmp_d(c.get(), 0.3) < 0) {
    const Number l = -log(c * sqrt(pi()));
    y = sqrt(l);
    for (int i = 0; i < 5; ++i) y = sqrt(l - log(y));
  } else {
    y = Number((1 - rough) * 0.88);
  }
  // Newton's method for log erfc.
  for (int i = 0; i < 6; ++i) {
    const Number e = erfc(y);
    const Number slope = Number(-2.0) * exp(-(y * y)) / (sqrt(pi()) * e);
    y = y - log(e / c) / slope;
  }
  return y;
}
}  // namespace

namespace {

/// Up to 1, from the power series of K0 (Abramowitz and Stegun, 9.6.13) and the Wronskian.
Number bessel_k_series(unsigned order, const Number& x) {
  const Number w = x * x * Number(0.25);
  Number k0(0.0), i0(0.0), i1(0.0), term(1.0), harmonic(0.0), euler;
  mpfr_const_euler(euler.get(), kRound);
  const Number start = -(log(x * Number(0.5)) + euler);
  for (int k = 1; k < 40; ++k) {
    k0 = k0 + term * (start + harmonic);
    i0 = i0 + term;
    i1 = i1 + term / Number(k);
    harmonic = harmonic + Number(1.0) / Number(k);
    term = term * w / Number(double(k) * k);
  }
  if (order == 0) return k0;
  return (Number(1.0) / x - Number(0.5) * x * i1 * k0) / i0;
}
/// The integral of e^(-x (cosh t - 1)) cosh(n t) by the trapezoidal rule, which is good to e^(-pi^2 / h).
Number bessel_k_integral(unsigned order, const Number& x) {
  const double rough = x.rough();
  const Number h(rough > 16 ? 0.4 / std::sqrt(rough) : 0.1);
  Number sum(0.5), t(0.0);
  while (true) {
    t = t + h;
    const Number s = Number::of(mpfr_sinh, t * Number(0.5));
    const Number exponent = Number(2.0) * x * s * s;
    if (exponent.rough() > 130) return sum * h;
    const Number e = exp(-exponent);
    sum = sum + (order == 0 ? e : e * Number::of(mpfr_cosh, t));
  }
}

/// u_k / t^k of the asymptotic series of Ai (Abramowitz and Stegun, 10.4.58), summed with signs that repeat.
Number airy_series(const Number& t, int first, int step, bool alternating) {
  Number sum(0.0), term(1.0);
  for (int k = 0; k < 60; ++k) {
    if (k % step == first) sum = alternating && k / step % 2 == 1 ? sum - term : sum + term;
    term = term * Number((6.0 * k + 5) * (6.0 * k + 3) * (6.0 * k + 1)) /
           (Number(216.0 * (k + 1) * (2 * k + 1)) * t);
  }
  return sum;
}

}  // namespace

int mpfr_bessel_k(mpfr_ptr r, unsigned order, bool scaled, mpfr_srcptr x) {
  if (mpfr_nan_p(x) || (mpfr_sgn(x) < 0)) return set_nan(r);
  if (mpfr_zero_p(x)) return set_inf(r, 1);
  if (mpfr_inf_p(x)) return mpfr_set_ui(r, 0, kRound);
  const Number z(x);
  if (mpfr_cmp_ui(x, 1) < 0) return set(r, bessel_k_series(order, z) * (scaled ? exp(z) : Number(1.0)));
  return set(r, bessel_k_integral(order, z) * (scaled ? Number(1.0) : exp(-z)));
}

int mpfr_airy(mpfr_ptr r, mpfr_srcptr x) {
  if (mpfr_nan_p(x)) return set_nan(r);
  if (mpfr_inf_p(x)) return mpfr_set_ui(r, 0, kRound);
  if (mpfr_cmpabs(x, Number(30.0).get()) < 0) return mpfr_ai(r, x, kRound);
  // The angle needs as many bits more as it has before the point.
  mpfr_t angle, turn;
  const mpfr_prec_t bits = 256 + 2 * std::max<mpfr_prec_t>(0, mpfr_get_exp(x));
  mpfr_inits2(bits, angle, turn, static_cast<mpfr_ptr>(nullptr));
  mpfr_abs(angle, x, kRound);
  const Number quarter = sqrt(sqrt(Number(static_cast<mpfr_srcptr>(angle))));
  mpfr_pow_ui(turn, angle, 3, kRound);
  mpfr_sqrt(angle, turn, kRound);
  mpfr_mul_ui(angle, angle, 2, kRound);
  mpfr_div_ui(angle, angle, 3, kRound);
  const Number t(static_cast<mpfr_srcptr>(angle));
  Number result;
  if (mpfr_sgn(x) > 0) {
    result = exp(-t) * (airy_series(t, 0, 2, false) - airy_series(t, 1, 2, false)) * Number(0.5);
  } else {
    mpfr_const_pi(turn, kRound);
    mpfr_div_ui(turn, turn, 4, kRound);
    mpfr_sub(angle, angle, turn, kRound);
    Number sine, cosine;
    mpfr_sin_cos(sine.get(), cosine.get(), angle, kRound);
    result = cosine * airy_series(t, 0, 2, true) + sine * airy_series(t, 1, 2, true);
  }
  mpfr_clears(angle, turn, static_cast<mpfr_ptr>(nullptr));
  return set(r, result / (sqrt(pi()) * quarter));
}

int mpfr_spherical_j0(mpfr_ptr r, mpfr_srcptr x) {
  if (mpfr_zero_p(x)) return mpfr_set_ui(r, 1, kRound);
  if (mpfr_inf_p(x)) return mpfr_set_ui(r, 0, kRound);
  return set(r, Number::of(mpfr_sin, Number(x)) / Number(x));
}

int mpfr_erfinv(mpfr_ptr r, mpfr_srcptr x) {
  if (mpfr_nan_p(x) || mpfr_cmpabs(x, Number(1.0).get()) > 0) return set_nan(r);
  if (mpfr_zero_p(x)) return mpfr_set(r, x, kRound);
  if (mpfr_cmpabs(x, Number(1.0).get()) == 0) return set_inf(r, mpfr_sgn(x));
  Number ax;
  mpfr_abs(ax.get(), x, kRound);
  Number y;
  if (mpfr_cmp_d(ax.get(), 1e-10) < 0) {
    const Number c = sqrt(pi()) * Number(0.5) * ax;
    y = c + c * c * c / Number(3.0);
  } else {
    y = erfc_inverse(Number(1.0) - ax);
  }
  return set(r, mpfr_signbit(x) ? -y : y);
}

int mpfr_ndtri(mpfr_ptr r, mpfr_srcptr p) {
  if (mpfr_nan_p(p) || mpfr_sgn(p) < 0 || mpfr_cmp_ui(p, 1) > 0) return set_nan(r);
  if (mpfr_zero_p(p)) return set_inf(r, -1);
  if (mpfr_cmp_ui(p, 1) == 0) return set_inf(r, 1);
  const bool upper = mpfr_cmp_d(p, 0.5) > 0;
  if (mpfr_cmp_d(p, 0.5) == 0) return mpfr_set_ui(r, 0, kRound);
  const Number c = upper ? Number(1.0) - Number(p) : Number(p);
  const Number y = sqrt(Number(2.0)) * erfc_inverse(c + c);
  return set(r, upper ? y : -y);
}

int mpfr_erfcx(mpfr_ptr r, mpfr_srcptr x) {
  if (mpfr_inf_p(x)) return mpfr_signbit(x) ? set_inf(r, 1) : mpfr_set_ui(r, 0, kRound);
  const Number z(x);
  if (mpfr_cmp_d(x, 1e4) > 0) {
    const Number square = z * z;
    return set(r, (Number(1.0) - Number(0.5) / square + Number(0.75) / (square * square)) / (z * sqrt(pi())));
  }
  if (mpfr_cmp_d(x, -1e4) < 0) return set_inf(r, 1);
  return set(r, exp(z * z) * erfc(z));
}

int mpfr_ndtr(mpfr_ptr r, mpfr_srcptr x) {
  return set(r, Number(0.5) * erfc(-Number(x) / sqrt(Number(2.0))));
}

int mpfr_log_ndtr(mpfr_ptr r, mpfr_srcptr x) {
  const Number z(x);
  if (mpfr_cmp_d(x, -1e4) < 0) {
    const Number inverse = Number(1.0) / (z * z);
    return set(r, -(z * z) * Number(0.5) - log(-z * sqrt(pi() + pi())) - inverse);
  }
  if (mpfr_sgn(x) > 0) {
    return set(r, Number::of(mpfr_log1p, -(Number(0.5) * erfc(z / sqrt(Number(2.0))))));
  }
  return set(r, log(Number(0.5) * erfc(-z / sqrt(Number(2.0)))));
}

int mpfr_logit(mpfr_ptr r, mpfr_srcptr x) {
  if (mpfr_nan_p(x) || mpfr_sgn(x) < 0 || mpfr_cmp_ui(x, 1) > 0) return set_nan(r);
  return set(r, log(Number(x)) - Number::of(mpfr_log1p, -Number(x)));
}

int mpfr_sinc(mpfr_ptr r, mpfr_srcptr x) {
  if (mpfr_zero_p(x)) return mpfr_set_ui(r, 1, kRound);
  return set(r, Number::of(mpfr_sinpi, Number(x)) / (pi() * Number(x)));
}

int mpfr_xlogy(mpfr_ptr r, mpfr_srcptr x, mpfr_srcptr y, bool plus_one) {
  if (mpfr_zero_p(x) && !mpfr_nan_p(y)) return mpfr_set_ui(r, 0, kRound);
  return set(r, Number(x) * (plus_one ? Number::of(mpfr_log1p, Number(y)) : log(Number(y))));
}

int mpfr_entropy(mpfr_ptr r, mpfr_srcptr x) {
  if (mpfr_sgn(x) < 0) return set_inf(r, -1);
  if (mpfr_zero_p(x)) return mpfr_set_ui(r, 0, kRound);
  return set(r, -(Number(x) * log(Number(x))));
}

int mpfr_python_remainder(mpfr_ptr r, mpfr_srcptr x, mpfr_srcptr y) {
  mpfr_fmod(r, x, y, kRound);
  if (!mpfr_nan_p(r) && !mpfr_zero_p(r) && (mpfr_sgn(r) < 0) != (mpfr_sgn(y) < 0)) {
    Number exact;
    mpfr_prec_round(exact.get(), 4400, kRound);
    mpfr_add(exact.get(), r, y, kRound);
    mpfr_set(r, exact.get(), kRound);
  }
  return 0;
}

}  // namespace lanewise::test
