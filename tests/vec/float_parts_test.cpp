#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include <lanewise/vec/math.h>

#include "points.h"

namespace lanewise::test {
namespace {

using vec::Vec;

template <class T>
class FloatParts : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(FloatParts, Types);

TYPED_TEST(FloatParts, FrexpIsThatOfC) {
  using T = TypeParam;
  const Points<T> p = make_points<T>(-10, 10, false, 4);
  for (const T x : p.x) {
    int exponent = 0;
    const T mantissa = std::frexp(x, &exponent);
    const auto r = vec::frexp(Vec<T>(x));
    ASSERT_TRUE(same_bits(r.mantissa.extract(0), mantissa)) << x;
    ASSERT_EQ(r.exponent.extract(0), std::isfinite(x) ? exponent : 0) << x;
  }
}

TYPED_TEST(FloatParts, LdexpRoundsOnce) {
  using T = TypeParam;
  using I = vec::detail::SignedOf<T>;
  const Points<T> p = make_points<T>(-10, 10, false, 4);
  std::mt19937_64 random(5);
  const int reach = sizeof(T) == 4 ? 320 : 2300;
  for (const T x : p.x) {
    const int n = static_cast<int>(random() % static_cast<unsigned>(2 * reach)) - reach;
    const T found = vec::ldexp(Vec<T>(x), Vec<I>(I(n))).extract(0);
    ASSERT_TRUE(same_bits(found, std::ldexp(x, n))) << x << " " << n << ": " << found;
  }
  EXPECT_EQ(vec::ldexp(Vec<T>(T(1)), Vec<I>(std::numeric_limits<I>::max())).extract(0),
            std::numeric_limits<T>::infinity());
  EXPECT_EQ(vec::ldexp(Vec<T>(T(1)), Vec<I>(std::numeric_limits<I>::min())).extract(0), T(0));
}

TYPED_TEST(FloatParts, NextafterIsThatOfC) {
  using T = TypeParam;
  const std::vector<T> special = special_values<T>();
  for (const T x : special) {
    for (const T y : special) {
      const T found = vec::nextafter(Vec<T>(x), Vec<T>(y)).extract(0);
      ASSERT_TRUE(same_bits(found, std::nextafter(x, y))) << x << " " << y << ": " << found;
    }
  }
}

TYPED_TEST(FloatParts, HeavisideTakesItsValueAtZero) {
  using T = TypeParam;
  const auto h = [](T x) { return vec::heaviside(Vec<T>(x), Vec<T>(T(0.25))).extract(0); };
  EXPECT_EQ(h(T(-2)), T(0));
  EXPECT_EQ(h(T(-0.0)), T(0.25));
  EXPECT_EQ(h(T(0)), T(0.25));
  EXPECT_EQ(h(T(3)), T(1));
  EXPECT_EQ(h(std::numeric_limits<T>::quiet_NaN()), T(0));
  EXPECT_EQ(vec::heaviside(Vec<std::int8_t>(std::int8_t(0)), Vec<std::int8_t>(std::int8_t(7))).extract(0), 7);
}

}  // namespace
}  // namespace lanewise::test
