// Sorting, selection and searching at sizes where loops and methods change, against plain C++.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lanewise/lanewise.h>

namespace lanewise {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// Few values, so that many are equal; NaN and both zeros among floating ones.
Tensor with_repetitions(std::int64_t n, ScalarType dtype) {
  const Tensor numbers = randint(-50, 50, {n}).abs();
  Tensor x = numbers.to(dtype);
  if (!isFloatingType(dtype))
    return isIntegralType(dtype, true) && dtype != kByte && dtype != kBool ? x - 20 : x;
  x = (x - 20) / 4;
  x.masked_fill_(numbers == 7, std::numeric_limits<double>::quiet_NaN());
  x.masked_fill_(numbers == 20, -0.0);
  x.masked_fill_(numbers == 21, 0.0);
  return x;
}

bool comes_before(double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; }

bool same_bytes(const Tensor& a, const Tensor& b) {
  return a.nbytes() == b.nbytes() &&
         (a.nbytes() == 0 || std::memcmp(a.data_ptr(), b.data_ptr(), a.nbytes()) == 0);
}

class Sort : public ::testing::TestWithParam<ScalarType> {
 protected:
  void SetUp() override { manual_seed(7); }
};

/// The stable order of x, by the standard library.
std::vector<std::int64_t> stable_order(const Tensor& x, bool descending) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(x.numel()));
  std::iota(order.begin(), order.end(), 0);
  const auto sort_by = [&](const auto* v, auto before) {
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
      return descending ? before(v[b], v[a]) : before(v[a], v[b]);
    });
  };
  if (x.scalar_type() == kLong) {
    sort_by(x.const_data_ptr<std::int64_t>(), std::less<std::int64_t>());
  } else {
    const Tensor wide = x.to(kDouble);
    sort_by(wide.const_data_ptr<double>(), comes_before);
  }
  return order;
}

void expect_sorts(const Tensor& x) {
  for (const bool descending : {false, true}) {
    const std::vector<std::int64_t> order = stable_order(x, descending);
    const auto [values, indices] = x.sort(-1, descending);
    EXPECT_TRUE(std::equal(order.begin(), order.end(), indices.const_data_ptr<std::int64_t>())) << x.numel();
    // The very elements, also the sign of zero.
    EXPECT_TRUE(same_bytes(values, x.index_select(0, indices))) << x.numel();
    EXPECT_TRUE(equal(x.argsort(-1, descending), indices));
  }
}

TEST_P(Sort, IsStableAtEverySize) {
  for (const std::int64_t n : {0, 1, 2, 17, 2048, 2049, 5000, 200000})
    expect_sorts(with_repetitions(n, GetParam()));
}

// Whose ranks are counted, and the first that are not.
TEST_P(Sort, ShortLines) {
  for (std::int64_t n = 1; n <= 140; ++n) {
    const Tensor x = with_repetitions(n, GetParam());
    expect_sorts(x);
    const std::vector<std::int64_t> order = stable_order(x, false);
    for (std::int64_t k = 1; k <= n; k += 1 + n / 8) {
      const auto [value, index] = x.kthvalue(k);
      EXPECT_EQ(index.item<std::int64_t>(), order[static_cast<std::size_t>(k - 1)]) << n << ' ' << k;
      EXPECT_TRUE(same_bytes(value, x[index.item<std::int64_t>()]));
      const auto [values, indices] = x.topk(k, -1, false);
      EXPECT_TRUE(std::equal(order.begin(), order.begin() + k, indices.const_data_ptr<std::int64_t>()));
      EXPECT_TRUE(same_bytes(values, x.index_select(0, indices)));
    }
  }
}

