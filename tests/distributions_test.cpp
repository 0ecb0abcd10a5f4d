// Random distributions: their shapes by Kolmogorov and Smirnov's test with a fixed seed, their domains,
// layouts, gradients.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>
#include <numbers>
#include <optional>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lanewise/dispatch_isa/isa.h>
#include <lanewise/lanewise.h>
#include <lanewise/ops/random_stream.h>

#include "call.h"

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
  // Rounded, but into the range: bfloat16 has every second integer there.
  const auto rounded = values(empty({1000}, kBFloat16).random_(-299, 300));
  EXPECT_EQ(*std::min_element(rounded.begin(), rounded.end()), -298);
  EXPECT_EQ(*std::max_element(rounded.begin(), rounded.end()), 298);
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  for (const double x : values(empty({100}).random_(kLeast, kLeast + 3 * (std::int64_t{1} << 40))))
    EXPECT_TRUE(x >= -0x1p63 && x < -0x1p63 + 3 * 0x1p40) << x;
  EXPECT_EQ(values(empty({2}, kHalf).random_(65504, 65505)), std::vector<double>(2, 65504));
  EXPECT_THAT(Call([] { empty({2}, kHalf).random_(65505, 65506); }),
              ThrowsMessage<ValueError>(HasSubstr("does not fit into")));
  EXPECT_THAT(Call([] { empty({2}, kBFloat16).random_(257, 258); }),
              ThrowsMessage<ValueError>(HasSubstr("no number of bf16 lies from 257 to 257")));
  EXPECT_THAT(Call([] { empty({2}, kByte).random_(-1, 3); }),
              ThrowsMessage<ValueError>(HasSubstr("does not fit into")));
  EXPECT_THAT(Call([] { empty({2}, kByte).random_(257); }),
              ThrowsMessage<ValueError>(HasSubstr("does not fit into")));
  EXPECT_THAT(Call([] { empty({2}).random_(3, 3); }),
              ThrowsMessage<ValueError>(HasSubstr("expects 'from' to be less than 'to'")));
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
  EXPECT_THAT(Call([&] { multinomial(weights, 3); }),
              ThrowsMessage<ValueError>(HasSubstr("row 0 has fewer than 3")));
  EXPECT_THAT(Call([&] { multinomial(weights, 4); }),
              ThrowsMessage<ValueError>(HasSubstr("without replacement: 4 of 3 categories")));
  EXPECT_THROW(multinomial(tensor({1.0, -1.0}), 1), ValueError);
  EXPECT_THROW(multinomial(tensor({0.0, 0.0}), 1), ValueError);
  EXPECT_THROW(multinomial(tensor({1.0, std::nan("")}), 1), ValueError);
  EXPECT_THROW(multinomial(empty({0}), 1, true), ValueError);
  EXPECT_THROW(multinomial(empty({3, 0}), 1, true), ValueError);
  EXPECT_EQ(multinomial(empty({0, 0}), 2, true).numel(), 0);
  EXPECT_THROW(multinomial(tensor({1, 2}), 1), DtypeError);
  EXPECT_THROW(multinomial(ones({1, 1, 1}), 1), ShapeError);
}

TEST(Distributions, PoissonHasMeanAndVariance) {
  manual_seed(17);
  for (const double rate : {0.01, 0.5, 3.0, 9.99, 10.0, 30.0, 1e3, 1e6, 1e12}) {
    const auto counts = values(poisson(full({kSamples}, rate, kDouble)));
    const auto n = static_cast<double>(kSamples);
    double mean = 0, square = 0;
    for (const double k : counts) mean += (k - rate) / n;
    for (const double k : counts) square += (k - rate) * (k - rate) / n;
    EXPECT_LT(std::abs(mean), 5 * std::sqrt(rate / n)) << rate;
    EXPECT_LT(std::abs(square - rate), 5 * std::sqrt((rate + 2 * rate * rate) / n)) << rate;
    EXPECT_TRUE(
        std::all_of(counts.begin(), counts.end(), [](double k) { return k >= 0 && k == std::floor(k); }));
  }
}

