#include <cstring>
#include <string>

#include <gtest/gtest.h>

#include "points.h"
#include "special_rows.h"
#include "ulp.h"

namespace lanewise::test {
namespace {

template <class T>
Apply<T> function_of(const Row& row) {
  if constexpr (sizeof(T) == 4) {
    return row.f32;
  } else {
    return row.f64;
  }
}
template <class T>
double bound_of(const Row& row) {
  const Bound b = vec::kFusedFma ? row.bound : row.unfused;
  return sizeof(T) == 4 ? b.f32 : b.f64;
}
template <class T>
Points<T> points_of(const Row& row) {
  return make_points<T>(row.low, row.high, row.second, sizeof(T) == 4 ? 200 : 25);
}
template <class T>
std::vector<T> results_of(const Row& row, const Points<T>& p) {
  std::vector<T> out(p.x.size());
  function_of<T>(row)(p.x.data(), p.y.data(), out.data(), out.size());
  return out;
}

class Math : public testing::TestWithParam<Row> {
 public:
  template <class T>
  void holds_its_bound() const {
    const Row& row = GetParam();
    const Points<T> p = points_of<T>(row);
    const std::vector<T> out = results_of(row, p);
    double worst = 0;
    std::size_t at = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
      const double error = ulp_error(out[i], row.reference(p.x[i], p.y[i]));
      if (error > worst) {
        worst = error;
        at = i;
      }
    }
    RecordProperty(sizeof(T) == 4 ? "ulp_f32" : "ulp_f64", std::to_string(worst));
    EXPECT_LE(worst, bound_of<T>(row)) << row.name << "(" << std::hexfloat << p.x[at] << ", " << p.y[at]
                                       << ") = " << out[at] << " against " << row.reference(p.x[at], p.y[at]);
  }

  /// The long double functions of the C library are themselves approximations: a sample against MPFR.
  template <class T>
  void agrees_with_mpfr(std::size_t samples = 3000) const {
    const Row& row = GetParam();
    const Points<T> p = points_of<T>(row);
    const std::vector<T> out = results_of(row, p);
    mpfr_t x, y, r;
    mpfr_inits2(150, x, y, r, static_cast<mpfr_ptr>(nullptr));
    const std::size_t step = out.size() / samples + 1;
    const std::size_t specials = row.second ? 0 : special_values<T>().size();
    double worst = 0;
    for (std::size_t i = 0; i < out.size(); i += i < specials ? 1 : step) {
      mpfr_set_d(x, static_cast<double>(p.x[i]), MPFR_RNDN);
      mpfr_set_d(y, static_cast<double>(p.y[i]), MPFR_RNDN);
      (void)row.mpfr(r, x, y);
      const Wide exact = mpfr_get_ld(r, MPFR_RNDN);
      // 2^-11 of rounding to long double; MPFR's exponents reach further than its.
      double error = ulp_error(out[i], exact);
      if (row.scale != nullptr && error < kWrongClass) {
        const Wide scale = row.scale(p.x[i]);
        if (std::fabs(exact) < scale) error *= static_cast<double>(std::fabs(exact) / scale);
      }
      worst = std::max(worst, error);
      ASSERT_LE(error, bound_of<T>(row) + 0x1p-10) << row.name << "(" << std::hexfloat << p.x[i] << ", "
                                                   << p.y[i] << ") = " << out[i] << " against " << exact;
    }
    RecordProperty(sizeof(T) == 4 ? "ulp_f32" : "ulp_f64", std::to_string(worst));
    mpfr_clears(x, y, r, static_cast<mpfr_ptr>(nullptr));
  }

