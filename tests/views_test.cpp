#include <array>
#include <complex>
#include <functional>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lanewise/generated/functions.h>
#include <lanewise/ops/views.h>
#include <lanewise/tensor/make_tensor.h>
#include <lanewise/tensor/shape.h>

namespace lanewise {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// 0, 1, 2... in C order.
Tensor counting(IntArrayRef sizes) {
  Tensor t = detail::empty_cpu(sizes, kInt);
  for (int i = 0; i < t.numel(); ++i) t.data_ptr<int>()[i] = i;
  return t;
}

/// The elements in logical order.
std::vector<int> values(const Tensor& t) {
  std::vector<int> result;
  const std::function<void(std::size_t, std::int64_t)> walk = [&](std::size_t d, std::int64_t offset) {
    if (d == t.sizes().size()) {
      result.push_back(t.data_ptr<int>()[offset]);
      return;
    }
    for (std::int64_t i = 0; i < t.sizes()[d]; ++i) walk(d + 1, offset + i * t.strides()[d]);
  };
  walk(0, 0);
  return result;
}

void expect_error(const std::function<void()>& f, const char* text) {
  EXPECT_THAT(f, ThrowsMessage<Error>(HasSubstr(text)));
}

#define EXPECT_SIZES(t, ...) EXPECT_EQ((t).sizes(), (IntArrayRef(__VA_ARGS__))) << (t).sizes()
#define EXPECT_STRIDES(t, ...) EXPECT_EQ((t).strides(), (IntArrayRef(__VA_ARGS__))) << (t).strides()

TEST(View, InfersOneSize) {
  const Tensor t = counting({2, 6});
  EXPECT_SIZES(ops::view(t, {3, -1}), {3, 4});
  EXPECT_SIZES(ops::view(t, {-1}), {12});
  EXPECT_SIZES(ops::view(counting({1}), {}), {});
  EXPECT_EQ(ops::view(t, {12}).data_ptr(), t.data_ptr());
  expect_error([&] { ops::view(t, {3, 5}); }, "view: shape '[3, 5]' is invalid for input of size 12");
  expect_error([&] { ops::view(t, {-1, -1}); }, "view: only one dimension can be inferred");
  expect_error([&] { ops::view(t, {-2, 6}); }, "invalid shape dimension -2");
  expect_error([&] { ops::view(counting({0}), {-1, 0}); }, "ambiguous");
  EXPECT_SIZES(ops::view(counting({0, 3}), {0, 7}), {0, 7});
}

TEST(View, NeedsCompatibleStrides) {
  const Tensor t = ops::transpose(counting({2, 3}), 0, 1);
  expect_error([&] { ops::view(t, {6}); },
               "view: size [6] is not compatible with input tensor's size [3, 2] and stride [1, 3]");
  expect_error([&] { ops::view(t, {6}); }, "Use .reshape(...) instead");
  EXPECT_FALSE(ops::can_view(t, {6}));
  EXPECT_TRUE(ops::can_view(t, {3, 1, 2}));
  EXPECT_THAT(values(ops::view(t, {3, 1, 2, 1})), ElementsAre(0, 3, 1, 4, 2, 5));
  const Tensor gaps = ops::slice(counting({4, 6}), 1, 0, 4);
  EXPECT_TRUE(ops::can_view(gaps, {2, 2, 2, 2}));
  EXPECT_STRIDES(ops::view(gaps, {2, 2, 2, 2}), {12, 6, 2, 1});
  EXPECT_FALSE(ops::can_view(gaps, {8, 2}));
}

TEST(View, AgreesWithCopyingForRandomShapes) {
  std::mt19937 random(7);
  const auto pick = [&](int n) { return static_cast<std::int64_t>(random() % static_cast<unsigned>(n)); };
  int viewable = 0;
  for (int round = 0; round < 3000; ++round) {
    DimVector sizes;
    for (std::int64_t d = 1 + pick(4); d > 0; --d) sizes.push_back(1 + pick(4));
    Tensor t = counting(sizes);
    if (pick(2) == 0) t = ops::transpose(t, pick(static_cast<int>(t.dim())), pick(static_cast<int>(t.dim())));
    if (pick(2) == 0) t = ops::slice(t, pick(static_cast<int>(t.dim())), pick(2), std::nullopt, 1 + pick(2));
    if (pick(3) == 0)
      t = ops::expand(ops::unsqueeze(t, 0), [&] {
        DimVector s(t.sizes());
        s.insert(s.begin(), 2);
        return s;
      }());
    // A random factorisation of numel.
    DimVector target;
    std::int64_t left = t.numel();
    if (left == 0) continue;
    while (left > 1) {
      std::int64_t f = 1 + pick(static_cast<int>(left));
      while (left % f != 0) --f;
      target.push_back(f);
      left /= f;
      if (target.size() > 6) break;
    }
    if (left > 1) target.push_back(left);
    if (!ops::can_view(t, target)) continue;
    ++viewable;
    const Tensor v = ops::view(t, target);
    ASSERT_EQ(v.sizes(), IntArrayRef(target));
    ASSERT_EQ(values(v), values(t)) << "round " << round;
  }
  EXPECT_GT(viewable, 1000);
}

TEST(View, AsDtype) {
  const Tensor t = counting({2, 4});
  const Tensor bytes = ops::view_dtype(t, kByte);
  EXPECT_SIZES(bytes, {2, 16});
  EXPECT_EQ(bytes.scalar_type(), kByte);
  EXPECT_SIZES(ops::view_dtype(bytes, kLong), {2, 2});
  EXPECT_SIZES(ops::view_dtype(t, kFloat), {2, 4});
  expect_error([&] { ops::view_dtype(counting({3}), kLong); }, "must be divisible by 2");
  expect_error([&] { ops::view_dtype(ops::t(t), kByte); }, "the last stride must be 1");
}

TEST(Expand, RepeatsSizeOne) {
  const Tensor t = counting({3, 1});
  const Tensor e = ops::expand(t, {2, -1, 4});
  EXPECT_SIZES(e, {2, 3, 4});
  EXPECT_STRIDES(e, {0, 1, 0});
  EXPECT_SIZES(ops::expand(t, {3, 0}), {3, 0});
  EXPECT_SIZES(ops::expand(counting({}), {}), {});
  expect_error(
      [&] {
        ops::expand(t, {4, 4});
      },
      "expand: the expanded size of the tensor (4) must match the existing size (3) at non-singleton "
      "dimension 0");
  expect_error([&] { ops::expand(t, {3}); }, "must be greater or equal to the number of dimensions");
  expect_error([&] { ops::expand(t, {-1, 3, 1}); }, "not allowed in the new leading dimension");
}

TEST(Permute, ReordersDimensions) {
  const Tensor t = counting({2, 3, 4});
  EXPECT_SIZES(ops::permute(t, {2, 0, -2}), {4, 2, 3});
  EXPECT_STRIDES(ops::permute(t, {2, 0, 1}), {1, 12, 4});
  expect_error([&] { ops::permute(t, {0, 1}); }, "input.dim() = 3 is not equal to len(dims) = 2 of [0, 1]");
  expect_error([&] { ops::permute(t, {0, 0, 1}); }, "dim 0 appears multiple times");
  expect_error(
      [&] {
        ops::permute(t, {0, 1, 5});
      },
      "permute: Dimension out of range (expected to be in range of [-3, 2], but got 5)");
}

TEST(Transpose, AndItsRelatives) {
  const Tensor t = counting({2, 3});
  EXPECT_THAT(values(ops::t(t)), ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_SIZES(ops::t(counting({3})), {3});
  expect_error(
      [] {
        ops::t(counting({1, 1, 1}));
      },
      "t: expects a tensor with <= 2 dimensions, but self is 3D");
  EXPECT_SIZES(mT(counting({5, 2, 3})), {5, 3, 2});
  expect_error([] { mT(counting({3})); }, "mT: expected at least two dimensions");
  EXPECT_SIZES(swapaxes(counting({5, 2, 3}), 0, -1), {3, 2, 5});
  EXPECT_SIZES(ops::transpose(counting({}), 0, -1), {});
  EXPECT_SIZES(movedim(counting({2, 3, 4, 5}), {0, 1}, {-1, 0}), {3, 4, 5, 2});
  EXPECT_SIZES(ops::movedim(counting({2, 3, 4}), 0, 2), {3, 4, 2});
  expect_error([&] { ops::transpose(t, 0, 2); }, "transpose: Dimension out of range");
}

TEST(Select, TakesOneIndex) {
  const Tensor t = counting({2, 3});
  EXPECT_THAT(values(ops::select(t, 1, -1)), ElementsAre(2, 5));
  EXPECT_THAT(values(ops::select(t, 0, 1)), ElementsAre(3, 4, 5));
  expect_error([&] { ops::select(t, 1, 3); },
               "select: index 3 out of range for tensor of size [2, 3] at dimension 1");
  expect_error([&] { ops::select(t, 1, -4); }, "select: index -4 out of range");
  expect_error([] { ops::select(counting({}), 0, 0); }, "0-dim tensor");
}

TEST(Slice, ClampsItsBounds) {
  const Tensor t = counting({10});
  EXPECT_THAT(values(ops::slice(t, 0, 2, 8, 3)), ElementsAre(2, 5));
  EXPECT_THAT(values(ops::slice(t, 0, -3)), ElementsAre(7, 8, 9));
  EXPECT_THAT(values(ops::slice(t, 0, std::nullopt, -8)), ElementsAre(0, 1));
  EXPECT_EQ(ops::slice(t, 0, 5, 2).numel(), 0);
  EXPECT_EQ(ops::slice(t, 0, -100, 100).numel(), 10);
  EXPECT_EQ(ops::slice(t, 0, 100, 200).numel(), 0);
  EXPECT_EQ(ops::slice(t, 0, INT64_MIN, INT64_MAX, INT64_MAX).numel(), 1);
  expect_error([&] { ops::slice(t, 0, 0, 10, 0); }, "slice: step must be positive, but got 0");
  expect_error([&] { ops::slice(t, 0, 0, 10, -1); }, "slice: step must be positive");
  expect_error([&] { ops::slice(t, 1); }, "slice: Dimension out of range");
}

TEST(Narrow, ChecksItsRange) {
  const Tensor t = counting({5});
  EXPECT_THAT(values(ops::narrow(t, 0, 1, 3)), ElementsAre(1, 2, 3));
  EXPECT_THAT(values(ops::narrow(t, 0, -2, 2)), ElementsAre(3, 4));
  EXPECT_EQ(ops::narrow(t, 0, 5, 0).numel(), 0);
  expect_error([&] { ops::narrow(t, 0, 3, 3); }, "narrow: start (3) + length (3) exceeds dimension size (5)");
  expect_error([&] { ops::narrow(t, 0, 6, 0); }, "narrow: start out of range");
  expect_error([&] { ops::narrow(t, 0, 0, -1); }, "narrow: length must be non-negative");
}

TEST(Squeeze, DropsSizeOne) {
  const Tensor t = counting({1, 3, 1, 2});
  EXPECT_SIZES(ops::squeeze(t), {3, 2});
  EXPECT_SIZES(ops::squeeze(t, 0), {3, 1, 2});
  EXPECT_SIZES(ops::squeeze(t, 1), {1, 3, 1, 2});
  EXPECT_SIZES(ops::squeeze(t, IntArrayRef({0, -2})), {3, 2});
  EXPECT_SIZES(ops::squeeze(counting({})), {});
  EXPECT_SIZES(ops::squeeze(counting({}), -1), {});
  expect_error([&] { ops::squeeze(t, 4); },
               "squeeze: Dimension out of range (expected to be in range of [-4, 3], but got 4)");
  EXPECT_SIZES(ops::unsqueeze(counting({2, 3}), -1), {2, 3, 1});
  EXPECT_STRIDES(ops::unsqueeze(counting({2, 3}), 1), {3, 3, 1});
  EXPECT_SIZES(ops::unsqueeze(counting({}), 0), {1});
  expect_error([] { ops::unsqueeze(counting({2}), 2); }, "expected to be in range of [-2, 1], but got 2");
}

TEST(Flatten, AndBack) {
  const Tensor t = counting({2, 3, 4});
  EXPECT_EQ(ops::flatten_sizes(t, 1, -1), DimVector({2, 12}));
  EXPECT_EQ(ops::flatten_sizes(t, 0, -1), DimVector({24}));
  EXPECT_EQ(ops::flatten_sizes(t, 1, 1), DimVector({2, 3, 4}));
  EXPECT_EQ(ops::flatten_sizes(counting({}), 0, -1), DimVector({1}));
  expect_error([&] { ops::flatten_sizes(t, 2, 1); }, "flatten: start_dim 2 cannot come after end_dim 1");
  EXPECT_SIZES(unflatten(t, 2, {2, -1}), {2, 3, 2, 2});
  EXPECT_EQ(values(unflatten(t, 2, {2, 2})), values(t));
  expect_error([&] { unflatten(t, 2, {3, 2}); }, "unflatten: shape '[3, 2]' is invalid for input of size 4");
}

TEST(Diagonal, WithAnyOffset) {
  const Tensor t = counting({3, 4});
  EXPECT_THAT(values(ops::diagonal(t)), ElementsAre(0, 5, 10));
  EXPECT_THAT(values(ops::diagonal(t, 1)), ElementsAre(1, 6, 11));
  EXPECT_THAT(values(ops::diagonal(t, -1)), ElementsAre(4, 9));
  EXPECT_EQ(ops::diagonal(t, 100).numel(), 0);
  EXPECT_EQ(ops::diagonal(t, INT64_MIN).numel(), 0);
  EXPECT_SIZES(ops::diagonal(counting({2, 3, 4}), 0, 0, 2), {3, 2});
  expect_error([&] { ops::diagonal(t, 0, 1, -1); }, "diagonal: the two dims cannot be identical");
}

TEST(Unfold, MakesWindows) {
  const Tensor t = counting({7});
  EXPECT_SIZES(ops::unfold(t, 0, 3, 2), {3, 3});
  EXPECT_THAT(values(ops::unfold(t, 0, 3, 2)), ElementsAre(0, 1, 2, 2, 3, 4, 4, 5, 6));
  expect_error([&] { ops::unfold(t, 0, 8, 1); },
               "unfold: maximum size for tensor at dimension 0 is 7 but size is 8");
  expect_error([&] { ops::unfold(t, 0, 2, 0); }, "unfold: step must be positive");
}

TEST(AsStrided, StaysInsideTheStorage) {
  const Tensor t = counting({12});
  EXPECT_THAT(values(ops::as_strided(t, {2, 2}, {5, 1}, 1)), ElementsAre(1, 2, 6, 7));
  EXPECT_SIZES(ops::as_strided(t, {3, 4}, {0, 3}), {3, 4});
  expect_error([&] { ops::as_strided(t, {2, 2}, {11, 1}); }, "out of bounds for a storage of 12 elements");
  expect_error([&] { ops::as_strided(t, {2}, {-1}, 5); }, "negative strides are not supported");
  expect_error([&] { ops::as_strided(t, {2}, {1, 1}); }, "as_strided: 1 sizes [2] came with 2 strides");
  expect_error([&] { ops::as_strided(t, {INT64_MAX}, {INT64_MAX}); }, "reach further than int64");
  expect_error([&] { ops::as_strided(t, {1}, {1}, -1); }, "storage offset -1 is negative");
  expect_error([&] { ops::as_strided(t, {1}, {1}, INT64_MAX); }, "more than fit in int64");
}

TEST(ComplexViews, ShareTheNumbers) {
  Tensor z = detail::empty_cpu({2, 3}, kComplexFloat);
  for (int i = 0; i < 6; ++i)
    z.data_ptr<std::complex<float>>()[i] = {static_cast<float>(i), static_cast<float>(-i)};
  const Tensor pairs = ops::view_as_real(z);
  EXPECT_SIZES(pairs, {2, 3, 2});
  EXPECT_EQ(pairs.scalar_type(), kFloat);
  EXPECT_STRIDES(imag(z), {6, 2});
  EXPECT_EQ(ops::select(ops::select(imag(z), 0, 1), 0, 2).item<float>(), -5);
  EXPECT_EQ(ops::select(ops::select(real(z), 0, 1), 0, 2).item<float>(), 5);
  const Tensor back = ops::view_as_complex(pairs);
  EXPECT_EQ(back.data_ptr(), z.data_ptr());
  EXPECT_TRUE(equal(back, z));
  const Tensor tail = ops::slice(z, 1, 1);
  EXPECT_EQ(ops::view_as_complex(ops::view_as_real(tail)).data_ptr(), tail.data_ptr());
  const Tensor plain = detail::empty_cpu({4}, kFloat);
  EXPECT_TRUE(real(plain).is_same(plain));
  expect_error([&] { imag(plain); }, "imag: not implemented for tensors with non-complex dtypes");
  expect_error([&] { ops::view_as_complex(plain); }, "needs a last dimension of size 2");
  expect_error([&] { ops::view_as_complex(ops::slice(detail::empty_cpu({4}, kFloat), 0, 1, 3)); },
               "offset must be even");
  expect_error([&] { ops::view_as_complex(counting({2})); }, "needs an f32 or f64 tensor");
}

TEST(Split, IntoParts) {
  const Tensor t = counting({7, 2});
  const auto sizes = [](const std::vector<Tensor>& parts) {
    std::vector<std::int64_t> result;
    for (const Tensor& p : parts) result.push_back(p.size(0));
    return result;
  };
  EXPECT_THAT(sizes(ops::split(t, 3)), ElementsAre(3, 3, 1));
  EXPECT_THAT(sizes(ops::split(t, INT64_MAX)), ElementsAre(7));
  EXPECT_THAT(sizes(ops::split_with_sizes(t, {1, 0, 6})), ElementsAre(1, 0, 6));
  EXPECT_THAT(sizes(lanewise::chunk(t, 3)), ElementsAre(3, 3, 1));
  EXPECT_THAT(sizes(lanewise::chunk(t, 5)), ElementsAre(2, 2, 2, 1));
  EXPECT_THAT(sizes(lanewise::chunk(counting({0}), 3)), ElementsAre(0, 0, 0));
  const std::vector<Tensor> rows = ops::unbind(t);
  ASSERT_EQ(rows.size(), 7u);
  EXPECT_THAT(values(rows[6]), ElementsAre(12, 13));
  expect_error([&] { ops::split(t, 0); }, "split: split_size can only be 0 if dimension size is 0");
  expect_error([&] { ops::split_with_sizes(t, {3, 3}); }, "must sum exactly to 7");
  expect_error([&] { ops::split_with_sizes(t, {8, -1}); }, "split_with_sizes: sizes [8, -1]");
  expect_error([&] { lanewise::chunk(t, 0); }, "chunk expects `chunks` to be greater than 0, got: 0");
  expect_error([] { ops::unbind(counting({})); }, "0-dim");
}

TEST(Views, ShareMemoryAndVersions) {
  const Tensor t = counting({4, 3});
  for (const Tensor& v :
       {ops::alias(t), t.detach(), ops::t(t), ops::view(t, {12}), ops::select(t, 0, 1), ops::slice(t, 1, 1),
        ops::expand(ops::unsqueeze(t, 0), {2, 4, 3}), ops::diagonal(t)}) {
    const auto before = t.unsafeGetTensorImpl()->version();
    EXPECT_TRUE(v.is_alias_of(t));
    v.unsafeGetTensorImpl()->bump_version();
    EXPECT_EQ(t.unsafeGetTensorImpl()->version(), before + 1);
  }
}

TEST(Views, AsComplexOfOneRowWithAnyStride) {
  const Tensor pair = ops::t(detail::empty_cpu({2, 1}, kDouble));  // strides 1, 1
  EXPECT_EQ(ops::view_as_complex(pair).sizes(), IntArrayRef({1}));
}

TEST(Views, OfUndefinedTensorsAreErrors) {
  const Tensor u;
  expect_error([&] { ops::view(u, {1}); }, "view: argument 'self' is an undefined tensor");
  expect_error([&] { ops::t(u); }, "t: argument 'self' is an undefined tensor");
  expect_error([&] { ops::select(u, 0, 0); }, "select: argument 'self' is an undefined tensor");
}

TEST(AsStridedScatter, CountsInACopyWithoutGaps) {
  const Tensor src = (counting({4}) + 1).view({2, 2}) * 10;
  for (const Tensor& self : {counting({12}).slice(0, 3).view({3, 3}), counting({3, 6}).slice(1, 0, 6, 2)}) {
    const Tensor wanted = self.clone(MemoryFormat::Contiguous), flat = wanted.view({9});
    for (int i = 0; i < 4; ++i) flat.select(0, std::array{1, 3, 2, 4}[i]).fill_(10 * (i + 1));
    EXPECT_TRUE(as_strided_scatter(self, src, {2, 2}, {1, 2}, 1).equal(wanted));
  }
}

}  // namespace
}  // namespace lanewise
