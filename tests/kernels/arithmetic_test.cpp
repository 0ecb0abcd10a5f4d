#include <limits>

#include "elementwise_harness.h"

// Kernels whose results are exact: against the same operation on single elements.

namespace lanewise::test {
namespace {

template <class T>
T wrap(std::uint64_t x) {
  return static_cast<T>(x);
}
template <class T>
std::uint64_t wide(T x) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(x));
}

TEST(Arithmetic, IntegersWrap) {
  sweep<Integers>([]<class T>(const KernelTable& table) {
    for (const std::int64_t alpha : {1, 3, -2}) {
      const std::uint64_t a = wide(alpha);
      expect_exact<T, T, T, T>(table, &KernelTable::add, {param_int(alpha)},
                               [=](T x, T y) { return wrap<T>(wide(x) + a * wide(y)); });
      expect_exact<T, T, T, T>(table, &KernelTable::sub, {param_int(alpha)},
                               [=](T x, T y) { return wrap<T>(wide(x) - a * wide(y)); });
      expect_exact<T, T, T, T, T>(table, &KernelTable::addcmul, {param_int(alpha)},
                                  [=](T x, T y, T z) { return wrap<T>(wide(x) + a * wide(y) * wide(z)); });
    }
    expect_exact<T, T, T, T>(table, &KernelTable::mul, {},
                             [](T x, T y) { return wrap<T>(wide(x) * wide(y)); });
    expect_exact<T, T, T>(table, &KernelTable::neg, {}, [](T x) { return wrap<T>(0 - wide(x)); });
    expect_exact<T, T, T>(table, &KernelTable::square, {}, [](T x) { return wrap<T>(wide(x) * wide(x)); });
    expect_exact<T, T, T>(table, &KernelTable::abs, {}, [](T x) { return x < 0 ? wrap<T>(0 - wide(x)) : x; });
    expect_exact<T, T, T>(table, &KernelTable::relu, {}, [](T x) { return x < 0 ? T(0) : x; });
    expect_exact<T, T, T>(table, &KernelTable::floor, {}, [](T x) { return x; });
  });
}

TEST(Arithmetic, FloatsRoundOnce) {
  sweep<Floats>([]<class T>(const KernelTable& table) {
    expect_exact<T, T, T, T>(table, &KernelTable::add, {param(1)}, [](T x, T y) { return x + y; });
    expect_exact<T, T, T, T>(table, &KernelTable::add, {param(0.3)}, [](T x, T y) {
      const T product = T(0.3) * y;
      return x + product;
    });
    expect_exact<T, T, T, T>(table, &KernelTable::sub, {param(1)}, [](T x, T y) { return x - y; });
    expect_exact<T, T, T, T>(table, &KernelTable::mul, {}, [](T x, T y) { return x * y; });
    expect_exact<T, T, T, T>(table, &KernelTable::div, {}, [](T x, T y) { return x / y; });
    expect_exact<T, T, T>(table, &KernelTable::neg, {}, [](T x) { return -x; });
    expect_exact<T, T, T>(table, &KernelTable::abs, {}, [](T x) { return std::abs(x); });
    expect_exact<T, T, T>(table, &KernelTable::sqrt, {}, [](T x) { return std::sqrt(x); });
    expect_exact<T, T, T>(table, &KernelTable::reciprocal, {}, [](T x) { return 1 / x; });
    expect_exact<T, T, T>(table, &KernelTable::square, {}, [](T x) { return x * x; });
    expect_exact<T, T, T>(table, &KernelTable::floor, {}, [](T x) { return std::floor(x); });
    expect_exact<T, T, T>(table, &KernelTable::ceil, {}, [](T x) { return std::ceil(x); });
    expect_exact<T, T, T>(table, &KernelTable::trunc, {}, [](T x) { return std::trunc(x); });
    expect_exact<T, T, T>(table, &KernelTable::round, {}, [](T x) { return std::nearbyint(x); });
    expect_exact<T, T, T>(table, &KernelTable::relu, {}, [](T x) { return x < 0 ? T(0) : x; });
    expect_exact<T, T, T>(table, &KernelTable::sign, {},
                          [](T x) { return static_cast<T>((x > 0) - (x < 0)); });
  });
}

