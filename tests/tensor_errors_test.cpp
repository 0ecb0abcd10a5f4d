// What is refused, and in which words.
#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lanewise/lanewise.h>

#include "call.h"

namespace lanewise {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

TEST(Errors, SayWhatWasUnderWay) {
  const auto fail = [] {
    LANEWISE_CHECK(ValueError, false, "no ", 3, ' ', kFloat, " at ", IntArrayRef({1, 2}));
  };
  try {
    fail();
  } catch (ValueError& error) {
    EXPECT_STREQ(error.what(), "no 3 Float at [1, 2]");
    EXPECT_TRUE(error.context().empty());
    error.add_context("While checking X");
    EXPECT_STREQ(error.what(), "no 3 Float at [1, 2] (While checking X)");
    error.add_context("While checking Y");
  }
  try {
    try {
      fail();
    } catch (Error& error) {
      error.add_context("While checking X");
      error.add_context("While checking Y");
      throw;
    }
  } catch (const ValueError& error) {
    EXPECT_STREQ(error.what(), "no 3 Float at [1, 2]\n  While checking X\n  While checking Y");
    EXPECT_EQ(error.msg(), "no 3 Float at [1, 2]");
    EXPECT_EQ(error.context().size(), 2U);
  }
  EXPECT_THROW(fail(), ValueError);
}

TEST(Errors, ClampNeedsALimit) {
  EXPECT_THAT(Call([] { clamp(ones({2})); }),
              ThrowsMessage<ValueError>(HasSubstr("At least one of 'min' or 'max' must not be None")));
  EXPECT_THROW(ones({2}).clip(), ValueError);
  EXPECT_TRUE(clamp(tensor({-1., 3.}), 0).equal(tensor({0., 3.})));
  EXPECT_TRUE(clamp(tensor({-1., 3.}), std::nullopt, 2).equal(tensor({-1., 2.})));
}

TEST(Errors, NumbersThatDoNotFitIntegersAreNotWrapped) {
  const Tensor i = full({2}, 7, kInt), b = full({2}, 5, kByte);
  const auto refuses = [](const Call& call) {
    EXPECT_THAT(call, ThrowsMessage<ValueError>(HasSubstr("without overflow")));
  };
  refuses([&] { i.clamp_max(3000000000); });
  refuses([&] { i.clamp(0, 3000000000); });
  refuses([&] { b.clamp_min(300); });
  refuses([&] { i.pow(3000000000); });
  refuses([&] { b.add(b, 300); });
  refuses([&] { addcmul(b, b, b, 300); });
  refuses([&] { threshold(b, 3, 300); });
  refuses([&] { linspace(0, 300, 4, kByte); });
  refuses([&] { leaky_relu(ones({2}), std::complex<double>(0, 1)); });
  refuses([&] { where(b == 5, b, 300); });
  refuses([&] { linspace(0, 1e300, 3); });
  refuses([&] { ones({2}).clamp(-1e40, 1); });
  EXPECT_TRUE(ones({2}).clamp(-INFINITY, 0.5).equal(full({2}, 0.5)));
  EXPECT_TRUE(lerp(zeros({2}), ones({2}), std::complex<double>(0.5, 0)).equal(full({2}, 0.5)));
  EXPECT_THROW(b.remainder(256), ValueError);
  EXPECT_THROW(b.div(256, "floor"), ValueError);
  EXPECT_THROW(randperm(300, kByte), ValueError);
  EXPECT_THROW(randperm(3000, kHalf), ValueError);
  EXPECT_EQ(randperm(256, kByte).to(kLong).sum().item<int>(), 255 * 128);
  EXPECT_TRUE(i.clamp(0, 3.5).equal(full({2}, 3.5)));  // beside a float nothing is whole
}

TEST(Errors, NumbersThatDoNotFitElements) {
  const Tensor bytes = tensor({1, 5}, kByte), small = ones({1}, kChar);
  EXPECT_THROW(hardtanh(bytes.to(kLong), -1, INFINITY), ValueError);
  EXPECT_THROW(hardtanh(small, 0.5, 1e10), ValueError);
  EXPECT_THROW(threshold(bytes, 5.76, -1.3), ValueError);
  EXPECT_TRUE(threshold(bytes, 4.9, 2).equal(tensor({2, 5}, kByte)));
  EXPECT_THROW(call("where", {tensor({true}), small, 300}), ValueError);
  EXPECT_THROW(call("floor_divide", {small, 256}), ValueError);  // wraps to 0
  EXPECT_THROW(addr(zeros({1, 1}, kChar), small, small, 1, 300), ValueError);
  EXPECT_THROW(empty({2}, kHalf).uniform_(-1e38, 1e38), ValueError);
  EXPECT_THROW(randint(0, 70000, {2}, kHalf), ValueError);
  EXPECT_THROW(rrelu(ones({2}), 0.1, INFINITY, true), ValueError);
}

TEST(Errors, ResultsThatTheTensorCannotHold) {
  const Tensor i = tensor({1, 2});
  EXPECT_THROW(Tensor(i).pow_(1.0), DtypeError);
  EXPECT_TRUE(Tensor(i).pow_(1).equal(tensor({1, 2})));
  EXPECT_THROW(dropout(i, 0.5, true), DtypeError);
  EXPECT_TRUE(dropout(i, 0.5, false).is_same(i));
  EXPECT_THROW(zeros({2}, kComplexFloat).abs_(), DtypeError);
  EXPECT_THROW(ones({}).roll(1, 0), IndexError);
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_TRUE(equal(arange(5).roll({kMost, kMost}, {0, 0}), arange(5).roll(2 * (kMost % 5), 0)));
  EXPECT_THROW(ones({4}).multinomial(kMost, true), ShapeError);
}

TEST(Errors, NumbersKeepTheirImaginaryPartAndTheirSize) {
  const std::complex<double> z(1, 2);
  const Tensor x = ones({3}), h = ones({3}, kHalf);
  const auto refuses = [](const char* op, const Call& call) {
    EXPECT_THAT(call,
                ThrowsMessage<ValueError>(AllOf(StartsWith(op), HasSubstr("cannot be converted to type"),
                                                HasSubstr("without overflow"))));
  };
  for (const Scalar& bad : {Scalar(z), Scalar(1e300)}) {
    refuses("softplus: ", [&] { softplus(x, bad); });
    refuses("softshrink: ", [&] { softshrink(x, bad); });
    refuses("leaky_relu: ", [&] { leaky_relu(x, bad); });
    refuses("threshold_backward: ", [&] { threshold_backward(x, x, bad); });
    refuses("index_add: ", [&] { index_add(x, 0, tensor({0}), ones({1}), bad); });
  }
  refuses("celu: ", [&] { celu(x, z); });
  refuses("add: ", [&] { add(x, x, 1e39); });
  refuses("add: ", [&] { add(h, h, 65536); });
  Tensor out = full({3}, 7.0);
  refuses("elu_backward: ", [&] { elu_backward_out(out, x, z, 1, 1, false, x); });
  EXPECT_TRUE(out.equal(full({3}, 7.0)));
  EXPECT_THROW(trapezoid(x, z), DtypeError);
  EXPECT_THROW(cumulative_trapezoid(x, true), DtypeError);
  // What does fit.
  EXPECT_TRUE(softplus(x, std::complex<double>(2, 0)).equal(softplus(x, 2)));
  EXPECT_TRUE(add(x.to(kComplexFloat), x, z).equal(full({3}, std::complex<double>(2, 2))));
  EXPECT_TRUE(softshrink(x, INFINITY).equal(zeros({3})));
  EXPECT_TRUE(x.pow(1e300).equal(x));
  EXPECT_TRUE(nan_to_num(full({1}, INFINITY), 0, 1e300).equal(full({1}, INFINITY)));
}

// As in PyTorch: these write their result, and convert nothing.
TEST(Errors, OutTakesTheResultsDtypeAlone) {
  const Tensor x = rand({3, 3}), y = rand({3, 3}), t = tensor({0, 1, 2}), i = tensor({0, 1, 2}).view({1, 3});
  const std::vector<std::pair<const char*, std::function<void(Tensor&)>>> ops = {
      {"float_power", [&](Tensor& o) { float_power_out(o, x.to(kComplexFloat), 2); }},
      {"softmax", [&](Tensor& o) { softmax_out(o, x, 1); }},
      {"log_softmax", [&](Tensor& o) { log_softmax_out(o, x, 1); }},
      {"mse_loss_backward", [&](Tensor& o) { mse_loss_backward_out(o, x, x, y, 1); }},
      {"huber_loss_backward", [&](Tensor& o) { huber_loss_backward_out(o, x, x, y, 1, 1.0); }},
      {"scatter", [&](Tensor& o) { scatter_out(o, x, 0, i, 1.0); }},
      {"index_reduce", [&](Tensor& o) { index_reduce_out(o, x, 0, t, y, "amax"); }},
      {"take", [&](Tensor& o) { take_out(o, x, i); }},
      {"tril", [&](Tensor& o) { tril_out(o, x); }},
      {"triu", [&](Tensor& o) { triu_out(o, x); }},
      {"quantile", [&](Tensor& o) { quantile_out(o, x, 0.5); }},
      {"linalg_vector_norm", [&](Tensor& o) { linalg_vector_norm_out(o, x, 2, IntArrayRef({1})); }},
      {"linalg_norm", [&](Tensor& o) { linalg_norm_out(o, x, 2, IntArrayRef({1})); }},
      {"nll_loss", [&](Tensor& o) { nll_loss_out(o, x, t); }},
      {"multi_margin_loss", [&](Tensor& o) { multi_margin_loss_out(o, x, t); }},
      {"mm", [&](Tensor& o) { mm_out(o, x, y); }},
      {"matmul", [&](Tensor& o) { matmul_out(o, x, y); }},
      {"linear", [&](Tensor& o) { linear_out(o, x, y); }},
      {"tensordot", [&](Tensor& o) { tensordot_out(o, x, y, {1}, {0}); }},
      {"linalg_det", [&](Tensor& o) { linalg_det_out(o, x); }},
      {"linalg_inv", [&](Tensor& o) { inverse_out(o, x); }},
      {"linalg_solve", [&](Tensor& o) { linalg_solve_out(o, x, y); }},
  };
  for (const auto& [name, write] : ops) {
    Tensor out = full({3, 3}, 7.0, kDouble);
    EXPECT_THAT(
        Call([&] { write(out); }),
        ThrowsMessage<DtypeError>(AllOf(StartsWith(name), HasSubstr("Expected out tensor to have dtype"))))
        << name;
    EXPECT_TRUE(out.equal(full({3, 3}, 7.0, kDouble))) << name;
  }
}

TEST(Errors, TheModulusOfComplexNumbersIsCast) {
  const Tensor z = full({3}, std::complex<double>(3, 4), kComplexFloat);
  for (const ScalarType dtype : {kBFloat16, kFloat, kDouble, kComplexFloat}) {
    Tensor out = empty({3}, dtype);
    EXPECT_TRUE(abs_out(out, z).equal(full({3}, 5, dtype))) << dtype;
  }
  Tensor whole = empty({3}, kLong), other = empty({3}, kComplexDouble);
  EXPECT_THROW(abs_out(whole, z), DtypeError);
  EXPECT_THROW(abs_out(other, z), DtypeError);
  EXPECT_THROW(neg_out(other, z), DtypeError);
}

TEST(Errors, FractionsBeyondTheEndOfAnIntegerAreErrors) {
  for (const double bad : {-0.5, 255.5, -1.0, 256.0}) {
    EXPECT_THROW(full({1}, bad, kByte), ValueError) << bad;
    EXPECT_THROW(zeros({1}, kByte).fill_(bad), ValueError) << bad;
    EXPECT_THROW(zeros({1}, kByte).masked_fill(ones({1}, kBool), bad), ValueError) << bad;
  }
  EXPECT_THROW(Scalar(127.5).toChar(), ValueError);
  EXPECT_THROW(Scalar(-128.5).toChar(), ValueError);
  EXPECT_THROW(Scalar(-0x1p31 - 0.5).toInt(), ValueError);
  EXPECT_EQ(Scalar(127.0).toChar(), 127);
  EXPECT_EQ(Scalar(-127.9).toChar(), -127);
  EXPECT_EQ(Scalar(254.9).toByte(), 254);
  EXPECT_EQ(Scalar(0x1.fffffffffffffp62).toLong(), 0x7ffffffffffffc00);
}

TEST(Errors, SlopesOfGammaNumbersTakeOneType) {
  EXPECT_THAT(Call([] { _standard_gamma_grad(ones({2}), ones({2}, kDouble)); }),
              ThrowsMessage<DtypeError>(HasSubstr("Found dtype Double but expected Float")));
}

/// What wraps around in int64 is no size: neither memory beside the tensor is touched nor a wrong result made.
TEST(Errors, SizesThatOverflowAreErrors) {
  constexpr std::int64_t kMost = INT64_MAX, kLeast = INT64_MIN, kHalf = std::int64_t{1} << 62;
  const Tensor x = arange(4, kFloat), image = ones({1, 4, 4, 4}), matrix = eye(2);
  const auto refuses = [](const Call& call) { EXPECT_THROW(call(), Error); };
  refuses([&] { bincount(tensor({kMost})); });
  refuses([&] { repeat_interleave(tensor({kMost, kMost, std::int64_t{2}})); });
  refuses([&] { repeat_interleave(x, kHalf + 1); });
  refuses([&] { pixel_shuffle(image, std::int64_t{1} << 32); });
  refuses([&] { pixel_unshuffle(image.expand({kHalf, 4, 4, 4}), std::int64_t{1} << 32); });
  refuses([&] { x.narrow(0, 3, kMost); });
  refuses([&] { x.repeat({kMost}); });
  refuses([&] { constant_pad_nd(x, {kLeast, kMost}); });
  refuses([&] { constant_pad_nd(x, {-5, 5}); });
  refuses([&] { diag_embed(x, kLeast); });
  refuses([&] { triu_indices(4, kHalf + 1, -10); });
  refuses([&] { range(0, 1e30, 1, kDouble); });
  refuses([&] { x.clone().random_(0, kLeast); });
  refuses([&] { from_blob(x.data_ptr(), {kHalf}, kFloat); });
  refuses([&] { pad(ones({1, 4}), {kMost, 1}, "replicate"); });
  refuses([&] { tril_indices(kMost, 3); });
  refuses([&] { kron(ones({1}).expand({kHalf}), ones({1}).expand({kHalf})); });
  const DimVector four{4}, one{1};
  for (const DimVector& size : {DimVector{2, 2}, DimVector{-1}, DimVector{3}}) {
    refuses([&] {
      call("as_strided_backward",
           {ones({2}), IntArrayRef(four), IntArrayRef(one), 0, IntArrayRef(size), IntArrayRef(one), 0});
    });
  }
  EXPECT_TRUE(matrix_power(matrix, kLeast).equal(matrix));
  EXPECT_EQ(triu_indices(2, 3, kMost).numel(), 0);
  EXPECT_EQ(triu_indices(kHalf, 3).numel(), 12);
  EXPECT_TRUE(tril_indices(kHalf, 3, 2 - kHalf)
                  .equal(tensor({kHalf - 2, kHalf - 1, kHalf - 1, 0L, 0L, 1L}).view({2, 3})));
  EXPECT_EQ(combinations(x, kMost).sizes(), IntArrayRef({0, kMost}));
}

TEST(Errors, ViewsOfMoreElementsThanCanBeCounted) {
  const Tensor one = ones({1}), huge = one.expand({std::int64_t{1} << 62});
  EXPECT_THROW(one.expand({std::int64_t{1} << 33}).unfold(0, std::int64_t{1} << 32, 1), ShapeError);
  EXPECT_THROW(view_as_real(ones({1}, kComplexFloat).expand({std::int64_t{1} << 62})), ShapeError);
  EXPECT_THROW(cat({huge, huge, huge, huge, ones({8})}), ShapeError);
}

TEST(Errors, LibtorchsPhrasesAreRecognisable) {
  const auto says = [](const Call& call, const char* phrase) {
    try {
      call();
      ADD_FAILURE() << "nothing thrown; expected " << phrase;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(phrase));
    }
  };
  const Tensor x = ones({2}), m = ones({2, 2}), i = ones({2}, kInt), b = ones({2}, kBool);
  says([&] { sub(b, b); }, "Subtraction, the `-` operator, with a bool tensor is not supported");
  says([&] { neg(b); }, "Negation, the `-` operator, on a bool tensor is not supported.");
  says([&] { i.mean(); },
       "could not infer output dtype. Input dtype must be either a floating point or complex "
       "dtype. Got: Int");
  says([&] { i.add(i, 1.5); },
       "For integral input tensors, argument alpha must not be a floating point number");
  says([&] { i.pow(-1); }, "Integers to negative integer powers are not allowed.");
  says([] { empty({0}).max(); }, "Expected reduction dim to be specified for input.numel() == 0");
  says([&] { cat({x, m}); }, "Tensors must have same number of dimensions: got 1 and 2");
  says([&] { cat({m, ones({2, 3})}); }, "Sizes of tensors must match except in dimension 0");
  says([] { cat({}); }, "expected a non-empty list of Tensors");
  says(
      [&] {
        stack({x, ones({3})});
      },
      "stack expects each tensor to be equal size, but got [2] at entry 0 and [3] at entry 1");
  says([&] { x.narrow(0, 1, 5); }, "start (1) + length (5) exceeds dimension size (2)");
  says(
      [&] {
        x.permute({0, 0});
      },
      "number of dimensions in the tensor input does not match the length of the "
      "desired ordering of dimensions i.e. input.dim() = 1 is not equal to len(dims) = 2");
  says([&] { x.chunk(0); }, "chunk expects `chunks` to be greater than 0, got: 0");
  says([&] { x.split(0); }, "split_size can only be 0 if dimension size is 0");
  says([&] { x.unfold(0, 5, 1); }, "maximum size for tensor at dimension 0 is 2 but size is 5");
  says([] { eye(-1); }, "n must be greater or equal to 0, got -1");
  says([] { empty({-1}); }, "Trying to create tensor with negative dimension -1: [-1]");
  says([] { randint(5, 5, {2}); }, "random_ expects 'from' to be less than 'to', but got from=5 >= to=5");
  says([&] { Tensor(x).normal_(0, -1); }, "expects std >= 0.0, but found std -1");
  says([&] { Tensor(x).uniform_(1, 0); }, "uniform_ expects to return a [from, to) range");
  says([&] { Tensor(x).bernoulli_(2); }, "bernoulli_ expects p to be in [0, 1], but got p=2");
  says([&] { x.multinomial(5); }, "cannot sample n_sample > prob_dist.size(-1) samples without replacement");
  says([&] { Tensor(x).fill_(x); },
       "fill_ only supports 0-dimension value tensor but got tensor with 1 dimensions");
  says([&] { where(x, x, x); },
       "expected condition to be a boolean tensor, but got a tensor with dtype Float");
  says([&] { dot(m, x); }, "1D tensors expected, but got 2D and 1D tensors");
  says([&] { dot(x, ones({3})); },
       "inconsistent tensor size, expected tensor [2] and src [3] to have the same number "
       "of elements, but got 2 and 3 elements respectively");
  says([&] { outer(x, m); }, "outer: Expected 1-D argument vec2, but got 2-D");
  says([&] { bmm(m, m); }, "batch1 must be a 3D tensor");
  says([&] { mm(x, x); }, "self must be a matrix");
  says([&] { mm(m.to(kDouble), m); }, "expected scalar type Double but found Float");
  says([&] { div(x, x, "foo"); },
       "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found 'foo'");
  says([&] { bitwise_not(x); }, "not implemented for 'Float'");
  says([&] { m.accessor<float, 3>(); }, "TensorAccessor expected 3 dims but tensor has 2");
  says([&] { x.to(TensorOptions().requires_grad(true)); },
       "Operators taking TensorOptions cannot take a TensorOptions with options.requires_grad set as true");
}

