#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <lanewise/vec/vec.h>

namespace lanewise::test {
namespace {

using vec::Vec;

template <class T>
class Floats : public testing::Test {};
using FloatTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(Floats, FloatTypes);

template <class T>
std::vector<T> awkward_values() {
  using L = std::numeric_limits<T>;
  std::vector<T> v = {0,
                      T(0.25),
                      T(0.5),
                      1,
                      T(1.5),
                      2,
                      T(2.5),
                      T(3.5),
                      T(1e5),
                      T(123456.5),
                      L::max(),
                      L::min(),
                      L::denorm_min(),
                      L::infinity(),
                      L::quiet_NaN(),
                      T(1) / L::epsilon(),
                      T(0.49999997),
                      T(2147483648.0),
                      T(9.3e18)};
  const std::size_t n = v.size();
  for (std::size_t i = 0; i < n; ++i) v.push_back(-v[i]);
  return v;
}
template <class T>
void expect_same(T found, T expected) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(found));
  } else {
    EXPECT_EQ(found, expected);
    EXPECT_EQ(std::signbit(found), std::signbit(expected));
  }
}

TYPED_TEST(Floats, RoundsAndClassifiesAsTheCLibrary) {
  using T = TypeParam;
  for (const T x : awkward_values<T>()) {
    const Vec<T> v(x);
    expect_same(floor(v).extract(0), std::floor(x));
    expect_same(ceil(v).extract(0), std::ceil(x));
    expect_same(trunc(v).extract(0), std::trunc(x));
    expect_same(round(v).extract(0), std::nearbyint(x));
    expect_same(abs(v).extract(0), std::fabs(x));
    expect_same((-v).extract(0), -x);
    EXPECT_EQ(isnan(v).all(), std::isnan(x));
    EXPECT_EQ(isinf(v).all(), std::isinf(x));
    EXPECT_EQ(isfinite(v).all(), std::isfinite(x));
    EXPECT_EQ(signbit(v).all(), std::signbit(x));
    for (const T y : awkward_values<T>()) {
      if (!std::isnan(y)) expect_same(copysign(v, Vec<T>(y)).extract(0), std::copysign(x, y));
    }
  }
}

TYPED_TEST(Floats, MinimaPropagateNanAndFminIgnoresIt) {
  using T = TypeParam;
  for (const T x : awkward_values<T>()) {
    for (const T y : awkward_values<T>()) {
      const bool nan = std::isnan(x) || std::isnan(y);
      EXPECT_EQ(unordered(Vec<T>(x), Vec<T>(y)).all(), nan);
      const T lo = minimum(Vec<T>(x), Vec<T>(y)).extract(0);
      const T hi = maximum(Vec<T>(x), Vec<T>(y)).extract(0);
      if (nan) {
        EXPECT_TRUE(std::isnan(lo));
        EXPECT_TRUE(std::isnan(hi));
      } else {
        EXPECT_EQ(lo, std::min(x, y));
        EXPECT_EQ(hi, std::max(x, y));
      }
      const T fl = fmin(Vec<T>(x), Vec<T>(y)).extract(0);
      const T fh = fmax(Vec<T>(x), Vec<T>(y)).extract(0);
      if (std::isnan(x) && std::isnan(y)) {
        EXPECT_TRUE(std::isnan(fl) && std::isnan(fh));
      } else {
        EXPECT_EQ(fl, std::fmin(x, y));
        EXPECT_EQ(fh, std::fmax(x, y));
      }
    }
  }
}

TYPED_TEST(Floats, FmaRoundsOnce) {
  using T = TypeParam;
  std::mt19937_64 random(1);
  // (1 + e)(1 - e) - 1 is -e^2: 0 when the product is rounded first.
  const T e = std::numeric_limits<T>::epsilon();
  const T exact = fma(Vec<T>(1 + e), Vec<T>(1 - e), Vec<T>(T(-1))).extract(0);
  EXPECT_EQ(exact, vec::kFusedFma ? -e * e : T(0));
  for (int i = 0; i < 1000 && vec::kFusedFma; ++i) {
    const auto next = [&] {
      return static_cast<T>(static_cast<double>(static_cast<std::int64_t>(random())) * 0x1p-62);
    };
    const T a = next();
    const T b = next();
    const T c = next();
    EXPECT_EQ(fma(Vec<T>(a), Vec<T>(b), Vec<T>(c)).extract(0), std::fma(a, b, c));
    EXPECT_EQ(vec::fnma(Vec<T>(a), Vec<T>(b), Vec<T>(c)).extract(0), std::fma(-a, b, c));
    EXPECT_EQ(vec::fms(Vec<T>(a), Vec<T>(b), Vec<T>(c)).extract(0), std::fma(a, b, -c));
  }
}

