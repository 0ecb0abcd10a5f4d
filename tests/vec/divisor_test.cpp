#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include <lanewise/vec/math/divisor.h>

#include "points.h"

namespace lanewise::test {
namespace {

using vec::Vec;

template <class T>
class Divisor : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Divisor, Types);

/// Numbers x that d divides into something next to the middle of two floating-point numbers, where rounding is hardest.
template <class T>
std::vector<T> hard_dividends(T d, std::mt19937_64& random) {
  std::vector<T> xs;
  std::uniform_real_distribution<T> mantissa(T(1), T(2));
  std::uniform_int_distribution<int> exponent(-30, 30);
  for (int i = 0; i < 400; ++i) {
    const T q = std::ldexp(mantissa(random), exponent(random));
    const long double middle =
        (static_cast<long double>(q) + static_cast<long double>(std::nextafter(q, T(1e30)))) / 2;
    const T x = static_cast<T>(middle * static_cast<long double>(d));
    for (const T near : {x, std::nextafter(x, T(0)), std::nextafter(x, T(1e35))}) {
      xs.push_back(near);
      xs.push_back(-near);
    }
  }
  return xs;
}

TYPED_TEST(Divisor, RoundsAsDivisionDoes) {
  using T = TypeParam;
  using V = Vec<T>;
  if (!vec::kFusedFma) GTEST_SKIP() << "for tiers with a fused multiply-add";
  std::mt19937_64 random(7);
  std::uniform_real_distribution<T> mantissa(T(1), T(2));
  std::vector<T> divisors = {T(1),
                             T(3),
                             T(255),
                             T(0.1),
                             T(-7),
                             T(1) + std::numeric_limits<T>::epsilon(),
                             T(2) - std::numeric_limits<T>::epsilon(),
                             T(0x1p-40),
                             T(-0x1p40)};
  for (int i = 0; i < 300; ++i)
    divisors.push_back(std::ldexp(mantissa(random), static_cast<int>(random() % 70) - 35));
  const std::vector<T> special = special_values<T>();
  for (const T d : divisors) {
    ASSERT_TRUE(vec::Divisor<T>::divides_by(d)) << d;
    const vec::Divisor<T> by(d);
    std::vector<T> xs = hard_dividends(d, random);
    xs.insert(xs.end(), special.begin(), special.end());
    for (const T x : xs) {
      const T found = by(V(x)).extract(0);
      ASSERT_TRUE(same_bits(found, x / d)) << x << " / " << d << ": " << found;
    }
    // What one lane needs does not change the others.
    T lanes[V::size];
    for (std::size_t i = 0; i + V::size <= xs.size(); i += V::size) {
      by(V::load(xs.data() + i)).store(lanes);
      for (int k = 0; k < V::size; ++k) {
        const T x = xs[i + static_cast<std::size_t>(k)];
        ASSERT_TRUE(same_bits(lanes[k], x / d)) << x << " / " << d << ": " << lanes[k];
      }
    }
  }
  for (const T d : {T(0), T(-0.0), std::numeric_limits<T>::infinity(), std::numeric_limits<T>::quiet_NaN(),
                    std::numeric_limits<T>::denorm_min(), std::numeric_limits<T>::max()}) {
    EXPECT_FALSE(vec::Divisor<T>::divides_by(d)) << d;
  }
}

}  // namespace
}  // namespace lanewise::test
