// Random distributions: their shapes by Kolmogorov and Smirnov's test with a fixed seed, their domains,
// layouts, gradients.

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lanewise/dispatch_isa/isa.h>
#include <lanewise/lanewise.h>

namespace lanewise {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr std::int64_t kSamples = 100'000;

std::vector<double> values(const Tensor& t) {
  const Tensor wide = t.detach().to(kDouble).contiguous();
  return {wide.data_ptr<double>(), wide.data_ptr<double>() + wide.numel()};
}

/// The largest distance of the sample's distribution from `cdf`, times the root of its size; above 1.95 once
/// in a thousand samples.
double distance(std::vector<double> sample, const std::function<double(double)>& cdf) {
  std::sort(sample.begin(), sample.end());
  const auto n = static_cast<double>(sample.size());
  double largest = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double expected = cdf(sample[i]);
    largest = std::max({largest, std::abs(static_cast<double>(i) / n - expected),
                        std::abs(static_cast<double>(i + 1) / n - expected)});
  }
  return largest * std::sqrt(n);
}

double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

TEST(Distributions, HaveTheirShape) {
  manual_seed(11);
  for (const ScalarType dtype : {kFloat, kDouble}) {
    Tensor t = empty({kSamples}, dtype);
    EXPECT_LT(distance(values(t.uniform_(-2, 3)), [](double x) { return (x + 2) / 5; }), 1.95);
    EXPECT_LT(distance(values(t.normal_(1, 3)), [](double x) { return normal_cdf((x - 1) / 3); }), 1.95);
    EXPECT_LT(distance(values(t.exponential_(2)), [](double x) { return 1 - std::exp(-2 * x); }), 1.95);
    EXPECT_LT(distance(values(t.cauchy_(1, 2)),
                       [](double x) { return 0.5 + std::atan((x - 1) / 2) / std::numbers::pi; }),
              1.95);
    EXPECT_LT(distance(values(t.log_normal_(0.5, 0.25)),
                       [](double x) { return normal_cdf((std::log(x) - 0.5) / 0.25); }),
              1.95);
    EXPECT_LT(distance(values(normal(2.0, 0.5, {kSamples}, dtype)),
                       [](double x) { return normal_cdf((x - 2) / 0.5); }),
              1.95);
  }
}

TEST(Distributions, CountsOfDiscreteOnes) {
  manual_seed(12);
  for (const ScalarType dtype : {kFloat, kHalf, kInt, kByte}) {
    const auto trials = values(empty({kSamples}, dtype).geometric_(0.25));
    EXPECT_EQ(*std::min_element(trials.begin(), trials.end()), 1);
    for (const int k : {1, 2, 5}) {
      const double expected = std::pow(0.75, k - 1) * 0.25;
      const auto found =
          static_cast<double>(std::count(trials.begin(), trials.end(), k)) / static_cast<double>(kSamples);
      EXPECT_NEAR(found, expected, 4 * std::sqrt(expected * (1 - expected) / static_cast<double>(kSamples)))
          << k;
    }
  }
  for (const ScalarType dtype : {kBool, kByte, kLong, kHalf, kDouble}) {
    EXPECT_NEAR(values(empty({kSamples}, dtype).bernoulli_(0.3).to(kDouble).mean())[0], 0.3, 0.006);
  }
  const Tensor p = tensor({0.0, 0.2, 1.0});
  const auto means = values(empty({kSamples, 3}, kInt).bernoulli_(p).to(kDouble).mean(0));
  EXPECT_EQ(means[0], 0);
  EXPECT_NEAR(means[1], 0.2, 0.005);
  EXPECT_EQ(means[2], 1);
  EXPECT_TRUE(equal(bernoulli(tensor({0.0, 1.0})), tensor({0.0, 1.0})));
  EXPECT_EQ(bernoulli(ones({3}, kInt), 0.5).scalar_type(), kInt);
}