  /// A value in one lane must not depend on what is in the others.
  template <class T>
  void keeps_lanes_apart() const {
    const Row& row = GetParam();
    constexpr int kLanes = vec::Vec<T>::size;
    const Points<T> p = points_of<T>(row);
    std::mt19937_64 random(7);
    const auto apply_row = function_of<T>(row);
    const auto pick = [&] { return static_cast<std::size_t>(random() % p.x.size()); };
    const std::size_t specials = special_values<T>().size();
    for (int round = 0; round < 2000; ++round) {
      T x[kLanes], y[kLanes], mixed[kLanes];
      for (int i = 0; i < kLanes; ++i) {
        // Specials come first among the points; every other round is full of them.
        const std::size_t k = round % 2 == 0 && i % 2 == 0 ? random() % specials : pick();
        x[i] = p.x[k];
        y[i] = p.y[k];
      }
      apply_row(x, y, mixed, kLanes);
      for (int i = 0; i < kLanes; ++i) {
        T same_x[kLanes], same_y[kLanes], alone[kLanes];
        std::fill_n(same_x, kLanes, x[i]);
        std::fill_n(same_y, kLanes, y[i]);
        apply_row(same_x, same_y, alone, kLanes);
        for (int j = 0; j < kLanes; ++j) {
          if (std::isnan(alone[j]) && std::isnan(mixed[i])) continue;
          ASSERT_EQ(std::memcmp(&alone[j], &mixed[i], sizeof(T)), 0)
              << row.name << "(" << std::hexfloat << x[i] << ", " << y[i] << "): " << alone[j]
              << " alone in lane " << j << ", " << mixed[i] << " among others in lane " << i;
        }
      }
    }
  }
};

TEST_P(Math, HoldsItsBoundInF32) { holds_its_bound<float>(); }
TEST_P(Math, HoldsItsBoundInF64) { holds_its_bound<double>(); }
TEST_P(Math, AgreesWithMpfrInF32) { agrees_with_mpfr<float>(); }
TEST_P(Math, AgreesWithMpfrInF64) { agrees_with_mpfr<double>(); }
TEST_P(Math, KeepsLanesApartInF32) { keeps_lanes_apart<float>(); }
TEST_P(Math, KeepsLanesApartInF64) { keeps_lanes_apart<double>(); }

INSTANTIATE_TEST_SUITE_P(Functions, Math, testing::ValuesIn(kRows),
                         [](const testing::TestParamInfo<Row>& row) { return std::string(row.param.name); });

class Special : public Math {};
TEST_P(Special, AgreesWithMpfrInF32) { agrees_with_mpfr<float>(150); }
TEST_P(Special, AgreesWithMpfrInF64) { agrees_with_mpfr<double>(300); }
TEST_P(Special, KeepsLanesApartInF32) { keeps_lanes_apart<float>(); }
TEST_P(Special, KeepsLanesApartInF64) { keeps_lanes_apart<double>(); }

INSTANTIATE_TEST_SUITE_P(Functions, Special, testing::ValuesIn(kSpecialRows),
                         [](const testing::TestParamInfo<Row>& row) { return std::string(row.param.name); });

// What the logarithm of a number near 1 loses counts as often as the exponent says.
TEST(Pow, HoldsItsBoundWhereTheExponentIsLarge) {
  std::mt19937_64 random(5);
  Points<float> p;
  while (p.x.size() < 200000) {
    const double distance = std::ldexp(unit(random) - 0.5, -static_cast<int>(random() % 20));
    const auto x = static_cast<float>(1 + distance);
    if (x == 1) continue;
    p.x.push_back(x);
    p.y.push_back(static_cast<float>((unit(random) * 196 - 106) / std::log(static_cast<double>(x))));
  }
  for (std::size_t i = 0; i < p.x.size(); i += 3) p.y[i] = std::nearbyint(p.y[i]);
  std::vector<float> found(p.x.size());
  apply<float>([](auto x, auto y) { return vec::pow(x, y); }, p.x.data(), p.y.data(), found.data(),
               p.x.size());
  for (std::size_t i = 0; i < p.x.size(); ++i) {
    ASSERT_LE(ulp_error(found[i], std::pow(Wide(p.x[i]), Wide(p.y[i]))), vec::kFusedFma ? 0.9 : 0.6)
        << std::hexfloat << p.x[i] << ", " << p.y[i];
  }
}
TEST(Pow, IsExactWhereTheResultIsAFloat) {
  const auto pow = [](float x, float y) {
    return vec::pow(vec::Vec<float>(x), vec::Vec<float>(y)).extract(0);
  };
  for (int base = 2; base <= 256; ++base) {
    double exact = base;
    for (int n = 1; exact <= 0x1p24; ++n, exact *= base) {
      EXPECT_EQ(pow(static_cast<float>(base), static_cast<float>(n)), static_cast<float>(exact))
          << base << " " << n;
      EXPECT_EQ(pow(static_cast<float>(-base), static_cast<float>(n)),
                static_cast<float>(n % 2 == 0 ? exact : -exact));
    }
  }
  for (int n = -149; n <= 127; ++n) EXPECT_EQ(pow(2, static_cast<float>(n)), std::ldexp(1.0f, n));
}

// Between floats, beyond them and integers that no float is: all lanes count with the double.
TEST(Pow, TakesOneExponentAsItIs) {
  constexpr float kInf = std::numeric_limits<float>::infinity(),
                  kNan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> x = {0,     -0.0f,  1,      -1,     2,       -2,    0.5f, -0.5f, 3,
                          1e30f, -1e30f, 1e-30f, 1e-40f, -1e-42f, 3e38f, kInf, -kInf, kNan};
  std::mt19937_64 random(6);
  while (x.size() < 1024)
    x.push_back(static_cast<float>(std::ldexp(unit(random) + 0.5, static_cast<int>(random() % 250) - 125)));
  std::vector<double> exponents = {1.0 / 3,
                                   -1.0 / 3,
                                   2.2,
                                   0.1,
                                   3 + 1e-9,
                                   2147483647.0,
                                   -2147483647.0,
                                   2147483648.0,
                                   16777217.0,
                                   9007199254740993.0,
                                   1e-300,
                                   -1e-300,
                                   1e-40,
                                   1e300,
                                   -1e300,
                                   0.0,
                                   1.0,
                                   -7.0,
                                   std::numeric_limits<double>::infinity(),
                                   -std::numeric_limits<double>::infinity(),
                                   std::numeric_limits<double>::quiet_NaN()};
  for (int i = 0; i < 200; ++i) exponents.push_back(unit(random) * 4 - 2);
  for (const double e : exponents) {
    const vec::PowExponent y(e);
    std::vector<float> found(x.size());
    apply<float>([&](auto v, auto) { return vec::pow(v, y); }, x.data(), x.data(), found.data(), x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Wide exact = std::pow(Wide(x[i]), Wide(e));
      ASSERT_LE(ulp_error(found[i], exact), vec::kFusedFma ? 0.9 : 0.6) << std::hexfloat << x[i] << ", " << e;
      if (!std::isnan(exact)) {
        ASSERT_EQ(std::signbit(found[i]), std::signbit(exact)) << x[i] << ", " << e;
      }
    }
  }
}

template <int Whole, class T>
void expect_good_root(T low, T high, double bound) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> exponent(std::log2(low), std::log2(high));
  std::vector<T> x(1 << 16), found(1 << 16);
  for (T& v : x) v = static_cast<T>(std::exp2(exponent(random)));
  apply<T>([](auto v, auto) { return vec::half_power<Whole>(v); }, x.data(), x.data(), found.data(),
           x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    ASSERT_LE(ulp_error(found[i], std::pow(Wide(x[i]), Wide(Whole + 0.5))), bound) << std::hexfloat << x[i];
}
TEST(HalfPower, IsNearlyCorrectlyRounded) {
  expect_good_root<1, float>(0x1p-30f, 0x1p50f, 0.51);
  expect_good_root<2, float>(0x1p-30f, 0x1p50f, 0.51);
  expect_good_root<1, double>(0x1p-300, 0x1p400, 0.52);
  expect_good_root<2, double>(0x1p-300, 0x1p400, 0.52);
}

TEST(MillsRatio, IsGoodToFourUlpWhereTheDensityIsNotZero) {
  std::vector<float> x, found(1 << 16);
  for (int i = 0; i < 1 << 16; ++i) x.push_back(14.5f * static_cast<float>(i) / (1 << 16));
  apply<float>([](auto v, auto) { return vec::mills_ratio(v); }, x.data(), x.data(), found.data(), x.size());
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Wide wide = x[i];
    const Wide exact = std::erfc(wide / std::sqrt(Wide(2))) / 2 * std::exp(wide * wide / 2);
    worst = std::max(worst, ulp_error(found[i], exact));
  }
  EXPECT_LE(worst, 4);
}

