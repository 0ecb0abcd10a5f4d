// Reductions over several dimensions: the order of their additions, whatever the layout.
#include <bit>
#include <complex>

#include <gtest/gtest.h>

#include <lanewise/ops/copy.h>
#include <lanewise/ops/norm.h>
#include <lanewise/ops/reductions.h>
#include <lanewise/ops/variance.h>

#include "reduction_support.h"

namespace lanewise {
namespace {

using namespace testing;

using OverDims = Tensor (*)(const Tensor&, IntArrayRef, bool);
constexpr std::pair<const char*, OverDims> kOverDims[] = {
    {"sum", [](const Tensor& t, IntArrayRef d, bool keep) { return ops::sum(t, d, keep); }},
    {"mean", [](const Tensor& t, IntArrayRef d, bool keep) { return ops::mean(t, d, keep); }},
    {"nansum", [](const Tensor& t, IntArrayRef d, bool keep) { return ops::nansum(t, d, keep); }},
    {"norm 1", [](const Tensor& t, IntArrayRef d, bool keep) { return ops::norm(t, Scalar(1), d, keep); }},
    {"norm 2", [](const Tensor& t, IntArrayRef d, bool keep) { return ops::norm(t, Scalar(2), d, keep); }},
    {"var", [](const Tensor& t, IntArrayRef d, bool keep) { return ops::var(t, d, Scalar(0), keep); }},
    {"amax", [](const Tensor& t, IntArrayRef d, bool keep) { return ops::amax(t, d, keep); }},
    {"count_nonzero", [](const Tensor& t, IntArrayRef d, bool) { return ops::count_nonzero(t, d); }},
};

struct Case {
  DimVector shape, dims;
};
// Rows of one dimension and of several, results of one element and of many, in all orders.
const Case kCases[] = {
    {{5, 700}, {0, 1}},
    {{37, 128}, {0, 1}},
    {{2, 3, 130, 140}, {0, 1, 2, 3}},
    {{1, 4, 70, 190}, {1, 2, 3}},
    {{1, 7, 40, 257}, {2, 3}},
    {{1, 2, 90, 128}, {0, 3}},
    {{3, 2, 300}, {0, 1, 2}},
    {{2, 3, 127}, {0, 2}},
    {{6, 7, 20, 17}, {0, 2, 3}},
    {{6, 9, 20, 17}, {0, 1, 2, 3}},
    {{2, 300, 3, 5}, {0, 1}},
    {{2, 300, 3, 5}, {1, 2}},
    {{2, 3, 4, 1, 1100}, {0, 2, 4}},
    {{3, 8, 28, 28}, {0, 1, 2, 3}},
    {{3, 8, 28, 28}, {1, 2, 3}},
    {{1, 5, 1, 40, 30}, {1, 2, 3, 4}},
    {{16, 10, 9}, {1, 2}},
    {{3, 40, 70}, {0, 2}},
    {{60, 20, 9}, {0, 2}},
    {{400, 33}, {0}},
};

/// The dimensions in this order in memory, from the slowest.
Tensor laid_out(const Tensor& t, const DimVector& order) {
  DimVector strides(order.size());
  std::int64_t step = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    const auto d = static_cast<std::size_t>(order[i]);
    strides[d] = step;
    step *= t.sizes()[d];
  }
  Tensor view = detail::make_view(detail::empty_cpu({step}, t.scalar_type()), t.sizes(), strides, 0);
  set_values(view, values(t));
  return view;
}

/// As they are, reversed, channels last, and two halves changed over.
std::vector<DimVector> orders(std::int64_t dims) {
  DimVector as_is;
  for (std::int64_t d = 0; d < dims; ++d) as_is.push_back(d);
  DimVector reversed = as_is, channels_last = as_is, halves = as_is;
  std::reverse(reversed.begin(), reversed.end());
  if (dims > 2) std::rotate(channels_last.begin() + 1, channels_last.begin() + 2, channels_last.end());
  std::rotate(halves.begin(), halves.begin() + dims / 2, halves.end());
  return {as_is, reversed, channels_last, halves};
}

TEST(ReductionByRows, SameBitsInEveryLayout) {
  Rng rng(11);
  for (const ScalarType dtype : {kBFloat16, kFloat, kDouble, kComplexFloat}) {
    for (const Case& c : kCases) {
      const Tensor dense = random_tensor(rng, c.shape, dtype);
      std::vector<Tensor> layouts;
      for (const DimVector& order : orders(dense.dim())) layouts.push_back(laid_out(dense, order));
      layouts.push_back(scattered(rng, dense));
      for (const auto& [name, op] : kOverDims) {
        if (is_complex(dtype) && std::string_view(name) != "sum" && std::string_view(name) != "mean")
          continue;
        for (const bool keepdim : {false, true}) {
          const Tensor expected = op(dense, c.dims, keepdim);
          for (const Isa isa : available_isas()) {
            const IsaGuard tier(isa);
            for (const int threads : {1, 3}) {
              const ThreadCount guard(threads);
              for (const Tensor& t : layouts) {
                const Tensor result = op(t, c.dims, keepdim);
                ASSERT_EQ(result.sizes(), expected.sizes());
                ASSERT_TRUE(result.is_contiguous());
                ASSERT_EQ(bits(result), bits(expected))
                    << name << " of " << IntArrayRef(c.shape) << " over " << IntArrayRef(c.dims)
                    << " with strides " << t.strides() << " " << dtype << " " << lanewise::name(isa)
                    << ", threads: " << threads;
              }
            }
          }
        }
      }
    }
  }
}

/// Columns side by side whose rows lie in two dimensions, among them more than a leaf, fewer rows than lanes, and a gap behind each row.
TEST(ReductionByRows, SameBitsOfRowsOfTwoDimensions) {
  Rng rng(16);
  const DimVector of_rows[] = {{3, 5}, {9, 7}, {20, 33}, {30, 90}, {2, 1100}, {130, 300}};
  for (const ScalarType dtype : {kFloat, kDouble}) {
    for (const DimVector& rows : of_rows) {
      for (const std::int64_t columns : {4, 5, 8, 9, 16, 17, 24, 33, 70}) {
        if (rows[0] * rows[1] * columns > 400000) continue;
        const Tensor dense = random_tensor(rng, {2, columns, rows[0], rows[1]}, dtype);
        const Tensor turned = laid_out(dense, {0, 3, 2, 1});
        const Tensor wide = detail::empty_cpu({2, rows[1], rows[0], columns + 3}, dtype);
        const IntArrayRef steps = wide.strides();
        Tensor gaps = detail::make_view(wide, dense.sizes(), {steps[0], steps[3], steps[2], steps[1]}, 1);
        ops::copy_(gaps, dense);
        const Tensor expected = ops::sum(dense, {2, 3}, false), mean = ops::mean(dense, {2, 3}, false);
        for (const Isa isa : available_isas()) {
          const IsaGuard tier(isa);
          for (const int threads : {1, 3}) {
            const ThreadCount guard(threads);
            for (const Tensor& t : {turned, gaps}) {
              const auto expect_bits = [&](const Tensor& result, const Tensor& as) {
                ASSERT_EQ(bits(result), bits(as))
                    << dense.sizes() << " with strides " << t.strides() << " " << dtype << " "
                    << lanewise::name(isa) << ", threads: " << threads;
              };
              expect_bits(ops::sum(t, {2, 3}, false), expected);
              expect_bits(ops::mean(t, {2, 3}, false), mean);
            }
          }
        }
      }
    }
  }
}

/// Rows of the innermost reduced dimensions that hold at least 128 elements, each summed up alone, in the order of the tensor.
template <class T>
std::vector<T> row_sums(const Tensor& ordered, std::int64_t rows) {
  const std::int64_t length = ordered.numel() / rows;
  const Tensor flat = detail::make_view(ordered, {rows, length}, {length, 1}, 0);
  std::vector<T> sums;
  for (std::int64_t r = 0; r < rows; ++r) {
    const Tensor row = detail::make_view(flat, {length}, {1}, r * length);
    sums.push_back(*static_cast<const T*>(ops::sum(row).const_data_ptr()));
  }
  return sums;
}

template <class T>
void expect_halved(Rng& rng, const Case& c, std::int64_t rows) {
  const Tensor t = random_tensor(rng, c.shape, scalar_type_of<T>);
  std::vector<T> sums = row_sums<T>(t, rows);
  std::size_t count = sums.size();
  for (std::size_t half = std::bit_ceil(count) / 2; half > 0; half /= 2) {
    for (std::size_t r = 0; r + half < count; ++r) sums[r] += sums[r + half];
    count = std::min(count, half);
  }
  const Tensor all = ops::sum(t, c.dims, false);
  ASSERT_EQ(all.numel(), 1);
  EXPECT_EQ(*static_cast<const T*>(all.const_data_ptr()), sums[0])
      << IntArrayRef(c.shape) << " " << t.scalar_type();
}

TEST(ReductionByRows, RowsAreAddedInHalves) {
  Rng rng(12);
  const std::pair<Case, std::int64_t> cases[] = {{{{5, 700}, {0, 1}}, 5},
                                                 {{{37, 128}, {0, 1}}, 37},
                                                 {{{37, 127}, {0, 1}}, 1},
                                                 {{{3, 2, 300}, {0, 1, 2}}, 6},
                                                 {{{3, 2, 100}, {0, 1, 2}}, 3},
                                                 {{{4, 3, 100}, {0, 1, 2}}, 4},
                                                 {{{4, 3, 50}, {0, 1, 2}}, 4},
                                                 {{{6, 9, 20, 17}, {0, 1, 2, 3}}, 54},
                                                 {{{7, 1, 2, 2000}, {0, 1, 2, 3}}, 14},
                                                 {{{300, 1, 5}, {0, 1, 2}}, 1},
                                                 {{{90, 1300}, {0, 1}}, 90}};
  for (const auto& [c, rows] : cases) {
    expect_halved<float>(rng, c, rows);
    expect_halved<double>(rng, c, rows);
    expect_halved<std::complex<float>>(rng, c, rows);
  }
}

Tensor converted(const Tensor& t, ScalarType dtype) {
  Tensor to = detail::empty_cpu(t.sizes(), dtype);
  ops::copy_(to, t);
  return to;
}

TEST(ReductionByRows, HalvesAreRoundedOnce) {
  Rng rng(13);
  for (const ScalarType dtype : {kHalf, kBFloat16}) {
    for (const Case& c : kCases) {
      const Tensor t = random_tensor(rng, c.shape, dtype);
      const Tensor wide = ops::sum(converted(t, kFloat), c.dims, false);
      EXPECT_EQ(bits(ops::sum(t, c.dims, false)), bits(converted(wide, dtype)))
          << IntArrayRef(c.shape) << " " << dtype;
      EXPECT_EQ(bits(ops::sum(t, c.dims, false, kFloat)), bits(wide)) << IntArrayRef(c.shape) << " " << dtype;
    }
  }
}

/// Columns that lie side by side in another order than that of the results.
TEST(ReductionByRows, PositionsInAnyLayout) {
  Rng rng(14);
  for (const ScalarType dtype : {kByte, kBFloat16, kFloat, kLong}) {
    const Tensor dense = random_tensor(rng, {6, 40, 5, 17}, dtype);
    for (const DimVector& order : orders(4)) {
      const Tensor t = laid_out(dense, order);
      for (std::int64_t d = 0; d < 4; ++d) {
        for (const bool keepdim : {false, true}) {
          EXPECT_EQ(bits(ops::argmax(t, d, keepdim)), bits(ops::argmax(dense, d, keepdim)));
          const auto [values, places] = ops::min(t, d, keepdim);
          const auto [dense_values, dense_places] = ops::min(dense, d, keepdim);
          EXPECT_EQ(values.sizes(), dense_values.sizes());
          EXPECT_EQ(bits(values), bits(dense_values));
          EXPECT_EQ(bits(places), bits(dense_places));
        }
      }
    }
  }
}

/// Results along expanded dimensions are made once; a place for each row of each would be a hundred times the memory of the result.
TEST(ReductionByRows, ExpandedResultsAreRepeated) {
  Rng rng(15);
  for (const ScalarType dtype : {kFloat, kBFloat16, kComplexFloat, kLong}) {
    const Tensor t = random_tensor(rng, {7, 1, 300, 1}, dtype);
    const Tensor wide = detail::make_view(t, {7, 50, 300, 3}, {300, 0, 1, 0}, 0);
    const Tensor dense = ops::contiguous(wide);
    for (const DimVector& dims : {DimVector{0, 2}, DimVector{2}, DimVector{0, 1}, DimVector{0, 3}}) {
      for (const bool keepdim : {false, true}) {
        const Tensor result = ops::sum(wide, dims, keepdim), expected = ops::sum(dense, dims, keepdim);
        ASSERT_EQ(result.sizes(), expected.sizes());
        ASSERT_TRUE(result.is_contiguous());
        ASSERT_EQ(bits(result), bits(expected)) << IntArrayRef(dims) << " " << dtype;
      }
    }
    if (is_complex(dtype)) continue;
    const auto [values, places] = ops::max(wide, 2, false);
    const auto [dense_values, dense_places] = ops::max(dense, 2, false);
    EXPECT_EQ(bits(values), bits(dense_values));
    EXPECT_EQ(bits(places), bits(dense_places));
  }
}

TEST(ReductionByRows, NansumOfNothingButNanIsPositive) {
  for (const std::int64_t n : {1, 5, 300, 5000}) {
    std::vector<Wide> nan(static_cast<std::size_t>(2 * n), std::numeric_limits<double>::quiet_NaN());
    const Tensor sum = ops::nansum(make({2, n}, kFloat, nan), std::nullopt, false);
    EXPECT_EQ(bits(sum), std::string(sizeof(float), '\0')) << n;
  }
}

TEST(ReductionByRows, SizesWhoseProductDoesNotFitMakeNoResults) {
  const std::int64_t large = std::int64_t{1} << 40;
  for (const ScalarType dtype : {kFloat, kBFloat16, kByte, kComplexDouble}) {
    const Tensor t = detail::make_view(detail::empty_cpu({1}, dtype), {large, large, 0}, {0, 0, 0}, 0);
    EXPECT_EQ(ops::sum(t, {0, 1}, false).sizes(), IntArrayRef({0}));
    const Tensor many =
        detail::make_view(detail::empty_cpu({1}, dtype), {large, large, 0, 5}, {0, 0, 0, 1}, 0);
    EXPECT_EQ(ops::sum(many, {3}, false).sizes(), IntArrayRef({large, large, 0}));
    if (is_complex(dtype)) continue;
    EXPECT_EQ(ops::argmax(many, 3, true).sizes(), IntArrayRef({large, large, 0, 1}));
  }
}

}  // namespace
}  // namespace lanewise
