// Distances of rows against plain C++ in long double, at sizes around those of registers and blocks.
#include <cmath>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>

#include <lanewise/lanewise.h>

#include "same_gradients.h"

namespace lanewise {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

long double norm_of_difference(const double* x, const double* y, std::int64_t n, double p) {
  long double sum = 0;
  for (std::int64_t k = 0; k < n; ++k) {
    const long double d = std::abs(static_cast<long double>(x[k]) - y[k]);
    if (std::isinf(p)) {
      sum = std::max(sum, d);
    } else {
      sum += p == 0 ? d != 0 : std::pow(d, static_cast<long double>(p));
    }
  }
  return p == 0 || std::isinf(p) ? sum : std::pow(sum, 1 / static_cast<long double>(p));
}

void expect_close(const Tensor& found, const std::function<long double(std::int64_t)>& expected,
                  ScalarType dtype) {
  const double error = dtype == kDouble ? 1e-14 : dtype == kFloat ? 3e-6 : dtype == kHalf ? 5e-4 : 4e-3;
  const Tensor wide = found.to(kDouble).contiguous();
  for (std::int64_t i = 0; i < wide.numel(); ++i) {
    const auto want = static_cast<double>(expected(i));
    ASSERT_NEAR(wide.const_data_ptr<double>()[i], want, error * (want + 1e-3)) << dtype << " at " << i;
  }
}

struct Shape {
  std::int64_t rows, columns, width;
};

TEST(Cdist, IsTheNormOfDifferences) {
  manual_seed(3);
  for (const Shape s :
       {Shape{1, 1, 1}, {3, 5, 2}, {40, 33, 7}, {5, 100, 300}, {100, 5, 300}, {17, 31, 257}, {37, 65, 16}}) {
    for (const ScalarType dtype : {kFloat, kDouble, kHalf, kBFloat16}) {
      const Tensor x = randn({s.rows, s.width}, kFloat).to(dtype),
                   y = randn({s.columns, s.width}, kFloat).to(dtype);
      const Tensor a = x.to(kDouble), b = y.to(kDouble);
      for (const double p : {0.0, 1.0, 1.5, 2.0, 3.0, kInf}) {
        if (p == 3 && dtype == kHalf && s.width > 100) continue;  // sums of cubes are beyond its range
        const Tensor found = cdist(x, y, p);
        ASSERT_EQ(found.sizes(), IntArrayRef({s.rows, s.columns}));
        EXPECT_TRUE(found.is_contiguous());
        expect_close(
            found,
            [&](std::int64_t i) {
              return norm_of_difference(a.const_data_ptr<double>() + i / s.columns * s.width,
                                        b.const_data_ptr<double>() + i % s.columns * s.width, s.width, p);
            },
            dtype);
      }
    }
  }
}

TEST(Cdist, BatchesBroadcastAndLayoutsDoNotMatter) {
  manual_seed(4);
  const Tensor x = randn({2, 1, 20, 9}), y = randn({3, 40, 9});
  for (const double p : {1.0, 2.0, 2.5, kInf}) {
    const Tensor whole = cdist(x, y, p);
    ASSERT_EQ(whole.sizes(), IntArrayRef({2, 3, 20, 40}));
    for (std::int64_t i = 0; i < 2; ++i) {
      for (std::int64_t j = 0; j < 3; ++j) EXPECT_TRUE(equal(whole[i][j], cdist(x[i][0], y[j], p)));
    }
    const Tensor turned = x.mT().contiguous().mT(), spread = cat({y, y}, -1).slice(-1, 0, 9);
    EXPECT_TRUE(equal(whole, cdist(turned, spread, p)));
    EXPECT_TRUE(equal(cdist(y[0], x[0][0], p), whole[0][0].t()));
    // A column's distance does not depend on the others.
    EXPECT_TRUE(equal(whole[0][0].slice(1, 0, 19), cdist(x[0][0], y[0].slice(0, 0, 19), p)));
  }
}

TEST(Cdist, SpecialsAndNothing) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Tensor x = zeros({2, 3}), y = ones({40, 3});
  x[1][2] = nan;
  y[7][0] = kInf;
  for (const double p : {1.0, 2.0, kInf}) {
    const Tensor d = cdist(x, y, p);
    EXPECT_TRUE(d[1].isnan().all().item<bool>());
    EXPECT_EQ(d[0][7].item<float>(), std::numeric_limits<float>::infinity());
    EXPECT_FALSE(d[0].isnan().any().item<bool>());
    EXPECT_EQ(cdist(zeros({0, 3}), y, p).sizes(), IntArrayRef({0, 40}));
    EXPECT_TRUE(equal(cdist(zeros({4, 0}), zeros({5, 0}), p), zeros({4, 5})));
    EXPECT_EQ(pdist(zeros({1, 3}), p).numel(), 0);
    EXPECT_TRUE(equal(pdist(zeros({3, 0}), p), zeros({3})));
  }
}