TEST(GeluSlope, IsGoodToAnUlpOfOne) {
  std::vector<float> x, found(1 << 16);
  for (int i = 0; i < 1 << 16; ++i) x.push_back(14.0f * static_cast<float>(i - (1 << 15)) / (1 << 15));
  apply<float>([](auto v, auto) { return vec::gelu_slope(v); }, x.data(), x.data(), found.data(), x.size());
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Wide wide = x[i];
    const Wide density = std::exp(-wide * wide / 2) / std::sqrt(2 * std::acos(Wide(-1)));
    const Wide exact = std::erfc(-wide / std::sqrt(Wide(2))) / 2 + wide * density;
    worst = std::max(worst, static_cast<double>(std::fabs(found[i] - exact)));
  }
  EXPECT_LE(worst, vec::kFusedFma ? 0x1p-23 : 0x1p-21);
  if (vec::kFusedFma) {
    EXPECT_EQ(found[0], 0);
    EXPECT_EQ(found.back(), 1);
  }
}

/// The largest error of a function of f64 on points of a rectangle.
double worst_of(std::string_view name, int points, double low, double high, double low_y, double high_y) {
  const Row* row = nullptr;
  for (const Row& r : kSpecialRows) {
    if (r.name == name) row = &r;
  }
  if (row == nullptr) return kWrongClass;
  std::mt19937_64 random(11);
  Points<double> p;
  for (int i = 0; i < points; ++i) {
    p.x.push_back(low + (high - low) * unit(random));
    p.y.push_back(low_y + (high_y - low_y) * unit(random));
  }
  const std::vector<double> out = results_of(*row, p);
  mpfr_t x, y, r;
  mpfr_inits2(150, x, y, r, static_cast<mpfr_ptr>(nullptr));
  double worst = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    mpfr_set_d(x, p.x[i], MPFR_RNDN);
    mpfr_set_d(y, p.y[i], MPFR_RNDN);
    (void)row->mpfr(r, x, y);
    worst = std::max(worst, ulp_error(out[i], mpfr_get_ld(r, MPFR_RNDN)));
  }
  mpfr_clears(x, y, r, static_cast<mpfr_ptr>(nullptr));
  return worst;
}