TEST(Arithmetic, ComplexNumbers) {
  sweep<Complexes>([]<class T>(const KernelTable& table) {
    using R = typename T::value_type;
    expect_exact<T, T, T, T>(table, &KernelTable::add, {param(1)},
                             [](T x, T y) { return T(x.real() + y.real(), x.imag() + y.imag()); });
    expect_exact<T, T, T, T>(table, &KernelTable::mul, {}, [](T x, T y) {
      const R rr = x.real() * y.real(), ii = x.imag() * y.imag(), ri = x.real() * y.imag(),
              ir = x.imag() * y.real();
      return T(rr - ii, ri + ir);
    });
    expect_exact<T, T, T>(table, &KernelTable::neg, {}, [](T x) { return T(-x.real(), -x.imag()); });
    expect_exact<T, T, T>(table, &KernelTable::conj_physical, {}, [](T x) { return T(x.real(), -x.imag()); });
  });
}

TEST(Arithmetic, CopyKeepsTheBits) {
  sweep<Bools, Integers, Floats, Complexes>([]<class T>(const KernelTable& table) {
    expect_exact<T, T, T>(table, &KernelTable::copy, {}, [](T x) { return x; });
  });
}

TEST(Arithmetic, BoolsAreALattice) {
  for_each_isa([](const KernelTable& table) {
    expect_exact<bool, bool, bool, bool>(table, &KernelTable::add, {param(1)},
                                         [](bool x, bool y) { return x || y; });
    expect_exact<bool, bool, bool, bool>(table, &KernelTable::mul, {}, [](bool x, bool y) { return x && y; });
    expect_exact<bool, bool, bool, bool>(table, &KernelTable::maximum, {},
                                         [](bool x, bool y) { return x || y; });
    expect_exact<bool, bool, bool, bool>(table, &KernelTable::minimum, {},
                                         [](bool x, bool y) { return x && y; });
    expect_exact<bool, bool, bool, bool>(table, &KernelTable::bitwise_xor, {},
                                         [](bool x, bool y) { return x != y; });
    expect_exact<bool, bool, bool>(table, &KernelTable::bitwise_not, {}, [](bool x) { return !x; });
    EXPECT_EQ(table.sub->fn[0], nullptr);
    EXPECT_EQ(table.neg->fn[0], nullptr);
  });
}

TEST(Arithmetic, AnyByteButZeroIsTrue) {
  for_each_isa([](const KernelTable& table) {
    std::vector<unsigned char> x(100), y(100), out(100);
    for (std::size_t i = 0; i < 100; ++i) {
      x[i] = static_cast<unsigned char>(i * 37 % 256);
      y[i] = static_cast<unsigned char>(i % 3 * 100);
    }
    char* data[] = {reinterpret_cast<char*>(out.data()), reinterpret_cast<char*>(x.data()),
                    reinterpret_cast<char*>(y.data())};
    const KernelScalar params[8] = {param(1)};
    const auto expect_all = [&](KernelField field, auto reference) {
      (table.*field)->fn[0](data, 0, 100, params);
      for (std::size_t i = 0; i < 100; ++i) ASSERT_EQ(out[i], reference(x[i] != 0, y[i] != 0) ? 1 : 0) << i;
    };
    expect_all(&KernelTable::mul, [](bool a, bool b) { return a && b; });
    expect_all(&KernelTable::add, [](bool a, bool b) { return a || b; });
    expect_all(&KernelTable::eq, [](bool a, bool b) { return a == b; });
    expect_all(&KernelTable::logical_xor, [](bool a, bool b) { return a != b; });
    expect_all(&KernelTable::copy, [](bool a, bool) { return a; });
  });
}

TEST(Comparison, AllTypes) {
  sweep<Bools, Integers, Floats>([]<class T>(const KernelTable& table) {
    expect_exact<T, bool, T, T>(table, &KernelTable::eq, {}, [](T x, T y) { return x == y; });
    expect_exact<T, bool, T, T>(table, &KernelTable::ne, {}, [](T x, T y) { return x != y; });
    expect_exact<T, bool, T, T>(table, &KernelTable::lt, {}, [](T x, T y) { return x < y; });
    expect_exact<T, bool, T, T>(table, &KernelTable::le, {}, [](T x, T y) { return x <= y; });
    expect_exact<T, bool, T, T>(table, &KernelTable::gt, {}, [](T x, T y) { return x > y; });
    expect_exact<T, bool, T, T>(table, &KernelTable::ge, {}, [](T x, T y) { return x >= y; });
  });
  sweep<Complexes>([]<class T>(const KernelTable& table) {
    expect_exact<T, bool, T, T>(table, &KernelTable::eq, {}, [](T x, T y) { return x == y; });
    expect_exact<T, bool, T, T>(table, &KernelTable::ne, {}, [](T x, T y) { return x != y; });
    EXPECT_EQ(table.lt->fn[type_index<T>()], nullptr);
  });
}