TEST(Distributions, PoissonHasItsProbabilities) {
  manual_seed(18);
  for (const double rate : {0.3, 4.0, 9.9, 10.0, 12.5, 60.0, 400.0}) {
    std::vector<double> found(1000);
    for (const double k : values(poisson(full({4 * kSamples}, rate, kDouble))))
      found[static_cast<std::size_t>(k)] += 1;
    // Pearson's statistic; what is expected less than 20 times goes with its neighbours.
    double statistic = 0, expected_sum = 0, found_sum = 0, rest = 1;
    int classes = 0;
    for (std::size_t k = 0; k < found.size(); ++k) {
      const auto number = static_cast<double>(k);
      const double p = std::exp(number * std::log(rate) - rate - std::lgamma(number + 1));
      rest -= p;
      expected_sum += p * static_cast<double>(4 * kSamples);
      found_sum += found[k];
      if (expected_sum < 20 || (rest * static_cast<double>(4 * kSamples) < 20 && k + 1 < found.size()))
        continue;
      statistic += (found_sum - expected_sum) * (found_sum - expected_sum) / expected_sum;
      ++classes;
      expected_sum = found_sum = 0;
    }
    const double freedom = classes - 1;
    EXPECT_LT(statistic, freedom + 4 * std::sqrt(2 * freedom)) << rate;
  }
}

TEST(Distributions, PoissonDependsOnSeedAndPositionAlone) {
  const Tensor rates = rand({70, 101}, kDouble) * 30;
  const int threads = get_num_threads();
  manual_seed(19);
  const Tensor wanted = poisson(rates);
  EXPECT_FALSE(equal(wanted, poisson(rates)));
  for (const int count : {1, 2, 3, 7}) {
    set_num_threads(count);
    manual_seed(19);
    EXPECT_TRUE(equal(poisson(rates), wanted)) << count;
    manual_seed(19);
    EXPECT_TRUE(equal(poisson(rates.t().contiguous().t()), wanted)) << count;
  }
  set_num_threads(threads);
}

TEST(Distributions, PoissonAtTheEdgesOfItsDomain) {
  const double inf = std::numeric_limits<double>::infinity();
  const auto edge = values(poisson(tensor({0.0, inf, 5e-324, 1e300}, kDouble)));
  EXPECT_EQ(edge[0], 0);
  EXPECT_EQ(edge[1], inf);
  EXPECT_EQ(edge[2], 0);
  EXPECT_NEAR(edge[3] / 1e300, 1, 1e-15);
  for (const ScalarType dtype : {kHalf, kBFloat16, kFloat, kDouble}) {
    EXPECT_EQ(poisson(ones({3}, dtype)).scalar_type(), dtype);
  }
  EXPECT_EQ(poisson(empty({0, 3})).sizes(), IntArrayRef({0, 3}));
  const Generator::State before = detail::getDefaultCPUGenerator().state();
  EXPECT_THAT(Call([] {
                poisson(tensor({1.0, -0.5}));
              }),
              ThrowsMessage<ValueError>(HasSubstr("expected rates to be non-negative, but one is -0.5")));
  EXPECT_THROW(poisson(tensor({1.0, std::nan("")})), ValueError);
  EXPECT_EQ(detail::getDefaultCPUGenerator().state().offset, before.offset);
  EXPECT_THROW(poisson(ones({2}, kInt)), DtypeError);
  EXPECT_THROW(poisson(ones({2}, kComplexFloat)), DtypeError);
  const Tensor rates = full({3}, 2.0, requires_grad());
  const Tensor counts = poisson(rates);
  EXPECT_EQ(counts.grad_fn()->name(), "PoissonBackward0");
  counts.sum().backward();
  EXPECT_TRUE(equal(rates.grad(), zeros({3})));
}