// What q + k loses counts s times.
TEST(Zeta, HoldsItsBoundWhereTheExponentIsLarge) {
  EXPECT_LE(worst_of("zeta", 3200, 1, 30, 1, 30), 3);
  EXPECT_LE(worst_of("zeta", 800, 30, 300, 1, 60), 3);
}
// Series, fraction and expansion, in the middle and in the tails.
TEST(IncompleteGamma, HoldsItsBoundInEachMethod) {
  const double bound = 4;
  for (const char* name : {"igamma", "igammac"}) {
    EXPECT_LE(worst_of(name, 3200, 0, 1, 0, 1), bound);
    EXPECT_LE(worst_of(name, 1600, 0, 1, 1, 20), bound);
    EXPECT_LE(worst_of(name, 3200, 0, 20, 0, 20), bound);
    EXPECT_LE(worst_of(name, 3200, 6, 12, 0, 40), bound);
    EXPECT_LE(worst_of(name, 1600, 0, 150, 0, 500), bound);
    EXPECT_LE(worst_of(name, 160, 0, 2000, 0, 2000), bound);
    EXPECT_LE(worst_of(name, 40, 9.7e4, 1e5, 9e4, 1e5), bound);
  }
}
TEST(Ndtri, HoldsItsBoundInTheCentreAndInTheTail) {
  EXPECT_LE(worst_of("ndtri", 6400, 0.01, 0.99, 0, 1), 3);
  EXPECT_LE(worst_of("ndtri", 3200, 0, 0.01, 0, 1), 4);
  EXPECT_LE(worst_of("erfinv", 6400, -0.99, 0.99, 0, 1), 3);
}

// Where the square overflows it has a rest.
TEST(Erfcx, HoldsItsBoundUpToInfinity) { EXPECT_LE(worst_of("erfcx", 6400, -26.66, -26.62, 0, 1), 4); }

// Left of 0 the sum may be infinite in one term, or have terms that cancel.
TEST(Zeta, IsNoNaNForAnIntegerAndANegativeNumber) {
  const auto zeta = [](double s, double q) {
    double lanes[vec::Vec<double>::size];
    vec::zeta(vec::Vec<double>(s), vec::Vec<double>(q)).store(lanes);
    return lanes[0];
  };
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(zeta(14470189, -1.82095373), inf);
  EXPECT_EQ(zeta(14470189, -2.2), -inf);
  EXPECT_EQ(zeta(14470190, -2.2), inf);
  EXPECT_EQ(zeta(2001, -0.5), zeta(2001, 1.5));
  EXPECT_EQ(zeta(3, -2.5), zeta(3, 3.5));
}

}  // namespace
}  // namespace lanewise::test
