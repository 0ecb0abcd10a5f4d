// Choices from an order, searches in one, and running extremes, against plain C++.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include <lanewise/lanewise.h>

#include "thread_count.h"

namespace lanewise {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

bool comes_before(double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; }

std::vector<double> values_of(const Tensor& x) {
  const Tensor wide = x.to(kDouble).contiguous();
  return {wide.const_data_ptr<double>(), wide.const_data_ptr<double>() + wide.numel()};
}

/// Lines of n: many different numbers, or few, with NaN and both zeros among floating ones.
std::vector<Tensor> lines_of(std::int64_t lines, std::int64_t n, ScalarType dtype) {
  std::vector<Tensor> result;
  for (const std::int64_t range : {5, 120, 1000000}) {
    const Tensor numbers = randint(0, range, {lines, n});
    Tensor x = numbers.to(dtype);
    if (isFloatingType(dtype)) {
      x = (x - 3) * 0.37;
      x.masked_fill_(numbers == 3, -0.0);
      if (range == 120) x.masked_fill_(numbers % 40 == 7, kNaN);
    }
    result.push_back(x);
  }
  return result;
}

std::vector<std::size_t> stable_order(const std::vector<double>& x) {
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return comes_before(x[a], x[b]); });
  return order;
}

void expect_choice(const std::tuple<Tensor, Tensor>& found, const std::vector<double>& x,
                   std::size_t expected, const char* what) {
  EXPECT_EQ(std::get<1>(found).item<std::int64_t>(), static_cast<std::int64_t>(expected))
      << what << " of " << x.size();
  const double value = std::get<0>(found).to(kDouble).item<double>();
  EXPECT_TRUE(value == x[expected] || (std::isnan(value) && std::isnan(x[expected]))) << what;
}

TEST(OrderStatistics, OfLinesOfAllTypes) {
  manual_seed(1);
  for (const ScalarType dtype : {kFloat, kDouble, kHalf, kBFloat16, kInt, kLong, kShort, kByte, kChar}) {
    for (const std::int64_t n : {1, 2, 3, 31, 32, 33, 64, 65, 255, 1000, 5000}) {
      for (const Tensor& lines : lines_of(2, n, dtype)) {
        const Tensor line = lines[1];
        const std::vector<double> x = values_of(line);
        const std::vector<std::size_t> order = stable_order(x);
        for (const std::int64_t k : {std::int64_t{1}, (n + 1) / 3 + 1, n}) {
          if (k <= n) expect_choice(line.kthvalue(k), x, order[static_cast<std::size_t>(k - 1)], "kthvalue");
        }
        const auto numbers = static_cast<std::size_t>(
            std::count_if(x.begin(), x.end(), [](double v) { return !std::isnan(v); }));
        const std::size_t nan = numbers < x.size() ? order[numbers] : 0;  // the first
        expect_choice(line.median(0), x, numbers < x.size() ? nan : order[(x.size() - 1) / 2], "median");
        expect_choice(line.nanmedian(0), x, numbers == 0 ? nan : order[(numbers - 1) / 2], "nanmedian");
        std::size_t longest = 0, best = 0;
        for (std::size_t first = 0; first < order.size();) {
          std::size_t last = first;
          while (last + 1 < order.size() && !comes_before(x[order[first]], x[order[last + 1]])) ++last;
          if (last - first + 1 > longest) {
            longest = last - first + 1;
            best = order[last];
          }
          first = last + 1;
        }
        expect_choice(line.mode(0), x, best, "mode");
      }
    }
  }
}

TEST(OrderStatistics, AlongDimensionsAsAlongLines) {
  manual_seed(2);
  const Tensor x = randint(0, 9, {4, 30, 5}).to(kFloat), lines = x.movedim(1, -1).contiguous();
  const auto expect = [](const std::tuple<Tensor, Tensor>& found, const std::tuple<Tensor, Tensor>& wanted) {
    EXPECT_TRUE(equal(std::get<0>(found), std::get<0>(wanted)));
    EXPECT_TRUE(equal(std::get<1>(found), std::get<1>(wanted)));
  };
  expect(x.median(1), lines.median(-1));
  expect(x.mode(1), lines.mode(-1));
  expect(x.kthvalue(7, 1), lines.kthvalue(7, -1));
  EXPECT_EQ(std::get<0>(x.mode(1, true)).sizes(), IntArrayRef({4, 1, 5}));
  EXPECT_EQ(x.median().item<float>(), std::get<0>(x.flatten().median(0)).item<float>());
  EXPECT_EQ(std::get<1>(tensor(3.0).mode()).item<std::int64_t>(), 0);
  EXPECT_THROW(empty({2, 0}).mode(), IndexError);
  EXPECT_THROW(empty({2, 0}).kthvalue(1), IndexError);
}