TEST(SortWide, ShortLinesOfTheWholeRange) {
  manual_seed(13);
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  const Tensor reals =
      tensor({0.0, -0.0, inf, -inf, nan, -nan, 1e-310, -1e-310, 5e-324, 1e308, -1e308, 1.0}, kDouble);
  const Tensor floats = tensor({0.0, -0.0, inf, -inf, nan, -nan, 1e-40, -1e-40, 3e38, -3e38, 1.0, -1.0});
  const std::int64_t least = std::numeric_limits<std::int64_t>::min(), most = -(least + 1);
  const Tensor longs = tensor({least, most, least + 1, most - 1, std::int64_t{0}, std::int64_t{-1}});
  const std::int64_t least_int = std::numeric_limits<std::int32_t>::min(), most_int = -(least_int + 1);
  const Tensor ints = tensor({least_int, most_int, least_int + 1, most_int - 1, std::int64_t{0}}).to(kInt);
  for (std::int64_t n = 1; n <= 140; n += 3) {
    for (const Tensor& of : {reals, floats, longs, ints})
      expect_sorts(of.index_select(0, randint(0, of.numel(), {n})));
  }
}

// Of 64-bit numbers 32 bits are sorted by at first: those that differ may lie anywhere, or be more.
TEST(SortWide, AllBitsCount) {
  manual_seed(11);
  const auto check = [](const Tensor& x) {
    const auto [values, indices] = x.sort();
    EXPECT_EQ((values.slice(0, 1) < values.slice(0, 0, -1)).sum().item<int>(), 0);
    EXPECT_TRUE(equal(values, x.index_select(0, indices)));
    EXPECT_TRUE(equal(indices.bincount(), ones({x.numel()}, kLong)));
    // Equal ones in their order.
    const Tensor same = values.slice(0, 1) == values.slice(0, 0, -1);
    EXPECT_EQ(logical_and(same, indices.slice(0, 1) < indices.slice(0, 0, -1)).sum().item<int>(), 0);
  };
  for (const std::int64_t n : {2, 50, 3000, 100000}) {
    check(randn({n}, kDouble));
    check(rand({n}, kDouble) * 1e-300);
    check(1 + rand({n}, kDouble) * 1e-9);  // differ in low bits only
    check(cat({randn({n}, kDouble), randn({n}, kDouble)}).index_select(0, randint(0, 2 * n, {3 * n})));
    check(randint(-(std::int64_t{1} << 62), std::int64_t{1} << 62, {n}));
    check(randint(0, 1000, {n}) * (std::int64_t{1} << 50));
    check(randint(0, 10, {n}) * (std::int64_t{1} << 40) + randint(0, 10, {n}));
    check(full({n}, 7, kLong));
    // Groups of all sizes that look alike in the upper 32 bits, equal ones among them.
    check(1 + randint(0, 3 * n, {n}).to(kDouble) * 1e-14);
    check(-randint(1, 5, {n}).to(kDouble) - randint(0, 40, {n}).to(kDouble) * 1e-15);
  }
}

INSTANTIATE_TEST_SUITE_P(Dtype, Sort,
                         ::testing::Values(kBool, kByte, kChar, kShort, kInt, kLong, kHalf, kBFloat16, kFloat,
                                           kDouble),
                         [](const auto& dtype) { return std::string(toString(dtype.param)); });

TEST(SortLines, AlongEachDimensionAndLayout) {
  const Tensor x = rand({5, 6, 7});
  for (std::int64_t dim = 0; dim < 3; ++dim) {
    const auto [values, indices] = x.sort(dim);
    EXPECT_TRUE(equal(values, x.gather(dim, indices)));
    EXPECT_EQ((values.slice(dim, 1) < values.slice(dim, 0, -1)).sum().item<int>(), 0);
    const auto [moved, moved_indices] = x.transpose(0, 2).sort(2 - dim);
    EXPECT_TRUE(equal(moved.transpose(0, 2), values));
    EXPECT_EQ(moved.strides(), x.transpose(0, 2).strides());
  }
}

TEST(SortLines, SameForAnyNumberOfThreads) {
  const Tensor x = randn({300000});
  const int before = get_num_threads();
  set_num_threads(1);
  const Tensor alone = x.argsort();
  set_num_threads(7);
  EXPECT_TRUE(equal(x.argsort(), alone));
  EXPECT_TRUE(equal(std::get<1>(x.topk(100)), std::get<1>(x.sort(0, true)).slice(0, 0, 100)));
  set_num_threads(before);
}

