#include <cmath>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lanewise/ops/copy.h>
#include <lanewise/ops/factories.h>
#include <lanewise/ops/norm.h>
#include <lanewise/ops/reductions.h>
#include <lanewise/ops/variance.h>
#include <lanewise/tensor/errors.h>

#include "call.h"
#include "reduction_support.h"

namespace lanewise {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr std::uint64_t kSeed = 20240917;

/// The elements that go into each result, in the order of the results.
std::vector<std::vector<Wide>> sequences(const Tensor& t, const std::vector<std::int64_t>& dims) {
  const auto rank = static_cast<std::size_t>(t.dim());
  std::vector<bool> reduced(rank, dims.empty());
  for (const std::int64_t d : dims) reduced[static_cast<std::size_t>(d < 0 ? d + t.dim() : d)] = true;
  std::int64_t outputs = 1;
  for (std::size_t d = 0; d < rank; ++d) outputs *= reduced[d] ? 1 : t.sizes()[d];
  std::vector<std::vector<Wide>> result(static_cast<std::size_t>(outputs));
  std::vector<std::int64_t> index(rank, 0);
  for (const Wide v : values(t)) {
    std::int64_t at = 0;
    for (std::size_t d = 0; d < rank; ++d) {
      if (!reduced[d]) at = at * t.sizes()[d] + index[d];
    }
    result[static_cast<std::size_t>(at)].push_back(v);
    for (std::size_t d = rank; d-- > 0;) {
      if (++index[d] < t.sizes()[d]) break;
      index[d] = 0;
    }
  }
  return result;
}

Wide wrap64(const std::vector<Wide>& s, bool product) {
  std::uint64_t r = product ? 1 : 0;
  for (const Wide v : s) {
    const auto x = static_cast<std::uint64_t>(static_cast<std::int64_t>(v.real()));
    r = product ? r * x : r + x;
  }
  return Wide(static_cast<long double>(static_cast<std::int64_t>(r)), 0);
}

struct Row {
  const char* name;
  std::function<Tensor(const Tensor&, const std::vector<std::int64_t>&, bool)> op;
  std::function<Wide(const std::vector<Wide>&, bool integral)> reference;
  std::function<bool(ScalarType)> takes;
  bool one_dim = false;  ///< takes one dim or none
  bool factors = false;  ///< of values near 1
};

bool is_real(ScalarType t) { return !is_complex(t); }
bool every(ScalarType) { return true; }
Wide extreme(const std::vector<Wide>& s, bool max) {
  Wide best = s[0];
  for (const Wide v : s) {
    if (max ? v.real() > best.real() : v.real() < best.real()) best = v;
  }
  return best;
}
Wide arg_extreme(const std::vector<Wide>& s, bool max) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < s.size(); ++i) {
    if (max ? s[i].real() > s[best].real() : s[i].real() < s[best].real()) best = i;
  }
  return Wide(static_cast<long double>(best), 0);
}
std::optional<std::int64_t> single(const std::vector<std::int64_t>& d) {
  return d.empty() ? std::nullopt : std::optional(d[0]);
}