TEST(Searching, EveryLengthAndNumberOfValues) {
  manual_seed(3);
  for (const ScalarType dtype : {kFloat, kDouble, kHalf, kInt, kByte, kLong}) {
    for (const std::int64_t n : {0, 1, 2, 3, 7, 8, 9, 31, 100, 1000}) {
      Tensor sequence = randint(0, 100, {n}).to(dtype);
      if (isFloatingType(dtype) && n > 8) sequence.slice(0, 0, 2).fill_(kNaN);
      const auto [sorted, sorter] = sequence.sort();
      const std::vector<double> x = values_of(sorted);
      for (const std::int64_t count : {1, 5, 8, 9, 300}) {
        Tensor values = randint(0, 110, {count}).to(dtype);
        if (isFloatingType(dtype)) values[0] = kNaN;
        const std::vector<double> v = values_of(values);
        for (const bool right : {false, true}) {
          const Tensor found = searchsorted(sorted, values, false, right);
          for (std::size_t i = 0; i < v.size(); ++i) {
            const auto expected = right ? std::upper_bound(x.begin(), x.end(), v[i], comes_before)
                                        : std::lower_bound(x.begin(), x.end(), v[i], comes_before);
            ASSERT_EQ(found[static_cast<std::int64_t>(i)].item<std::int64_t>(), expected - x.begin())
                << dtype << " " << n << " " << v[i];
          }
          EXPECT_TRUE(equal(found, bucketize(values, sorted, false, right)));
          EXPECT_TRUE(equal(found, searchsorted(sequence, values, false, right, {}, sorter)));
        }
        const Tensor in = isin(values, sequence);
        for (std::size_t i = 0; i < v.size(); ++i) {
          ASSERT_EQ(in[static_cast<std::int64_t>(i)].item<bool>(),
                    std::find(x.begin(), x.end(), v[i]) != x.end());
        }
        EXPECT_TRUE(equal(isin(values, sequence, false, true), in.logical_not()));
      }
    }
  }
}

TEST(Searching, InLinesOfTheirOwn) {
  manual_seed(4);
  const Tensor sequence = std::get<0>(randn({3, 4, 60}).sort()), values = randn({3, 4, 25});
  const int threads = get_num_threads();
  for (const int count : {1, 3}) {
    set_num_threads(count);
    const Tensor found = searchsorted(sequence, values);
    for (std::int64_t i = 0; i < 3; ++i) {
      for (std::int64_t j = 0; j < 4; ++j)
        EXPECT_TRUE(equal(found[i][j], searchsorted(sequence[i][j], values[i][j])));
    }
  }
  set_num_threads(threads);
}

TEST(Histogram, OfRangesThatOverflow) {
  const auto counts = [](const Tensor& x, double low, double high) { return histc(x, 10, low, high); };
  Tensor wanted = zeros({10});
  wanted[0] = 1;
  wanted[9] = 1;
  EXPECT_TRUE(counts(tensor({1.F, 3e38F}), 0, 3e38).equal(wanted));
  EXPECT_TRUE(counts(tensor({-3e38F, 3e38F}), -3e38, 3e38).equal(wanted));
  EXPECT_TRUE(counts(tensor({-1e308, 1e308}, kDouble), 0, 0).equal(wanted.to(kDouble)));
}

TEST(Histogram, ThreadsCountTogether) {
  const int threads = get_num_threads();
  manual_seed(4);
  const Tensor x = randint(-2, 12, {300001}).to(kDouble);
  Tensor wanted = empty({10}, kDouble);
  for (std::int64_t i = 0; i < 10; ++i) wanted[i] = (x == static_cast<double>(i)).sum();
  for (const int count : {1, 2, 7}) {
    set_num_threads(count);
    EXPECT_TRUE(histc(x, 10, -0.5, 9.5).equal(wanted)) << count;
    EXPECT_EQ(histc(x, 1 << 20).sum().item<double>(), 300001);
  }
  set_num_threads(threads);
}

TEST(Histogram, HasNoRangeBesideNan) {
  EXPECT_THROW(histc(tensor({1., kNaN, 2.}), 4), ValueError);
  EXPECT_TRUE(histc(tensor({1., kNaN, 2.}), 4, 0, 3).equal(tensor({0., 1., 1., 0.})));
}

TEST(Quantile, OfMoreElementsThanAFloatCounts) {
  const Tensor x = zeros({(1 << 24) + 4});
  x[5] = 1;
  EXPECT_EQ(quantile(x, 1.0).item<float>(), 1);
  EXPECT_EQ(quantile(x, 0.5).item<float>(), 0);
}

