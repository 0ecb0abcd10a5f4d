#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lanewise/ops/dot.h>
#include <lanewise/ops/matmul.h>
#include <lanewise/tensor/errors.h>

#include "call.h"
#include "reduction_support.h"

namespace lanewise {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr ScalarType kNumberTypes[] = {kByte,     kChar,  kShort,  kInt,          kLong,         kHalf,
                                       kBFloat16, kFloat, kDouble, kComplexFloat, kComplexDouble};

struct Product {
  std::vector<Wide> value;
  std::vector<long double> size;  ///< sum of the absolute products
};

Product reference(const std::vector<Wide>& a, const std::vector<Wide>& b, std::int64_t m, std::int64_t k,
                  std::int64_t n) {
  Product p{std::vector<Wide>(static_cast<std::size_t>(m * n)),
            std::vector<long double>(static_cast<std::size_t>(m * n))};
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      Wide sum = 0;
      long double size = 0;
      for (std::int64_t l = 0; l < k; ++l) {
        const Wide term = a[static_cast<std::size_t>(i * k + l)] * b[static_cast<std::size_t>(l * n + j)];
        sum += term;
        size += std::abs(term);
      }
      p.value[static_cast<std::size_t>(i * n + j)] = sum;
      p.size[static_cast<std::size_t>(i * n + j)] = size;
    }
  }
  return p;
}

/// What is left of an integer in the type.
Wide wrapped(Wide v, ScalarType t) {
  Wide result;
  visit_dtype(t, [&]<class T>() { result = to_wide(from_wide<T>(v)); });
  return result;
}

void expect_product(const Tensor& got, const Product& p, std::int64_t k) {
  const ScalarType t = got.scalar_type();
  const auto g = values(got);
  ASSERT_EQ(g.size(), p.value.size());
  const ScalarType computed = is_reduced_floating_point(t) ? kFloat : t;
  for (std::size_t i = 0; i < g.size(); ++i) {
    if (is_integral(t, true)) {
      ASSERT_EQ(g[i], wrapped(p.value[i], t)) << i;
    } else {
      const long double bound =
          epsilon(computed) * static_cast<long double>(std::min<std::int64_t>(k, 256) + k / 256 + 4) *
              p.size[i] +
          2 * epsilon(t) * std::abs(p.value[i]) + (t == kHalf ? 1e-7L : 0);  // subnormal halves
      ASSERT_LE(std::abs(g[i] - p.value[i]), bound)
          << i << " of " << t << ": " << static_cast<double>(g[i].real()) << " against "
          << static_cast<double>(p.value[i].real());
    }
  }
}

std::int64_t random_size(Rng& rng) {
  switch (pick(rng, 0, 4)) {
    case 0: return pick(rng, 1, 3);
    case 1: return pick(rng, 30, 70);
    default: return pick(rng, 1, 30);
  }
}

TEST(Matmul, MatchesTheNaiveLoopInAnyLayout) {
  Rng rng(3);
  for (int i = 0; i < 1500; ++i) {
    const ScalarType dtype = kNumberTypes[pick(rng, 0, 10)];
    const std::int64_t m = random_size(rng);
    const std::int64_t n = random_size(rng);
    const std::int64_t k = pick(rng, 0, 9) == 0    ? pick(rng, 250, 700)
                           : pick(rng, 0, 20) == 0 ? 0
                                                   : random_size(rng);
    SCOPED_TRACE(::testing::Message() << dtype << " " << m << " x " << k << " x " << n);
    const Tensor a = random_tensor(rng, {m, k}, dtype, 0.3);
    const Tensor b = random_tensor(rng, {k, n}, dtype, 0.3);
    const Product p = reference(values(a), values(b), m, k, n);
    const Tensor c = ops::mm(a, b);
    ASSERT_EQ(c.scalar_type(), dtype);
    ASSERT_NO_FATAL_FAILURE(expect_product(c, p, k));
    ASSERT_EQ(bits(ops::mm(scattered(rng, a), scattered(rng, b))), bits(c));

    // beta * self + alpha * product, self broadcast.
    const DimVector shapes[] = {{m, n}, {n}, {m, 1}, {1}, {}, {1, n}};
    const DimVector& shape = shapes[pick(rng, 0, 5)];
    const Tensor s = scattered(rng, random_tensor(rng, shape, dtype));
    const Scalar beta = pick(rng, -1, 2);
    const Scalar alpha = pick(rng, 0, 1) ? Scalar(1) : Scalar(-3);
    Product q = p;
    const auto sv = values(s);
    for (std::int64_t r = 0; r < m; ++r) {
      for (std::int64_t j = 0; j < n; ++j) {
        const bool rows = shape.size() == 2 && shape[0] != 1;
        const bool cols = !shape.empty() && shape.back() != 1;
        const std::int64_t width = shape.empty() ? 1 : shape.back();
        const Wide add = sv[static_cast<std::size_t>((rows ? r * width : 0) + (cols ? j : 0))] *
                         static_cast<long double>(beta.to<double>());
        const auto at = static_cast<std::size_t>(r * n + j);
        q.value[at] = static_cast<long double>(alpha.to<double>()) * q.value[at] + add;
        q.size[at] = 3 * q.size[at] + std::abs(add);
      }
    }
    ASSERT_NO_FATAL_FAILURE(expect_product(ops::addmm(s, a, b, beta, alpha), q, k))
        << shape.size() << "-dim self";
    const Tensor x = random_tensor(rng, {k}, dtype, 0.3);
    ASSERT_NO_FATAL_FAILURE(expect_product(ops::mv(scattered(rng, a), scattered(rng, x)),
                                           reference(values(a), values(x), m, k, 1), k));
    const Tensor y = random_tensor(rng, {k}, dtype, 0.3);
    ASSERT_NO_FATAL_FAILURE(
        expect_product(ops::dot(scattered(rng, x), y), reference(values(x), values(y), 1, k, 1), k));
  }
}