TEST(Distributions, RandomIntegersCoverTheirRange) {
  manual_seed(13);
  const auto range = [](ScalarType dtype) {
    const auto v = values(empty({kSamples}, dtype).random_());
    return std::pair(*std::min_element(v.begin(), v.end()), *std::max_element(v.begin(), v.end()));
  };
  EXPECT_EQ(range(kByte), std::pair(0.0, 255.0));
  EXPECT_EQ(range(kChar), std::pair(0.0, 127.0));
  EXPECT_EQ(range(kBool), std::pair(0.0, 1.0));
  EXPECT_EQ(range(kBFloat16), std::pair(0.0, 256.0));
  EXPECT_EQ(range(kHalf), std::pair(0.0, 2048.0));
  EXPECT_GT(range(kFloat).second, 0.99 * 0x1p24);
  EXPECT_LE(range(kFloat).second, 0x1p24);
  EXPECT_GT(range(kLong).second, 0.99 * 0x1p63);
  const auto few = values(empty({1000}, kDouble).random_(-2, 3));
  EXPECT_EQ(*std::min_element(few.begin(), few.end()), -2);
  EXPECT_EQ(*std::max_element(few.begin(), few.end()), 2);
  EXPECT_THAT([] { empty({2}, kByte).random_(-1, 3); },
              ThrowsMessage<ValueError>(HasSubstr("does not fit into")));
  EXPECT_THAT([] { empty({2}, kByte).random_(257); },
              ThrowsMessage<ValueError>(HasSubstr("does not fit into")));
  EXPECT_THAT([] { empty({2}).random_(3, 3); }, ThrowsMessage<ValueError>(HasSubstr("from < to")));
}