TEST(Errors, AnUndefinedDtypeHasNoElements) {
  EXPECT_THROW(full({2}, 1, ScalarType::Undefined), DtypeError);
  EXPECT_THROW(scalar_tensor(1, ScalarType::Undefined), DtypeError);
  EXPECT_THROW(linspace(0, 1, 3, ScalarType::Undefined), DtypeError);
}

TEST(Errors, ListsThatNoMemoryHolds) {
  const Tensor wide = ones({1}).expand({std::int64_t{1} << 40});
  EXPECT_THROW(wide.unbind(0), AllocationError);
  EXPECT_THROW(wide.split(1), AllocationError);
  EXPECT_THROW(ones({0}).chunk(std::int64_t{1} << 62), AllocationError);
  EXPECT_THROW(mvlgamma(ones({1}), std::int64_t{1} << 40), ValueError);
}

TEST(Errors, NameTheOpWhoseElementsShareMemory) {
  const Tensor wide = ones({1}).expand({3});
  const auto expect_named = [](const char* op, const std::function<void()>& call) {
    EXPECT_THAT(Call(call), ThrowsMessage<StorageError>(StartsWith(op))) << op;
  };
  expect_named("uniform_:", [&] { wide.uniform_(); });
  expect_named("cumsum_:", [&] { wide.cumsum_(0); });
  expect_named("index_put_:", [&] { wide.index_put_({tensor({0})}, ones({})); });
  expect_named("scatter_add_:", [&] { wide.scatter_add_(0, tensor({0}), ones({1})); });
  expect_named("add_:", [&] { wide.add_(1); });
  const Tensor x = ones({3}), index = tensor({0, 1, 2});
  Tensor out = x;
  expect_named("gather:", [&] { gather_out(out, x, 0, index); });
  EXPECT_NO_THROW(ones({1}).expand({3}).unsqueeze_(0));                // no element is written
  EXPECT_TRUE(equal(ones({1}).expand({3}).fill_(2), full({3}, 2.0)));  // one value
}