TEST(Matmul, RepeatedAndOverlappingOperandsCountLikeTheirCopies) {
  Rng rng(11);
  for (const ScalarType dtype : {kInt, kLong, kFloat, kDouble, kComplexFloat}) {
    for (const auto& [m, k, n] :
         {std::array<std::int64_t, 3>{20, 7, 5}, {64, 300, 40}, {300, 33, 17}, {3, 5, 600}}) {
      const Tensor line = random_tensor(rng, {m + k + n}, dtype, 0.3);
      // {row, column} strides: repeated rows, repeated columns, windows, one number.
      for (const auto& [rs, cs] : {std::array<std::int64_t, 2>{0, 1}, {1, 0}, {1, 1}, {0, 0}}) {
        const Tensor a = line.as_strided({m, k}, {rs, cs});
        const Tensor b = line.as_strided({k, n}, {rs, cs});
        SCOPED_TRACE(::testing::Message()
                     << dtype << " " << m << " x " << k << " x " << n << ", strides " << rs << " " << cs);
        const Tensor dense_a = a.clone(MemoryFormat::Contiguous), dense_b = b.clone(MemoryFormat::Contiguous);
        ASSERT_EQ(bits(ops::mm(a, b)), bits(ops::mm(dense_a, dense_b)));
        ASSERT_NO_FATAL_FAILURE(
            expect_product(ops::mm(a, b), reference(values(dense_a), values(dense_b), m, k, n), k));
      }
    }
  }
}

TEST(Matmul, BatchesAreIndependentProducts) {
  Rng rng(5);
  for (int i = 0; i < 100; ++i) {
    const ScalarType dtype = kNumberTypes[pick(rng, 0, 10)];
    const std::int64_t batch = pick(rng, 1, 5);
    const std::int64_t m = random_size(rng);
    const std::int64_t n = pick(rng, 0, 3) ? random_size(rng) : 1;
    const std::int64_t k = random_size(rng);
    const Tensor a = scattered(rng, random_tensor(rng, {batch, m, k}, dtype));
    const Tensor b = scattered(rng, random_tensor(rng, {batch, k, n}, dtype));
    const Tensor c = ops::bmm(a, b);
    std::string one_by_one;
    for (std::int64_t z = 0; z < batch; ++z) {
      const Tensor az = detail::make_view(a, {m, k}, {a.strides()[1], a.strides()[2]},
                                          a.storage_offset() + z * a.strides()[0]);
      const Tensor bz = detail::make_view(b, {k, n}, {b.strides()[1], b.strides()[2]},
                                          b.storage_offset() + z * b.strides()[0]);
      one_by_one += bits(ops::mm(az, bz));
    }
    ASSERT_EQ(bits(c), one_by_one);
  }
}

