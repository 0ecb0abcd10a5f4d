// Orthogonal polynomials against their recurrences in long double, on each tier.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <lanewise/dispatch_isa/isa.h>
#include <lanewise/lanewise.h>

namespace lanewise {
namespace {

using Wide = long double;

/// What the recurrence gives, and the largest number on its way.
struct Reference {
  Wide value;
  Wide scale;
};

struct Family {
  const char* op;
  std::function<Wide(Wide x)> first;
  std::function<Wide(Wide x, Wide k, Wide q, Wide p)> step;
  bool shifted = false;
};

Wide doubled(Wide x, Wide, Wide q, Wide p) { return 2 * x * q - p; }

const std::vector<Family>& families() {
  static const std::vector<Family> list = [] {
    const std::function<Wide(Wide)> firsts[] = {
        [](Wide x) { return x; },
        [](Wide x) { return 2 * x; },
        [](Wide x) { return 2 * x - 1; },
        [](Wide x) { return 2 * x + 1; },
    };
    const char* const names[] = {
        "special_chebyshev_polynomial_t",         "special_chebyshev_polynomial_u",
        "special_chebyshev_polynomial_v",         "special_chebyshev_polynomial_w",
        "special_shifted_chebyshev_polynomial_t", "special_shifted_chebyshev_polynomial_u",
        "special_shifted_chebyshev_polynomial_v", "special_shifted_chebyshev_polynomial_w"};
    std::vector<Family> result;
    for (std::size_t i = 0; i < 8; ++i) result.push_back({names[i], firsts[i % 4], doubled, i >= 4});
    result.push_back({"special_hermite_polynomial_h", firsts[1],
                      [](Wide x, Wide k, Wide q, Wide p) { return 2 * (x * q - k * p); }});
    result.push_back({"special_hermite_polynomial_he", firsts[0],
                      [](Wide x, Wide k, Wide q, Wide p) { return x * q - k * p; }});
    result.push_back(
        {"special_laguerre_polynomial_l", [](Wide x) { return 1 - x; },
         [](Wide x, Wide k, Wide q, Wide p) { return ((2 * k + 1 - x) * q - k * p) / (k + 1); }});
    result.push_back({"special_legendre_polynomial_p", firsts[0], [](Wide x, Wide k, Wide q, Wide p) {
                        return ((2 * k + 1) * x * q - k * p) / (k + 1);
                      }});
    return result;
  }();
  return list;
}

Reference reference(const Family& family, Wide x, int n) {
  if (n < 0) return {0, 0};
  if (family.shifted) x = 2 * x - 1;
  Wide p = 1, q = family.first(x);
  if (n == 0) return {p, p};
  Wide scale = std::max(std::abs(p), std::abs(q));
  for (int k = 1; k < n; ++k) {
    p = std::exchange(q, family.step(x, k, q, p));
    scale = std::max(scale, std::abs(q));
  }
  return {q, scale};
}

std::vector<double> points(const Family& family) {
  std::vector<double> result = {0, 1, -1, 0.5, 1 - 1e-9, 1 + 1e-9, -1 - 1e-6, 2, -2.5};
  for (int i = 0; i < 40; ++i) result.push_back(-1.5 + 3.0 * i / 39);
  if (family.shifted) {
    for (double& x : result) x = (x + 1) / 2;
  }
  return result;
}

constexpr int kDegrees[] = {-1, 0, 1, 2, 3, 6, 7, 8, 9, 20, 40, 64, 65, 90};

void compare(const Family& family, ScalarType dtype) {
  const double ulp = dtype == kDouble ? 0x1p-53 : 0x1p-24;
  const std::vector<double> numbers = points(family);
  const Tensor x = tensor(numbers).to(dtype);
  for (const int n : kDegrees) {
    const Tensor y = call(family.op, {x, full({}, n, TensorOptions(kLong))})[0].to(kDouble).contiguous();
    const Tensor by_number = call(family.op, {x, n})[0].to(kDouble).contiguous();
    const Tensor wide = x.to(kDouble).contiguous();
    for (std::int64_t i = 0; i < x.numel(); ++i) {
      const Reference r = reference(family, wide.const_data_ptr<double>()[i], n);
      const Wide found = y.const_data_ptr<double>()[i];
      const Wide bound = (3 * std::max(n, 1) * Wide{0x1p-53} + (dtype == kDouble ? 0 : ulp)) * r.scale;
      if (dtype == kFloat && std::abs(r.value) > Wide{std::numeric_limits<float>::max()}) {
        EXPECT_EQ(std::abs(found), std::numeric_limits<Wide>::infinity()) << family.op << " of degree " << n;
        continue;
      }
      EXPECT_LE(std::abs(found - r.value), bound)
          << family.op << " of degree " << n << " at " << wide.const_data_ptr<double>()[i];
      EXPECT_EQ(found, Wide{by_number.const_data_ptr<double>()[i]}) << family.op;
    }
  }
}

TEST(Polynomials, AgreeWithTheirRecurrences) {
  for (const Isa isa : available_isas()) {
    const IsaGuard guard(isa);
    SCOPED_TRACE(name(isa));
    for (const Family& family : families()) {
      compare(family, kDouble);
      compare(family, kFloat);
    }
  }
}

TEST(Polynomials, DegreesAreTruncated) {
  const Tensor x = tensor({0.3, 0.7});
  for (const Family& family : families()) {
    EXPECT_TRUE(equal(call(family.op, {x, 3.9})[0], call(family.op, {x, 3})[0])) << family.op;
    EXPECT_TRUE(equal(call(family.op, {x, -0.5})[0], ones_like(x))) << family.op;
    EXPECT_TRUE(equal(call(family.op, {x, -2})[0], zeros_like(x))) << family.op;
  }
}

TEST(Polynomials, EachElementHasItsDegree) {
  const Tensor n = arange(0, 37, 1, TensorOptions(kLong));
  for (const Family& family : families()) {
    const Tensor all = call(family.op, {0.8, n})[0];
    EXPECT_EQ(all.scalar_type(), kFloat) << family.op;
    for (std::int64_t k = 0; k < 37; ++k) {
      const Tensor alone = call(family.op, {full({}, 0.8), k})[0];
      EXPECT_EQ(all[k].item<float>(), alone.item<float>()) << family.op << " of degree " << k;
    }
  }
}

TEST(Polynomials, EndAtInfinityAndKeepNaN) {
  const double inf = std::numeric_limits<double>::infinity();
  const Tensor far =
      tensor({1e200, -1e200, std::numeric_limits<double>::quiet_NaN()}, TensorOptions(kDouble));
  for (const Family& family : families()) {
    const Tensor y = call(family.op, {far, 4})[0];
    EXPECT_EQ(y[0].item<double>(), inf) << family.op;
    EXPECT_EQ(y[1].item<double>(), inf) << family.op;
    EXPECT_TRUE(std::isnan(y[2].item<double>())) << family.op;
  }
  // Of odd degree as their first term says, which Laguerre's has with the other sign.
  for (const Family& family : families()) {
    const bool turned = std::string_view(family.op).find("laguerre") != std::string_view::npos;
    for (const Tensor& x : {far, far * inf}) {
      const Tensor y = call(family.op, {x, 3})[0], square = call(family.op, {x, 2})[0];
      EXPECT_EQ(y[0].item<double>(), turned ? -inf : inf) << family.op;
      EXPECT_EQ(y[1].item<double>(), turned ? inf : -inf) << family.op;
      EXPECT_EQ(square[0].item<double>(), inf) << family.op;
      EXPECT_EQ(square[1].item<double>(), inf) << family.op;
    }
  }
  EXPECT_EQ(special_hermite_polynomial_h(far, 1000000000)[0].item<double>(), inf);            // and soon
  EXPECT_TRUE(std::isnan(special_legendre_polynomial_p(tensor({0.5}), 1e15).item<float>()));  // no end else
  EXPECT_TRUE(std::isnan(special_laguerre_polynomial_l(tensor({0.5}), 1e15).item<float>()));
  EXPECT_EQ(special_chebyshev_polynomial_t(far, 1000000001)[1].item<double>(), -inf);
}

TEST(Polynomials, TakeIntegersAndRefuseComplexNumbers) {
  EXPECT_EQ(special_legendre_polynomial_p(arange(3), 2).scalar_type(), kFloat);
  EXPECT_THROW(special_legendre_polynomial_p(ones({2}, TensorOptions(kComplexFloat)), 2), Error);
}

}  // namespace
}  // namespace lanewise
