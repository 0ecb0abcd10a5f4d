#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include <lanewise/vec/math.h>

namespace lanewise::test {
namespace {

using vec::Vec;
using Wide = std::complex<long double>;
template <class T>
using C = std::complex<T>;

/// |found - exact| in ULP of |exact|.
template <class T>
double norm_error(C<T> found, Wide exact) {
  const long double size = std::abs(exact);
  int exponent = 0;
  (void)std::frexp(size, &exponent);
  exponent = std::max(exponent, std::numeric_limits<T>::min_exponent);
  const long double distance = std::abs(Wide(found.real(), found.imag()) - exact);
  return static_cast<double>(distance / std::ldexp(1.0L, exponent - std::numeric_limits<T>::digits));
}

struct Row {
  const char* name;
  Vec<C<float>> (*f32)(Vec<C<float>>);
  Vec<C<double>> (*f64)(Vec<C<double>>);
  Wide (*reference)(Wide);
  double range;
  bool any_size;  ///< also parts of any exponent
  double bound;
};
void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }

Wide complex_log1p(Wide z) {
  const long double x = z.real();
  const long double y = z.imag();
  if (std::abs(z) > 0.5L) return std::log(1.0L + z);
  return {std::log1p(x * (2 + x) + y * y) / 2, std::atan2(y, 1 + x)};
}
Wide complex_expm1(Wide z) {
  const long double s = std::sin(z.imag() / 2);
  return {std::expm1(z.real()) * std::cos(z.imag()) - 2 * s * s, std::exp(z.real()) * std::sin(z.imag())};
}

#define LANEWISE_COMPLEX(name, reference, ...)                                                \
  Row {                                                                                       \
    #name, [](Vec<C<float>> z) { return name(z); }, [](Vec<C<double>> z) { return name(z); }, \
        [](Wide z) -> Wide { return reference; }, __VA_ARGS__                                 \
  }
const Row kRows[] = {
    LANEWISE_COMPLEX(exp, std::exp(z), 80, false, 2),
    LANEWISE_COMPLEX(log, std::log(z), 1e10, true, 1.5),
    LANEWISE_COMPLEX(log2, std::log(z) / std::log(2.0L), 1e10, true, 2.5),
    LANEWISE_COMPLEX(log10, std::log(z) / std::log(10.0L), 1e10, true, 2.5),
    LANEWISE_COMPLEX(sqrt, std::sqrt(z), 1e10, true, 2),
    LANEWISE_COMPLEX(rsqrt, 1.0L / std::sqrt(z), 1e10, true, 5),
    LANEWISE_COMPLEX(reciprocal, 1.0L / z, 1e10, true, 3),
    LANEWISE_COMPLEX(sin, std::sin(z), 60, false, 3),
    LANEWISE_COMPLEX(cos, std::cos(z), 60, false, 3),
    LANEWISE_COMPLEX(sinh, std::sinh(z), 60, false, 3),
    LANEWISE_COMPLEX(cosh, std::cosh(z), 60, false, 3),
    LANEWISE_COMPLEX(tanh, std::tanh(z), 40, false, 5),
    LANEWISE_COMPLEX(tan, std::tan(z), 40, false, 5),
    LANEWISE_COMPLEX(asin, std::asin(z), 1e10, true, 5),
    LANEWISE_COMPLEX(acos, std::acos(z), 1e10, true, 5),
    LANEWISE_COMPLEX(atan, std::atan(z), 1e10, true, 5),
    LANEWISE_COMPLEX(asinh, std::asinh(z), 1e10, true, 5),
    LANEWISE_COMPLEX(acosh, std::acosh(z), 1e10, true, 5),
    LANEWISE_COMPLEX(atanh, std::atanh(z), 1e10, true, 5),
    LANEWISE_COMPLEX(log1p, complex_log1p(z), 1e10, true, 5),
    LANEWISE_COMPLEX(expm1, complex_expm1(z), 60, false, 5),
};

template <class T>
T random_part(std::mt19937_64& random, double range, bool any_size) {
  const double m = static_cast<double>(random() >> 11) * 0x1p-52 - 1;
  const double limit = sizeof(T) == 4 ? 60 : 480;
  switch (random() % 3) {
    case 0: return static_cast<T>(m * range);
    case 1:
      return static_cast<T>(
          m * (any_size ? std::exp2(limit * std::sin(static_cast<double>(random() % 1000))) : 1.5));
    default: return static_cast<T>(m * 1e-3);
  }
}

class Complex : public testing::TestWithParam<Row> {
 public:
  template <class T, class F>
  void holds_its_bound(F f) const {
    const Row& row = GetParam();
    std::mt19937_64 random(11);
    constexpr int kLanes = Vec<C<T>>::size;
    for (int round = 0; round < 40000 / kLanes; ++round) {
      C<T> z[kLanes], out[kLanes];
      for (auto& x : z) {
        const T re = random_part<T>(random, row.range, row.any_size);
        x = C<T>(re, random_part<T>(random, row.range, row.any_size));
        if (random() % 5 == 0) {  // near the unit circle
          const double angle = static_cast<double>(random() % 10000);
          const double size = 1 + std::ldexp(1, -static_cast<int>(random() % 24));
          x = C<T>(static_cast<T>(size * std::cos(angle)), static_cast<T>(size * std::sin(angle)));
        }
      }
      f(Vec<C<T>>::load(z)).store(out);
      for (int i = 0; i < kLanes; ++i) {
        const Wide exact = row.reference(Wide(z[i].real(), z[i].imag()));
        const long double size = std::abs(exact);
        if (!(size < std::numeric_limits<T>::max() / 4) || size < std::numeric_limits<T>::min()) continue;
        ASSERT_LE(norm_error(out[i], exact), row.bound)
            << row.name << std::hexfloat << z[i] << " = " << out[i];
        const C<T> alone = f(Vec<C<T>>(z[i])).extract(kLanes - 1);
        ASSERT_EQ(alone, out[i]) << row.name << z[i];
      }
    }
  }
};
TEST_P(Complex, HoldsItsBoundInComplex64) { holds_its_bound<float>(GetParam().f32); }
TEST_P(Complex, HoldsItsBoundInComplex128) { holds_its_bound<double>(GetParam().f64); }
INSTANTIATE_TEST_SUITE_P(Functions, Complex, testing::ValuesIn(kRows),
                         [](const testing::TestParamInfo<Row>& row) { return std::string(row.param.name); });

/// Real and imaginary part agree, signs of zeros too; NaN with NaN.
void expect_same(C<double> found, C<double> expected, C<double> z) {
  const auto same = [](double a, double b) {
    return (std::isnan(a) && std::isnan(b)) ||
           (std::fabs(a - b) < 1e-15 && std::signbit(a) == std::signbit(b)) || a == b;
  };
  EXPECT_TRUE(same(found.real(), expected.real()) && same(found.imag(), expected.imag()))
      << z << ": " << found << " against " << expected;
}

TEST(ComplexSpecials, AsInTheCLibrary) {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double re : {0.0, -0.0, 1.0, -1.0, inf, -inf, nan}) {
    for (const double im : {0.0, -0.0, 1.0, -1.0, inf, -inf, nan}) {
      const C<double> z(re, im);
      const Vec<C<double>> v(z);
      expect_same(exp(v).extract(0), std::exp(z), z);
      expect_same(log(v).extract(0), std::log(z), z);
      expect_same(sqrt(v).extract(0), std::sqrt(z), z);
      expect_same(sin(v).extract(0), std::sin(z), z);
      expect_same(cos(v).extract(0), std::cos(z), z);
      expect_same(sinh(v).extract(0), std::sinh(z), z);
      expect_same(cosh(v).extract(0), std::cosh(z), z);
      expect_same(tan(v).extract(0), std::tan(z), z);
      expect_same(tanh(v).extract(0), std::tanh(z), z);
      expect_same(asin(v).extract(0), std::asin(z), z);
      expect_same(acos(v).extract(0), std::acos(z), z);
      expect_same(atan(v).extract(0), std::atan(z), z);
      expect_same(asinh(v).extract(0), std::asinh(z), z);
      expect_same(acosh(v).extract(0), std::acosh(z), z);
      expect_same(atanh(v).extract(0), std::atanh(z), z);
      EXPECT_EQ(abs(v).extract(0) == std::abs(z), !std::isnan(std::abs(z)));
      if (!std::isnan(re) && !std::isnan(im)) {
        EXPECT_DOUBLE_EQ(angle(v).extract(0), std::arg(z));
      }
    }
  }
}

