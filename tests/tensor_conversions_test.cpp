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

TEST(Conversions, IndexByANumber) {
  const Tensor x = arange(4);
  EXPECT_EQ(x[Scalar(2)].item<int>(), 2);
  EXPECT_THROW(x[Scalar(2.5)], IndexError);
}

}  // namespace
}  // namespace lanewise