TEST(Distributions, StandardGammaHasItsShape) {
  manual_seed(20);
  for (const double shape : {0.1, 0.5, 1.0, 2.5, 40.0, 1e4}) {
    const Tensor shapes = full({kSamples}, shape, kDouble);
    EXPECT_LT(distance(values(igamma(shapes, _standard_gamma(shapes))), [](double p) { return p; }), 1.95)
        << shape;
  }
  const Tensor shapes = rand({70, 101}, kDouble) * 3;
  const int threads = get_num_threads();
  manual_seed(21);
  const Tensor wanted = _standard_gamma(shapes);
  for (const int count : {1, 2, 3, 7}) {
    set_num_threads(count);
    manual_seed(21);
    EXPECT_TRUE(equal(_standard_gamma(shapes.t().contiguous().t()), wanted)) << count;
  }
  set_num_threads(threads);
  for (const ScalarType dtype : {kHalf, kBFloat16, kFloat, kDouble}) {
    const Tensor tiny = _standard_gamma(full({100}, 1e-4, dtype));
    EXPECT_EQ(tiny.scalar_type(), dtype);
    EXPECT_TRUE(gt(tiny, 0).all().item<bool>());
  }
  EXPECT_EQ(values(_standard_gamma(zeros({1})))[0], 0);
  EXPECT_THAT(Call([] {
                _standard_gamma(tensor({1.0, -0.5}));
              }),
              ThrowsMessage<ValueError>(HasSubstr("expected shapes to be non-negative, but one is -0.5")));
  EXPECT_THROW(_standard_gamma(ones({2}, kInt)), DtypeError);
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

/// One draw of every kind with that generator, or with the process-wide one.
std::vector<Tensor> all_kinds(const std::optional<Generator>& g) {
  const Tensor mean = zeros({40}), half = full({40}, 0.5), weights = arange(1, 41, kFloat);
  std::vector<Tensor> drawn = {rand({40}, g),
                               randn({40}, g, kDouble),
                               normal(1, 2, {40}, g),
                               randint(1000, {40}, g),
                               randint(-500, 500, {40}, g),
                               randperm(40, g),
                               normal(mean, 2, g),
                               normal(1, half, g),
                               normal(mean, half, g),
                               bernoulli(half, g),
                               bernoulli(half, 0.25, g),
                               poisson(weights, g),
                               multinomial(weights, 30, true, g),
                               half.bernoulli(g),
                               half.bernoulli(0.75, g),
                               weights.multinomial(30, false, g)};
  const auto filled = [&](auto fill) {
    Tensor t = empty({40});
    fill(t);
    drawn.push_back(t);
  };
  filled([&](Tensor& t) { t.normal_(0, 1, g); });
  filled([&](Tensor& t) { t.uniform_(0, 1, g); });
  filled([&](Tensor& t) { t.random_(-5, 500, g); });
  filled([&](Tensor& t) { t.random_(1000, g); });
  filled([&](Tensor& t) { t.random_(g); });
  filled([&](Tensor& t) { t.bernoulli_(0.5, g); });
  filled([&](Tensor& t) { t.bernoulli_(half, g); });
  filled([&](Tensor& t) { t.exponential_(1, g); });
  filled([&](Tensor& t) { t.geometric_(0.1, g); });
  filled([&](Tensor& t) { t.cauchy_(0, 1, g); });
  filled([&](Tensor& t) { t.log_normal_(0, 1, g); });
  return drawn;
}

void expect_same(const std::vector<Tensor>& a, const std::vector<Tensor>& b, bool same) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(equal(a[i], b[i]), same) << i;
}