TEST(ComplexPow, AgreesWithTheCLibrary) {
  std::mt19937_64 random(13);
  for (int i = 0; i < 5000; ++i) {
    const auto part = [&] { return static_cast<double>(random() >> 11) * 0x1p-51 - 2; };
    const C<double> z(part(), part());
    const C<double> w(part(), part());
    const Wide exact = std::pow(Wide(z.real(), z.imag()), Wide(w.real(), w.imag()));
    EXPECT_LE(norm_error(pow(Vec<C<double>>(z), Vec<C<double>>(w)).extract(0), exact), 60);
    const C<float> zf(z);
    const C<float> wf(w);
    const Wide exactf = std::pow(Wide(zf.real(), zf.imag()), Wide(wf.real(), wf.imag()));
    EXPECT_LE(norm_error(pow(Vec<C<float>>(zf), Vec<C<float>>(wf)).extract(0), exactf), 0.8);
  }
  const auto power = [](C<double> z, C<double> w) {
    return pow(Vec<C<double>>(z), Vec<C<double>>(w)).extract(0);
  };
  EXPECT_EQ(power({0, 0}, {0, 0}), C<double>(1, 0));
  EXPECT_EQ(power({0, 0}, {2, 1}), C<double>(0, 0));
  EXPECT_EQ(power({3, 4}, {0, 0}), C<double>(1, 0));
}

