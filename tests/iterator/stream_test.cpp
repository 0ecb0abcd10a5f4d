// Results so long that kernels write them past the caches: the same elements as in short pieces.

#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include <lanewise/dispatch_isa/topology.h>
#include <lanewise/iterator/detail/stream.h>
#include <lanewise/kernels/kernel.h>
#include <lanewise/lanewise.h>

namespace lanewise {
namespace {

constexpr std::int64_t kRows = 4099, kCols = 2101;  // odd: tails, and rows that are not aligned
static_assert(kRows * kCols * 4 > kernels::kStreamOutputFrom);

using Op = std::function<Tensor(const Tensor& a, const Tensor& b)>;

/// op over rows [0, kRows) at once and a few rows at a time, for every tier and two numbers of threads.
void expect_same_in_pieces(const Tensor& a, const Tensor& b, const Op& op) {
  const int threads = get_num_threads();
  for (const Isa isa : available_isas()) {
    const IsaGuard guard(isa);
    for (const int count : {1, 3}) {
      set_num_threads(count);
      const Tensor whole = op(a, b);
      ASSERT_EQ(whole.size(0), kRows);
      for (std::int64_t row = 0; row < kRows; row += 500) {
        const std::int64_t rows = std::min<std::int64_t>(500, kRows - row);
        const Tensor piece = op(a.narrow(0, row, rows), b.size(0) == kRows ? b.narrow(0, row, rows) : b);
        ASSERT_TRUE(equal(whole.narrow(0, row, rows), piece))
            << name(isa) << ", " << count << " threads, row " << row;
      }
    }
  }
  set_num_threads(threads);
}

TEST(StreamedResults, AreThoseThatCachesCannotHold) {
  using detail::passes_caches;
  constexpr std::int64_t kMiB = 1 << 20, kHuge = std::int64_t{1} << 50;
  EXPECT_TRUE(passes_caches(kernels::kStreamOutputFrom, kernels::kStreamOutputFrom));
  EXPECT_FALSE(passes_caches(15 * kMiB, kHuge));
  EXPECT_FALSE(passes_caches(16 * kMiB, 16 * kMiB));
  EXPECT_EQ(passes_caches(16 * kMiB, kHuge), topology().l3_bytes > 0);
}

class Streams : public testing::Test {
 protected:
  const Tensor a = randn({kRows, kCols}), b = randn({kRows, kCols});
};

TEST_F(Streams, OneAndTwoInputs) {
  expect_same_in_pieces(a, b, [](const Tensor& x, const Tensor& y) { return add(x, y); });
  expect_same_in_pieces(a, b, [](const Tensor& x, const Tensor&) { return exp(x); });
  expect_same_in_pieces(a, b, [](const Tensor& x, const Tensor&) { return abs(x); });
  expect_same_in_pieces(a, b, [](const Tensor& x, const Tensor&) { return mul(x, 3); });
  expect_same_in_pieces(a, b, [](const Tensor& x, const Tensor& y) { return where(x.gt(0), x, y); });
}

TEST_F(Streams, Broadcast) {
  expect_same_in_pieces(a, b.select(0, 0), [](const Tensor& x, const Tensor& y) { return mul(x, y); });
  expect_same_in_pieces(a, b.narrow(1, 0, 1), [](const Tensor& x, const Tensor& y) { return sub(x, y); });
  expect_same_in_pieces(a.narrow(1, 0, 1), b.select(0, 0),
                        [](const Tensor& x, const Tensor& y) { return add(x, y); });
}

TEST_F(Streams, OtherTypes) {
  const Tensor i = mul(a, 100).to(kInt);
  expect_same_in_pieces(a, i, [](const Tensor& x, const Tensor& y) { return add(x, y); });
  expect_same_in_pieces(i, i, [](const Tensor& x, const Tensor& y) { return mul(x, y); });
  expect_same_in_pieces(a.to(kDouble), b, [](const Tensor& x, const Tensor& y) { return div(x, y); });
  const Tensor z = a.to(kComplexFloat);
  expect_same_in_pieces(z, z, [](const Tensor& x, const Tensor& y) { return add(x, y); });
}

TEST_F(Streams, Copies) {
  expect_same_in_pieces(a, b, [](const Tensor& x, const Tensor&) { return flip(x, {1}); });
  expect_same_in_pieces(a, b, [](const Tensor& x, const Tensor&) { return x.clone(); });
  const Tensor wide = randn({kRows, 2 * kCols});
  expect_same_in_pieces(wide, b,
                        [](const Tensor& x, const Tensor&) { return x.narrow(1, 1, kCols).contiguous(); });
  expect_same_in_pieces(wide, b, [](const Tensor& x, const Tensor&) {
    return x.unflatten(1, {kCols, 2}).select(2, 1).contiguous();
  });
  expect_same_in_pieces(a, b, [](const Tensor& x, const Tensor&) { return x.to(kInt); });
  for (const ScalarType from :
       {kDouble, kByte, kBFloat16}) {  // converted on the way, from wider and from narrower
    const Tensor other = mul(wide, 10).abs().to(from);
    expect_same_in_pieces(other, b,
                          [](const Tensor& x, const Tensor&) { return x.narrow(1, 1, kCols).to(kFloat); });
    expect_same_in_pieces(other, b, [](const Tensor& x, const Tensor&) {
      return x.unflatten(1, {kCols, 2}).select(2, 1).to(kFloat);
    });
  }
}

/// x with its columns in a row of memory.
Tensor by_columns(const Tensor& x) { return x.t().contiguous().t(); }

TEST_F(Streams, Transposed) {
  const Op plus = [](const Tensor& x, const Tensor& y) { return add(x, y); };
  const Op into_columns = [](const Tensor& x, const Tensor& y) {
    Tensor out = empty({x.size(1), x.size(0)});
    return add_out(out, x.t(), y.t()).t();
  };
  constexpr std::int64_t kAligned = 2096;  // rows of whole cache lines
  static_assert(kRows * kAligned * 4 > kernels::kStreamOutputFrom && kAligned * 4 % 64 == 0);
  expect_same_in_pieces(a, by_columns(b), plus);
  const Tensor x = a.narrow(1, 0, kAligned).contiguous(), y = b.narrow(1, 0, kAligned).contiguous();
  const Tensor turned = by_columns(x);
  expect_same_in_pieces(turned, by_columns(y), plus);
  expect_same_in_pieces(turned.to(kInt), y, plus);
  expect_same_in_pieces(x, y, into_columns);
  expect_same_in_pieces(turned, y, [](const Tensor& p, const Tensor& q) { return sin(add(p, q)); });
  expect_same_in_pieces(turned, y, [](const Tensor& p, const Tensor&) { return p.contiguous(); });
}

TEST_F(Streams, Scans) {
  const auto along = [](const Tensor& x, const Tensor&) { return cumsum(x, 1); };
  const auto across = [](const Tensor& x, const Tensor&) { return cumsum(x.t().contiguous(), 0).t(); };
  const auto backwards = [](const Tensor& x, const Tensor&) {
    const Tensor leaf = x.detach().requires_grad_();
    return autograd::grad({cumsum(leaf, 1)}, {leaf}, {x})[0];
  };
  const Tensor twice = randn({kRows, 2 * kCols}).to(kBFloat16);
  static_assert(kRows * 2 * kCols * 2 > kernels::kStreamOutputFrom);
  for (const Tensor& x : {a, mul(a, 100).to(kInt), twice}) expect_same_in_pieces(x, b, along);
  for (const Tensor& x : {a, a.to(kDouble)}) expect_same_in_pieces(x, b, across);
  expect_same_in_pieces(a, b, backwards);
}

TEST_F(Streams, Softmax) {
  expect_same_in_pieces(a, b, [](const Tensor& x, const Tensor&) { return softmax(x, 1); });
  for (const Tensor& x : {a, randn({4112, kCols})}) {  // 4112: rows of whole cache lines
    expect_same_in_pieces(x.narrow(0, 0, kRows), b, [&](const Tensor& part, const Tensor&) {
      return softmax((part.size(0) == kRows ? x : part).t().contiguous(), 0).t().narrow(0, 0, part.size(0));
    });
  }
}

TEST_F(Streams, ResultsThatAreNotAligned) {
  expect_same_in_pieces(a, b, [](const Tensor& x, const Tensor& y) {
    Tensor out = empty({x.numel() + 1}).narrow(0, 1, x.numel()).view(x.sizes());
    add_out(out, x, y);
    return out;
  });
}

TEST_F(Streams, ResultsThatAreInputs) {
  expect_same_in_pieces(a, b, [](const Tensor& x, const Tensor& y) {
    Tensor out = x.clone();
    out.add_(y);
    return out;
  });
  expect_same_in_pieces(a, b, [](const Tensor& x, const Tensor& y) {
    Tensor out = y.clone();
    sub_out(out, x, out);
    return out;
  });
}

}  // namespace
}  // namespace lanewise