TEST(SortOut, WritesBothOrNeither) {
  const Tensor x = tensor({3.0, 1.0, 2.0});
  Tensor values = empty({0}), indices = empty({0}, kLong), wrong = full({3}, 7, kFloat),
         wrong_values = full({3}, 7);
  sort_out(values, indices, x);
  EXPECT_TRUE(equal(values, tensor({1.0, 2.0, 3.0})));
  EXPECT_TRUE(equal(indices, tensor({1, 2, 0})));
  EXPECT_THROW(sort_out(wrong_values, values, x), DtypeError);
  Tensor flags = zeros({3}, kBool);  // cannot hold positions
  EXPECT_THROW(topk_out(wrong, flags, x, 2), DtypeError);
  EXPECT_TRUE(equal(wrong, full({3}, 7)));
  const auto found = call("topk", {x, 2}, {{"values", values}, {"indices", indices}});
  EXPECT_TRUE(found[0].is_same(values));
  EXPECT_TRUE(equal(values, tensor({3.0, 2.0})));
}

TEST(TopK, TakesTheFirstOfTheStableOrder) {
  for (const std::int64_t n : {10, 100, 128, 1000, 20000}) {
    const Tensor some = with_repetitions(n, kFloat);
    for (const Tensor& x :
         {some, some.relu(), some.abs().neg(), some.to(kDouble), some.to(kBFloat16), randn({n}).to(kHalf),
          randint(-1000, 1000, {n}).to(kShort), arange(n).to(kFloat), arange(n).neg(),
          arange(n).remainder(37).to(kDouble), randint(-(std::int64_t{1} << 62), std::int64_t{1} << 62, {n})})
      for (const std::int64_t k : {std::int64_t{1}, std::int64_t{7}, n / 30 + 1, n / 9, n / 3, n}) {
        for (const bool largest : {false, true}) {
          const auto [values, indices] = x.topk(k, 0, largest);
          const Tensor wanted = x.argsort(0, largest).slice(0, 0, k);
          EXPECT_TRUE(equal(indices, wanted)) << n << " " << k;
          EXPECT_TRUE(same_bytes(values, x.index_select(0, wanted)));
        }
        const auto [value, index] = x.kthvalue(k);
        EXPECT_EQ(index.item<std::int64_t>(), x.argsort()[k - 1].item<std::int64_t>());
      }
  }
}

TEST(TopK, OfLinesWithNanAndBothZeros) {
  manual_seed(17);
  const Tensor pool = tensor({0.0, -0.0, std::numeric_limits<double>::quiet_NaN(), 1.0, -1.0});
  for (const std::int64_t n : {1, 2, 5, 33, 300}) {
    for (const std::int64_t of : {2, 4, 5}) {
      const Tensor x = pool.slice(0, 5 - of).index_select(0, randint(0, of, {6 * n * 3})).view({6, n, 3});
      for (const Tensor& each : {x, x.to(kBFloat16), x.transpose(0, 2).contiguous().transpose(0, 2)}) {
        for (const bool largest : {false, true}) {
          const auto [values, indices] = each.topk(1, 1, largest);
          const Tensor wanted = each.argsort(1, largest).slice(1, 0, 1).contiguous();
          EXPECT_TRUE(equal(indices, wanted)) << n << " " << of << " " << largest;
          EXPECT_TRUE(same_bytes(values, each.gather(1, wanted)));
          EXPECT_TRUE(values.is_contiguous() && indices.is_contiguous());
        }
      }
    }
  }
}

// A limit of zero stays exact where floats that are compared count as zero.
TEST(TopK, OfANumberIsTheNumber) {
  for (const std::int64_t k : {0, 1}) {  // as in PyTorch: a 0-dim result has one element
    const auto [values, indices] = scalar_tensor(3.0).topk(k);
    EXPECT_TRUE(equal(values, scalar_tensor(3.0))) << k;
    EXPECT_TRUE(equal(indices, scalar_tensor(0, kLong))) << k;
  }
  EXPECT_THROW(scalar_tensor(3.0).topk(2), ValueError);
}