TEST(Matmul, SameBitsOnTiersAndThreads) {
  Rng rng(17);
  const std::int64_t shapes[][3] = {{64, 784, 256},  {64, 256, 10},   {256, 64, 784},
                                    {300, 700, 310}, {2000, 300, 5},  {1, 1000, 500},
                                    {500, 600, 1},   {20, 3000, 310}, {18, 7300, 100}};
  for (const auto& [m, k, n] : shapes) {
    for (const ScalarType dtype : {kFloat, kDouble, kBFloat16, kComplexFloat}) {
      const Tensor a = random_tensor(rng, {m, k}, dtype);
      const Tensor b = random_tensor(rng, {k, n}, dtype);
      const Tensor a2 = scattered(rng, a);
      const Tensor b2 = scattered(rng, b);
      const Tensor s = random_tensor(rng, {n}, dtype);
      std::string fused;
      std::string unfused;
      for (const Isa isa : available_isas()) {
        const IsaGuard tier(isa);
        std::string& expected = isa == Isa::sse4_2 ? unfused : fused;
        for (const int threads : {1, 2, 3, 7}) {
          const ThreadCount guard(threads);
          const std::string now = bits(ops::mm(a, b)) + bits(ops::addmm(s, a, b, 0.5, 2));
          if (expected.empty()) expected = now;
          ASSERT_EQ(now, expected) << name(isa) << " " << threads << " threads " << m << " x " << k << " x "
                                   << n << " " << dtype;
          ASSERT_EQ(bits(ops::mm(a2, b2)) + bits(ops::addmm(s, a2, b2, 0.5, 2)), expected)
              << "layout " << name(isa);
        }
      }
    }
  }
}

TEST(Matmul, BetaZeroIgnoresNan) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Tensor a = make({1, 2}, kFloat, {1, 2});
  const Tensor b = make({2, 1}, kFloat, {3, 4});
  const Tensor s = make({1, 1}, kFloat, {Wide(nan)});
  EXPECT_EQ(ops::addmm(s, a, b, 0, 1).item<float>(), 11);
  EXPECT_TRUE(std::isnan(ops::addmm(s, a, b, 1, 1).item<float>()));
  const Tensor none = ops::mm(make({2, 0}, kFloat, {}), make({0, 3}, kFloat, {}));
  EXPECT_EQ(bits(none), std::string(24, '\0'));
  EXPECT_EQ(ops::mm(make({0, 2}, kFloat, {}), make({2, 3}, kFloat, {1, 2, 3, 4, 5, 6})).sizes(),
            IntArrayRef({0, 3}));
  EXPECT_EQ(ops::dot(make({0}, kFloat, {}), make({0}, kFloat, {})).item<float>(), 0);
}

TEST(Matmul, Errors) {
  const Tensor a = make({2, 3}, kFloat, {1, 2, 3, 4, 5, 6});
  const Tensor b = make({4, 5}, kFloat, std::vector<Wide>(20, Wide(1)));
  const Tensor bt = make({3, 1}, kDouble, {1, 2, 3});
  EXPECT_THAT(
      Call([&] { ops::mm(a, b); }),
      ThrowsMessage<ShapeError>(HasSubstr("mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)")));
  EXPECT_THAT(Call([&] { ops::mm(a, bt); }), ThrowsMessage<DtypeError>(HasSubstr("same dtype")));
  EXPECT_THAT(Call([&] {
                ops::mm(a, make({3}, kFloat, {1, 2, 3}));
              }),
              ThrowsMessage<ShapeError>(HasSubstr("must be matrices")));
  EXPECT_THAT(Call([&] {
                ops::mm(make({1, 1}, kBool, {1}), make({1, 1}, kBool, {1}));
              }),
              ThrowsMessage<DtypeError>(HasSubstr("Bool")));
  const Tensor c = make({3, 1}, kFloat, {1, 2, 3});
  EXPECT_THAT(Call([&] {
                ops::addmm(make({3}, kFloat, {1, 2, 3}), a, c);
              }),
              ThrowsMessage<ShapeError>(HasSubstr("addmm")));
  EXPECT_THAT(Call([&] { ops::addmm(make({1}, kFloat, {1}), a, c, std::complex<double>(0, 1)); }),
              ThrowsMessage<DtypeError>(HasSubstr("beta")));
  EXPECT_THAT(Call([&] {
                ops::addmm(make({1}, kInt, {1}), make({1, 1}, kInt, {1}), make({1, 1}, kInt, {1}), 1,
                           std::complex<double>(0, 1));
              }),
              ThrowsMessage<DtypeError>(HasSubstr("alpha")));
  EXPECT_THAT(Call([&] {
                ops::dot(make({2}, kFloat, {1, 2}), make({3}, kFloat, {1, 2, 3}));
              }),
              ThrowsMessage<ShapeError>(HasSubstr("inconsistent tensor size")));
  EXPECT_THAT(Call([&] {
                ops::mv(a, make({2}, kFloat, {1, 2}));
              }),
              ThrowsMessage<ShapeError>(HasSubstr("mv: size mismatch")));
  EXPECT_THAT(Call([&] { ops::bmm(a, a); }), ThrowsMessage<ShapeError>(HasSubstr("3-dim")));
}

}  // namespace
}  // namespace lanewise
