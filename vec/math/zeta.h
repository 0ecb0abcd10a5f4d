#pragma once

#include <lanewise/vec/math/digamma.h>
#include <lanewise/vec/math/pow.h>

namespace lanewise::vec {
inline namespace LANEWISE_ISA {
namespace detail {

/// (q + k)^-s and (q + k)^(1 - s) want what q + k loses: it counts s times.
struct ZetaStep {
  Vec<double> base;
  Vec<double> lost;  ///< over base
};
LANEWISE_INLINE ZetaStep zeta_step(Vec<double> q, int k) {
  const Pair<double> a = two_sum(q, Vec<double>(static_cast<double>(k)));
  return {a.hi, a.lo / a.hi};
}
LANEWISE_INLINE Vec<double> zeta_power(ZetaStep a, Vec<double> exponent) {
  const Vec<double> p = pow(a.base, exponent);
  const Vec<double> shift = exponent * a.lost;
  return select(abs(shift) < Vec<double>(1.0), fma(p, shift, p), p);  // else NaN, beside infinities
}

/// For s > 1, q > 0: ten terms of the sum, each at most the one before, then the formula of Euler and Maclaurin.
[[gnu::noinline]] inline Pair<double> zeta_right(Vec<double> s, Vec<double> q) {
  using V = Vec<double>;
  constexpr int kTerms = 10;
  const V zero(0.0);
  Pair<double> sum = {pow(q, -s), zero};
  const auto add = [&sum](V term) __attribute__((always_inline)) {
    const Pair<double> next = fast_two_sum(sum.hi, term);
    sum = {next.hi, sum.lo + next.lo};
  };
  for (int k = 1; k < kTerms; ++k) add(zeta_power(zeta_step(q, k), -s));
  const V one(1.0);
  const ZetaStep last = zeta_step(q, kTerms);
  const V a = last.base;
  // a^-s may underflow where the sum beyond a does not.
  const V power = zeta_power(last, one - s);
  // B_2j / (2j)!
  constexpr double kFactors[] = {0x1.5555555555555p-4,   -0x1.6c16c16c16c17p-10, 0x1.1566abc011567p-15,
                                 -0x1.bbd779334ef0bp-21, 0x1.66a8f2bf70ebep-26,  -0x1.22805d644267fp-31,
                                 0x1.d6db2c4e09162p-37,  -0x1.7da4e1f79955cp-42, 0x1.355871d652e9ep-47,
                                 -0x1.f57d968caacf1p-53};
  const V inverse = one / a;
  V rising = s * inverse;  // s (s + 1) ... / a^(2j - 1)
  V rest = V(0.5);
  for (int j = 0; j < 10; ++j) {
    rest = fma(V(kFactors[j]), rising, rest);
    const V m(static_cast<double>(2 * j + 1));
    rising = rising * ((s + m) * inverse) * ((s + m + one) * inverse);
  }
  const V tail = power * (one / (s - one) + rest * inverse);
  add(select(power == zero, zero, tail));
  return {sum.hi, select(sum.hi < V(std::numeric_limits<double>::infinity()), sum.lo, zero)};
}
/// Integer s, q < 0 no integer: the term next to 0, those right of it, and those left of it as a difference
/// of two sums over positive numbers.
[[gnu::noinline, gnu::cold]] inline Vec<double> zeta_left(Vec<double> s, Vec<double> q) {
  using V = Vec<double>;
  const V one(1.0);
  const V r = q - round(q);
  const V half = V(0.5) * s;
  const Mask<double> even = trunc(half) == half;
  const auto from = [s](V start) {
    const Pair<double> sum = zeta_right(s, start);
    return sum.hi + sum.lo;
  };
  const V beyond = from(one - q);
  const V left = from(one - r) - beyond;
  const V nearest = pow(r, -s);
  const V sum = nearest + (from(one + r) + select(even, left, -left));
  // Nothing outweighs an infinite term next to 0. Halfway between integers those left and right of 0 cancel.
  const V known = select(abs(nearest) == V(std::numeric_limits<double>::infinity()), nearest, sum);
  return select(~even & (abs(r) == V(0.5)), beyond, known);
}
/// The function times a factor, rounded once more.
[[gnu::noinline]] inline Vec<double> zeta(Vec<double> s, Vec<double> q, Vec<double> factor) {
  using V = Vec<double>;
  const V inf(std::numeric_limits<double>::infinity());
  const V nan(std::numeric_limits<double>::quiet_NaN());
  const Mask<double> left = q <= V(0.0);
  const Pair<double> right = zeta_right(s, select(left, V(1.0), q));
  const V low = select(abs(factor) < inf, right.lo * factor, V(0.0));
  V r = fma(right.hi, factor, low);
  if (left.any()) {
    const Mask<double> pole = trunc(q) == q;
    const Mask<double> integer = trunc(s) == s;
    const V reflected = zeta_left(s, select(left & ~pole, q, V(-0.5)));
    r = select(left, factor * select(pole, inf, select(integer, reflected, nan)), r);
  }
  r = select(s == V(1.0), inf, select(s < V(1.0), nan, r));
  return select(isnan(s) | isnan(q), nan, r);
}

}  // namespace detail

/// Hurwitz's zeta function: the sum of (q + k)^-s over k >= 0. Infinite at s = 1 and where q is 0 or a
/// negative integer; NaN for s < 1 and where q < 0 and s is no integer. Error: 3 ULP for q > 0. f32 is
/// computed in f64.
LANEWISE_INLINE Vec<double> zeta(Vec<double> s, Vec<double> q) {
  return detail::zeta(s, q, Vec<double>(1.0));
}
LANEWISE_INLINE Vec<float> zeta(Vec<float> s, Vec<float> q) {
  return in_double(
      s, q, [](Vec<double> a, Vec<double> b) __attribute__((always_inline)) {
        return detail::zeta(a, b, Vec<double>(1.0));
      });
}

namespace detail {
/// (-1)^(n + 1) n!, rounded once.
LANEWISE_INLINE Vec<double> signed_factorial(std::int64_t n) {
  using V = Vec<double>;
  const V sign(n % 2 == 0 ? -1.0 : 1.0);
  if (n > 170) return sign * V(std::numeric_limits<double>::infinity());
  Pair<double> product = {sign, V(0.0)};
  for (std::int64_t k = 2; k <= n; ++k) product = multiply(product, V(static_cast<double>(k)));
  return product.hi + product.lo;
}
}  // namespace detail

/// The n-th derivative of digamma, n >= 0. Error: 3 ULP for x > 0, n > 1 (n <= 1: digamma and
/// trigamma). Infinite at 0 and the negative integers
/// for n > 0.
template <Real T>
LANEWISE_INLINE Vec<T> polygamma(std::int64_t n, Vec<T> x) {
  if (n == 0) return digamma(x);
  if (n == 1) return trigamma(x);
  const auto f = [n](Vec<double> d) {
    return detail::zeta(Vec<double>(static_cast<double>(n + 1)), d, detail::signed_factorial(n));
  };
  if constexpr (sizeof(T) == 4) {
    return in_double(x, f);
  } else {
    return f(x);
  }
}

}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