TEST(Comparison, Logical) {
  sweep<Bools, Integers, Floats, Complexes>([]<class T>(const KernelTable& table) {
    expect_exact<T, bool, T, T>(table, &KernelTable::logical_and, {},
                                [](T x, T y) { return x != T(0) && y != T(0); });
    expect_exact<T, bool, T, T>(table, &KernelTable::logical_or, {},
                                [](T x, T y) { return x != T(0) || y != T(0); });
    expect_exact<T, bool, T, T>(table, &KernelTable::logical_xor, {},
                                [](T x, T y) { return (x != T(0)) != (y != T(0)); });
    expect_exact<T, bool, T>(table, &KernelTable::logical_not, {}, [](T x) { return x == T(0); });
  });
}

TEST(Comparison, Classes) {
  sweep<Floats>([]<class T>(const KernelTable& table) {
    expect_exact<T, bool, T>(table, &KernelTable::isnan, {}, [](T x) { return std::isnan(x); });
    expect_exact<T, bool, T>(table, &KernelTable::isinf, {}, [](T x) { return std::isinf(x); });
    expect_exact<T, bool, T>(table, &KernelTable::isfinite, {}, [](T x) { return std::isfinite(x); });
  });
  sweep<Complexes>([]<class T>(const KernelTable& table) {
    expect_exact<T, bool, T>(table, &KernelTable::isnan, {},
                             [](T x) { return std::isnan(x.real()) || std::isnan(x.imag()); });
    expect_exact<T, bool, T>(table, &KernelTable::isinf, {},
                             [](T x) { return std::isinf(x.real()) || std::isinf(x.imag()); });
    expect_exact<T, bool, T>(table, &KernelTable::isfinite, {},
                             [](T x) { return std::isfinite(x.real()) && std::isfinite(x.imag()); });
  });
}

template <class T>
T larger(T x, T y) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(x) || std::isnan(y)) return std::numeric_limits<T>::quiet_NaN();
  }
  return x > y ? x : y;
}
template <class T>
T smaller(T x, T y) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(x) || std::isnan(y)) return std::numeric_limits<T>::quiet_NaN();
  }
  return x < y ? x : y;
}

TEST(Selection, MaximumMinimumClampWhere) {
  sweep<Integers, Floats>([]<class T>(const KernelTable& table) {
    expect_exact<T, T, T, T>(table, &KernelTable::maximum, {}, larger<T>);
    expect_exact<T, T, T, T>(table, &KernelTable::minimum, {}, smaller<T>);
    expect_exact<T, T, T, T, T>(table, &KernelTable::clamp, {},
                                [](T x, T lo, T hi) { return smaller<T>(hi, larger<T>(lo, x)); });
  });
  sweep<Bools, Integers, Floats, Complexes>([]<class T>(const KernelTable& table) {
    expect_exact<T, T, bool, T, T>(table, &KernelTable::where, {},
                                   [](bool c, T x, T y) { return c ? x : y; });
  });
}

TEST(Integers, BitwiseOps) {
  sweep<Integers>([]<class T>(const KernelTable& table) {
    expect_exact<T, T, T, T>(table, &KernelTable::bitwise_and, {},
                             [](T x, T y) { return static_cast<T>(x & y); });
    expect_exact<T, T, T, T>(table, &KernelTable::bitwise_or, {},
                             [](T x, T y) { return static_cast<T>(x | y); });
    expect_exact<T, T, T, T>(table, &KernelTable::bitwise_xor, {},
                             [](T x, T y) { return static_cast<T>(x ^ y); });
    expect_exact<T, T, T>(table, &KernelTable::bitwise_not, {}, [](T x) { return static_cast<T>(~x); });
  });
}

/// Truncated quotient and rest in 128 bits; a divisor of zero gives 0.
template <class T>
std::pair<__int128, __int128> divided(T x, T y) {
  if (y == 0) return {0, 0};
  return {static_cast<__int128>(x) / y, static_cast<__int128>(x) % y};
}