TEST(UniqueDim, ComparesSlicesInTheOrderOfPyTorch) {
  const Tensor x = tensor({0, 0, 1, 0, 0, 1, 0, 0}).view({2, 2, 2});
  const auto [slices, inverse, counts] = unique_dim(x, 2, true, true, true);
  EXPECT_TRUE(slices.equal(x));
  EXPECT_TRUE(inverse.equal(tensor({0, 1})));
  // There whether asked for or not, along a dimension.
  EXPECT_TRUE(std::get<1>(unique_dim(x, 2)).equal(inverse));
  EXPECT_TRUE(std::get<2>(unique_consecutive(x, false, false, 2)).equal(tensor({1, 1})));
}

TEST(Randperm, IsAPermutation) {
  for (const std::int64_t n : {0, 1, 2, 63, 64, 5000, 100000}) {
    manual_seed(9);
    const Tensor p = randperm(n);
    EXPECT_TRUE(equal(std::get<0>(p.sort()), arange(n)));
    manual_seed(9);
    EXPECT_TRUE(equal(p, randperm(n)));
    EXPECT_TRUE(n < 10 || !equal(p, randperm(n)));
  }
  EXPECT_EQ(randperm(100, kByte).scalar_type(), kByte);
}

/// The running extremes of a matrix over its rows and where they are, one by one.
std::pair<std::vector<double>, std::vector<std::int64_t>> running_extremes(const std::vector<double>& x,
                                                                           std::size_t columns, bool max) {
  std::vector<double> values(x.size());
  std::vector<std::int64_t> rows(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t before = i < columns ? i : i - columns;
    const double best = i < columns ? x[i] : values[before];
    const bool takes = std::isnan(x[i]) || (max ? x[i] >= best : x[i] <= best);
    values[i] = takes ? x[i] : best;
    rows[i] = takes ? static_cast<std::int64_t>(i / columns) : rows[before];
  }
  return {values, rows};
}

/// The same number, signs of zeros included; one NaN is like another.
bool same(double a, double b) {
  return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
}

TEST(RunningExtremes, OfLinesAndColumns) {
  manual_seed(5);
  for (const ScalarType dtype : {kFloat, kDouble, kBFloat16, kChar, kShort, kInt, kLong, kByte, kBool}) {
    for (const auto& [n, columns] : {std::pair<std::int64_t, std::int64_t>{1, 1},
                                     {2, 1},
                                     {17, 1},
                                     {100, 1},
                                     {600, 1},
                                     {1, 2},
                                     {2, 3},
                                     {3, 2},
                                     {33, 2},
                                     {600, 2},
                                     {7, 3},
                                     {300, 3},
                                     {33, 4},
                                     {33, 5},
                                     {2, 7},
                                     {20, 7},
                                     {33, 8},
                                     {5, 9},
                                     {40, 16},
                                     {6, 33},
                                     {7, 513},
                                     {7, 1030}}) {
      for (Tensor x : lines_of(n, columns, dtype)) {
        if (dtype == kBool) x = x.to(kByte).remainder(2).to(kBool);
        const Tensor two = stack({x, x.flip({0})});
        for (const bool max : {true, false}) {
          std::vector<double> values;
          std::vector<std::int64_t> rows;
          for (const Tensor& each : two.unbind()) {
            const auto [v, r] = running_extremes(values_of(each), static_cast<std::size_t>(columns), max);
            values.insert(values.end(), v.begin(), v.end());
            rows.insert(rows.end(), r.begin(), r.end());
          }
          for (const Isa isa : available_isas()) {
            const IsaGuard tier(isa);
            for (const int threads : {1, 3}) {
              const testing::ThreadCount guard(threads);
              const auto [found, where] = max ? two.cummax(1) : two.cummin(1);
              const std::vector<double> f = values_of(found);
              SCOPED_TRACE(::testing::Message() << dtype << " " << n << " x " << columns << " " << name(isa));
              ASSERT_TRUE(std::ranges::equal(f, values, same));
              ASSERT_TRUE(std::equal(rows.begin(), rows.end(), where.const_data_ptr<std::int64_t>()));
            }
          }
        }
      }
    }
  }
}

// So many columns that some blocks of them are one wider than the last one, of two.
TEST(RunningExtremes, LastBlockOfTwoColumns) {
  manual_seed(6);
  constexpr std::int64_t kColumns = 261122;
  const Tensor x = randint(0, 1000, {3, kColumns}).to(kInt);
  const auto [values, rows] = running_extremes(values_of(x), kColumns, true);
  for (const Isa isa : available_isas()) {
    const IsaGuard tier(isa);
    const auto [found, where] = x.cummax(0);
    ASSERT_TRUE(std::ranges::equal(values_of(found), values)) << name(isa);
    ASSERT_TRUE(std::equal(rows.begin(), rows.end(), where.const_data_ptr<std::int64_t>())) << name(isa);
  }
}

}  // namespace
}  // namespace lanewise