TEST(ComplexSigmoid, DoesNotOverflowAndIsOneHalfAtZero) {
  const auto s = [](double re, double im) { return sigmoid(Vec<C<double>>(C<double>(re, im))).extract(0); };
  EXPECT_EQ(s(0, 0), C<double>(0.5, 0));
  EXPECT_EQ(s(800, 1), C<double>(1, 0));
  EXPECT_EQ(std::abs(s(-800, 1)), 0);
  const Wide exact = 1.0L / (1.0L + std::exp(-Wide(-3, 1)));
  EXPECT_LE(norm_error(s(-3, 1), exact), 4);
}

template <class T>
void expect_products_of_parts() {
  using V = Vec<T>;
  constexpr int kNumbers = V::size / 2;
  const T inf = std::numeric_limits<T>::infinity();
  const T special[] = {T(0), T(-0.0), inf, -inf, T(3), std::numeric_limits<T>::denorm_min()};
  std::mt19937 rng(5);
  std::normal_distribution<T> normal;
  for (int round = 0; round < 2000; ++round) {
    const auto part = [&] { return round % 2 == 0 ? normal(rng) : special[rng() % std::size(special)]; };
    T a[V::size], b[V::size], found[V::size];
    for (int i = 0; i < V::size; ++i) a[i] = part(), b[i] = part();
    vec::product_of_parts(V::load(a), V::load(b)).store(found);
    for (int i = 0; i < kNumbers; ++i) {
      const auto number = [i](const T* p) { return Vec<C<T>>(C<T>(p[2 * i], p[2 * i + 1])); };
      const C<T> expected = (number(a) * number(b)).extract(0);
      const T parts[] = {expected.real(), expected.imag()};
      for (int k = 0; k < 2; ++k) {
        const T one = found[2 * i + k];
        ASSERT_TRUE(std::isnan(parts[k]) ? std::isnan(one) : std::signbit(one) == std::signbit(parts[k]) && one == parts[k])
            << one << " for " << parts[k];
      }
    }
  }
}
TEST(Complex, ProductsOfPartsSideBySideHaveTheSameBits) {
  expect_products_of_parts<float>();
  expect_products_of_parts<double>();
}

}  // namespace
}  // namespace lanewise::test