const Row kRows[] = {
    {"sum", [](const Tensor& t, const auto& d, bool k) { return ops::sum(t, IntArrayRef(d), k); },
     [](const auto& s, bool integral) {
       return integral ? wrap64(s, false) : std::accumulate(s.begin(), s.end(), Wide(0));
     },
     every},
    {"mean", [](const Tensor& t, const auto& d, bool k) { return ops::mean(t, IntArrayRef(d), k); },
     [](const auto& s, bool) {
       return std::accumulate(s.begin(), s.end(), Wide(0)) / static_cast<long double>(s.size());
     },
     is_differentiable},
    {"prod",
     [](const Tensor& t, const auto& d, bool k) { return d.empty() ? ops::prod(t) : ops::prod(t, d[0], k); },
     [](const auto& s, bool integral) {
       return integral ? wrap64(s, true)
                       : std::accumulate(s.begin(), s.end(), Wide(1), std::multiplies<Wide>());
     },
     every, true, true},
    {"amax", [](const Tensor& t, const auto& d, bool k) { return ops::amax(t, d, k); },
     [](const auto& s, bool) { return extreme(s, true); }, is_real},
    {"amin", [](const Tensor& t, const auto& d, bool k) { return ops::amin(t, d, k); },
     [](const auto& s, bool) { return extreme(s, false); }, is_real},
    {"max",
     [](const Tensor& t, const auto& d, bool k) {
       return d.empty() ? ops::max(t) : std::get<0>(ops::max(t, d[0], k));
     },
     [](const auto& s, bool) { return extreme(s, true); }, is_real, true},
    {"argmax", [](const Tensor& t, const auto& d, bool k) { return ops::argmax(t, single(d), k); },
     [](const auto& s, bool) { return arg_extreme(s, true); }, is_real, true},
    {"argmin", [](const Tensor& t, const auto& d, bool k) { return ops::argmin(t, single(d), k); },
     [](const auto& s, bool) { return arg_extreme(s, false); }, is_real, true},
    {"min.dim index",
     [](const Tensor& t, const auto& d, bool k) {
       return d.empty() ? ops::argmin(t) : std::get<1>(ops::min(t, d[0], k));
     },
     [](const auto& s, bool) { return arg_extreme(s, false); }, is_real, true},
    {"any",
     [](const Tensor& t, const auto& d, bool k) { return d.empty() ? ops::any(t) : ops::any(t, d[0], k); },
     [](const auto& s, bool) {
       return Wide(std::any_of(s.begin(), s.end(), [](Wide v) { return v != Wide(0); }), 0);
     },
     every, true},
    {"all",
     [](const Tensor& t, const auto& d, bool k) { return d.empty() ? ops::all(t) : ops::all(t, d[0], k); },
     [](const auto& s, bool) {
       return Wide(std::all_of(s.begin(), s.end(), [](Wide v) { return v != Wide(0); }), 0);
     },
     every, true},
};

void expect_close(const Row& row, const Tensor& t, const std::vector<std::int64_t>& dims,
                  const Tensor& result) {
  const bool integral = is_integral(t.scalar_type(), true);
  const auto all = sequences(t, dims);
  const auto got = values(result);
  ASSERT_EQ(got.size(), all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Wide expected = row.reference(all[i], integral);
    long double size = std::abs(expected);
    const std::string name = row.name;
    if (name == "sum" || name == "mean") {
      size = 0;
      for (const Wide v : all[i]) size += std::abs(v);
      if (name == "mean") size /= static_cast<long double>(all[i].size());
    }
    // A tree of depth log2(n) for sums; products round at every factor.
    const long double steps = name == "prod" ? 4.0L * static_cast<long double>(all[i].size())
                                             : 20 + std::log2(static_cast<long double>(all[i].size()));
    const bool exact =
        !is_differentiable(result.scalar_type()) || name == "amax" || name == "amin" || name == "max";
    long double bound =
        exact ? 0
              : steps * epsilon(is_reduced_floating_point(t.scalar_type()) ? kFloat : t.scalar_type()) * size;
    if (!exact && is_reduced_floating_point(result.scalar_type()))
      bound += epsilon(result.scalar_type()) * std::abs(expected);
    ASSERT_LE(std::abs(got[i] - expected), bound)
        << row.name << " of " << t.scalar_type() << " " << t.sizes() << " strides " << t.strides() << " over "
        << IntArrayRef(dims) << ", result " << i << ": " << static_cast<double>(got[i].real()) << " against "
        << static_cast<double>(expected.real());
  }
}

/// The same bits on every tier, for several thread counts.
void expect_same_bits_everywhere(const Row& row, const Tensor& t, const std::vector<std::int64_t>& dims,
                                 const std::string& bytes, std::initializer_list<int> thread_counts) {
  for (const Isa isa : available_isas()) {
    const IsaGuard tier(isa);
    for (const int threads : thread_counts) {
      const ThreadCount guard(threads);
      ASSERT_EQ(bits(row.op(t, dims, false)), bytes)
          << row.name << " of " << t.scalar_type() << " " << t.sizes() << " strides " << t.strides()
          << " over " << IntArrayRef(dims) << " on " << name(isa) << " with " << threads << " threads";
    }
  }
}

std::vector<std::int64_t> random_dims(Rng& rng, const Row& row, std::int64_t rank) {
  std::vector<std::int64_t> dims;
  if (rank == 0) return dims;
  if (row.one_dim) {
    if (pick(rng, 0, 3) > 0) dims.push_back(pick(rng, -rank, rank - 1));
    return dims;
  }
  for (std::int64_t d = 0; d < rank; ++d) {
    if (pick(rng, 0, 1)) dims.push_back(d);
  }
  std::shuffle(dims.begin(), dims.end(), rng);
  return dims;
}