TEST(Integers, DivisionsForEveryPair) {
  sweep<Integers>([]<class T>(const KernelTable& table) {
    expect_exact<T, T, T, T>(table, &KernelTable::div_trunc, {},
                             [](T x, T y) { return static_cast<T>(divided(x, y).first); });
    expect_exact<T, T, T, T>(table, &KernelTable::fmod, {},
                             [](T x, T y) { return static_cast<T>(divided(x, y).second); });
    const auto below = [](T x, T y) { return divided(x, y).second != 0 && (x < 0) != (y < 0); };
    expect_exact<T, T, T, T>(table, &KernelTable::div_floor, {},
                             [=](T x, T y) { return static_cast<T>(divided(x, y).first - below(x, y)); });
    expect_exact<T, T, T, T>(table, &KernelTable::remainder, {}, [=](T x, T y) {
      return static_cast<T>(divided(x, y).second + (below(x, y) ? static_cast<__int128>(y) : 0));
    });
  });
}

TEST(Integers, Powers) {
  const auto power = []<class T>(T x, std::int64_t n) {
    if (n < 0)
      return x == 1 ? T(1) : x == static_cast<T>(-1) && std::is_signed_v<T> ? T(n % 2 == 0 ? 1 : -1) : T(0);
    std::uint64_t r = 1, f = wide(x);
    for (std::int64_t e = n; e != 0; e >>= 1, f *= f) r *= e & 1 ? f : 1;
    return wrap<T>(r);
  };
  sweep<Integers>([&]<class T>(const KernelTable& table) {
    expect_exact<T, T, T, T>(table, &KernelTable::pow, {},
                             [&](T x, T n) { return power(x, static_cast<std::int64_t>(n)); });
    for (const std::int64_t n : {0, 1, 2, 3, 7, 40, -1, -2}) {
      expect_exact<T, T, T>(table, &KernelTable::pow_scalar, {param_int(n)},
                            [&](T x) { return power(x, n); });
    }
  });
}

TEST(Floats, RemaindersAreExact) {
  sweep<Floats>([]<class T>(const KernelTable& table) {
    expect_exact<T, T, T, T>(table, &KernelTable::fmod, {}, [](T x, T y) { return std::fmod(x, y); });
    expect_exact<T, T, T, T>(table, &KernelTable::remainder, {}, [](T x, T y) {
      const T r = std::fmod(x, y);
      return r != 0 && (r < 0) != (y < 0) ? r + y : r;
    });
    expect_exact<T, T, T, T>(table, &KernelTable::div_trunc, {}, [](T x, T y) { return std::trunc(x / y); });
    expect_exact<T, T, T, T>(table, &KernelTable::div_floor, {}, [](T x, T y) {
      if (y == 0) return x / y;
      const T r = std::fmod(x, y);
      const T exact = (x - r) / y;
      const T whole = r != 0 && (r < 0) != (y < 0) ? exact - 1 : exact;
      if (whole == 0) return std::copysign(T(0), x / y);
      const T floored = std::floor(whole);
      return whole - floored > T(0.5) ? floored + 1 : floored;
    });
  });
}

TEST(Selection, LerpIsExactAtItsEnds) {
  sweep<Floats>([]<class T>(const KernelTable& table) {
    expect_exact<T, T, T, T, T>(table, &KernelTable::lerp, {}, [](T x, T end, T w) {
      const T step = end - x;
      const T near = w * step, far = step * (1 - w);
      return std::abs(w) < T(0.5) ? x + near : end - far;
    });
    for (const double weight :
         {0.0, 0.25, -0.25, 0.5, 0.75, 1.0, -3.0, std::numeric_limits<double>::quiet_NaN()}) {
      expect_exact<T, T, T, T>(table, &KernelTable::lerp_scalar, {param(weight)}, [weight](T x, T end) {
        const T w = static_cast<T>(weight), step = end - x;
        const T near = w * step, far = step * (1 - w);
        return std::abs(w) < T(0.5) ? x + near : end - far;
      });
    }
    expect_exact<T, T, T, T, T>(table, &KernelTable::addcdiv, {param(0.5)}, [](T x, T a, T b) {
      const T quotient = T(0.5) * a / b;
      return x + quotient;
    });
    expect_exact<T, T, T, T>(table, &KernelTable::threshold_backward, {param(0)},
                             [](T grad, T self) { return self <= 0 ? T(0) : grad; });
  });
}

}  // namespace
}  // namespace lanewise::test