TEST(Generators, AreStreamsOfTheirOwn) {
  const Generator own = detail::createCPUGenerator(7);
  manual_seed(7);
  const Generator::State before = detail::getDefaultCPUGenerator().state();
  const std::vector<Tensor> drawn = all_kinds(own);
  EXPECT_EQ(detail::getDefaultCPUGenerator().state().offset, before.offset);  // it was not drawn from
  expect_same(all_kinds(own), drawn, false);                                  // the stream goes on
  expect_same(all_kinds(std::nullopt), drawn, true);  // the same seed: the same numbers
  EXPECT_NE(detail::getDefaultCPUGenerator().state().offset, before.offset);
  const Generator none;
  manual_seed(7);
  expect_same(all_kinds(none), drawn, true);  // undefined: the process-wide one
  expect_same(all_kinds(make_generator<CPUGeneratorImpl>(8)), drawn, false);
  manual_seed(7);
  own.set_current_seed(9);
  const Tensor a = rand({4}, own);
  EXPECT_TRUE(
      equal(rand({4}), rand({4}, detail::createCPUGenerator(7))));  // a draw without one is none's business
  own.set_current_seed(9);
  const int threads = get_num_threads();
  set_num_threads(1);
  EXPECT_TRUE(equal(rand({4}, own), a));
  const Tensor many = randn({100'000}, own);
  set_num_threads(2);
  own.set_current_seed(9);
  rand({4}, own);
  EXPECT_TRUE(equal(randn({100'000}, own), many));
  set_num_threads(threads);
}

TEST(Generators, SaveCopyAndSeedTheirState) {
  Generator g = make_generator<CPUGeneratorImpl>(3);
  EXPECT_EQ(detail::createCPUGenerator().current_seed(), 67280421310721U);
  rand({4}, g);
  const Tensor state = g.get_state();
  EXPECT_EQ(state.scalar_type(), kByte);
  const Generator copy = g.clone();
  EXPECT_FALSE(copy == g);
  EXPECT_TRUE(Generator(g) == g);
  const Tensor next = rand({4}, g);
  EXPECT_TRUE(equal(rand({4}, copy), next));
  g.set_state(state);
  EXPECT_TRUE(equal(rand({4}, g), next));
  {
    const std::lock_guard<std::mutex> lock(g.mutex());
    g.set_current_seed(5);
    rand({4}, g);
  }
  EXPECT_EQ(g.current_seed(), 5U);
  const std::uint64_t seed = g.seed();
  EXPECT_EQ(g.current_seed(), seed);
  EXPECT_NE(g.seed(), seed);
  EXPECT_THROW(g.set_state(ones({16})), DtypeError);
  EXPECT_THROW(g.set_state(ones({3}, kByte)), ShapeError);
  EXPECT_FALSE(Generator().defined());
  EXPECT_THAT(Call([] { Generator().current_seed(); }),
              ThrowsMessage<ValueError>(HasSubstr("undefined implementation")));
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

TEST(RandomStream, HoldsTheNumbersOfTheKernels) {
  const Generator::State draw{(std::uint64_t{5} << 40) + 3, 0};
  const Generator::State before = lanewise::detail::getDefaultCPUGenerator().state();
  lanewise::detail::getDefaultCPUGenerator().set_state(draw);
  const std::vector<double> uniform = values(rand({64}, kDouble));
  lanewise::detail::getDefaultCPUGenerator().set_state(before);
  for (std::int64_t i = 0; i < 32; ++i) {
    ops::RandomStream stream(draw, i);  // two numbers a block
    EXPECT_EQ(std::floor(std::ldexp(stream.unit(), 52)), std::floor(std::ldexp(uniform[2 * i], 52)));
    EXPECT_EQ(std::floor(std::ldexp(stream.unit(), 52)), std::floor(std::ldexp(uniform[2 * i + 1], 52)));
  }
}

TEST(Distributions, UniformStaysInItsRange) {
  manual_seed(3);
  EXPECT_TRUE(empty({100}).uniform_(1, 1 + 1e-12).equal(ones({100})));
  EXPECT_EQ(empty({1000}).uniform_(16777216, 16777216.5).min().item<double>(), 16777216);
  for (const ScalarType type : {kHalf, kBFloat16}) {
    for (const double from : {-1.0, 0.0, -3.0}) {
      const Tensor x = empty({100000}, type).uniform_(from, from + 2);
      EXPECT_GE(x.min().item<double>(), from);
      EXPECT_LT(x.max().item<double>(), from + 2);
    }
    const Tensor between = empty({100000}, type).uniform_(0.1, 0.2);  // no halves
    EXPECT_GE(between.min().item<double>(), full({}, 0.1, type).item<double>());
    EXPECT_LT(between.max().item<double>(), full({}, 0.2, type).item<double>());
    EXPECT_LT(empty({1000000}, type).uniform_(-0.001, 0).max().item<double>(), 0);
  }
}

TEST(Uniform, RefusesRangesThatItsDtypeCannotScale) {
  EXPECT_THROW(zeros({4}).uniform_(-3e38, 3e38), ValueError);
  EXPECT_THROW(zeros({4}, kHalf).uniform_(-60000, 60000), ValueError);
  EXPECT_THROW(zeros({4}, kDouble).uniform_(-1.7e308, 1.7e308), ValueError);
  const Tensor wide = zeros({1000}).uniform_(-1.6e38, 1.6e38);
  EXPECT_LT(wide.min().item<float>(), -1e38F);
  EXPECT_GT(wide.max().item<float>(), 1e38F);
}

}  // namespace
}  // namespace lanewise