// Modulo 2^64 a product may be decided long before its end, and must not be a factor too early.
TEST(Reduction, ProductsOfIntegersModulo2To64) {
  Tensor x = ones({10000}, kLong);
  x[9999] = 3;
  EXPECT_EQ(x.prod().item<std::int64_t>(), 3);
  x.slice(0, 0, 63).fill_(2);
  EXPECT_EQ(x.prod().item<std::int64_t>(), INT64_MIN);
  x[5000] = 2;
  EXPECT_EQ(x.prod().item<std::int64_t>(), 0);
  EXPECT_EQ(x.to(kChar).prod().item<std::int64_t>(), 0);
}

TEST(Reduction, MatchesTheNaiveLoopInAnyLayout) {
  Rng rng(kSeed);
  for (int i = 0; i < 4000; ++i) {
    const Row& row = kRows[static_cast<std::size_t>(pick(rng, 0, std::size(kRows) - 1))];
    const ScalarType dtype = kAllTypes[static_cast<std::size_t>(pick(rng, 0, 11))];
    if (!row.takes(dtype)) continue;
    const DimVector shape = random_shape(rng, 5, 3000);
    const Tensor t = row.factors ? random_factors(rng, shape, dtype) : random_tensor(rng, shape, dtype);
    const std::vector<std::int64_t> dims = random_dims(rng, row, t.dim());
    const Tensor result = row.op(t, dims, false);
    ASSERT_NO_FATAL_FAILURE(expect_close(row, t, dims, result));
    const Tensor kept = row.op(t, dims, true);
    ASSERT_EQ(bits(kept), bits(result));
    if (!dims.empty() || !row.one_dim) {
      ASSERT_EQ(kept.dim(), t.dim()) << row.name;
    }
    const Tensor other = scattered(rng, t);
    ASSERT_EQ(bits(row.op(other, dims, false)), bits(result))
        << row.name << " of " << dtype << " " << t.sizes() << " strides " << other.strides() << " over "
        << IntArrayRef(dims);
  }
}

