// Windows against their formulas in long double, and their forms.
#include <cmath>
#include <functional>
#include <numbers>

#include <gtest/gtest.h>

#include <lanewise/lanewise.h>

namespace lanewise {
namespace {

long double i0_series(long double x) {
  long double term = 1, sum = 1;
  for (int k = 1; k < 400; ++k) {
    term *= x / 2 / k * (x / 2 / k);
    sum += term;
  }
  return sum;
}

using Formula = std::function<long double(long double)>;
using Window = std::function<Tensor(std::int64_t, bool, ScalarType)>;
struct Case {
  const char* name;
  Window window;
  Formula at;  ///< of 0 to 1
};

long double turn(long double x) { return 2 * std::numbers::pi_v<long double> * x; }

const Case kCases[] = {
    {"bartlett", [](std::int64_t n, bool p, ScalarType t) { return bartlett_window(n, p, t); },
     [](long double x) { return 1 - std::abs(2 * x - 1); }},
    {"blackman", [](std::int64_t n, bool p, ScalarType t) { return blackman_window(n, p, t); },
     [](long double x) { return 0.42L - 0.5L * std::cos(turn(x)) + 0.08L * std::cos(2 * turn(x)); }},
    {"hann", [](std::int64_t n, bool p, ScalarType t) { return hann_window(n, p, t); },
     [](long double x) { return 0.5L - 0.5L * std::cos(turn(x)); }},
    {"hamming", [](std::int64_t n, bool p, ScalarType t) { return hamming_window(n, p, t); },
     [](long double x) { return 0.54L - 0.46L * std::cos(turn(x)); }},
    {"hamming of two numbers",
     [](std::int64_t n, bool p, ScalarType t) { return hamming_window(n, p, 0.5, 0.25, t); },
     [](long double x) { return 0.5L - 0.25L * std::cos(turn(x)); }},
    {"kaiser", [](std::int64_t n, bool p, ScalarType t) { return kaiser_window(n, p, t); },
     [](long double x) { return i0_series(12 * std::sqrt(1 - (2 * x - 1) * (2 * x - 1))) / i0_series(12); }},
    {"kaiser of 2.5", [](std::int64_t n, bool p, ScalarType t) { return kaiser_window(n, p, 2.5, t); },
     [](long double x) {
       return i0_series(2.5L * std::sqrt(1 - (2 * x - 1) * (2 * x - 1))) / i0_series(2.5L);
     }},
};

TEST(Windows, FollowTheirFormulas) {
  for (const Case& c : kCases) {
    for (const std::int64_t n : {2, 3, 5, 8, 100, 1001}) {
      for (const bool periodic : {true, false}) {
        const Tensor w = c.window(n, periodic, kDouble);
        ASSERT_EQ(w.sizes(), IntArrayRef({n}));
        for (std::int64_t i = 0; i < n; ++i) {
          const long double x = static_cast<long double>(i) / static_cast<long double>(periodic ? n : n - 1);
          ASSERT_NEAR(w[i].item<double>(), static_cast<double>(c.at(x)), 2e-15)
              << c.name << " " << i << " of " << n;
        }
        EXPECT_TRUE(equal(c.window(n, periodic, kFloat), w.to(kFloat))) << "rounded once";
        EXPECT_TRUE(equal(c.window(n, periodic, kHalf), w.to(kHalf)));
        if (periodic) {
          EXPECT_TRUE(allclose(w, c.window(n + 1, false, kDouble).narrow(0, 0, n), 1e-14, 1e-15));
        }
      }
    }
    EXPECT_EQ(c.window(0, true, kFloat).sizes(), IntArrayRef({0}));
    EXPECT_TRUE(equal(c.window(1, false, kDouble), ones({1}, kDouble))) << c.name;
    EXPECT_THROW(c.window(-1, true, kFloat), ValueError);
    EXPECT_THROW(c.window(4, true, kLong), DtypeError);
    EXPECT_THROW(c.window(4, true, kComplexFloat), DtypeError);
  }
}

TEST(Windows, ShorterFormsArePeriodic) {
  EXPECT_TRUE(equal(bartlett_window(9), bartlett_window(9, true)));
  EXPECT_TRUE(equal(blackman_window(9), blackman_window(9, true)));
  EXPECT_TRUE(equal(hann_window(9), hann_window(9, true)));
  EXPECT_TRUE(equal(hamming_window(9), hamming_window(9, true, 0.54, 0.46)));
  EXPECT_TRUE(equal(hamming_window(9, false, 0.54), hamming_window(9, false)));
  EXPECT_TRUE(equal(kaiser_window(9), kaiser_window(9, true, 12.0)));
  EXPECT_EQ(hann_window(9).scalar_type(), kFloat);
  EXPECT_TRUE(hann_window(4, TensorOptions(kDouble).requires_grad(true)).is_leaf());
  EXPECT_TRUE(hann_window(4, TensorOptions(kDouble).requires_grad(true)).requires_grad());
  EXPECT_TRUE(equal(call("hann_window", {4, false})[0], hann_window(4, false)));
}

// i0 of these is beyond float64.
TEST(Windows, KaiserOfLargeBetasIsFinite) {
  const Tensor w = kaiser_window(5, false, 2000.0, kDouble);
  EXPECT_EQ(w[2].item<double>(), 1);
  EXPECT_NEAR(w[1].item<double>(), std::sqrt(1 / std::sqrt(0.75)) * std::exp(2000 * (std::sqrt(0.75) - 1)),
              1e-118);
  EXPECT_EQ(w[0].item<double>(), 0);
}

TEST(PadSequence, FillsUpToTheLongest) {
  const Tensor a = arange(6, kFloat).view({2, 3}), b = ones({4, 3}), c = zeros({0, 3});
  const Tensor padded = pad_sequence({a, b, c}, true, -1);
  ASSERT_EQ(padded.sizes(), IntArrayRef({3, 4, 3}));
  EXPECT_TRUE(equal(padded[0].narrow(0, 0, 2), a));
  EXPECT_TRUE(equal(padded[0].narrow(0, 2, 2), full({2, 3}, -1.0)));
  EXPECT_TRUE(equal(padded[1], b));
  EXPECT_TRUE(equal(padded[2], full({4, 3}, -1.0)));
  EXPECT_TRUE(equal(pad_sequence({a, b, c}, false, -1), padded.transpose(0, 1)));
  // The dtype of the first, and its trailing dimensions.
  EXPECT_TRUE(equal(pad_sequence({tensor({1, 2}, kLong), tensor({3.5})}, true),
                    tensor({1, 2, 3, 0}, kLong).view({2, 2})));
  EXPECT_EQ(pad_sequence({a, ones({1, 1})}).sizes(), IntArrayRef({2, 2, 3}));
  EXPECT_THROW(pad_sequence({}), ValueError);
  EXPECT_THROW(pad_sequence({scalar_tensor(1)}), ShapeError);
  EXPECT_THROW(pad_sequence({a, ones({2, 4})}), ShapeError);
  EXPECT_THROW(pad_sequence({a, ones({2})}), ShapeError);
}

TEST(PadSequence, CarriesGradients) {
  const Tensor a = ones({2, 2}).requires_grad_(true), b = ones({3, 2}).requires_grad_(true);
  (pad_sequence({a, b}) * arange(12, kFloat).view({3, 2, 2})).sum().backward();
  EXPECT_TRUE(equal(a.grad(), tensor({0, 1, 4, 5}, kFloat).view({2, 2})));
  EXPECT_TRUE(equal(b.grad(), tensor({2, 3, 6, 7, 10, 11}, kFloat).view({3, 2})));
}

}  // namespace
}  // namespace lanewise