TEST(TopK, TellsDenormalsFromZeroInEveryMode) {
  Tensor x = zeros({1000});
  x.slice(0, 500, 600).fill_(1e-40);
  x.slice(0, 700, 710).fill_(-1e-40);
  set_flush_denormal(true);
  EXPECT_EQ(std::get<1>(x.topk(1)).item<std::int64_t>(), 500);
  EXPECT_EQ(std::get<1>(x.topk(1, 0, false)).item<std::int64_t>(), 700);
  const auto [values, indices] = x.topk(20);
  const auto [least, least_indices] = x.topk(20, 0, false);
  set_flush_denormal(false);
  EXPECT_TRUE(equal(indices, arange(500, 520)));
  EXPECT_TRUE(equal(least_indices, cat({arange(700, 710), arange(0, 10)})));
}

TEST(Unique, CountsAndPlaces) {
  const Tensor x = randint(0, 500, {40, 50});
  const auto [values, inverse, counts] = _unique2(x, true, true, true);
  EXPECT_TRUE(equal(values.index_select(0, inverse.flatten()).view(x.sizes()), x));
  EXPECT_TRUE(equal(counts, x.flatten().bincount().masked_select(x.flatten().bincount() > 0)));
  EXPECT_EQ((values.slice(0, 1) <= values.slice(0, 0, -1)).sum().item<int>(), 0);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(std::get<0>(_unique2(tensor({nan, 1.0, nan}))).numel(), 3);  // 1.13 counts them as one sometimes
}

// Few different elements are numbered, many are sorted: around the limit and far from it both give the same.
TEST(Unique, FewAndMany) {
  manual_seed(3);
  for (const ScalarType dtype : {kBool, kByte, kShort, kLong, kHalf, kBFloat16, kFloat, kDouble}) {
    for (const std::int64_t different : {1, 2, 100, 16384, 16385, 40000}) {
      const Tensor x = cat({arange(different), randint(0, different, {30000})})
                           .index_select(0, randperm(different + 30000))
                           .to(dtype);
      const auto [values, inverse, counts] = _unique2(x, true, true, true);
      const auto [sorted, order] = x.sort();
      const auto [wanted, runs, lengths] = unique_consecutive(sorted, true, true);
      EXPECT_TRUE(equal(std::get<0>(unique_consecutive(sorted)), wanted));
      EXPECT_TRUE(equal(values, wanted)) << toString(dtype) << different;
      EXPECT_TRUE(equal(counts, lengths));
      EXPECT_TRUE(equal(inverse.index_select(0, order), runs));
    }
  }
  // Of both zeros the one that comes first stands for them.
  const Tensor zeros = std::get<0>(_unique2(tensor({2.0, -0.0, 0.0, 2.0})));
  EXPECT_TRUE(equal(zeros, tensor({0.0, 2.0})));
  EXPECT_TRUE(std::signbit(zeros[0].item<double>()));
  EXPECT_EQ(std::get<0>(_unique2(empty({0}))).numel(), 0);
}

TEST(Nonzero, SplitsPositions) {
  manual_seed(5);
  for (const std::vector<std::int64_t>& sizes : std::vector<std::vector<std::int64_t>>{
           {10000}, {1, 9000}, {9000, 1}, {4096, 3}, {3, 4099}, {7, 1, 11, 13, 5}, {0, 4}, {2, 0}}) {
    const Tensor mask = rand(sizes) > 0.7;
    const Tensor found = mask.nonzero();
    Tensor flat = zeros({found.size(0)}, kLong);
    for (std::size_t d = 0; d < sizes.size(); ++d)
      flat = flat * sizes[d] + found.select(1, static_cast<std::int64_t>(d));
    EXPECT_TRUE(equal(flat, arange(mask.numel()).masked_select(mask.flatten())));
  }
}

