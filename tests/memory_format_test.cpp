// Channels last as a format that is asked for: strides, what tells it, and what keeps it.
#include <sstream>
#include <vector>

#include <gtest/gtest.h>

#include <lanewise/lanewise.h>

namespace lanewise {
namespace {

constexpr MemoryFormat kLast = MemoryFormat::ChannelsLast, kLast3d = MemoryFormat::ChannelsLast3d,
                       kDense = MemoryFormat::Contiguous, kKept = MemoryFormat::Preserve;
using Dims = std::vector<std::int64_t>;

void expect_strides(const Tensor& t, const Dims& strides) { EXPECT_EQ(t.strides().vec(), strides); }

TEST(MemoryFormat, HasStridesOfPyTorch) {
  expect_strides(empty({2, 3, 4, 5}, {}, kLast), {60, 1, 15, 3});
  expect_strides(empty({2, 3, 4, 5, 6}, {}, kLast3d), {360, 1, 90, 18, 3});
  expect_strides(empty({2, 3, 4, 5}, TensorOptions(kInt).memory_format(kLast)), {60, 1, 15, 3});
  expect_strides(empty({2, 1, 4, 1}, {}, kLast), {4, 1, 1, 1});
  expect_strides(empty({0, 3, 4, 5}, {}, kLast), {60, 1, 15, 3});
  EXPECT_THROW(empty({2, 3, 4}, {}, kLast), ShapeError);
  EXPECT_THROW(empty({2, 3, 4, 5}, {}, kLast3d), ShapeError);
  EXPECT_THROW(empty({2, 3, 4, 5}, {}, kKept), ValueError);
  EXPECT_THROW(empty({2, 3, 4, 5}, TensorOptions().memory_format(kLast), kLast), ValueError);
}

TEST(MemoryFormat, IsToldAndAskedFor) {
  const Tensor x = arange(120).view({2, 3, 4, 5}), last = x.contiguous(kLast);
  EXPECT_EQ(x.suggest_memory_format(), kDense);
  EXPECT_EQ(last.suggest_memory_format(), kLast);
  EXPECT_TRUE(last.is_contiguous(kLast));
  EXPECT_FALSE(last.is_contiguous());
  EXPECT_FALSE(last.is_contiguous(kLast3d));
  EXPECT_FALSE(x.is_contiguous(kLast));
  EXPECT_TRUE(equal(last, x));
  EXPECT_TRUE(last.contiguous(kLast).is_same(last));
  EXPECT_TRUE(last.contiguous().is_contiguous());
  EXPECT_TRUE(x.contiguous(kKept).is_same(x));
  EXPECT_THROW(last.contiguous(kKept), ValueError);
  EXPECT_THROW(x.view({6, 20}).contiguous(kLast), ShapeError);

  const Tensor part = last.slice(2, 0, 4, 2);
  EXPECT_EQ(part.suggest_memory_format(), kLast) << "with gaps";
  EXPECT_EQ(part.suggest_memory_format(true), kDense);
  EXPECT_EQ(last.suggest_memory_format(true), kLast);
  EXPECT_FALSE(part.is_contiguous(kLast));
  // One channel, or one place: either layout.
  const Tensor one = ones({4, 1, 3, 3});
  EXPECT_TRUE(one.is_contiguous(kLast));
  EXPECT_TRUE(one.is_contiguous());
  EXPECT_EQ(ones({4, 1, 1, 1}).suggest_memory_format(), kDense);
  EXPECT_EQ(Tensor().suggest_memory_format(), kDense);

  const Tensor y = arange(720).view({2, 3, 4, 5, 6}), last3d = y.contiguous(kLast3d);
  EXPECT_EQ(last3d.suggest_memory_format(), kLast3d);
  EXPECT_TRUE(equal(last3d, y));
}

TEST(MemoryFormat, IsThatOfCopies) {
  const Tensor x = arange(120, kFloat).view({2, 3, 4, 5}), last = x.contiguous(kLast);
  for (const Tensor& t : {x, last, x.permute({1, 0, 3, 2}).contiguous().permute({1, 0, 3, 2})}) {
    EXPECT_TRUE(t.clone(kLast).is_contiguous(kLast));
    EXPECT_TRUE(equal(t.clone(kLast), x));
    EXPECT_TRUE(t.clone(kDense).is_contiguous());
    EXPECT_TRUE(t.clone(kKept).strides().equals(t.strides()));
    EXPECT_TRUE(t.to(kDouble, false, false, kLast).is_contiguous(kLast));
    EXPECT_TRUE(t.to(kFloat, false, false, kLast).is_contiguous(kLast));
    EXPECT_TRUE(t.to(TensorOptions(kDouble).memory_format(kLast)).is_contiguous(kLast));
    EXPECT_TRUE(empty_like(t, {}, kLast).is_contiguous(kLast));
    EXPECT_TRUE(zeros_like(t, TensorOptions().memory_format(kLast)).is_contiguous(kLast));
    EXPECT_TRUE(full_like(t, 2, {}, kDense).is_contiguous());
    EXPECT_TRUE(ones_like(t).strides().equals(t.strides()));
    manual_seed(3);
    const Tensor drawn = randn_like(t, {}, kDense);
    manual_seed(3);
    const Tensor same = randn_like(t, {}, kLast);
    EXPECT_TRUE(same.is_contiguous(kLast));
    EXPECT_TRUE(equal(drawn, same)) << "numbers are drawn in logical order";
  }
  EXPECT_TRUE(last.to(kFloat, false, false, kLast).is_same(last));
  EXPECT_TRUE(last.to(kFloat).is_same(last));
  EXPECT_FALSE(x.to(kFloat, false, true).is_same(x));
}

TEST(MemoryFormat, IsThatOfResizedTensors) {
  Tensor t = arange(120).view({2, 3, 4, 5});
  t.resize_({2, 3, 4, 5}, kLast);
  EXPECT_TRUE(t.is_contiguous(kLast));
  EXPECT_EQ(t[0][1][0][0].item<std::int64_t>(), 1) << "the memory is what it was";
  t.resize_({2, 3, 4, 5});
  EXPECT_TRUE(t.is_contiguous(kLast)) << "the same sizes";
  t.resize_({5, 3, 6, 7}, kLast);
  EXPECT_TRUE(t.is_contiguous(kLast));
  EXPECT_THROW(t.resize_({5, 3}, kLast), ShapeError);
  EXPECT_THROW(t.resize_({5, 3, 6, 7}, kKept), ValueError);
  EXPECT_EQ(t.sizes().vec(), (Dims{5, 3, 6, 7})) << "changed before the error";
  Tensor like = empty({0});
  like.resize_as_(t, kKept);
  EXPECT_TRUE(like.is_contiguous(kLast));
  like.resize_as_(t, kDense);
  EXPECT_TRUE(like.is_contiguous());
}

TEST(MemoryFormat, HasGradients) {
  const Tensor x = arange(120, kFloat).view({2, 3, 4, 5}).requires_grad_();
  const Tensor y = x.contiguous(kLast) * 2 + x.clone(kLast) + x.to(kDouble, false, false, kLast);
  EXPECT_TRUE(y.is_contiguous(kLast));
  y.sum().backward();
  EXPECT_TRUE(equal(x.grad(), full_like(x, 4)));
  EXPECT_TRUE(x.grad().is_contiguous());
}

TEST(MemoryFormat, IsPrinted) {
  std::ostringstream out;
  out << kLast << ' ' << kLast3d << ' ' << kDense << ' ' << kKept << ' '
      << TensorOptions(kInt).memory_format(kLast);
  EXPECT_EQ(
      out.str(),
      "ChannelsLast ChannelsLast3d Contiguous Preserve TensorOptions(dtype=Int, device=cpu (default), "
      "layout=Strided "
      "(default), requires_grad=false (default), pinned_memory=false (default), memory_format=ChannelsLast)");
}

}  // namespace
}  // namespace lanewise
