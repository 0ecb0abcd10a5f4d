#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lanewise/generated/functions.h>
#include <lanewise/ops/factories.h>
#include <lanewise/ops/indexing.h>
#include <lanewise/ops/tensor_literal.h>
#include <lanewise/tensor/warnings.h>

#include "call.h"

namespace lanewise {
namespace {

using indexing::Ellipsis;
using indexing::None;
using indexing::Slice;
using indexing::TensorIndex;
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
  EXPECT_THAT(Call([&] {
                t.index({0, 0, 0, 0});
              }),
              ThrowsMessage<IndexError>(HasSubstr("too many indices for tensor of dimension 3")));
  EXPECT_THAT(Call([&] { t.index({2}); }),
              ThrowsMessage<IndexError>(HasSubstr("index 2 is out of bounds for dimension 0 with size 2")));
  EXPECT_THAT(Call([&] {
                t.index({Ellipsis, Ellipsis});
              }),
              ThrowsMessage<IndexError>(HasSubstr("only one Ellipsis")));
  EXPECT_THAT(Call([&] { t.index({Slice(None, None, -1)}); }),
              ThrowsMessage<ValueError>(HasSubstr("step must be greater than zero")));
  EXPECT_THAT(Call([&] { t.index({"x"}); }), ThrowsMessage<ValueError>(HasSubstr("Expected \"...\"")));
  EXPECT_THAT(Call([&] { tensor(1)[0]; }),
              ThrowsMessage<IndexError>(HasSubstr("invalid index of a 0-dim tensor")));
  EXPECT_THAT(Call([&] { tensor(1).index({0}); }),
              ThrowsMessage<IndexError>(HasSubstr("invalid index of a 0-dim tensor")));
  EXPECT_THAT(Call([&] { t.index({Slice(None, None, 0)}); }),
              ThrowsMessage<ValueError>(HasSubstr("slice step cannot be zero")));
}

TEST(Index, NamesTheDimensionOfTheTensorThatWasIndexed) {
  const Tensor t = zeros({2, 3, 4});
  EXPECT_THAT(Call([&] {
                t.index({0, 5});
              }),
              ThrowsMessage<IndexError>(HasSubstr("index 5 is out of bounds for dimension 1 with size 3")));
  EXPECT_THAT(Call([&] {
                t.index({Ellipsis, None, 9});
              }),
              ThrowsMessage<IndexError>(HasSubstr("index 9 is out of bounds for dimension 2 with size 4")));
  EXPECT_THAT(Call([] {
                zeros({10, 0}).index({tensor({0, 1}), tensor({0, 0})});
              }),
              ThrowsMessage<IndexError>(HasSubstr("index is out of bounds for dimension with size 0")));
}

TEST(Index, AnEmptyListIsNoIndex) {
  Tensor t = zeros({2});
  const std::vector<TensorIndex> none;
  EXPECT_THAT(Call([&] { t.index(none); }),
              ThrowsMessage<IndexError>(
                  HasSubstr("Passing an empty index list to Tensor::index() is not valid syntax")));
  EXPECT_THAT(Call([&] { t.index_put_(none, 1); }),
              ThrowsMessage<IndexError>(
                  HasSubstr("Passing an empty index list to Tensor::index_put_() is not valid syntax")));
  EXPECT_THROW(t.index_put_(none, zeros({})), IndexError);
}

TEST(Index, BracketsTakeOneInteger) {
  const Tensor x = arange(10);
  EXPECT_EQ(x[tensor(std::uint8_t{3})].item<int>(), 3);
  EXPECT_THAT(
      Call([&] {
        x[ones({2, 3, 4}, kInt)];
      }),
      ThrowsMessage<IndexError>(HasSubstr("Can only index with tensors that are scalars (zero-dim)")));
  EXPECT_THROW(x[ones({1}, kInt)], IndexError);
  for (const Tensor& index : {ones({}), tensor(true)}) {
    EXPECT_THAT(Call([&] { x[index]; }),
                ThrowsMessage<IndexError>(HasSubstr("Can only index tensors with integral scalars")));
  }
  EXPECT_THROW(x[Tensor()], IndexError);
}

class CountsWarnings : public WarningHandler {
 public:
  void process(const Warning& warning) override { messages.push_back(warning.msg()); }
  std::vector<std::string> messages;
};

TEST(Index, MasksOfBytesWarnEachTime) {
  CountsWarnings counts;
  const WarningUtils::WarningHandlerGuard guard(&counts);
  Tensor x = zeros({2, 2});
  const Tensor mask = ones({2, 2}, kByte);
  EXPECT_EQ(x.index({mask}).numel(), 4);
  x.index_put_({mask}, 1);
  x.index({mask.to(kBool)});
  EXPECT_THROW(x.index({ones({3, 2}, kByte)}), IndexError);
  ASSERT_EQ(counts.messages.size(), 3u);
  for (const std::string& message : counts.messages)
    EXPECT_THAT(message,
                HasSubstr("indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool "
                          "instead"));
}

template <class T>
std::string printed(const T& value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

TEST(Index, PrintsAsLibtorchDoes) {
  EXPECT_EQ(printed(Slice()), "0:9223372036854775807:1");
  EXPECT_EQ(printed(Slice(None, 5, 2)), "0:5:2");
  EXPECT_EQ(printed(Slice(None, None, -1)), "9223372036854775807:-9223372036854775808:-1");
  EXPECT_EQ(Slice(1, None).stop(), indexing::INDEX_MAX);
  EXPECT_EQ(printed(TensorIndex("...")), "...");
  EXPECT_EQ(printed(TensorIndex(true)), "true");
  EXPECT_EQ(printed(std::vector<TensorIndex>{None, Ellipsis, 0, true, Slice(1, None, 2), tensor({1, 2})}),
            "(None, ..., 0, true, 1:9223372036854775807:2,  1\n 2\n[ CPULongType{2} ])");
}

TEST(Index, TensorsChoose) {
  const Tensor t = counting();
  const Tensor i = tensor({1, 0, 1}), k = tensor({3, 0, 2});
  EXPECT_TRUE(equal(t.index({i}), stack({t[1], t[0], t[1]})));
  EXPECT_TRUE(equal(t.index({Slice(), tensor({-1, 0})}), stack({t.select(1, 2), t.select(1, 0)}, 1)));
  // Side by side: in their place. Apart: in front.
  EXPECT_TRUE(equal(t.index({Slice(), tensor({2, 1, 0}), k}), tensor({{11, 4, 2}, {23, 16, 14}})));
  EXPECT_TRUE(equal(t.index({i, Slice(), k}), tensor({{15, 19, 23}, {0, 4, 8}, {14, 18, 22}})));
  EXPECT_TRUE(equal(t.index({i, 1, k}), tensor({19, 4, 18})));
  EXPECT_EQ(t.index({i.unsqueeze(1), None, Ellipsis, tensor({0, 1})}).sizes(), IntArrayRef({3, 2, 1, 3}));
  EXPECT_TRUE(equal(t.index({i.to(kInt)}), t.index({i})));
  for (const ScalarType dtype : {kChar, kShort}) {  // as in PyTorch
    EXPECT_THROW(t.index({i.to(dtype)}), IndexError) << dtype;
    EXPECT_THROW(t.clone().index_fill_(0, i.to(dtype), 1), DtypeError) << dtype;
  }
}

TEST(Index, MasksChoose) {
  const Tensor t = counting();
  EXPECT_TRUE(equal(t.index({t > 20}), tensor({21, 22, 23})));
  const Tensor rows = tensor({{true, false, true}, {false, false, true}});
  EXPECT_TRUE(equal(t.index({rows}), stack({t[0][0], t[0][2], t[1][2]})));
  EXPECT_TRUE(equal(t.index({rows, Slice(1, 3)}),
                    t.index({rows}).slice(1, 1, 3)));  // PyTorch counts the mask as one dimension here
  EXPECT_TRUE(equal(t.index({rows.to(kByte), 0}), tensor({0, 8, 20})));
  EXPECT_EQ(t.index({true, Slice(), None, true}).sizes(), IntArrayRef({1, 2, 1, 3, 4}));
  EXPECT_EQ(t.index({tensor(false)}).sizes(), IntArrayRef({0, 2, 3, 4}));
  EXPECT_FALSE(t.index({tensor(true)}).is_alias_of(t));
}

TEST(Index, ErrorsOfTensors) {
  const Tensor t = counting();
  EXPECT_THAT(Call([&] {
                t.index({tensor({0, 2})});
              }),
              ThrowsMessage<IndexError>(HasSubstr("index 2 is out of bounds for dimension 0 with size 2")));
  EXPECT_THAT(Call([&] {
                t.index({tensor({0.0, 1.0})});
              }),
              ThrowsMessage<IndexError>(HasSubstr("tensors used as indices must be")));
  EXPECT_THAT(([&] {
                t.index({tensor({0, 1}), tensor({0, 1, 2})});
              }),
              ThrowsMessage<IndexError>(HasSubstr("could not be broadcast together")));
  EXPECT_THAT(Call([&] {
                t.index({tensor({true, false, true})});
              }),
              ThrowsMessage<IndexError>(HasSubstr("The shape of the mask [3] at index 0")));
}

TEST(IndexPut, WritesWhereTensorsSay) {
  Tensor t = zeros({3, 4}, kLong);
  t.index_put_({tensor({2, 0}), Slice(1, 3)}, tensor({{1, 2}, {3, 4}}));
  EXPECT_TRUE(equal(t, tensor({{0, 3, 4, 0}, {0, 0, 0, 0}, {0, 1, 2, 0}})));
  t.index_put_({t == 0}, -1);
  EXPECT_TRUE(equal(t, tensor({{-1, 3, 4, -1}, {-1, -1, -1, -1}, {-1, 1, 2, -1}})));
  t.index_put_({1, tensor({3, 3, 3})}, tensor({7, 8, 9}));  // the last one stays
  EXPECT_EQ(t[1][3].item<int>(), 9);
  Tensor sums = zeros({3});
  sums.index_put_({tensor({0, 2, 0, 0})}, tensor({1.0, 2.0, 3.0, 4.0}), true);
  EXPECT_TRUE(equal(sums, tensor({8.0, 0.0, 2.0})));
  Tensor places = tensor({-1, -3, -2});
  EXPECT_THROW(places.index_put_({places}, tensor({10, 20, 30})), StorageError);
  EXPECT_THROW(places.index_put_({tensor({0, 1, 2})}, places, true), StorageError);
  Tensor back = tensor({0, 0, 0});
  back.index_put_({places}, tensor({10, 20, 30}), true);
  EXPECT_TRUE(equal(back, tensor({20, 30, 10})));
  EXPECT_TRUE(equal(arange(12).view({3, 4}).t().index({tensor({-1, 0}), tensor({2, -3})}), tensor({11, 0})));
  EXPECT_THROW(t.index_put_({tensor({0, 5})}, 1), IndexError);
  EXPECT_THROW(t.index_put_({tensor({0, 1})}, tensor({1.5})), DtypeError);
  EXPECT_THROW(zeros({1}).expand({3}).index_put_({tensor({0})}, 1), StorageError);
}

TEST(IndexPut, OfTensorsCarriesGradients) {
  const Tensor x = ones({3}, requires_grad()), v = ones({2}, requires_grad());
  Tensor y = x * 2;
  y.slice(0, 1).index_put_({tensor({1, 0})}, v * 3);
  (y * tensor({1.0, 10.0, 100.0})).sum().backward();
  EXPECT_TRUE(equal(x.grad(), tensor({2.0, 0.0, 0.0})));
  EXPECT_TRUE(equal(v.grad(), tensor({300.0, 30.0})));
}

TEST(Index, LargeAgreesWithSmall) {
  // Sizes at which loops are split among threads.
  const Tensor table = arange(3000 * 64).view({3000, 64}), order = randperm(3000);
  const Tensor rows = table.index({order}), columns = table.t().index({Slice(), order});
  EXPECT_TRUE(equal(rows.t(), columns));
  EXPECT_TRUE(equal(rows.select(1, 0), order * 64));
  EXPECT_TRUE(equal(zeros_like(table).index_put({order}, rows), table));
  EXPECT_TRUE(equal(zeros_like(table).index_copy(0, order, rows), table));
  const Tensor wide = order.unsqueeze(1).expand({3000, 64});
  EXPECT_TRUE(equal(table.gather(0, wide), rows));
  EXPECT_TRUE(equal(zeros_like(table).scatter(0, wide, rows), table));
  EXPECT_TRUE(equal(zeros_like(table).scatter_add(0, wide.contiguous(), rows.t().contiguous().t()), table));
  EXPECT_TRUE(equal(table.t().gather(1, wide.t()), rows.t()));
  const Tensor mask = rand({3000, 64}) > 0.5;
  const Tensor chosen = table.masked_select(mask);
  EXPECT_TRUE(equal(chosen, table.index({mask})));
  EXPECT_TRUE(equal(zeros_like(table).masked_scatter(mask, chosen), table * mask));
  EXPECT_EQ(mask.nonzero().size(0), mask.sum().item<std::int64_t>());
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

TEST(Scatter, AWrongIndexIsFoundBeforeAnythingIsWritten) {
  const Tensor src = ones({3, 40});
  for (const std::int64_t wrong : {-1, 40}) {
    const Tensor index = arange(40).repeat({3, 1});
    index[2][39].fill_(wrong);
    const auto message = HasSubstr("index " + std::to_string(wrong) + " is out of bounds for dimension 1");
    Tensor x = zeros({3, 40});
    EXPECT_THAT(Call([&] { x.scatter_add_(1, index, src); }), ThrowsMessage<IndexError>(message));
    EXPECT_THAT(Call([&] { x.scatter_(1, index, src); }), ThrowsMessage<IndexError>(message));
    EXPECT_TRUE(equal(x, zeros({3, 40})));
    EXPECT_THAT(Call([&] { x.scatter_add(1, index, src); }), ThrowsMessage<IndexError>(message));
  }
}

// Indices are taken two at a time, and the last one of odd many alone.
TEST(Scatter, TheFirstWrongIndexOfARowIsNamed) {
  for (const std::int64_t n : {1, 2, 5, 6}) {
    const Tensor x = arange(n, kFloat).view({1, n});
    for (std::int64_t at = 0; at < n; ++at) {
      const Tensor index = arange(n).view({1, n}).clone();
      index.slice(1, at).fill_(n + 1);
      index[0][at].fill_(-7);
      const auto message = ThrowsMessage<IndexError>(HasSubstr("index -7 is out of bounds"));
      EXPECT_THAT(Call([&] { gather(x, 1, index); }), message);
      EXPECT_THAT(Call([&] { x.scatter(1, index, x); }), message);
      Tensor out = full({1, n}, 3.0f);
      EXPECT_THAT(Call([&] { gather_out(out, x, 1, index); }), message);
      EXPECT_TRUE(equal(out, full({1, n}, 3.0f)));
    }
    const Tensor same =
        zeros({1, n}, TensorOptions(kLong));  // one place for all: the last stays, sums are whole
    EXPECT_EQ(x.scatter(1, same, x)[0][0].item<float>(), static_cast<float>(n - 1));
    EXPECT_TRUE(equal(x.scatter_add(1, same, x)[0][0], x.sum()));
    EXPECT_TRUE(equal(gather(x, 1, arange(n).view({1, n})), x));
  }
}

/// Numbers with both zeros and NaN among them, which the extremes tell apart.
Tensor special_numbers(IntArrayRef sizes, ScalarType dtype) {
  Tensor x = randint(-3, 4, sizes, kDouble);
  if (is_floating_point(dtype)) {
    x.masked_fill_(rand(sizes) < 0.05, std::numeric_limits<double>::quiet_NaN());
    x.masked_fill_(rand(sizes) < 0.2, -0.0);
  }
  return x.to(dtype);
}

/// The bits of all elements in logical order.
std::string memory(const Tensor& t) {
  const Tensor dense = t.contiguous();
  return {static_cast<const char*>(dense.const_data_ptr()), dense.nbytes()};
}

TEST(Scatter, AnExpandedVectorIsAsItsCopy) {
  manual_seed(4);
  for (const ScalarType dtype :
       {kBool, kByte, kShort, kLong, kHalf, kBFloat16, kFloat, kDouble, kComplexFloat}) {
    for (const std::int64_t dim : {0, 1, 2}) {
      for (const bool turned : {false, true}) {
        DimVector sizes{3, 5, 40}, more{3, 5, 40};
        more[static_cast<std::size_t>(dim)] = 9;
        const Tensor any = special_numbers(sizes, dtype), src = special_numbers({10, 10, 50}, dtype);
        const Tensor x = turned ? any.transpose(0, 2).contiguous().transpose(0, 2) : any;
        DimVector shape(3, 1);
        shape[static_cast<std::size_t>(dim)] = 9;
        const Tensor slices = randint(0, sizes[static_cast<std::size_t>(dim)], shape, kLong).expand(more);
        const Tensor copy = slices.contiguous();
        const auto same = [&](const char* op, auto f) {
          EXPECT_TRUE(memory(f(slices)) == memory(f(copy))) << op << " " << dtype << " " << dim << turned;
        };
        same("gather", [&](const Tensor& index) { return x.gather(dim, index); });
        same("scatter", [&](const Tensor& index) { return x.scatter(dim, index, src); });
        same("scatter of a number", [&](const Tensor& index) { return x.scatter(dim, index, 2); });
        same("scatter_add", [&](const Tensor& index) { return x.scatter_add(dim, index, src); });
        same("scatter_add_", [&](const Tensor& index) {
          Tensor y = turned ? x.transpose(0, 2).clone().transpose(0, 2) : x.clone();
          return y.scatter_add_(dim, index, src);
        });
        for (const char* reduce : {"sum", "prod", "mean", "amax", "amin"}) {
          if (dtype == kBool && std::string_view(reduce) == "mean") continue;
          if (is_complex(dtype) && reduce[0] == 'a') continue;
          for (const bool include_self : {false, true}) {
            same(reduce, [&](const Tensor& index) {
              return x.scatter_reduce(dim, index, src, reduce, include_self);
            });
          }
        }
      }
    }
  }
}

TEST(Scatter, AWrongSliceIsFoundBeforeAnythingIsWritten) {
  Tensor x = zeros({4, 40});
  const Tensor index = tensor({0, 1, 4}).view({3, 1}).expand({3, 40}), src = ones({3, 40});
  const auto message = HasSubstr("index 4 is out of bounds for dimension 0 with size 4");
  EXPECT_THAT(Call([&] { x.scatter_add_(0, index, src); }), ThrowsMessage<IndexError>(message));
  EXPECT_THAT(Call([&] { x.scatter_(0, index, src); }), ThrowsMessage<IndexError>(message));
  EXPECT_THAT(Call([&] { x.scatter_reduce_(0, index, src, "amax"); }), ThrowsMessage<IndexError>(message));
  EXPECT_TRUE(equal(x, zeros({4, 40})));
  EXPECT_THAT(Call([&] { x.gather(0, index); }), ThrowsMessage<IndexError>(message));
}

TEST(Cat, StridesOfSizeOneDoNotMatter) {
  Tensor column = zeros({3, 1}).t();
  cat_out(column, {full({1, 3}, 7.)}, 0);
  EXPECT_TRUE(equal(column, full({1, 3}, 7.)));
  const Tensor whole = zeros({1, 9, 3});
  Tensor last = whole.slice(1, 8, 9, 9);
  cat_out(last, {ones({1, 1, 3})}, 1);
  EXPECT_TRUE(equal(whole.sum({0, 2}), tensor({0., 0., 0., 0., 0., 0., 0., 0., 3.})));
  Tensor free = zeros({3}).as_strided({1, 3}, {0, 1});
  cat_out(free, {ones({1, 3})}, 0);
  EXPECT_TRUE(equal(free, ones({1, 3})));
}

TEST(IndexPut, OneMaskTakesOneValueOfAnyDtype) {
  Tensor x = arange(-2, 2);
  x.index_put_({x.gt(0)}, tensor(2.5));
  EXPECT_TRUE(equal(x, tensor({-2, -1, 0, 2})));
  EXPECT_THROW(x.index_put_({tensor({0})}, tensor(2.5)), DtypeError);
}

TEST(Embedding, SharesOfIntegerGradientsAreWhole) {
  const auto shared = [](ScalarType type) {
    return embedding_dense_backward(full({3, 2}, 5, type), tensor({0, 0, 1}), 2, -1, true);
  };
  for (const ScalarType type : {kByte, kShort, kInt, kLong}) {
    EXPECT_TRUE(equal(shared(type), tensor({0, 0, 5, 5}).view({2, 2}).to(type)));
  }
  EXPECT_TRUE(equal(shared(kFloat), full({2, 2}, 5.)));
}

TEST(Cat, LargeAndSmallHaveTheirParts) {
  for (const std::int64_t n : {1, 7, 90}) {
    const Tensor whole = arange(3 * n * 5 * 6).view({3, n, 5, 6});
    for (const ScalarType other : {kFloat, kLong, kDouble}) {
      for (std::int64_t dim = 0; dim < 4; ++dim) {
        const std::int64_t size = whole.size(dim), half = size / 2;
        const Tensor first = whole.narrow(dim, 0, half), second = whole.narrow(dim, half, size - half);
        const Tensor turned = second.transpose(1, 3).contiguous().transpose(1, 3);
        const Tensor expected = whole.to(other);
        EXPECT_TRUE(equal(cat({first, second.to(other)}, dim), expected)) << n << " " << dim;
        EXPECT_TRUE(equal(cat({first.contiguous().to(other), empty({0}, other), second}, dim), expected));
        EXPECT_TRUE(equal(cat({first.contiguous(), turned.to(other)}, dim), expected)) << n << " " << dim;
      }
    }
  }
}

TEST(Indexing, WritesAreTheSameHoweverMemoryLies) {
  manual_seed(19);
  const auto layouts = [](const Tensor& t) {
    const std::int64_t last = t.dim() - 1;
    return std::vector<Tensor>{t.clone(), t.transpose(0, last).contiguous().transpose(0, last),
                               t.transpose(0, 1).contiguous().transpose(0, 1),
                               stack({t, t}, -1).select(-1, 0)};
  };
  for (const ScalarType type : {kFloat, kDouble, kShort, kComplexDouble}) {
    for (const std::vector<std::int64_t>& sizes :
         std::vector<std::vector<std::int64_t>>{{70, 40}, {9, 20, 33}, {5, 64, 1, 17}}) {
      const Tensor whole = randint(0, 100, sizes, kLong).to(type);
      for (const std::int64_t dim : {0, 1}) {
        const Tensor index = randint(0, whole.size(dim), {31}, kLong);  // some of them twice
        std::vector<std::int64_t> of_source = sizes;
        of_source[static_cast<std::size_t>(dim)] = 31;
        const Tensor source = randint(0, 100, of_source, kLong).to(type);
        std::vector<Tensor> indices(static_cast<std::size_t>(dim));
        indices.emplace_back(index);
        const auto each = [&](const auto& write) {
          const Tensor expected = write(whole.clone(), source);
          for (const Tensor& self : layouts(whole)) {
            for (const Tensor& from : layouts(source))
              ASSERT_TRUE(equal(write(self.clone(), from), expected)) << toString(type) << ", " << dim;
          }
        };
        each([&](Tensor t, const Tensor& from) { return t.index_copy_(dim, index, from); });
        each([&](Tensor t, const Tensor& from) { return t.index_add_(dim, index, from, 2); });
        each([&](Tensor t, const Tensor&) { return t.index_fill_(dim, index, 3); });
        each([&](Tensor t, const Tensor& from) { return t.index_put_(indices, from); });
        each([&](Tensor t, const Tensor& from) { return t.index_put_(indices, from, true); });
        each([&](Tensor t, const Tensor& from) {
          return t.index_put_(indices, from.narrow(from.dim() - 1, 0, 1));
        });
      }
    }
  }
}

TEST(Narrow, FromWhereATensorSays) {
  const Tensor x = arange(6);
  EXPECT_TRUE(x.narrow(0, tensor(2), 3).equal(tensor({2, 3, 4})));
  EXPECT_TRUE(narrow(x, 0, tensor(-2, kInt), 2).is_alias_of(x));
  EXPECT_THROW(x.narrow(0, tensor({2}), 3), ShapeError);
  EXPECT_THROW(x.narrow(0, tensor(2.0), 3), ShapeError);
}

}  // namespace
}  // namespace lanewise
