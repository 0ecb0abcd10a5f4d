// to() in its forms, and options of devices and layouts, of which there is one.
#include <vector>

#include <gtest/gtest.h>

#include <lanewise/lanewise.h>

namespace lanewise {
namespace {

TEST(Conversions, ToTakesWhatLibtorchTakes) {
  const Tensor x = arange(6, kFloat).view({2, 3});
  EXPECT_EQ(x.to(TensorOptions(kInt)).dtype(), kInt);
  EXPECT_EQ(x.to(kCPU, kDouble).dtype(), kDouble);
  EXPECT_EQ(x.to(empty({0}, kLong)).dtype(), kLong);
  EXPECT_EQ(x.toType(kHalf).dtype(), kHalf);
  EXPECT_TRUE(x.to(kInt).to(x.options()).equal(x));
}

TEST(Conversions, NothingToDoIsTheTensorItself) {
  const Tensor x = ones({3});
  EXPECT_TRUE(x.to(kFloat).is_same(x));
  EXPECT_TRUE(x.to(x.options()).is_same(x));
  EXPECT_TRUE(x.to(x.device()).is_same(x));
  EXPECT_TRUE(x.to(kCPU).is_same(x));
  EXPECT_FALSE(x.to(kCPU, kFloat, false, true).is_same(x));
}

TEST(Conversions, KeepTheGraph) {
  const Tensor x = ones({3}, requires_grad());
  EXPECT_TRUE(x.to(kCPU, kDouble).requires_grad());
  EXPECT_THROW(x.to(TensorOptions().requires_grad(true)), ValueError);
  EXPECT_TRUE(x.to(TensorOptions().requires_grad(false)).is_same(x));
}

TEST(Conversions, NumbersBecomeTensorsOfTheirOwnType) {
  EXPECT_EQ(scalar_to_tensor(3.0).dtype(), kDouble);
  EXPECT_EQ(scalar_to_tensor(3).dtype(), kLong);
  EXPECT_EQ(scalar_to_tensor(true).dtype(), kBool);
}

TEST(Conversions, OneDeviceAndOneLayout) {
  const Tensor x = empty({2}, TensorOptions().dtype(kHalf).device(kCPU).layout(kStrided));
  EXPECT_EQ(x.device(), Device(kCPU));
  EXPECT_EQ(x.device().index(), -1);
  EXPECT_EQ(x.layout(), kStrided);
  EXPECT_FALSE(x.is_pinned());
  EXPECT_TRUE(x.is_same_size(ones({2})));
  EXPECT_FALSE(x.is_same_size(ones({2, 1})));
}

TEST(Resize, SameSizesKeepTheStrides) {
  Tensor x = arange(6.).view({2, 3}).t();
  x.resize_({3, 2});
  EXPECT_EQ(x.strides(), IntArrayRef({1, 3}));
  EXPECT_TRUE(equal(arange(8.).slice(0, 0, 8, 2).resize_({4}), tensor({0., 2., 4., 6.})));
  EXPECT_EQ(x.resize_({2, 3}).strides(), IntArrayRef({3, 1}));
}

TEST(Rearranging, ResultsShareNoMemory) {
  const Tensor x = arange(4.).view({1, 1, 2, 2}), channels = arange(4.).view({1, 4, 1, 1});
  for (const Tensor& y :
       {pixel_shuffle(x, 1), pixel_shuffle(channels, 2), pixel_unshuffle(x, 1), channel_shuffle(x, 1),
        pad(x, {0, 0, 0, 0}, "replicate"), pad(x, {0, 0, 0, 0}, "reflect")}) {
    EXPECT_FALSE(y.is_alias_of(x) || y.is_alias_of(channels));
  }
}

TEST(Comparisons, OfWideAndNarrowNumbers) {
  EXPECT_TRUE(isclose(full({1}, 4, kByte), full({1}, 10, kByte), 0.5, 1).item<bool>());
  EXPECT_FALSE(isclose(full({1}, -128, kChar), full({1}, 127, kChar), 0.5, 1).item<bool>());
  for (const ScalarType type : {kHalf, kBFloat16}) {  // a number beside halves is one of them
    EXPECT_TRUE((full({3}, 0.1, type) == 0.1).all().item<bool>());
    EXPECT_TRUE((full({3, 2}, 0.1, type).t() == 0.1).all().item<bool>());
    EXPECT_TRUE(
        (full({3}, 0.1, type).slice(0, 0, 3, 2).expand({2, 2, 2, 2, 2, 2, 2}) == 0.1).all().item<bool>());
    EXPECT_TRUE((full({}, 0.1, type) == 0.1).item<bool>());
  }
}

TEST(Views, OfIntegersKnowTheirBase) {
  const Tensor x = arange(4), v = x.view({2, 2});
  EXPECT_TRUE(v.is_view());
  EXPECT_TRUE(v._base().is_same(x));
}

TEST(Conversions, IndexByANumber) {
  const Tensor x = arange(4);
  EXPECT_EQ(x[Scalar(2)].item<int>(), 2);
  EXPECT_THROW(x[Scalar(2.5)], IndexError);
}

TEST(Promotion, TensorsBesideHalvesAreRoundedToThem) {
  const Tensor half = full({2, 3}, 2048, kHalf);
  for (const Tensor& h : {half, half.t(), half[0][0], full({}, 2048, kHalf).expand({5})}) {
    for (const ScalarType type : {kShort, kInt, kLong}) {
      for (const Tensor& other : {full(h.sizes(), 2049, type), full({}, 2049, type).expand_as(h)}) {
        EXPECT_TRUE((h == other).all().item<bool>()) << h.sizes();
        EXPECT_TRUE((h - other).equal(zeros_like(h))) << h.sizes();
        EXPECT_TRUE(h.clone().sub_(other).equal(zeros_like(h))) << h.sizes();
        EXPECT_TRUE(floor_divide(h, other).equal(ones_like(h))) << h.sizes();
      }
    }
  }
  EXPECT_TRUE((full({2}, 256, kBFloat16) == full({}, 257, kInt)).all().item<bool>());
  EXPECT_TRUE((full({2}, 256, kBFloat16) == full({2}, 257, kInt)).all().item<bool>());
  EXPECT_TRUE((full({3}, 0.1, kHalf) == full({}, 0.1, kDouble)).all().item<bool>());
  EXPECT_TRUE((full({3, 2}, 0.1, kHalf).t() == full({}, 0.1, kFloat)).all().item<bool>());
  EXPECT_TRUE((full({3}, 100.0, kHalf) == full({3}, 100, kByte)).all().item<bool>());
  Tensor sum = empty({0}, kDouble);
  sub_out(sum, half, full({4, 2, 3}, 2049, kInt));
  EXPECT_TRUE(sum.equal(zeros({4, 2, 3}, kDouble)));
}

TEST(Promotion, IntegersBecomeHalvesByDefault) {
  const ScalarType before = get_default_dtype();
  set_default_dtype(kHalf);
  const Tensor a = full({4}, 2051, kInt), b = full({4}, 3, kInt);
  const Tensor dense = a / b, strided = full({8}, 2051, kInt).slice(0, 0, 8, 2) / b, number = a / 3;
  set_default_dtype(before);
  for (const Tensor& quotient : {dense, strided, number}) EXPECT_TRUE(quotient.equal(full({4}, 684, kHalf)));
}

}  // namespace
}  // namespace lanewise
