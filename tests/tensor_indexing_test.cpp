#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lanewise/generated/functions.h>
#include <lanewise/ops/factories.h>
#include <lanewise/ops/indexing.h>
#include <lanewise/ops/tensor_literal.h>

namespace lanewise {
namespace {

using indexing::Ellipsis;
using indexing::None;
using indexing::Slice;
using testing::HasSubstr;
using testing::ThrowsMessage;

Tensor counting() { return arange(24).view({2, 3, 4}); }

TEST(Index, EveryBasicKind) {
  const Tensor t = counting();
  EXPECT_TRUE(equal(t.index({1}), arange(12, 24).view({3, 4})));
  EXPECT_TRUE(equal(t.index({Ellipsis, 0}), tensor({{0, 4, 8}, {12, 16, 20}})));
  EXPECT_TRUE(equal(t.index({"...", -1}), tensor({{3, 7, 11}, {15, 19, 23}})));
  EXPECT_TRUE(equal(t.index({1, Slice(None, 2), Slice(1, None, 2)}), tensor({{13, 15}, {17, 19}})));
  EXPECT_EQ(t.index({None, Ellipsis, None}).sizes(), IntArrayRef({1, 2, 3, 4, 1}));
  EXPECT_EQ(t.index({Slice(), Slice(-2)}).sizes(), IntArrayRef({2, 2, 4}));
  EXPECT_EQ(t.index({true}).sizes(), IntArrayRef({1, 2, 3, 4}));
  EXPECT_EQ(t.index({false}).sizes(), IntArrayRef({0, 2, 3, 4}));
  EXPECT_TRUE(equal(t.index({tensor(1), 2, 3}), tensor(23)));
  EXPECT_TRUE(equal(t[1][2], tensor({20, 21, 22, 23})));
  EXPECT_TRUE(t.index({Slice()}).is_alias_of(t));
  EXPECT_FALSE(t.index({Ellipsis}).is_same(t));
}

TEST(Index, Errors) {
  const Tensor t = counting();
  EXPECT_THAT(
      [&] {
        t.index({0, 0, 0, 0});
      },
      ThrowsMessage<IndexError>(HasSubstr("too many indices for tensor of dimension 3")));
  EXPECT_THAT([&] { t.index({2}); },
              ThrowsMessage<IndexError>(HasSubstr("index 2 is out of bounds for dimension 0 with size 2")));
  EXPECT_THAT(
      [&] {
        t.index({Ellipsis, Ellipsis});
      },
      ThrowsMessage<IndexError>(HasSubstr("only one Ellipsis")));
  EXPECT_THAT([&] { t.index({Slice(None, None, -1)}); },
              ThrowsMessage<ValueError>(HasSubstr("step must be positive")));
  EXPECT_THAT([&] { t.index({"x"}); }, ThrowsMessage<ValueError>(HasSubstr("expected \"...\"")));
  EXPECT_THAT(
      [&] {
        t.index({tensor({0, 1})});
      },
      ThrowsMessage<NotImplementedError>(HasSubstr("is not supported")));
  EXPECT_THAT([&] { tensor(1)[0]; }, ThrowsMessage<IndexError>(HasSubstr("0-dim tensor cannot be indexed")));
}

TEST(IndexPut, WritesThroughTheView) {
  Tensor t = zeros({2, 3}, kLong);
  t.index_put_({0, Slice(1)}, 7);
  EXPECT_TRUE(equal(t, tensor({{0, 7, 7}, {0, 0, 0}})));
  t.index_put_({Ellipsis, 0}, tensor({1, 2}));
  EXPECT_TRUE(equal(t, tensor({{1, 7, 7}, {2, 0, 0}})));
  t.index_put_({1}, tensor({{{4, 5, 6}}}));
  EXPECT_TRUE(equal(t, tensor({{1, 7, 7}, {4, 5, 6}})));
  t[0] = 9;
  t[1] = tensor({1, 2, 3});
  EXPECT_TRUE(equal(t, tensor({{9, 9, 9}, {1, 2, 3}})));
  EXPECT_THROW(t.index_put_({0}, tensor({1, 2})), ShapeError);
  EXPECT_THROW(t.index_put_({5}, 1), IndexError);
}

TEST(Index, CarriesGradients) {
  const Tensor x = ones({3, 4}, requires_grad());
  (x.index({Slice(1), 2}) * 5).sum().backward();
  EXPECT_TRUE(equal(x.grad(), tensor({{0, 0, 0, 0}, {0, 0, 5, 0}, {0, 0, 5, 0}})));

  const Tensor y = ones({3}, requires_grad());
  Tensor z = y * 2;
  z.index_put_({0}, 10);
  z.sum().backward();
  EXPECT_TRUE(equal(y.grad(), tensor({0, 2, 2})));
}

TEST(Operators, NumbersAreWrapped) {
  const Tensor i = tensor({1, 2});
  EXPECT_EQ((i + 1).scalar_type(), kLong);
  EXPECT_EQ((i * 2.5).scalar_type(), kFloat);
  EXPECT_TRUE(equal(10 - i, tensor({9, 8})));
  EXPECT_TRUE(allclose(1 / i, tensor({1.0, 0.5})));
  EXPECT_TRUE(equal(2 < i, tensor({false, false})));
  EXPECT_TRUE(equal(i == 2, tensor({false, true})));
  EXPECT_TRUE(equal(-i, tensor({-1, -2})));
  Tensor f = tensor({1.0, 2.0});
  f += 1;
  f *= f;
  f -= 4.0;
  f /= 5;
  EXPECT_TRUE(allclose(f, tensor({0.0, 1.0})));
  EXPECT_EQ((f.to(kHalf) * 2.0).scalar_type(), kHalf);
  EXPECT_TRUE(equal(tensor({-7, 7}) % 3, tensor({2, 1})));
  EXPECT_TRUE(equal(i & 2, tensor({0, 2})));
  EXPECT_TRUE(equal(1 | i, tensor({1, 3})));
  EXPECT_TRUE(equal(i ^ i, zeros({2})));
  EXPECT_TRUE(equal(~tensor({true, false}), tensor({false, true})));
  EXPECT_EQ(i[tensor(1)].item<int>(), 2);
}

}  // namespace
}  // namespace lanewise