TEST(Reduction, SameBitsOnEveryTierAndThreadCount) {
  Rng rng(kSeed + 1);
  const struct {
    std::vector<std::int64_t> shape;
    std::vector<std::int64_t> dims;
  } cases[] = {{{140'001}, {}},      {{2, 70'003}, {1}}, {{50'003, 3}, {0}}, {{4000, 10}, {1}},
               {{300, 250}, {0}},    {{200, 300}, {1}},  {{250, 300}, {}},   {{10, 20, 150}, {0, 2}},
               {{10, 200, 30}, {1}}, {{2100, 40}, {0}}};
  for (const Row& row : kRows) {
    for (const auto& c : cases) {
      if (row.one_dim && c.dims.size() > 1) continue;
      for (const ScalarType dtype : {kFloat, kDouble, kBFloat16, kComplexFloat, kInt}) {
        const bool order_matters = row.factors || std::string(row.name) == "sum";
        if (!row.takes(dtype) || (!order_matters && dtype != kFloat && dtype != kInt)) continue;
        const Tensor t =
            row.factors ? random_factors(rng, c.shape, dtype) : random_tensor(rng, c.shape, dtype);
        const std::string bytes = bits(row.op(t, c.dims, false));
        ASSERT_NO_FATAL_FAILURE(expect_close(row, t, c.dims, row.op(t, c.dims, false)));
        ASSERT_NO_FATAL_FAILURE(expect_same_bits_everywhere(row, t, c.dims, bytes, {1, 2, 3, 7}));
        if (dtype != kFloat) continue;
        ASSERT_NO_FATAL_FAILURE(expect_same_bits_everywhere(row, scattered(rng, t), c.dims, bytes, {3}));
      }
    }
  }
}

TEST(Reduction, ExpandedTensorsRepeatTheirElements) {
  const Tensor base = make({2, 1}, kFloat, {1, 5});
  const Tensor t = detail::make_view(base, {2, 1000}, {1, 0}, 0);
  EXPECT_THAT(values(ops::sum(t, IntArrayRef({1}))), ::testing::ElementsAre(Wide(1000), Wide(5000)));
  EXPECT_EQ(values(ops::sum(t))[0], Wide(6000));
}

// Whole registers, several chains of them, and what is left; values that need every bit.
TEST(Reduction, IntegersOfEveryLengthAndSize) {
  for (const Isa isa : available_isas()) {
    const IsaGuard tier(isa);
    for (const ScalarType dtype : {kBool, kByte, kChar, kShort, kInt, kLong}) {
      const bool is_signed = dtype != kBool && dtype != kByte;
      const int digits = dtype == kBool ? 1 : static_cast<int>(8 * element_size(dtype)) - (is_signed ? 1 : 0);
      const std::int64_t most = static_cast<std::int64_t>((std::uint64_t{1} << digits) - 1);
      for (const std::int64_t value : {most, is_signed ? -most - 1 : 0}) {
        const Tensor columns = make({1000, 5}, dtype, std::vector<Wide>(5000, Wide(value)));
        const auto sum = static_cast<std::int64_t>(1000 * static_cast<std::uint64_t>(value));
        ASSERT_EQ(values(ops::sum(columns, IntArrayRef({0}))), std::vector<Wide>(5, Wide(sum)))
            << name(isa) << " " << dtype << " " << value;
      }
      for (std::int64_t n = 1; n <= 600; n += n < 140 ? 1 : 37) {
        for (const std::int64_t value : {most, is_signed ? -most - 1 : 0}) {
          const Tensor t = make({n}, dtype, std::vector<Wide>(static_cast<std::size_t>(n), Wide(value)));
          // int64 wraps.
          const auto sum =
              static_cast<std::int64_t>(static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(value));
          ASSERT_EQ(ops::sum(t).item<std::int64_t>(), sum)
              << name(isa) << " " << dtype << " " << n << " of " << value;
        }
        const std::int64_t at = n * 7 / 11;
        for (const bool largest : {true, false}) {
          std::vector<Wide> v(static_cast<std::size_t>(n), Wide(largest ? 0 : 1));
          v[static_cast<std::size_t>(at)] = Wide(largest ? most : is_signed ? -most - 1 : 0);
          const Tensor t = make({n}, dtype, v);
          const Tensor found = largest ? ops::amax(t, {}, false) : ops::amin(t, {}, false);
          ASSERT_EQ(values(found)[0], v[static_cast<std::size_t>(at)])
              << name(isa) << " " << dtype << " " << at << " of " << n;
        }
      }
    }
  }
}

TEST(Reduction, NanWinsAndTheFirstOneIsFound) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  for (const Isa isa : available_isas()) {
    const IsaGuard tier(isa);
    for (const std::int64_t n : {1, 5, 31, 64, 1000, 5000, 70'000}) {
      for (const std::int64_t at : {std::int64_t{0}, n / 2, n - 1}) {
        std::vector<Wide> v(static_cast<std::size_t>(n), Wide(1));
        v[static_cast<std::size_t>(n - 1)] = Wide(inf);
        v[static_cast<std::size_t>(at)] = Wide(nan);
        if (at > 0 && at + 1 < n) v[static_cast<std::size_t>(at + 1)] = Wide(nan);
        const Tensor t = make({n}, kFloat, v);
        EXPECT_TRUE(std::isnan(ops::amax(t).item<float>()));
        EXPECT_TRUE(std::isnan(ops::min(t).item<float>()));
        EXPECT_TRUE(std::isnan(ops::sum(t).item<float>()));
        EXPECT_EQ(ops::argmax(t).item<std::int64_t>(), at) << n;
        EXPECT_EQ(ops::argmin(t).item<std::int64_t>(), at) << n;
        EXPECT_TRUE(ops::all(t).item<bool>());
        const auto [value, index] = ops::max(make({n, 1}, kFloat, v), 0);
        EXPECT_TRUE(std::isnan(value.item<float>()));
        EXPECT_EQ(index.item<std::int64_t>(), at);
      }
    }
  }
  EXPECT_EQ(ops::amax(make({3}, kFloat, {Wide(-inf), Wide(-inf), Wide(-inf)})).item<float>(), -inf);
  EXPECT_EQ(ops::sum(make({2}, kFloat, {Wide(inf), Wide(1)})).item<float>(), inf);
}

TEST(Reduction, TiesGoToTheFirst) {
  const Tensor t = make({2, 6}, kInt, {3, 7, 7, 1, 7, 1, 2, 2, 2, 2, 2, 2});
  EXPECT_THAT(values(ops::argmax(t, 1)), ::testing::ElementsAre(Wide(1), Wide(0)));
  EXPECT_THAT(values(ops::argmin(t, 1)), ::testing::ElementsAre(Wide(3), Wide(0)));
  EXPECT_EQ(ops::argmax(t).item<std::int64_t>(), 1);
  EXPECT_EQ(ops::argmin(t).item<std::int64_t>(), 3);
}

TEST(Reduction, ResultTypes) {
  const Tensor bytes = make({4}, kByte, {200, 100, 0, 1});
  EXPECT_EQ(ops::sum(bytes).scalar_type(), kLong);
  EXPECT_EQ(ops::sum(bytes).item<std::int64_t>(), 301);
  EXPECT_EQ(ops::sum(bytes, kByte).scalar_type(), kByte);
  EXPECT_EQ(ops::sum(bytes, kByte).item<std::int64_t>(), 45);
  EXPECT_EQ(ops::sum(bytes, kDouble).scalar_type(), kDouble);
  EXPECT_EQ(ops::sum(make({2}, kBool, {1, 1})).item<std::int64_t>(), 2);
  EXPECT_EQ(ops::mean(bytes, kFloat).item<float>(), 75.25f);
  EXPECT_EQ(ops::sum(make({2}, kHalf, {1, 2})).scalar_type(), kHalf);
  EXPECT_EQ(ops::any(bytes).scalar_type(), kByte);
  EXPECT_EQ(ops::any(make({1}, kFloat, {1})).scalar_type(), kBool);
  EXPECT_EQ(ops::amax(bytes).scalar_type(), kByte);
  EXPECT_EQ(ops::argmax(bytes).scalar_type(), kLong);
  // A sum of halves is rounded once: 4096 + 1 + 1 + 1 is not stuck at 4096.
  std::vector<Wide> v(4096, Wide(1));
  v.insert(v.begin(), Wide(4096));
  EXPECT_EQ(ops::sum(make({4097}, kHalf, v)).item<float>(), 8192.0f);
}

TEST(Reduction, ZeroDimAndEmpty) {
  const Tensor scalar = make({}, kFloat, {3});
  EXPECT_EQ(ops::sum(scalar).item<float>(), 3);
  EXPECT_EQ(ops::sum(scalar, IntArrayRef({-1})).item<float>(), 3);
  EXPECT_EQ(ops::argmax(scalar, 0).item<std::int64_t>(), 0);
  const Tensor empty = make({0, 3}, kFloat, {});
  EXPECT_EQ(ops::sum(empty).item<float>(), 0);
  EXPECT_EQ(bits(ops::sum(empty)), std::string(4, '\0'));
  EXPECT_THAT(values(ops::sum(empty, IntArrayRef({0}))), ::testing::ElementsAre(Wide(0), Wide(0), Wide(0)));
  EXPECT_EQ(ops::sum(empty, IntArrayRef({1}), true).sizes(), IntArrayRef({0, 1}));
  EXPECT_TRUE(std::isnan(ops::mean(empty).item<float>()));
  EXPECT_EQ(ops::prod(empty).item<float>(), 1);
  EXPECT_FALSE(ops::any(empty).item<bool>());
  EXPECT_TRUE(ops::all(empty).item<bool>());
  EXPECT_EQ(ops::amax(empty, {1}).sizes(), IntArrayRef({0}));
  EXPECT_EQ(ops::sum(make({0}, kInt, {})).scalar_type(), kLong);
}

TEST(Reduction, Errors) {
  const Tensor t = make({2, 3}, kFloat, {1, 2, 3, 4, 5, 6});
  EXPECT_THAT(Call([&] { ops::sum(t, IntArrayRef({2})); }),
              ThrowsMessage<IndexError>(HasSubstr("sum: Dimension out of range")));
  EXPECT_THAT(Call([&] {
                ops::sum(t, IntArrayRef({0, -2}));
              }),
              ThrowsMessage<IndexError>(HasSubstr("appears multiple times")));
  EXPECT_THAT(Call([&] { ops::argmax(t, -3); }),
              ThrowsMessage<IndexError>(HasSubstr("argmax: Dimension out of range")));
  EXPECT_THAT(Call([&] {
                ops::mean(make({2}, kInt, {1, 2}));
              }),
              ThrowsMessage<DtypeError>(HasSubstr("must be either a floating point or complex dtype")));
  EXPECT_THAT(Call([&] {
                ops::amax(make({2}, kComplexFloat, {1, 2}));
              }),
              ThrowsMessage<DtypeError>(HasSubstr("no order")));
  const Tensor empty = make({0, 3}, kFloat, {});
  EXPECT_THAT(Call([&] { ops::amax(empty, {0}); }), ThrowsMessage<IndexError>(HasSubstr("non-zero size")));
  EXPECT_THAT(Call([&] { ops::argmin(empty); }), ThrowsMessage<IndexError>(HasSubstr("argmin")));
  EXPECT_THAT(Call([&] { ops::max(empty, 0); }), ThrowsMessage<IndexError>(HasSubstr("[0, 3]")));
}

}  // namespace
}  // namespace lanewise