// Nothing is written before it is known that all may be.
TEST(Errors, OutputsAreCheckedFirst) {
  Tensor inference;
  {
    const InferenceMode mode;
    inference = zeros({3});
  }
  EXPECT_THROW(add_out(inference, ones({3}), ones({3})), AutogradError);
  EXPECT_THROW(cat_out(inference, {ones({3}), ones({3})}), AutogradError);
  Tensor values = zeros({7}), none;
  EXPECT_THROW(max_out(values, inference, rand({2, 3}), 1), AutogradError);
  EXPECT_EQ(values.sizes(), IntArrayRef({7}));
  EXPECT_EQ(inference.sizes(), IntArrayRef({3}));
  EXPECT_NO_THROW(add_out(none, ones({3}), ones({3})));
  EXPECT_TRUE(equal(inference, zeros({3})));
  const Tensor x = tensor({1., 2., 3.});
  Tensor part = x.slice(0, 1, 3);
  EXPECT_THROW(conj_physical_out(part, x), StorageError);
  EXPECT_EQ(part.sizes(), IntArrayRef({2}));
  EXPECT_EQ(x.storage().nbytes(), x.nbytes());
  Tensor positions = empty({1});
  EXPECT_THROW(multinomial_out(positions, ones({2}), 1), DtypeError);
}

}  // namespace
}  // namespace lanewise