TYPED_TEST(Floats, ConvertsToIntegersOfTheSameSize) {
  using T = TypeParam;
  using I = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  const T limit = -static_cast<T>(std::numeric_limits<I>::min());
  for (const T x : awkward_values<T>()) {
    const I expected = std::fabs(x) < limit ? static_cast<I>(x) : std::numeric_limits<I>::min();
    const Vec<I> found = vec::convert<I>(Vec<T>(x));
    for (int i = 0; i < Vec<I>::size; ++i) EXPECT_EQ(found.extract(i), expected) << x;
  }
  std::mt19937_64 random(2);
  for (int i = 0; i < 1000; ++i) {
    const I x = static_cast<I>(random() >> (random() % 64));
    EXPECT_EQ(vec::convert<T>(Vec<I>(x)).extract(0), static_cast<T>(x));
    EXPECT_EQ(vec::convert<T>(Vec<I>(static_cast<I>(-x))).extract(0), static_cast<T>(-x));
  }
  EXPECT_EQ(vec::convert<T>(Vec<I>(std::numeric_limits<I>::min())).extract(0), -limit);
}

TEST(Floats, WidensAndNarrowsInOrder) {
  float x[Vec<float>::size];
  for (int i = 0; i < Vec<float>::size; ++i) x[i] = static_cast<float>(i) + 0.1f;
  const vec::WidePair w = vec::widen(Vec<float>::load(x));
  const Vec<float> back = vec::narrow(w.low + Vec<double>(1e-12), w.high + Vec<double>(1e-12));
  for (int i = 0; i < Vec<float>::size; ++i) {
    const Vec<double>& half = i < Vec<double>::size ? w.low : w.high;
    EXPECT_EQ(half.extract(i % Vec<double>::size), static_cast<double>(x[i]));
    EXPECT_EQ(back.extract(i), x[i]);
  }
}

TYPED_TEST(Floats, ComplexProductsAndQuotients) {
  using T = TypeParam;
  using C = std::complex<T>;
  using Wide = std::complex<long double>;
  std::mt19937_64 random(3);
  const auto part = [&](int range) {
    const double m = static_cast<double>(random() >> 11) * 0x1p-52 - 1;
    return static_cast<T>(
        std::ldexp(m, static_cast<int>(random() % static_cast<unsigned>(range)) - range / 2));
  };
  const int range = sizeof(T) == 4 ? 110 : 900;
  for (int i = 0; i < 20000; ++i) {
    const C a(part(range), part(range));
    const C b(part(range), part(range));
    const auto close = [&](C found, Wide exact, double ulp) {
      const Wide f(found.real(), found.imag());
      const long double size = std::abs(exact);
      if (size < std::numeric_limits<T>::min() || size > std::numeric_limits<T>::max() / 4) return;
      EXPECT_LE(std::abs(f - exact), static_cast<long double>(ulp * std::numeric_limits<T>::epsilon()) * size)
          << a << " " << b;
    };
    const Wide x(a.real(), a.imag());
    const Wide y(b.real(), b.imag());
    close((Vec<C>(a) / Vec<C>(b)).extract(0), x / y, 2);
    close(reciprocal(Vec<C>(b)).extract(0), Wide(1) / y, 2);
    const C product = (Vec<C>(a) * Vec<C>(b)).extract(0);
    EXPECT_EQ(product.real(), a.real() * b.real() - a.imag() * b.imag());
    EXPECT_EQ(product.imag(), a.real() * b.imag() + a.imag() * b.real());
  }
}

TYPED_TEST(Floats, ComplexQuotientsOfSpecialValues) {
  using T = TypeParam;
  using C = std::complex<T>;
  const T inf = std::numeric_limits<T>::infinity();
  const auto quotient = [](C a, C b) { return (Vec<C>(a) / Vec<C>(b)).extract(0); };
  EXPECT_EQ(quotient(C(1, 1), C(0, 0)), C(inf, inf));
  EXPECT_EQ(quotient(C(1, 1), C(inf, 1)), C(0, 0));
  EXPECT_TRUE(std::isinf(quotient(C(inf, 1), C(1, 1)).real()));
  EXPECT_TRUE(std::isnan(quotient(C(0, 0), C(0, 0)).real()));
}

}  // namespace
}  // namespace lanewise::test
