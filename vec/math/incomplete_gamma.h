#pragma once

#include <lanewise/vec/math/pow.h>

// The regularised incomplete gamma functions P(a, x) and Q(a, x) = 1 - P(a, x). The smaller of the two is e^E H with the
// exponent E of x^a e^-x in a pair: up to max(a, 1) P by its power series, beyond it Q by its continued fraction (DLMF
// 8.9.2), and from a = 8 on, where x is not far from a, both by Temme's uniform expansion (DLMF 8.12).

namespace lanewise::vec {
inline namespace LANEWISE_ISA {
namespace detail {

/// (1 / Gamma(a + 1) - 1) / a, a polynomial of a - 1/2, for 0 <= a <= 1.
inline constexpr double kGammaInverse[] = {
    0x1.06eba8214db69p-2,  -0x1.31154fd358bffp-1,  0x1.1b7d4b0cc3ba5p-3,   0x1.2c7a64373f55ap-4,
    -0x1.6edf0f60971f5p-5, 0x1.58943272097bbp-8,   0x1.633745cdd7e0ap-9,   -0x1.34fd559fd182fp-10,
    0x1.1d17d432116a7p-13, 0x1.1364474a9dd6cp-15,  -0x1.f5942d2195662p-17, 0x1.1a4303dd5dbd6p-19,
    0x1.cb9bafa8f70f9p-24, -0x1.a759db541de08p-24, 0x1.2727d298014f6p-26};
/// (-log Gamma(a + 1) / a - Euler's constant) / a, likewise.
inline constexpr double kLogGammaInverse[] = {
    -0x1.57b4f20950b69p-1,  0x1.d7d51e897f47bp-3,  -0x1.b1f101141258dp-4,  0x1.c08bd18910c41p-5,
    -0x1.ed1081de1e36ep-6,  0x1.194ad00d00446p-6,  -0x1.48fb58db83c81p-7,  0x1.878aedb3b91ebp-8,
    -0x1.d81ab9a789281p-9,  0x1.1f8174e6a601dp-9,  -0x1.6102d67e02f7fp-10, 0x1.b453ae9d8fd67p-11,
    -0x1.0f331323c2dcap-11, 0x1.52b506f07cd33p-12, -0x1.a78d82188720ep-13, 0x1.0a50c8f242285p-13,
    -0x1.5ba33ca7e3368p-14, 0x1.bae343c7d067cp-15, -0x1.aa5d419a8be70p-16, 0x1.0593d9a0f800cp-16,
    -0x1.8b8e4794b33cbp-16, 0x1.040911e858b78p-16};
/// a (1 - s), s = sqrt(2 pi a) (a / e)^a / Gamma(a + 1), for 1 <= a: a polynomial of (a - 3) / (a + 1).
inline constexpr double kStirlingFactor[] = {
    0x1.4f7158848b3e1p-4,   0x1.281f0121b40d1p-9,  -0x1.2eec5be947b5ep-10, 0x1.cd57dcc208a7dp-12,
    -0x1.1669f0706e1e2p-13, 0x1.1b06094ed6c83p-15, -0x1.10fe3b6cb73b5p-17, 0x1.17e12d55f5f92p-19,
    -0x1.25cb5ac3940f4p-21, 0x1.2bf3103915bbcp-23, -0x1.416fe064ac30cp-25, 0x1.63328363fff69p-27,
    -0x1.76d819ed8a994p-29, 0x1.ac41a8754816fp-31, -0x1.ed36dcdcdedc8p-33, 0x1.cb6025ba97085p-35,
    -0x1.1c52d50ec275dp-36, 0x1.18f2b9a6dc704p-37, -0x1.2aefc43fa103ap-39};
/// (1/2 + z) e^(z^2) erfc z for 0 <= z <= 28, a polynomial of (z - 3) / (z + 3), after Shepherd and Laframboise (see erfc).
inline constexpr double kErfcxHalf[] = {
    0x1.40c522d7e4987p-1,  -0x1.15c084bb9e8eep-4,  -0x1.85a15c58aa6edp-6,  0x1.098366a5b4477p-4,
    -0x1.e88b803a470cfp-5, 0x1.17ca2877fbcc3p-5,   -0x1.8574c40c9a414p-7,  0x1.4b884e2c89df1p-10,
    0x1.ef1bdde1f158ep-11, -0x1.98db4d7519ba9p-12, -0x1.b912b8514e9e5p-15, 0x1.0659dfee3e255p-14,
    0x1.4c37436ca5dd2p-19, -0x1.5130beb1eef51p-17, -0x1.89eca8395abe4p-22, 0x1.d13147cea3bf3p-20,
    0x1.8270de71bcf83p-23, -0x1.4518d727d5990p-22, -0x1.33960ed2a8baep-24, 0x1.81f548ff1938ap-25,
    0x1.5c823abcf1fe3p-26, -0x1.971e11fc0d562p-29, -0x1.b1a7c522e2657p-29, -0x1.11d14ca72133bp-31};
/// The coefficients of S for each power of 8 / a, by Chebyshev interpolation in both variables.
inline constexpr double kTemme[] = {
    -0x1.5555555555556p-2,  0x1.555555555555cp-4,   -0x1.e573ac901e4a0p-7,  0x1.2f684bda1150dp-10,
    0x1.71de3a554c8b2p-12,  -0x1.76e06fec8a5f2p-13, 0x1.48c5893a578a4p-15,  -0x1.25536f312d449p-19,
    -0x1.f1b237b9eaa72p-20, 0x1.bd6d039875b1cp-21,  -0x1.7b5ea4ff9eb84p-23, 0x1.cd22363776b1bp-28,
    0x1.60756f3e03d20p-27,  -0x1.2d67e535bd174p-28, 0x1.f9e26c5918bd1p-31,  -0x1.85863035151cep-36,
    -0x1.144d13250535fp-34, 0x1.9774fe02fa7bbp-36,  -0x1.a68a3fc74713fp-39, -0x1.e573ac9013de6p-13,
    -0x1.c71c71c73a3fbp-12, 0x1.5ac056afcd0dfp-12,  -0x1.0394f6ecd1c23p-13, 0x1.af834426cd3ccp-16,
    -0x1.af85211aebda2p-25, -0x1.2fa4b08b27e71p-19, 0x1.00aa090cb4776p-20,  -0x1.b0bdd2cbd630cp-23,
    0x1.3aaaedda0a5bep-31,  0x1.280ee1b2f1859p-26,  -0x1.ed477921b099bp-28, 0x1.9a8a111e3c71ep-30,
    -0x1.e721ba3f7c337p-37, -0x1.13c2216bd6888p-33, 0x1.02dbf09172406p-34,  -0x1.8ee97629fe80cp-37,
    -0x1.488ea2524cfcep-39, 0x1.510c68dd68166p-40,  0x1.0ee643b77f10dp-14,  -0x1.5f7268dfa40a5p-15,
    0x1.948b105fc6a33p-17,  0x1.0db0300d56a30p-25,  -0x1.c254022f19e5dp-20, 0x1.bbf4ce276fbd6p-21,
    -0x1.ac2bd8f4f57ffp-23, 0x1.1f04b35a08bf0p-31,  0x1.704e5345490f5p-26,  -0x1.5159bd4ca662dp-27,
    0x1.32d0c218691c6p-29,  -0x1.02597f07326d9p-35, -0x1.e2eb9bcb0b906p-33, 0x1.f42d3e25bad43p-34,
    -0x1.8b525fe8ad3c3p-36, -0x1.87b9296dbcccap-38, 0x1.7926240026d5ep-39,  0x1.547d993af3990p-20,
    0x1.e13cacf71ffb3p-22,  -0x1.ebfb582f5f17cp-21, 0x1.18ba4cf63c2b1p-21,  -0x1.3d2736312228ap-23,
    -0x1.07d09a7c2e58cp-31, 0x1.73baceee2f22ep-26,  -0x1.7c03ce0204f7ep-27, 0x1.7ee7cb682f9c0p-29,
    -0x1.2488349747c36p-35, -0x1.6e2511fb35f60p-32, 0x1.978088fba496fp-33,  -0x1.5307c21842b45p-35,
    -0x1.931d12ce892b8p-37, 0x1.73c7c01ab807fp-38,  -0x1.c3e1adfff8419p-23, 0x1.9b11e762e4c5dp-23,
    -0x1.39921ee4cbcafp-24, -0x1.99489d3ed1b5fp-32, 0x1.164ce951b9bb7p-26,  -0x1.4bfe4a0ae689ep-27,
    0x1.7ffda0b154b47p-29,  -0x1.0d30cb1cca63ap-35, -0x1.d03535ad649f0p-32, 0x1.0c30ee59c89d0p-32,
    -0x1.ebe5ed7a67791p-35, -0x1.ebb66925a5d0bp-37, 0x1.3ce25af77678bp-37,  -0x1.60f259be1171cp-27,
    -0x1.25c77ce571a36p-29, 0x1.22359f73be04cp-27,  -0x1.9fc3f8763ffb3p-28, 0x1.208e6bff6f31ap-29,
    -0x1.4ea727f381596p-35, -0x1.db96873704ad0p-32, 0x1.2ed0bae50999dp-32,  -0x1.2419b993256d4p-34,
    -0x1.00a96f4a374fep-36, 0x1.ca06a9ec03dd9p-37,  -0x1.527f3676fcb86p-39, 0x1.14bd0e41192dfp-29,
    -0x1.342da322d7866p-29, 0x1.220890a43691dp-30,  -0x1.72afe7a359400p-35, -0x1.6f99c5f5354a8p-32,
    0x1.1bfd1092320f2p-32,  -0x1.0fd452de97fa0p-34, -0x1.69c4198fba227p-36, 0x1.1090ff6c9d8fep-36,
    -0x1.6f2a7f2e4d76dp-39, 0x1.9098554d1967fp-33,  0x1.8c0d835672334p-38,  -0x1.878b746cdcbdfp-33,
    0x1.7b8067acd7879p-33,  -0x1.70a4239221e05p-35, -0x1.d6d33eeb1a870p-36, 0x1.00882e3756362p-36,
    -0x1.2ede53282c17fp-39, -0x1.d9f8d4b00ce78p-35, 0x1.1b83fb2065f03p-34,  -0x1.400e38808ad49p-36,
    -0x1.541d409a81cdap-36, 0x1.64c002f51d275p-37,  0x1.6278310b9d6d7p-39,  -0x1.07bcfc46b6498p-37,
    0x1.49265bfbdf4b3p-38};
inline constexpr int kTemmeLength[] = {19, 19, 17, 15, 13, 12, 10, 8, 5, 3};

template <std::size_t N>
LANEWISE_INLINE Vec<double> table_polynomial(Vec<double> x, const double (&c)[N], std::size_t first = 0) {
  Vec<double> p(c[N - 1]);
  for (std::size_t i = N - 1; i-- > first;) p = fma(p, x, Vec<double>(c[i]));
  return p;
}
LANEWISE_INLINE Pair<double> add(Pair<double> a, Pair<double> b) {
  const Pair<double> s = two_sum(a.hi, b.hi);
  return fast_two_sum(s.hi, s.lo + (a.lo + b.lo));
}
LANEWISE_INLINE Pair<double> negate(Pair<double> a) { return {-a.hi, -a.lo}; }
LANEWISE_INLINE Pair<double> select(Mask<double> m, Pair<double> a, Pair<double> b) {
  return {vec::select(m, a.hi, b.hi), vec::select(m, a.lo, b.lo)};
}
LANEWISE_INLINE Pair<double> quotient(Pair<double> n, Pair<double> d) {
  const Vec<double> inverse = Vec<double>(1.0) / d.hi;
  const Vec<double> q = n.hi * inverse;
  return {q, fnma(q, d.lo, residual(q, d.hi, n.hi) + n.lo) * inverse};
}

/// For x.hi > 0.
LANEWISE_INLINE Pair<double> square_root(Pair<double> x) {
  const Vec<double> r = sqrt(x.hi);
  return {r, (residual(r, r, x.hi) + x.lo) / (r + r)};
}

/// x^a e^-x / Gamma(a + 1) as factor e^exponent; log is that of x where a < 1.
struct GammaDensity {
  Pair<double> exponent;
  Pair<double> factor;
  Pair<double> log;
};
/// From a = 1 on the exponent is a log(x / a) - (x - a), which is small near x = a: with x / a = 2^e m it is, for e = 0 and
/// s = (x - a) / (x + a), s (a - x) + a (log m - 2 s), where nothing cancels.
LANEWISE_INLINE GammaDensity gamma_density(Vec<double> a, Vec<double> x) {
  using V = Vec<double>;
  const V one(1.0);
  const V two(2.0);
  const V half(0.5);
  const V zero(0.0);
  const Mask<double> small = a < one;
  const Mask<double> denormal = x < V(std::numeric_limits<double>::min());
  LogReduction<double> n = reduce_log(scale_denormal(x, denormal));
  LogReduction<double> d = reduce_log(select(small, one, a));
  V e = n.e - d.e;
  e = select(denormal, e - V(double(kDenormalShift<double>)), e);
  const Mask<double> above = n.m > V(0x1.6a09e667f3bcdp+0) * d.m;
  const Mask<double> below = n.m < V(0x1.6a09e667f3bcdp-1) * d.m;
  const V shift = select(above, one, select(below, -one, zero));
  const V m = n.m * select(above, half, select(below, two, one));
  e = e + shift;

  const V difference = m - d.m;  // exact
  const Pair<double> sum = two_sum(m, d.m);
  const Pair<double> s = quotient({difference, zero}, sum);
  const Pair<double> rest = log_rest(s);
  const Pair<double> whole = fast_two_sum(e * V(LogConstants<double>::kLn2Hi), s.hi + s.hi);
  const Pair<double> first = {whole.hi, whole.lo + fma(e, V(LogConstants<double>::kLn2Lo), s.lo + s.lo)};

  // What is added to nothing smaller than 1 is kept from making denormals.
  const Pair<double> beyond = two_sum(max_or_second(V(0x1p-200), x), select(small, zero, -a));
  const Mask<double> close = (e == zero) & ~small;
  const Pair<double> apart = add(multiply(first, a), negate(beyond));
  const Pair<double> together = negate(multiply(beyond, s));

  GammaDensity r;
  r.exponent = add(select(close, together, apart), multiply(rest, a));
  r.log = add(first, rest);
  // 1 / Gamma(a + 1), and from 1 on 1 / sqrt(2 pi a) with what Stirling's formula leaves.
  const V kept = select(small, one, a);
  const Pair<double> below_one =
      fast_two_sum(one, min_or_second(one, a) * table_polynomial(min_or_second(one, a) - half, kGammaInverse));
  const V stirling = table_polynomial((kept - V(3.0)) / (kept + one), kStirlingFactor);
  const Pair<double> root =
      square_root(quotient({V(0x1.45f306dc9c883p-3), V(-0x1.6b01ec5417056p-57)}, {kept, zero}));  // 1 / (2 pi)
  const Pair<double> above_one = fast_two_sum(root.hi, fnma(root.hi, stirling / kept, root.lo));
  r.factor = select(small, below_one, above_one);
  return r;
}

/// P over the density: 1 + x / (a + 1) + x^2 / ((a + 1) (a + 2)) + ..., four terms a division, for x <= max(a, 1). Terms
/// that no longer change the sum of one lane may be added for another. The first four, the most of it, are a pair.
LANEWISE_INLINE Pair<double> lower_series(Vec<double> a, Vec<double> x) {
  using V = Vec<double>;
  const V one(1.0);
  const Pair<double> third = two_sum(a, V(3.0));
  const Pair<double> fourth = two_sum(a, V(4.0));
  const Pair<double> last_two = multiply(third, fourth);
  const Pair<double> last_three = multiply(two_sum(a, V(2.0)), last_two);
  Pair<double> sum = add(last_two, multiply(add(fourth, {x, V(0.0)}), x));
  sum = multiply(add(last_three, multiply(sum, x)), x);
  const Pair<double> divisor = multiply(two_sum(a, one), last_three);
  sum = add({one, V(0.0)}, quotient(sum, divisor));

  const V square = x * x;
  const V fourth_power = square * square;
  V term = fourth_power / divisor.hi;
  V rest(0.0);
  for (int k = 5; k < 400; k += 4) {
    const V c1 = a + V(double(k));
    const V c2 = a + V(double(k + 1));
    const V c3 = a + V(double(k + 2));
    const V c4 = a + V(double(k + 3));
    const V c34 = c3 * c4;
    const V quotient = term / ((c1 * c2) * c34);
    const V polynomial = x * fma(c2, c34, x * fma(x, c4 + x, c34));
    const V next = fma(polynomial, quotient, rest);
    const bool done = (sum.hi + next == sum.hi + rest).all();
    rest = next;
    if (done) break;
    term = fma(quotient, fourth_power, V(0x1p-500));  // no denormals
  }
  return add(sum, {rest, V(0.0)});
}

/// a over Q over the density, as p / q: the even part of Legendre's continued fraction, for x >= max(a, 1), from the back,
/// begun where its rest shows no more. The last two steps are of pairs.
LANEWISE_INLINE Pair<double> upper_fraction(Vec<double> a, Vec<double> x) {
  using V = Vec<double>;
  const V one(1.0);
  const V terms = trunc(fma(V(97.0), one / x, V(11.0)));
  int k = 108;
  while (k > 13 && !(terms > V(double(k / 2))).any()) k /= 2;
  const V beyond = x - a;
  V p = beyond + (terms + terms + one);
  V q = one;
  for (; k > 2; --k) {
    const V n(static_cast<double>(k));
    const Mask<double> begun = terms >= n;
    const V next = fma(beyond + V(static_cast<double>(2 * k - 1)), p, (n * (a - n)) * q);
    q = select(begun, p, q);
    p = select(begun, next, p);
  }
  const Pair<double> exactly = two_sum(x, -a);
  const auto step = [&](double n, Pair<double> p1, Pair<double> q1) __attribute__((always_inline)) {
    const Pair<double> factor = multiply(two_sum(a, V(-n)), V(n));
    return add(multiply(add(exactly, {V(2.0 * n - 1.0), V(0.0)}), p1), multiply(factor, q1));
  };
  const Pair<double> third = {p, V(0.0)};
  const Pair<double> second = step(2.0, third, {q, V(0.0)});
  return quotient(second, step(1.0, second, third));
}

/// Temme: Q e^(zeta^2) = erfcx(zeta) / 2 + S / sqrt(2 pi a) for eta = zeta sqrt(2 / a), and P with -S for negative eta.
/// `square` is zeta^2, S a polynomial in |eta| <= 1 and 8 / a.
LANEWISE_INLINE Pair<double> temme_factor(Vec<double> a, Pair<double> square, Mask<double> lower) {
  using V = Vec<double>;
  const V one(1.0);
  const V three(3.0);
  const Pair<double> root_of_square = square_root({max_or_second(V(0x1p-200), square.hi), square.lo});
  const V zeta = root_of_square.hi;
  const V inverse = one / a;
  const V root = sqrt(inverse);
  V eta = zeta * root * V(0x1.6a09e667f3bcdp+0);
  eta = select(lower, -eta, eta);
  const V w = inverse * V(8.0);
  V s(0.0);
  const double* row = kTemme + sizeof kTemme / sizeof kTemme[0];
  for (int i = int(sizeof kTemmeLength / sizeof kTemmeLength[0]) - 1; i >= 0; --i) {
    const int length = kTemmeLength[i];
    row -= length;
    V c(row[length - 1]);
    for (int j = length - 2; j >= 0; --j) c = fma(c, eta, V(row[j]));
    s = fma(s, w, c);
  }
  s = s * (root * V(0x1.9884533d43651p-2));
  const V t = (zeta - three) / (zeta + three);
  Pair<double> divisor = two_sum(zeta + zeta, one);
  divisor.lo = divisor.lo + (root_of_square.lo + root_of_square.lo);
  const Pair<double> tail =
      quotient(fast_two_sum(V(kErfcxHalf[0]), t * table_polynomial(t, kErfcxHalf, 1)), divisor);
  return add(tail, {select(lower, -s, s), V(0.0)});
}

/// Q for a < 1 and x <= 1, where P is the larger part: with u = a log x - log Gamma(a + 1) it is 1 - e^u (1 - a W),
/// W = x / (a + 1) - x^2 / (2! (a + 2)) + ..., in pairs.
[[gnu::noinline]] inline Vec<double> upper_near_zero(Vec<double> a, Vec<double> x, Pair<double> log) {
  using V = Vec<double>;
  const V one(1.0);
  const V t = a * table_polynomial(a - V(0.5), kLogGammaInverse);
  Pair<double> g = fast_two_sum(V(0x1.2788cfc6fb619p-1), t);  // Euler's constant
  g.lo = g.lo - V(0x1.6cb90701fbfabp-58);
  const Pair<double> u = multiply(add(log, g), a);
  V rest(0.0);
  for (int n = 18; n >= 2; --n) {
    rest = fnma(x * rest, V(1.0 / (n + 1)), one / (a + V(static_cast<double>(n))));
  }
  rest = V(-0.5) * x * x * rest;
  Pair<double> w = quotient({x, V(0.0)}, two_sum(one, a));
  const Pair<double> sum = fast_two_sum(w.hi, rest);
  w = multiply(Pair<double>{sum.hi, sum.lo + w.lo}, a);
  const Pair<double> half = half_exp(u.hi).minus_one;
  const Pair<double> minus = {half.hi + half.hi, fma(u.lo, half.hi + half.hi + one, half.lo + half.lo)};
  const Pair<double> r = add(add(w, negate(minus)), multiply(minus, w));
  return r.hi + r.lo;
}

/// Where an argument is 0, negative, NaN, or 2^120 or more: from there on an x next to a is far from it.
[[gnu::noinline, gnu::cold]] inline Vec<double> incomplete_gamma_specials(Vec<double> a, Vec<double> x,
                                                                          bool upper) {
  using V = Vec<double>;
  const V zero(0.0);
  const V inf(std::numeric_limits<double>::infinity());
  const V nan(std::numeric_limits<double>::quiet_NaN());
  const V none(upper ? 1.0 : 0.0);
  const V whole(upper ? 0.0 : 1.0);
  V r = select(x == a, V(0.5), select(x > a, whole, select(isnan(x) | isnan(a), nan, none)));
  r = select(x == inf, whole, r);
  r = select(a == inf, select(x == inf, nan, none), r);
  r = select(x == zero, none, r);
  r = select(a == zero, select(x > zero, whole, nan), r);
  return select((a < zero) | (x < zero), nan, r);
}

[[gnu::noinline]] inline Vec<double> incomplete_gamma(Vec<double> a, Vec<double> x, bool upper) {
  using V = Vec<double>;
  const V zero(0.0);
  const V one(1.0);
  const V limit(0x1p120);
  const Mask<double> inside = (a > zero) & (a < limit) & (x > zero) & (x < limit);
  const V given = select(inside, a, one);
  const V ka = max_or_second(V(0x1p-200), given);
  const V kx = select(inside, x, one);
  const GammaDensity density = gamma_density(ka, kx);
  const V square = -density.exponent.hi;
  const Mask<double> lower = kx <= max_or_second(one, ka);
  const Mask<double> alive = square < V(746.0);
  const Mask<double> uniform = alive & (ka >= V(8.0)) & (square + square <= ka);
  const Mask<double> series = alive & lower & ~uniform;
  const Mask<double> fraction = alive & ~lower & ~uniform;
  Pair<double> h = {zero, zero};
  if (uniform.any()) {
    const Pair<double> none = {zero, zero};
    const Pair<double> factor =
        temme_factor(max_or_second(V(8.0), ka), select(uniform, negate(density.exponent), none), lower);
    h = select(uniform, factor, none);
  }
  if (series.any()) {
    const Pair<double> sum =
        lower_series(select(series, ka, one), max_or_second(V(0x1p-56), select(series, kx, zero)));
    h = select(series, multiply(density.factor, sum), h);
  }
  if (fraction.any()) {
    const Pair<double> rest = upper_fraction(select(fraction, ka, one), select(fraction, kx, V(40.0)));
    h = select(fraction, multiply(multiply(density.factor, ka), rest), h);
  }

  using C = ExpConstants<double>;
  const V kept = keep_above(C::kUnderflow, C::kVanished, density.exponent.hi);
  ExpReduction<double> e = reduce_exp(kept);
  e.r = fast_two_sum(e.r.hi, e.r.lo + select(alive, density.exponent.lo, zero));
  const Pair<double> minus_one = expm1_reduced(e.r);
  const Pair<double> power = fast_two_sum(one, minus_one.hi);
  Pair<double> product = multiply({power.hi, power.lo + minus_one.lo}, h);
  product = fast_two_sum(product.hi, product.lo);
  const auto scaled = [&](V p) __attribute__((always_inline)) {
    return scale_above(C::kUnderflow, density.exponent.hi, p, e.t, e.n);
  };
  const V part = min_or_second(one, scaled(product.hi));
  const Pair<double> other = fast_two_sum(one, -part);
  // Of a small part the second half does not show.
  const V part_rest = scaled(select(part > V(0x1p-60), product.lo, zero));
  const V complement = max_or_second(zero, other.hi + (other.lo - part_rest));

  V r = select(lower ^ Mask<double>::splat(upper), part, complement);
  if (upper) {
    const Mask<double> near_zero = lower & (ka < one) & (part > V(0.5));
    if (near_zero.any()) {
      const V exact =
          upper_near_zero(select(near_zero, ka, V(0.5)), select(near_zero, kx, V(0.5)), density.log);
      r = select(near_zero, exact, r);
    }
    r = r * select(given < ka, given * V(0x1p200), one);  // Q of the least a is a multiple of it, rounded once
  }
  if (__builtin_expect(!inside.all(), 0)) return select(inside, r, incomplete_gamma_specials(a, x, upper));
  return r;
}

}  // namespace detail

/// P(a, x), the regularised lower incomplete gamma function. NaN where an argument is negative, where both are 0
/// and where both are infinite; the value for 0 or infinity is there beside NaN too. Error: 4 ULP (f64)
/// where the result is above 10^-300, 0.51 ULP (f32, computed in f64).
LANEWISE_INLINE Vec<double> igamma(Vec<double> a, Vec<double> x) {
  return detail::incomplete_gamma(a, x, false);
}
LANEWISE_INLINE Vec<float> igamma(Vec<float> a, Vec<float> x) {
  return in_double(
      a, x, [](Vec<double> c, Vec<double> d) __attribute__((always_inline)) {
        return detail::incomplete_gamma(c, d, false);
      });
}
/// Q(a, x) = 1 - P(a, x), the upper one.
LANEWISE_INLINE Vec<double> igammac(Vec<double> a, Vec<double> x) {
  return detail::incomplete_gamma(a, x, true);
}
LANEWISE_INLINE Vec<float> igammac(Vec<float> a, Vec<float> x) {
  return in_double(
      a, x, [](Vec<double> c, Vec<double> d) __attribute__((always_inline)) {
        return detail::incomplete_gamma(c, d, true);
      });
}

}  // namespace LANEWISE_ISA
}  // namespace lanewise::vec
