// Forms of reductions: out= of several results, sequences that lie in rows.
#include <tuple>

#include <gtest/gtest.h>

#include <lanewise/lanewise.h>

namespace lanewise {
namespace {

TEST(SeveralOuts, AreWrittenAndReturned) {
  const Tensor x = tensor({3., 1., 2., 5., 4., 0.}).reshape({2, 3});
  Tensor values = empty({0}, kDouble), indices = empty({7}, kLong);
  const std::tuple<Tensor&, Tensor&> both = max_out(values, indices, x, 1, true);
  EXPECT_TRUE(std::get<0>(both).is_same(values));
  EXPECT_TRUE(std::get<1>(both).is_same(indices));
  EXPECT_TRUE(equal(values, tensor({3., 5.}).reshape({2, 1})));
  EXPECT_TRUE(equal(indices, zeros({2, 1}, kLong)));
  Tensor low = empty({0}, kDouble), high = empty({0}, kDouble);
  aminmax_out(low, high, x, 0);
  EXPECT_TRUE(equal(low, tensor({3., 1., 0.})));
  EXPECT_TRUE(equal(high, tensor({5., 4., 2.})));
  cummin_out(low, indices, x, 1);
  EXPECT_TRUE(equal(low, tensor({3., 1., 1., 5., 4., 0.}).reshape({2, 3})));
}

TEST(SeveralOuts, ByName) {
  const Tensor x = tensor({3., 1., 2.});
  const Tensor values = empty({0}, kDouble), indices = empty({0}, kLong);
  call("median.dim_out", {x, 0}, {{"values", values}, {"indices", indices}});
  EXPECT_EQ(values.item<double>(), 2);
  EXPECT_EQ(indices.item<std::int64_t>(), 2);
}

TEST(SeveralOuts, MustHoldTheResult) {
  Tensor values = empty({0}, kInt), indices = empty({0}, kLong);
  EXPECT_THROW(max_out(values, indices, rand({3}), 0), DtypeError);
}

/// Rows of any length, whole leaves or parts of them, give the bits of the contiguous sequence.
TEST(JoinedRows, HaveTheBitsOfTheContiguousSequence) {
  manual_seed(1);
  const int threads = get_num_threads();
  for (const std::int64_t length : {256, 300, 777, 1000, 1024, 1025, 1500, 2048, 5000}) {
    const Tensor wide = randn({40, 3, length});
    // [40, length] over dims 0 and 2: rows apart by 3 * length.
    const Tensor rows = wide.select(1, 1), packed = rows.contiguous();
    for (const int n : {1, 3}) {
      set_num_threads(n);
      EXPECT_TRUE(equal(rows.sum(), packed.sum())) << length;
      EXPECT_TRUE(equal(rows.amax(), packed.amax())) << length;
      EXPECT_TRUE(equal(wide.sum(IntArrayRef{0, 2}).select(0, 1), packed.sum())) << length;
      EXPECT_TRUE(equal(wide.to(kDouble).mean(IntArrayRef{0, 2}).select(0, 1), packed.to(kDouble).mean()))
          << length;
    }
  }
  set_num_threads(threads);
}

/// A transposed matrix, whose leaves lie side by side.
TEST(TransposedRows, HaveTheBitsOfTheContiguousSequence) {
  manual_seed(2);
  const int threads = get_num_threads();
  for (const std::int64_t rows : {1, 3, 255, 256, 300}) {
    const Tensor t = randn({2048, rows}).t(), packed = t.contiguous();
    const Tensor wide = randn({3, 1024, rows}).transpose(1, 2), wide_packed = wide.contiguous();
    for (const int n : {1, 3}) {
      set_num_threads(n);
      EXPECT_TRUE(equal(t.sum(), packed.sum())) << rows;
      EXPECT_TRUE(equal(t.amin(), packed.amin())) << rows;
      EXPECT_TRUE(equal(t.var(true), packed.var(true))) << rows;
      EXPECT_TRUE(equal(wide.sum(IntArrayRef{1, 2}), wide_packed.sum(IntArrayRef{1, 2}))) << rows;
    }
  }
  set_num_threads(threads);
}

TEST(OrderFree, IntegersInAnyLayout) {
  manual_seed(3);
  const Tensor x = randint(-1000, 1000, {7, 33, 65}, kLong);
  for (const Tensor& t : {x.transpose(0, 2), x.permute({1, 2, 0}), x.slice(2, 0, 65, 2)}) {
    const Tensor packed = t.contiguous();
    EXPECT_TRUE(equal(t.sum(), packed.sum()));
    EXPECT_TRUE(equal(t.sum(IntArrayRef{0, 2}), packed.sum(IntArrayRef{0, 2})));
    EXPECT_TRUE(equal(t.amax(IntArrayRef{0, 1}), packed.amax(IntArrayRef{0, 1})));
    EXPECT_TRUE(equal(t.count_nonzero(IntArrayRef{1, 2}), packed.count_nonzero(IntArrayRef{1, 2})));
    EXPECT_TRUE(equal(t.argmax(), packed.argmax()));
  }
}

}  // namespace
}  // namespace lanewise
