// Tensors of three to six dimensions that lie in memory in another order: the same bytes as of contiguous copies, made element by
// element here.
#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <lanewise/lanewise.h>

namespace lanewise {
namespace {

using Dims = std::vector<std::int64_t>;

/// Whole numbers, and gaps or a dimension that runs backwards in every third.
Tensor numbers(const Dims& shape, const Dims& order, ScalarType dtype, unsigned variant) {
  const std::size_t rank = shape.size();
  Dims memory, back(rank);
  for (std::size_t i = 0; i < rank; ++i) {
    memory.push_back(shape[static_cast<std::size_t>(order[i])]);
    back[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
  }
  const bool gaps = variant % 3 == 1;
  if (gaps) memory.back() += 2;
  const std::int64_t count =
      std::accumulate(memory.begin(), memory.end(), std::int64_t{1}, std::multiplies<>());
  Tensor all =
      remainder(arange(count, TensorOptions().dtype(kLong)) * 7919 + variant, 113).to(dtype).view(memory);
  if (gaps) all = all.narrow(-1, 1, memory.back() - 2);
  if (variant % 3 == 2) all = all.flip({0});
  return all.permute(back);
}

/// By its strides alone.
Tensor copied_one_by_one(const Tensor& t) {
  Tensor copy = empty(t.sizes(), t.options());
  const std::size_t size = t.itemsize();
  auto* to = static_cast<char*>(copy.data_ptr());
  for (std::int64_t e = 0; e < t.numel(); ++e, to += size) {
    std::int64_t left = e, at = 0;
    for (std::int64_t d = t.dim(); d-- > 0; left /= t.size(d)) at += left % t.size(d) * t.stride(d);
    std::memcpy(to, static_cast<const char*>(t.const_data_ptr()) + at * static_cast<std::int64_t>(size),
                size);
  }
  return copy;
}

void expect_same(const Tensor& a, const Tensor& b, const char* what) {
  ASSERT_EQ(a.scalar_type(), b.scalar_type()) << what;
  ASSERT_TRUE(a.sizes().equals(b.sizes())) << what;
  const Tensor x = copied_one_by_one(a), y = copied_one_by_one(b);
  EXPECT_EQ(std::memcmp(x.data_ptr(), y.data_ptr(), x.nbytes()), 0)
      << what << ' ' << a.dtype() << ' ' << a.sizes() << ' ' << a.strides() << ' ' << b.strides();
}

/// Few and many elements along the dimensions that come first, in between and last; what is left over of tiles.
const Dims kShapes[] = {{5, 33, 8, 40}, {2, 3, 70, 37},     {16, 9, 12, 20}, {300, 3, 3, 7}, {4, 20, 7, 65},
                        {90, 3, 60},    {3, 5, 4, 7, 2, 9}, {9, 40, 35},     {2, 2, 2, 600}};

class Permuted : public ::testing::TestWithParam<ScalarType> {
 protected:
  template <class F>
  void each(F&& f) {
    std::mt19937 rng(5);
    unsigned variant = 0;
    for (const Dims& shape : kShapes) {
      Dims order(shape.size());
      std::iota(order.begin(), order.end(), 0);
      for (int i = 0; i < 3; ++i, ++variant) {
        i == 0 ? std::reverse(order.begin(), order.end()) : std::shuffle(order.begin(), order.end(), rng);
        f(shape, order, variant);
      }
    }
  }
};

TEST_P(Permuted, IsCopied) {
  each([&](const Dims& shape, const Dims& order, unsigned variant) {
    const Tensor x = numbers(shape, order, GetParam(), variant), expected = copied_one_by_one(x);
    expect_same(x.contiguous(), expected, "contiguous");
    const Tensor y = numbers(shape, order, kFloat, variant + 1);
    expect_same(y.to(GetParam(), false, true).contiguous(), copied_one_by_one(y).to(GetParam()), "to");
    Tensor out = empty(expected.sizes(), expected.options()).transpose(0, -1).contiguous().transpose(0, -1);
    out.copy_(x);
    expect_same(out, expected, "copy_");
    Tensor gaps = numbers(shape, order, GetParam(), 1);
    gaps.copy_(expected);
    expect_same(gaps, expected, "copy_ into gaps");
  });
}

// Results that pass the caches, of a source whose nearest dimension is short.
TEST(PermutedImages, AreCopiedPastCaches) {
  for (const std::int64_t columns : {210, 64}) {
    const Tensor x = remainder(arange(40 * columns * 450 * 3, TensorOptions().dtype(kLong)), 251)
                         .to(kFloat)
                         .view({40, columns, 450, 3});
    expect_same(x.permute({0, 3, 2, 1}).contiguous(), copied_one_by_one(x.permute({0, 3, 2, 1})),
                "contiguous");
  }
  const Tensor x = remainder(arange(2000 * 16 * 12 * 7, TensorOptions().dtype(kLong)), 251)
                       .view({2000, 7, 12, 16})
                       .permute({0, 3, 2, 1});
  expect_same(x.contiguous(), copied_one_by_one(x), "of short dimensions");
}

// All inner dimensions short, and nothing written beside where they belong.
TEST_P(Permuted, ShortDimensionsAreCopied) {
  const Dims shapes[] = {{6, 7, 8, 9, 10}, {2, 6, 5, 7, 6, 8}, {30, 16, 12, 7}, {6, 20, 5, 15},
                         {20, 3, 16, 16},  {7, 2, 40, 9},      {30, 6, 4, 8},   {9, 31, 3, 6},
                         {3, 17, 13, 8},   {2, 50, 40, 6}};
  unsigned variant = 0;
  for (const Dims& shape : shapes) {
    const auto rank = static_cast<std::int64_t>(shape.size());
    for (int way = 0; way < 3; ++way, ++variant) {
      Dims order(shape.size());
      std::iota(order.begin(), order.end(), 0);
      if (way == 0) std::swap(order[1], order.back());
      if (way == 1) std::reverse(order.begin() + 1, order.end());
      if (way == 2) std::rotate(order.begin() + 1, order.begin() + 2, order.end());
      const Tensor x = numbers(shape, order, GetParam(), variant), a = copied_one_by_one(x);
      expect_same(x.contiguous(), a, "contiguous");
      expect_same(stack({x, x}, 1), stack({a, a}, 1), "stack");
      expect_same(x.sum(), a.sum(), "sum");
      Dims wide = shape;
      wide[0] += 2;
      Tensor all = full(wide, 77, x.options()), expected = full(wide, 77, x.options());
      all.narrow(0, 1, shape[0]).copy_(x);
      std::memcpy(expected.narrow(0, 1, shape[0]).data_ptr(), a.data_ptr(), a.nbytes());
      expect_same(all, expected, "copy_ into the middle");
      if (way > 0) continue;
      for (std::int64_t dim = 1; dim < rank; ++dim) {
        expect_same(x.roll(1, dim), a.roll(1, dim), "roll");
        expect_same(cat({x, x.narrow(dim, 0, 1)}, dim), cat({a, a.narrow(dim, 0, 1)}, dim), "cat");
      }
    }
  }
}

// Some of the channels of images whose channels lie side by side, their windows, and images side by side.
TEST_P(Permuted, ChannelsAndWindowsAreCopied) {
  for (const std::int64_t channels : {2, 3, 4, 5, 8, 16, 33, 64}) {
    for (const Dims& order : {Dims{0, 2, 3, 1}, Dims{0, 3, 2, 1}}) {
      const Tensor x = numbers({2, channels, 36, 50}, order, GetParam(), 0), a = copied_one_by_one(x);
      for (std::int64_t used = 1; used <= channels; used = used < 4 ? used + 1 : 2 * used) {
        const Tensor some = x.narrow(1, (channels - used) / 2, used);
        expect_same(some.contiguous(), copied_one_by_one(some), "some channels");
      }
      for (std::int64_t dim = 0; dim < 4; ++dim) {
        expect_same(cat({x, x}, dim), cat({a, a}, dim), "cat");
        expect_same(x.roll(1, dim), a.roll(1, dim), "roll");
        if (dim >= 2)
          expect_same(x.unfold(dim, 3, 2).contiguous(), copied_one_by_one(a.unfold(dim, 3, 2)), "windows");
      }
    }
  }
}

TEST_P(Permuted, MeetsAnotherOrder) {
  each([&](const Dims& shape, const Dims& order, unsigned variant) {
    Dims other(order.rbegin(), order.rend());
    std::rotate(other.begin(), other.begin() + 1, other.end());
    const Tensor x = numbers(shape, order, GetParam(), variant),
                 y = numbers(shape, other, variant % 2 == 0 ? GetParam() : kInt, variant + 1);
    const Tensor a = copied_one_by_one(x), b = copied_one_by_one(y);
    expect_same(x + y, a + b, "add");
    expect_same(x == y, a == b, "eq");
    expect_same(where(y != 0, x, y), where(b != 0, a, b), "where");
    expect_same(x * y.select(0, 1), a * b.select(0, 1), "mul of a part");
  });
}

TEST_P(Permuted, IsReduced) {
  each([&](const Dims& shape, const Dims& order, unsigned variant) {
    const Tensor x = numbers(shape, order, GetParam(), variant), a = copied_one_by_one(x);
    const auto rank = static_cast<std::int64_t>(shape.size());
    Dims dims;
    for (std::int64_t d = 0; d < rank; ++d) {
      if ((variant >> (d % 4) & 1) != 0) dims.push_back(d);
    }
    expect_same(x.sum(dims), a.sum(dims), "sum");
    expect_same(x.sum(), a.sum(), "sum of all");
    expect_same(x.all(variant % rank), a.all(variant % rank), "all");
    if (isComplexType(GetParam())) return;
    expect_same(x.amax(dims), a.amax(dims), "amax");
    const auto [values, indices] = x.max(variant % rank);
    const auto [expected, at] = a.max(variant % rank);
    expect_same(values, expected, "max");
    expect_same(indices, at, "its indices");
    if (isFloatingType(GetParam())) expect_same(x.var(dims, true, false), a.var(dims, true, false), "var");
  });
}

INSTANTIATE_TEST_SUITE_P(Of, Permuted,
                         ::testing::Values(kByte, kShort, kFloat, kDouble, kBFloat16, kComplexDouble),
                         [](const auto& dtype) { return toString(dtype.param); });

}  // namespace
}  // namespace lanewise