TEST(Pdist, HasTheDistancesOfCdist) {
  manual_seed(5);
  for (const std::int64_t n : {2, 3, 16, 17, 18, 31, 33, 34, 90}) {
    for (const ScalarType dtype : {kFloat, kDouble, kBFloat16}) {
      const Tensor x = randn({n, 11}, kFloat).to(dtype), index = triu_indices(n, n, 1);
      for (const double p : {0.0, 1.0, 2.0, 3.0, kInf}) {
        const Tensor all = cdist(x, x, p), pairs = pdist(x, p);
        EXPECT_TRUE(equal(pairs, all.index({index[0], index[1]}))) << n << " " << dtype << " " << p;
      }
    }
  }
}

TEST(Cdist, GradientsAreThoseOfDifferences) {
  manual_seed(7);
  for (const ScalarType dtype : {kFloat, kDouble, kBFloat16}) {
    const double error = dtype == kDouble ? 1e-11 : dtype == kFloat ? 2e-4 : 8e-2;
    for (const Shape s : {Shape{1, 1, 1}, {3, 5, 2}, {40, 33, 7}, {5, 300, 17}, {300, 6, 33}, {21, 9, 32}}) {
      for (const double p : {0.0, 0.5, 1.0, 1.5, 2.0, 3.0, kInf}) {
        SCOPED_TRACE(::testing::Message() << s.rows << " " << s.columns << " " << s.width << " p " << p);
        Tensor x = (randn({s.rows, s.width}) * 4).round().div(4).to(dtype),
               y = (randn({2, s.columns, s.width}) * 4).round().div(4).to(dtype);
        y[1][0].copy_(x[0]);  // a distance of 0
        x.set_requires_grad(true);
        y.set_requires_grad(true);
        const Tensor d = cdist(x, y, p);
        testing::expect_same_gradients(d, {x, y}, p == 0.5 ? 10 * error : error);
      }
    }
  }
}

TEST(Cdist, GradientsOfNothingAreZero) {
  for (const double p : {1.0, 1.5, 2.0, kInf}) {
    for (const Shape s : {Shape{20, 0, 3}, {0, 5, 3}, {4, 5, 0}, {0, 0, 0}}) {
      const Tensor x = ones({2, s.rows, s.width}).set_requires_grad(true);
      const Tensor y = ones({2, s.columns, s.width}).set_requires_grad(true);
      const Tensor d = cdist(x, y, p);
      const autograd::variable_list g = autograd::grad({d}, {x, y}, {ones_like(d)});
      EXPECT_TRUE(equal(g[0], zeros_like(x)) && equal(g[1], zeros_like(y)));
    }
  }
}

TEST(Pdist, GradientsAreThoseOfDifferences) {
  manual_seed(8);
  for (const ScalarType dtype : {kFloat, kDouble}) {
    const double error = dtype == kDouble ? 1e-11 : 2e-4;
    for (const std::int64_t n : {2, 3, 17, 40}) {
      for (const double p : {0.0, 1.0, 1.5, 2.0, 3.0, kInf}) {
        SCOPED_TRACE(::testing::Message() << n << " rows, p " << p);
        Tensor x = randn({n, 11}, dtype);
        x[n - 1].copy_(x[0]);
        x.set_requires_grad(true);
        const Tensor d = pdist(x, p);
        testing::expect_same_gradients(d, {x}, error);
      }
    }
  }
}

TEST(Cdist, GradientsHaveTheSameBitsForAnyNumberOfThreads) {
  manual_seed(9);
  const Tensor x = randn({300, 40}, requires_grad()), y = randn({500, 40}, requires_grad());
  const int threads = get_num_threads();
  for (const double p : {1.0, 2.0, kInf}) {
    set_num_threads(1);
    const Tensor d = cdist(x, y, p), w = randn(d.sizes());
    const autograd::variable_list one = autograd::grad({d}, {x, y}, {w}, true);
    for (const int count : {2, 3, 7}) {
      set_num_threads(count);
      const autograd::variable_list many = autograd::grad({d}, {x, y}, {w}, true);
      EXPECT_TRUE(equal(one[0], many[0]) && equal(one[1], many[1]));
    }
  }
  set_num_threads(threads);
}

TEST(Cdist, SameBitsForAnyNumberOfThreads) {
  manual_seed(6);
  const Tensor x = randn({300, 40}), y = randn({500, 40});
  const int threads = get_num_threads();
  for (const double p : {1.0, 2.0, kInf}) {
    set_num_threads(1);
    const Tensor one = cdist(x, y, p), pairs = pdist(x, p);
    for (const int count : {2, 3, 7}) {
      set_num_threads(count);
      EXPECT_TRUE(equal(one, cdist(x, y, p)));
      EXPECT_TRUE(equal(pairs, pdist(x, p)));
    }
  }
  set_num_threads(threads);
}

}  // namespace
}  // namespace lanewise