TEST(Distributions, NormalOfTensors) {
  manual_seed(14);
  const Tensor mean = tensor({-3.0, 5.0}), std = tensor({{0.0}, {2.0}});
  const Tensor t = normal(mean.expand({50'000, 1, 2}), std);
  EXPECT_EQ(t.sizes(), IntArrayRef({50'000, 2, 2}));
  EXPECT_EQ(values(t.select(1, 0).select(1, 0)), std::vector<double>(50'000, -3.0));
  EXPECT_LT(distance(values(t.select(1, 1).select(1, 1)), [](double x) { return normal_cdf((x - 5) / 2); }),
            1.95);
  EXPECT_EQ(normal(mean.to(kDouble), 0).scalar_type(), kDouble);
  EXPECT_TRUE(equal(normal(mean, 0), mean));
  EXPECT_EQ(normal(1.0, tensor({1.f})).scalar_type(), kFloat);
  EXPECT_THROW(normal(mean, tensor({-1.0})), ValueError);
  EXPECT_THROW(normal(mean, -1), ValueError);
}

TEST(Distributions, Multinomial) {
  manual_seed(15);
  const Tensor weights = tensor({{1.0, 0.0, 3.0}, {2.0, 2.0, 0.0}});
  const Tensor many = multinomial(weights, 20'000, true);
  EXPECT_EQ(many.scalar_type(), kLong);
  const auto share = [&](int row, int category) {
    return many[row].eq(category).to(kDouble).mean().item<double>();
  };
  EXPECT_NEAR(share(0, 0), 0.25, 0.012);
  EXPECT_EQ(share(0, 1), 0);
  EXPECT_NEAR(share(1, 0), 0.5, 0.015);
  EXPECT_EQ(share(1, 2), 0);
  // Without replacement: every category with a weight once; the first is drawn by weight.
  int first_is_zero = 0;
  for (int i = 0; i < 4000; ++i) {
    const Tensor pair = multinomial(weights[0], 2);
    ASSERT_EQ(pair.sizes(), IntArrayRef({2}));
    const auto a = pair[0].item<std::int64_t>(), b = pair[1].item<std::int64_t>();
    ASSERT_TRUE(a + b == 2 && a != 1);
    first_is_zero += a == 0;
  }
  EXPECT_NEAR(first_is_zero / 4000.0, 0.25, 0.028);
  EXPECT_THAT([&] { multinomial(weights, 3); },
              ThrowsMessage<ValueError>(HasSubstr("row 0 has fewer than 3")));
  EXPECT_THAT([&] { multinomial(weights, 4); }, ThrowsMessage<ValueError>(HasSubstr("cannot draw 4 of 3")));
  EXPECT_THROW(multinomial(tensor({1.0, -1.0}), 1), ValueError);
  EXPECT_THROW(multinomial(tensor({0.0, 0.0}), 1), ValueError);
  EXPECT_THROW(multinomial(tensor({1.0, NAN}), 1), ValueError);
  EXPECT_THROW(multinomial(tensor({1, 2}), 1), DtypeError);
  EXPECT_THROW(multinomial(ones({1, 1, 1}), 1), ShapeError);
}

using Draw = std::function<void(Tensor&)>;
const std::vector<std::pair<const char*, Draw>>& draws() {
  static const std::vector<std::pair<const char*, Draw>> all = {
      {"uniform_", [](Tensor& t) { t.uniform_(); }},
      {"normal_", [](Tensor& t) { t.normal_(); }},
      {"random_", [](Tensor& t) { t.random_(9); }},
      {"bernoulli_", [](Tensor& t) { t.bernoulli_(); }},
      {"exponential_", [](Tensor& t) { t.exponential_(); }},
      {"geometric_", [](Tensor& t) { t.geometric_(0.5); }},
      {"cauchy_", [](Tensor& t) { t.cauchy_(); }},
      {"log_normal_", [](Tensor& t) { t.log_normal_(); }},
      {"bernoulli_.Tensor", [](Tensor& t) { t.bernoulli_(full({1}, 0.5)); }},
  };
  return all;
}

TEST(Distributions, DependOnSeedAndPositionAlone) {
  const int threads = get_num_threads();
  for (const auto& [op, draw] : draws()) {
    manual_seed(16);
    Tensor wanted = empty({300, 401});
    draw(wanted);
    for (const Isa isa : available_isas()) {
      if (isa == Isa::sse4_2 && std::string_view(op) == "normal_")
        continue;  // no fused multiply-add in its logarithm
      for (const int count : {1, 3}) {
        const IsaGuard guard(isa);
        set_num_threads(count);
        manual_seed(16);
        Tensor transposed = empty({401, 300}).t();
        draw(transposed);
        EXPECT_TRUE(equal(wanted, transposed)) << op << " " << name(isa) << " " << count;
      }
    }
  }
  set_num_threads(threads);
}

TEST(Distributions, GradientsEndAtTheDraw) {
  for (const auto& [op, draw] : draws()) {
    const Tensor leaf = ones({3}, requires_grad());
    Tensor t = leaf * 2;
    draw(t);
    EXPECT_TRUE(t.requires_grad()) << op;
    t.sum().backward();
    EXPECT_TRUE(equal(leaf.grad(), zeros({3}))) << op;
    Tensor needs = ones({3}, requires_grad());
    EXPECT_THROW(draw(needs), AutogradError) << op;
  }
  const Tensor mean = zeros({3}, requires_grad()), std = ones({3}, requires_grad());
  normal(mean, std).sum().backward();
  EXPECT_TRUE(equal(mean.grad(), zeros({3})));
  EXPECT_TRUE(equal(std.grad(), zeros({3})));
  bernoulli(full({3}, 0.5, requires_grad())).sum().backward();
}

TEST(Distributions, BadParametersAreErrors) {
  Tensor t = ones({2});
  EXPECT_THROW(t.uniform_(1, 0), ValueError);
  EXPECT_THROW(t.uniform_(0, INFINITY), ValueError);
  EXPECT_THROW(t.normal_(0, -1), ValueError);
  EXPECT_THROW(t.bernoulli_(1.5), ValueError);
  EXPECT_THROW(t.bernoulli_(tensor({0.5, 1.5})), ValueError);
  EXPECT_THROW(t.bernoulli_(tensor({1, 0})), DtypeError);
  EXPECT_THROW(t.exponential_(0), ValueError);
  EXPECT_THROW(t.geometric_(1), ValueError);
  EXPECT_THROW(t.cauchy_(0, 0), ValueError);
  EXPECT_THROW(t.log_normal_(0, 0), ValueError);
  EXPECT_TRUE(equal(t, ones({2})));
  Tensor integers = ones({2}, kInt);
  EXPECT_THROW(integers.uniform_(), DtypeError);
  EXPECT_THROW(integers.exponential_(), DtypeError);
  EXPECT_THROW(bernoulli(integers), DtypeError);
  Tensor once = ones({1}).expand({3});
  EXPECT_THROW(once.uniform_(), StorageError);
}

}  // namespace
}  // namespace lanewise
