#include "elementwise_harness.h"

// Kernels over vec/math, against the C library in long double. The bounds here are those of the kernels,
// loose where several roundings meet; vec/math's own tests hold each function to its stated error.

namespace lanewise::test {
namespace {

using Wide = long double;
using WideComplex = std::complex<long double>;

template <class T>
void expect_unary(const KernelTable& table, KernelField field, double ulp, Wide (*reference)(Wide),
                  std::vector<KernelScalar> params = {}) {
  expect_close<T, T>(table, field, params, ulp, random_value<T>,
                     [=](T x) { return reference(static_cast<Wide>(x)); });
  expect_close<T, T>(table, field, params, ulp, moderate_value<T>,
                     [=](T x) { return reference(static_cast<Wide>(x)); });
}

TEST(Functions, UnaryOverTheWholeRange) {
  sweep<Floats>([]<class T>(const KernelTable& table) {
    expect_unary<T>(table, &KernelTable::exp, 1.5, [](Wide x) { return std::exp(x); });
    expect_unary<T>(table, &KernelTable::expm1, 2, [](Wide x) { return std::expm1(x); });
    expect_unary<T>(table, &KernelTable::log, 1.5, [](Wide x) { return std::log(x); });
    expect_unary<T>(table, &KernelTable::log1p, 2, [](Wide x) { return std::log1p(x); });
    expect_unary<T>(table, &KernelTable::tanh, 2, [](Wide x) { return std::tanh(x); });
    expect_unary<T>(table, &KernelTable::erf, 2, [](Wide x) { return std::erf(x); });
    expect_unary<T>(table, &KernelTable::rsqrt, 1.5, [](Wide x) { return 1 / std::sqrt(x); });
    expect_unary<T>(table, &KernelTable::sigmoid, 3, [](Wide x) { return 1 / (1 + std::exp(-x)); });
  });
}

TEST(Functions, Trigonometric) {
  sweep<Floats>([]<class T>(const KernelTable& table) {
    // The C library reduces the same huge arguments exactly, in the precision of T's values.
    expect_unary<T>(table, &KernelTable::sin, 1.5, [](Wide x) { return std::sin(x); });
    expect_unary<T>(table, &KernelTable::cos, 1.5, [](Wide x) { return std::cos(x); });
    expect_unary<T>(table, &KernelTable::tan, 3, [](Wide x) { return std::tan(x); });
    expect_close<T, T, T>(table, &KernelTable::atan2, {}, 2.5, random_value<T>,
                          [](T y, T x) { return std::atan2(static_cast<Wide>(y), static_cast<Wide>(x)); });
  });
}

TEST(Functions, Powers) {
  sweep<Floats>([]<class T>(const KernelTable& table) {
    expect_close<T, T, T>(table, &KernelTable::pow, {}, 2, random_value<T>,
                          [](T x, T y) { return std::pow(static_cast<Wide>(x), static_cast<Wide>(y)); });
    expect_close<T, T, T>(table, &KernelTable::pow, {}, 2, moderate_value<T>,
                          [](T x, T y) { return std::pow(static_cast<Wide>(x), static_cast<Wide>(y)); });
    for (const double e : {0.7, -1.3, 4.0, 7.0, -3.0, 100.5}) {
      expect_close<T, T>(table, &KernelTable::pow_scalar, {param(e)}, 2, random_value<T>,
                         [=](T x) { return std::pow(static_cast<Wide>(x), static_cast<Wide>(e)); });
    }
    // The fast paths are these very formulas.
    const auto path = [&](double e, auto formula) {
      expect_exact<T, T, T>(table, &KernelTable::pow_scalar, {param(e)}, formula);
    };
    path(0, [](T) { return T(1); });
    path(0.5, [](T x) { return std::sqrt(x); });
    path(1, [](T x) { return x; });
    path(2, [](T x) { return x * x; });
    path(3, [](T x) { return x * x * x; });
    path(-1, [](T x) { return 1 / x; });
    path(-2, [](T x) { return 1 / (x * x); });
  });
}

Wide normal_cdf(Wide x) { return std::erfc(-x / std::sqrt(Wide{2})) / 2; }
Wide gelu_inner(Wide x) { return std::sqrt(2 / std::acos(Wide{-1})) * (x + Wide{0.044715} * x * x * x); }

/// |got - exact| <= 32 epsilon (1 + |exact|), for formulas that cancel.
template <class T>
bool close_absolutely(T got, Wide exact) {
  return std::abs(static_cast<Wide>(got) - exact) <=
         32 * std::numeric_limits<T>::epsilon() * (1 + std::abs(exact));
}

TEST(Functions, Gelu) {
  sweep<Floats>([]<class T>(const KernelTable& table) {
    std::mt19937_64 random(12);
    using Check = ElementwiseCheck<T, T>;
    const auto inputs = values_of<T>(Check::kCount, random, moderate_value<T>);
    Check(*table.gelu, table.gelu->fn[type_index<T>()], {}, {inputs}).run([](T got, T x) {
      return close_absolutely(got, static_cast<Wide>(x) * normal_cdf(static_cast<Wide>(x)));
    });
    Check(*table.gelu_tanh, table.gelu_tanh->fn[type_index<T>()], {}, {inputs}).run([](T got, T x) {
      return close_absolutely(got,
                              static_cast<Wide>(x) / 2 * (1 + std::tanh(gelu_inner(static_cast<Wide>(x)))));
    });
  });
}

TEST(Functions, Activations) {
  sweep<Floats>([]<class T>(const KernelTable& table) {
    const auto forward = [&](KernelField field, double ulp, Wide (*reference)(Wide),
                             std::vector<KernelScalar> params = {}) {
      expect_close<T, T>(table, field, params, ulp, moderate_value<T>,
                         [=](T x) { return reference(static_cast<Wide>(x)); });
    };
    forward(&KernelTable::silu, 4, [](Wide x) { return x / (1 + std::exp(-x)); });
    forward(&KernelTable::softplus, 4, [](Wide x) { return x > 3 ? x : std::log1p(std::exp(x)); },
            {param(1), param(3)});
    expect_close<T, T>(table, &KernelTable::softplus, {param(2), param(4)}, 6, moderate_value<T>, [](T x) {
      return 2 * x > 4 ? static_cast<Wide>(x) : std::log1p(std::exp(2 * static_cast<Wide>(x))) / 2;
    });
  });
}

template <class T, class Reference>
void expect_backward(const KernelTable& table, KernelField field, Reference reference) {
  std::mt19937_64 random(13);
  const ElementwiseKernel& kernel = *(table.*field);
  using Check = ElementwiseCheck<T, T, T>;
  Check(kernel, kernel.fn[type_index<T>()], {},
        {values_of<T>(Check::kCount, random, moderate_value<T>),
         values_of<T>(Check::kCount, random, moderate_value<T>)})
      .run([&](T got, T grad, T x) {
        return close_absolutely(got, reference(static_cast<Wide>(grad), static_cast<Wide>(x)));
      });
}

TEST(Functions, Backwards) {
  sweep<Floats>([]<class T>(const KernelTable& table) {
    expect_backward<T>(table, &KernelTable::tanh_backward, [](Wide g, Wide r) { return g * (1 - r * r); });
    expect_backward<T>(table, &KernelTable::sigmoid_backward, [](Wide g, Wide r) { return g * r * (1 - r); });
    expect_backward<T>(table, &KernelTable::gelu_backward, [](Wide g, Wide x) {
      return g * (normal_cdf(x) + x * std::exp(-x * x / 2) / std::sqrt(2 * std::acos(Wide{-1})));
    });
    expect_backward<T>(table, &KernelTable::gelu_tanh_backward, [](Wide g, Wide x) {
      const Wide t = std::tanh(gelu_inner(x));
      const Wide slope = std::sqrt(2 / std::acos(Wide{-1})) * (1 + 3 * Wide{0.044715} * x * x);
      return g * ((1 + t) / 2 + x / 2 * (1 - t * t) * slope);
    });
    expect_backward<T>(table, &KernelTable::silu_backward, [](Wide g, Wide x) {
      const Wide s = 1 / (1 + std::exp(-x));
      return g * s * (1 + x * (1 - s));
    });
  });
}

template <class T>
void expect_complex(const KernelTable& table, KernelField field, double ulp,
                    WideComplex (*reference)(WideComplex), std::vector<KernelScalar> params = {}) {
  expect_close<T, T>(table, field, params, ulp, moderate_value<T>,
                     [=](T x) { return reference(WideComplex(x)); });
}

TEST(Functions, Complex) {
  sweep<Complexes>([]<class T>(const KernelTable& table) {
    using R = typename T::value_type;
    expect_complex<T>(table, &KernelTable::exp, 8, [](WideComplex z) { return std::exp(z); });
    expect_complex<T>(table, &KernelTable::log, 8, [](WideComplex z) { return std::log(z); });
    expect_complex<T>(table, &KernelTable::sin, 8, [](WideComplex z) { return std::sin(z); });
    expect_complex<T>(table, &KernelTable::cos, 8, [](WideComplex z) { return std::cos(z); });
    expect_complex<T>(table, &KernelTable::tanh, 16, [](WideComplex z) { return std::tanh(z); });
    expect_complex<T>(table, &KernelTable::tan, 16, [](WideComplex z) { return std::tan(z); });
    expect_complex<T>(table, &KernelTable::sqrt, 8, [](WideComplex z) { return std::sqrt(z); });
    expect_complex<T>(table, &KernelTable::rsqrt, 16, [](WideComplex z) { return Wide{1} / std::sqrt(z); });
    expect_complex<T>(table, &KernelTable::reciprocal, 8, [](WideComplex z) { return Wide{1} / z; });
    expect_complex<T>(table, &KernelTable::square, 8, [](WideComplex z) { return z * z; });
    expect_complex<T>(table, &KernelTable::sgn, 8, [](WideComplex z) { return z / std::abs(z); });
    expect_close<T, T, T>(table, &KernelTable::div, {}, 8, moderate_value<T>,
                          [](T x, T y) { return WideComplex(x) / WideComplex(y); });
    expect_close<T, T, T>(table, &KernelTable::pow, {}, 400, moderate_value<T>,
                          [](T x, T y) { return std::pow(WideComplex(x), WideComplex(y)); });

    std::mt19937_64 random(17);
    using Check = ElementwiseCheck<R, T>;
    Check(*table.abs, table.abs->fn[type_index<T>()], {},
          {values_of<T>(Check::kCount, random, random_value<T>)})
        .run([](R got, T z) {
          return error_ulp(got, std::hypot(static_cast<Wide>(z.real()), static_cast<Wide>(z.imag()))) <= 2;
        });
    const T zero(0);
    T sign(1);
    const char* from = reinterpret_cast<const char*>(&zero);
    char* data[] = {reinterpret_cast<char*>(&sign), const_cast<char*>(from)};
    table.sgn->fn[type_index<T>()](data, 0, 1, nullptr);
    EXPECT_EQ(sign, T(0));
  });
}

TEST(Functions, SpecialValuesOfRealFunctions) {
  sweep<Floats>([]<class T>(const KernelTable& table) {
    const T inf = std::numeric_limits<T>::infinity();
    const auto one = [&](KernelField field, T x) {
      const KernelScalar params[8] = {};
      T y = 77;
      char* data[] = {reinterpret_cast<char*>(&y), reinterpret_cast<char*>(&x)};
      (table.*field)->fn[type_index<T>()](data, 0, 1, params);
      return y;
    };
    EXPECT_TRUE(std::isnan(one(&KernelTable::relu, NAN)));
    EXPECT_EQ(one(&KernelTable::exp, -inf), 0);
    EXPECT_EQ(one(&KernelTable::exp, inf), inf);
    EXPECT_EQ(one(&KernelTable::log, 0), -inf);
    EXPECT_TRUE(std::isnan(one(&KernelTable::log, -1)));
    EXPECT_TRUE(std::isnan(one(&KernelTable::sqrt, -1)));
    EXPECT_EQ(one(&KernelTable::rsqrt, 0), inf);
    EXPECT_EQ(one(&KernelTable::rsqrt, inf), 0);
    EXPECT_TRUE(std::isnan(one(&KernelTable::sin, inf)));
    EXPECT_EQ(one(&KernelTable::tanh, -inf), -1);
    EXPECT_EQ(one(&KernelTable::sigmoid, -inf), 0);
    EXPECT_EQ(one(&KernelTable::gelu, inf), inf);
    EXPECT_EQ(one(&KernelTable::sign, static_cast<T>(NAN)), 0);
  });
}

}  // namespace
}  // namespace lanewise::test