TEST(Nonzero, OfEveryLengthAndDensity) {
  manual_seed(17);
  for (const std::int64_t n : {1, 7, 8, 31, 32, 63, 64, 65, 200, 4095, 4096, 4097, 9000}) {
    for (const double density : {0.0, 0.02, 0.5, 0.97, 1.0}) {
      Tensor mask = rand({n}) < density;
      auto* bytes = static_cast<std::uint8_t*>(mask.data_ptr());
      std::vector<std::int64_t> expected;
      for (std::int64_t i = 0; i < n; ++i) {
        if (bytes[i] == 0) continue;
        expected.push_back(i);
        if (i % 3 == 0) bytes[i] = 2;  // whatever others write for true
        if (i % 3 == 1) bytes[i] = 255;
      }
      const Tensor positions = mask.nonzero().flatten();
      ASSERT_EQ(positions.numel(), static_cast<std::int64_t>(expected.size())) << n << ", " << density;
      const auto* found = positions.data_ptr<std::int64_t>();
      ASSERT_TRUE(std::equal(expected.begin(), expected.end(), found)) << n << ", " << density;
      ASSERT_TRUE(equal(arange(n).masked_select(mask), positions));
      ASSERT_TRUE(
          equal(zeros({n}, kLong).masked_scatter(mask, positions + 1).masked_select(mask), positions + 1));
    }
  }
}

TEST(Searching, AgreesWithBounds) {
  const Tensor line = std::get<0>(with_repetitions(500, kFloat).sort());
  const Tensor values = with_repetitions(100, kFloat);
  for (const bool right : {false, true}) {
    const Tensor places = searchsorted(line, values, false, right);
    for (std::int64_t i = 0; i < values.numel(); ++i) {
      const auto* begin = line.const_data_ptr<float>();
      const float v = values[i].item<float>();
      const auto* wanted = right ? std::upper_bound(begin, begin + 500, v, comes_before)
                                 : std::lower_bound(begin, begin + 500, v, comes_before);
      ASSERT_EQ(places[i].item<std::int64_t>(), wanted - begin) << v;
    }
  }
  EXPECT_FALSE(isin(tensor({std::nan("")}), tensor({std::nan("")})).item<bool>());
}

TEST(InPlaceViews, ChangeTheTensorAndItsGraph) {
  const Tensor x = rand({1, 2, 3}, requires_grad());
  Tensor y = x * 2;
  y.squeeze_(0).t_().unsqueeze_(0).transpose_(1, 2);
  EXPECT_EQ(y.sizes(), IntArrayRef({1, 2, 3}));
  EXPECT_EQ(y.grad_fn()->name(), "TransposeBackward1");
  (y * arange(6).view({1, 2, 3})).sum().backward();
  EXPECT_TRUE(equal(x.grad(), arange(6).view({1, 2, 3}) * 2));
  EXPECT_THROW(rand({2, 2}, requires_grad()).t_(), AutogradError);
}

TEST(InPlaceViews, OtherMemory) {
  Tensor t = arange(6);
  t.resize_({2, 2});
  EXPECT_TRUE(equal(t, tensor({{0, 1}, {2, 3}})));
  EXPECT_EQ(t.resize_({10}).numel(), 10);
  EXPECT_TRUE(equal(t.slice(0, 0, 6), arange(6)));
  const Tensor source = arange(8).view({2, 4}).t();
  t.set_(source);
  EXPECT_TRUE(t.is_alias_of(source));
  EXPECT_EQ(t.strides(), source.strides());
  t.set_();
  EXPECT_EQ(t.numel(), 0);
  EXPECT_EQ(t.resize_as_(zeros({3, 2})).sizes(), IntArrayRef({3, 2}));
  EXPECT_THROW(t.set_(zeros({2})), DtypeError);
  Tensor grad = rand({2}, requires_grad());
  EXPECT_THROW((grad * 1).resize_({3}), AutogradError);
}

TEST(NewFactories, KeepTheDtype) {
  const Tensor half = zeros({1}, kHalf);
  EXPECT_EQ(half.new_zeros({2, 3}).scalar_type(), kHalf);
  EXPECT_EQ(half.new_ones({2}, kLong).scalar_type(), kLong);
  EXPECT_TRUE(equal(half.new_full({2}, 3), full({2}, 3, kHalf)));
  EXPECT_EQ(half.new_empty({2}, half.options()).sizes(), IntArrayRef({2}));
  EXPECT_TRUE(half.new_zeros({2}, requires_grad()).requires_grad());
  EXPECT_EQ(randint_like(half, 5).scalar_type(), kHalf);
}

}  // namespace
}  // namespace lanewise
