// What the tables do not show of pointwise ops: special values, other dtypes, errors at the door, operators;
// and that the list is complete.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lanewise/lanewise.h>

#include "call.h"
#include "same_gradients.h"

namespace lanewise {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr float kInf = std::numeric_limits<float>::infinity();
const float kNan = std::numeric_limits<float>::quiet_NaN();

template <class T>
std::vector<T> values(const Tensor& t) {
  const Tensor dense = t.contiguous();
  const T* data = dense.data_ptr<T>();
  return std::vector<T>(data, data + dense.numel());
}
template <class T>
Tensor of(std::vector<T> list, ScalarType dtype) {
  Tensor t = empty({static_cast<std::int64_t>(list.size())}, dtype);
  std::copy(list.begin(), list.end(), t.data_ptr<T>());
  return t;
}
Tensor floats(std::vector<float> list) { return of<float>(std::move(list), kFloat); }
Tensor ints(std::vector<std::int32_t> list) { return of<std::int32_t>(std::move(list), kInt); }
Tensor bytes(std::vector<std::int8_t> list) { return of<std::int8_t>(std::move(list), kChar); }

TEST(PointwiseOps, TheListIsLong) {
  const char* const names[] = {
      // unary
      "abs", "absolute", "acos", "acosh", "angle", "arccos", "arccosh", "arcsin", "arcsinh", "arctan",
      "arctanh", "asin", "asinh", "atan", "atanh", "bitwise_not", "ceil", "conj_physical", "cos", "cosh",
      "deg2rad", "erf", "erfc", "exp", "exp2", "expm1", "fix", "floor", "frac", "frexp", "isfinite", "isinf",
      "isnan", "isneginf", "isposinf", "isreal", "log", "log10", "log1p", "log2", "logical_not", "logit",
      "nan_to_num", "neg", "negative", "positive", "rad2deg", "reciprocal", "round", "rsqrt", "sgn",
      "sigmoid", "sign", "signbit", "sin", "sinc", "sinh", "sqrt", "square", "lgamma", "digamma", "polygamma",
      "mvlgamma", "erfinv", "i0", "special_i0e", "special_i1", "special_i1e", "special_bessel_j0",
      "special_bessel_j1", "special_bessel_y0", "special_bessel_y1", "special_modified_bessel_i0",
      "special_modified_bessel_i1", "special_modified_bessel_k0", "special_modified_bessel_k1",
      "special_scaled_modified_bessel_k0", "special_scaled_modified_bessel_k1", "special_spherical_bessel_j0",
      "special_airy_ai", "special_ndtri", "special_log_ndtr", "special_erfcx", "special_zeta", "igamma",
      "igammac", "special_gammainc", "special_gammaincc", "special_chebyshev_polynomial_t",
      "special_chebyshev_polynomial_u", "special_chebyshev_polynomial_v", "special_chebyshev_polynomial_w",
      "special_shifted_chebyshev_polynomial_t", "special_shifted_chebyshev_polynomial_u",
      "special_shifted_chebyshev_polynomial_v", "special_shifted_chebyshev_polynomial_w",
      "special_hermite_polynomial_h", "special_hermite_polynomial_he", "special_laguerre_polynomial_l",
      "special_legendre_polynomial_p", "special_psi", "special_gammaln", "tan", "tanh", "trunc",
      "special_entr", "special_erf", "special_erfc", "special_exp2", "special_expit", "special_expm1",
      "special_log1p", "special_logit", "special_ndtr", "special_round", "special_sinc",
      // binary and ternary
      "add", "addcdiv", "addcmul", "arctan2", "atan2", "bitwise_and", "bitwise_left_shift", "bitwise_or",
      "bitwise_right_shift", "bitwise_xor", "clamp", "clamp_max", "clamp_min", "clip", "complex", "copysign",
      "div", "divide", "float_power", "floor_divide", "fmax", "fmin", "fmod", "gcd", "heaviside", "hypot",
      "lcm", "ldexp", "lerp", "logaddexp", "logaddexp2", "logical_and", "logical_or", "logical_xor",
      "masked_fill", "maximum", "minimum", "mul", "multiply", "nextafter", "polar", "pow", "pow_backward",
      "remainder", "rsub", "sub", "subtract", "true_divide", "where", "xlogy", "special_xlog1py",
      "special_xlogy", "__and__", "__or__", "__xor__", "__lshift__", "__rshift__", "__iand__", "__ior__",
      "__ixor__", "__ilshift__", "__irshift__",
      // comparisons
      "eq", "ge", "greater", "greater_equal", "gt", "isclose", "le", "less", "less_equal", "lt", "ne",
      "not_equal",
      // activations and losses, with their derivatives
      "celu", "elu", "elu_backward", "gelu", "gelu_backward", "glu", "glu_backward", "hardshrink",
      "hardshrink_backward", "hardsigmoid", "hardsigmoid_backward", "hardswish", "hardswish_backward",
      "hardtanh", "hardtanh_backward", "leaky_relu", "leaky_relu_backward", "log_sigmoid",
      "log_sigmoid_backward", "logit_backward", "mish", "mish_backward", "prelu", "prelu_backward", "relu",
      "relu6", "rrelu", "rrelu_with_noise", "rrelu_with_noise_backward", "selu", "sigmoid_backward", "silu",
      "silu_backward", "softplus", "softplus_backward", "softshrink", "softshrink_backward", "tanh_backward",
      "threshold", "threshold_backward", "binary_cross_entropy", "binary_cross_entropy_backward",
      "binary_cross_entropy_with_logits", "hinge_embedding_loss", "huber_loss", "huber_loss_backward",
      "kl_div", "l1_loss", "margin_ranking_loss", "mse_loss", "mse_loss_backward", "poisson_nll_loss",
      "smooth_l1_loss", "smooth_l1_loss_backward", "soft_margin_loss", "soft_margin_loss_backward"};
  std::set<std::string> registered;
  for (const Schema& schema : registry()) registered.insert(std::string(schema.name));
  for (const char* name : names) EXPECT_TRUE(registered.contains(name)) << name;
  EXPECT_GE(std::set<std::string>(std::begin(names), std::end(names)).size(), 150U);
}

TEST(PointwiseOps, SpecialValues) {
  EXPECT_EQ(values<float>(heaviside(floats({-1, 0, 2, kNan}), floats({5}))),
            (std::vector<float>{0, 5, 1, 0}));
  EXPECT_EQ(values<float>(nan_to_num(floats({kNan, kInf, -kInf, 2}), 1.5, 9)),
            (std::vector<float>{1.5, 9, std::numeric_limits<float>::lowest(), 2}));
  EXPECT_EQ(nan_to_num(floats({kInf}).to(kHalf)).to(kFloat).item<float>(), 65504);
  EXPECT_EQ(values<float>(fmax(floats({1, kNan, kNan}), floats({kNan, 2, kNan})).nan_to_num(7)),
            (std::vector<float>{1, 2, 7}));
  EXPECT_EQ(values<bool>(signbit(floats({-0.0F, 0, -kInf, 3}))),
            (std::vector<bool>{true, false, true, false}));
  EXPECT_EQ(values<float>(xlogy(floats({0, 0, 2}), floats({0, -1, 1}))), (std::vector<float>{0, 0, 0}));
  EXPECT_EQ(values<float>(logaddexp(floats({-kInf, kInf}), floats({-kInf, kInf}))),
            (std::vector<float>{-kInf, kInf}));
  EXPECT_EQ(values<float>(mish(floats({1000, -1000}))), (std::vector<float>{1000, 0}));
  EXPECT_EQ(values<float>(log_sigmoid(floats({1000, -1000}))), (std::vector<float>{0, -1000}));
  EXPECT_EQ(values<float>(softshrink(floats({kNan}))), (std::vector<float>{0}));
  EXPECT_TRUE(std::isnan(hardshrink(floats({kNan})).item<float>()));
  EXPECT_EQ(values<float>(sinc(floats({0}))), (std::vector<float>{1}));
  EXPECT_EQ(values<float>(hypot(floats({3e38F}), floats({1}))), (std::vector<float>{3e38F}));
}

TEST(PointwiseOps, PowBackwardIsTheComposedOne) {
  const Tensor x = of<double>({0.25, 1, 1.5, 7, 0.01}, kDouble),
               g = of<double>({1, -2, 0.5, 3, -0.1}, kDouble);
  for (const ScalarType dtype : {kDouble, kFloat}) {
    for (const double e : {-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 2.7, 3.0, 4.0}) {
      const Tensor base = x.to(dtype), grad = g.to(dtype);
      EXPECT_TRUE(allclose(pow_backward(grad, base, e), grad * (base.pow(e - 1) * e), 1e-6, 0)) << e;
    }
  }
  const Tensor zero = zeros({3}), one = ones({3});
  EXPECT_TRUE(equal(pow_backward(one, zero, 0), zero));
  EXPECT_TRUE(equal(pow_backward(one, zero, 1), one));
  EXPECT_TRUE(equal(pow_backward(one, zero, 2), zero));
  EXPECT_TRUE(pow_backward(one, zero, 0.5).isinf().all().item<bool>());
  EXPECT_THROW(pow_backward(one.to(kComplexFloat), zero, 2), DtypeError);
}

TEST(PointwiseOps, PolygammaInPlace) {
  const Tensor x = of<double>({0.7, 2.5}, kDouble).requires_grad_();
  Tensor y = x * 1;
  EXPECT_TRUE(y.polygamma_(1).is_same(y));
  EXPECT_TRUE(equal(y.detach(), x.detach().polygamma(1)));
  EXPECT_EQ(y.grad_fn()->name(), "PolygammaBackward1");
  y.sum().backward();
  EXPECT_TRUE(equal(x.grad(), x.detach().polygamma(2)));
  EXPECT_THROW(x.detach().polygamma(-1), ValueError);
  EXPECT_THROW(mvlgamma(x, 0), ValueError);
}

TEST(PointwiseOps, NextafterStepsInItsDtype) {
  const Tensor x = floats({0, 1, -1, kInf, 65504});
  const Tensor up = nextafter(x, floats({kInf}));
  EXPECT_EQ(values<float>(up)[0], std::numeric_limits<float>::denorm_min());
  EXPECT_EQ(values<float>(up)[1], std::nextafter(1.0F, 2.0F));
  EXPECT_EQ(values<float>(up)[2], std::nextafter(-1.0F, 2.0F));
  EXPECT_EQ(values<float>(up)[3], kInf);
  const Tensor half = nextafter(x.to(kHalf), floats({kInf}).to(kHalf)).to(kFloat);
  EXPECT_EQ(values<float>(half), (std::vector<float>{0x1p-24F, 1 + 0x1p-10F, -1 + 0x1p-11F, kInf, kInf}));
  const Tensor brain = nextafter(floats({1, 0}).to(kBFloat16), floats({-1}).to(kBFloat16)).to(kFloat);
  EXPECT_EQ(values<float>(brain), (std::vector<float>{1 - 0x1p-8F, -0x1p-133F}));
}

TEST(PointwiseOps, FrexpTakesNumbersApart) {
  const auto [mantissa, exponent] = frexp(floats({0, 8, -3, kInf, 0x1p-140F}));
  EXPECT_EQ(values<float>(mantissa), (std::vector<float>{0, 0.5, -0.75, kInf, 0.5}));
  EXPECT_EQ(values<std::int32_t>(exponent), (std::vector<std::int32_t>{0, 4, 2, 0, -139}));
  const auto [m, e] = frexp(of<double>({5e-324, 1e300}, kDouble));
  EXPECT_TRUE(equal(ldexp(m, e.to(kDouble)), of<double>({5e-324, 1e300}, kDouble)));
}

/// Of each byte by each count, and of 16 bits by counts on both sides of the width.
template <class T>
void expect_shifts() {
  const Tensor x = arange(-32768, 32768, 257, TensorOptions().dtype(kInt)).to(scalar_type_of<T>).unsqueeze(1),
               counts = arange(-128, 128, TensorOptions().dtype(kInt)).to(scalar_type_of<T>);
  const Tensor left = bitwise_left_shift(x, counts), right = bitwise_right_shift(x, counts);
  constexpr int kWidth = 8 * sizeof(T);
  for (std::int64_t i = 0; i < left.numel(); ++i) {
    const T value = x.const_data_ptr<T>()[i / counts.numel()],
            count = counts.const_data_ptr<T>()[i % counts.numel()];
    const bool out = count < T(0) || count >= T(kWidth);
    const auto wide = static_cast<std::int64_t>(value);
    EXPECT_EQ(left.const_data_ptr<T>()[i],
              out ? T(0) : static_cast<T>(static_cast<std::uint64_t>(wide) << count));
    EXPECT_EQ(right.const_data_ptr<T>()[i], static_cast<T>(wide >> (out ? 63 : static_cast<int>(count))));
  }
}
TEST(Shifts, AreThoseOfSingleElements) {
  expect_shifts<std::int8_t>();
  expect_shifts<std::uint8_t>();
  expect_shifts<std::int16_t>();
  expect_shifts<std::int32_t>();
}

TEST(PointwiseOps, Integers) {
  EXPECT_EQ(values<std::int8_t>(bitwise_left_shift(bytes({1, -1, 5, 1}), bytes({9, -1, 3, 7}))),
            (std::vector<std::int8_t>{0, 0, 40, -128}));
  EXPECT_EQ(values<std::int8_t>(bitwise_right_shift(bytes({1, -1, -5, 127}), bytes({9, 9, 1, 6}))),
            (std::vector<std::int8_t>{0, -1, -3, 1}));
  EXPECT_EQ(values<std::int32_t>(gcd(ints({12, -12, 0, 7}), ints({18, 18, -5, 0}))),
            (std::vector<std::int32_t>{6, 6, 5, 7}));
  EXPECT_EQ(values<std::int32_t>(lcm(ints({4, -4, 0}), ints({6, 6, 5}))),
            (std::vector<std::int32_t>{12, 12, 0}));
  EXPECT_EQ(threshold(ints({1, 3}), 2, 7.5).scalar_type(), kInt);
  EXPECT_EQ(values<std::int32_t>(hardtanh(ints({-9, 9}), -1.5, 2.5)), (std::vector<std::int32_t>{-1, 2}));
}

TEST(PointwiseOps, CommonDivisorsAndMultiples) {
  manual_seed(15);
  const auto check = [&]<class T>(ScalarType dtype, T) {
    using Unsigned = std::uint64_t;
    const auto magnitude = [](T v) {
      return v < 0 ? 0 - static_cast<Unsigned>(v) : static_cast<Unsigned>(v);
    };
    // All of a type's numbers, those of few bits, and the most negative one and 0 among them.
    const Tensor bits = randint(std::numeric_limits<std::int64_t>::min(),
                                std::numeric_limits<std::int64_t>::max(), {2, 1001}, kLong);
    Tensor ab = cat({bits, bits.bitwise_right_shift(randint(0, 64, {2, 1001}, kLong))}, 1).to(dtype);
    ab.narrow(1, 0, 3).fill_(0);
    ab.select(0, 0).narrow(0, 2, 40).fill_(Scalar(static_cast<std::int64_t>(std::numeric_limits<T>::min())));
    ab.select(0, 1).narrow(0, 40, 9).fill_(0);
    const auto a = values<T>(ab.select(0, 0)), b = values<T>(ab.select(0, 1));
    const auto divisors = values<T>(gcd(ab.select(0, 0), ab.select(0, 1)));
    const auto multiples = values<T>(lcm(ab.select(0, 0), ab.select(0, 1)));
    for (std::size_t i = 0; i < a.size(); ++i) {
      const Unsigned x = magnitude(a[i]), y = magnitude(b[i]), divisor = std::gcd(x, y);
      ASSERT_EQ(divisors[i], static_cast<T>(divisor)) << +a[i] << ", " << +b[i];
      const auto product = static_cast<T>(divisor == 0 ? 0 : x / divisor * y);
      ASSERT_EQ(multiples[i], static_cast<T>(magnitude(product))) << +a[i] << ", " << +b[i];
    }
  };
  check(kByte, std::uint8_t{});
  check(kChar, std::int8_t{});
  check(kShort, std::int16_t{});
  check(kInt, std::int32_t{});
  check(kLong, std::int64_t{});
}

TEST(PointwiseOps, OperatorsOfBits) {
  Tensor x = ints({12, 10});
  EXPECT_EQ(values<std::int32_t>((x & 6) | 1), (std::vector<std::int32_t>{5, 3}));
  EXPECT_EQ(values<std::int32_t>(~x ^ x), (std::vector<std::int32_t>{-1, -1}));
  EXPECT_EQ(values<std::int32_t>(7 % x), (std::vector<std::int32_t>{7, 7}));
  const std::int64_t version = x._version();
  x &= ints({4});
  x |= ints({3});
  x ^= ints({1});
  EXPECT_EQ(values<std::int32_t>(x), (std::vector<std::int32_t>{6, 2}));
  EXPECT_EQ(x._version(), version + 3);
  EXPECT_EQ(values<std::int32_t>(x.__lshift__(2)), (std::vector<std::int32_t>{24, 8}));
  EXPECT_EQ(values<std::int32_t>(x.__irshift__(1)), (std::vector<std::int32_t>{3, 1}));
}

TEST(PointwiseOps, ErrorsLeaveTheResultAlone) {
  Tensor whole = ints({1, 2});
  EXPECT_THROW(whole.copysign_(floats({-1, -1})), DtypeError);
  EXPECT_THROW(whole.asin_(), DtypeError);
  EXPECT_THROW(whole.float_power_(2), DtypeError);
  EXPECT_EQ(values<std::int32_t>(whole), (std::vector<std::int32_t>{1, 2}));
  EXPECT_THROW(heaviside(floats({1}), ints({1})), DtypeError);
  EXPECT_THROW(gcd(floats({1}), floats({1})), DtypeError);
  EXPECT_THROW(lanewise::complex(floats({1}), of<double>({1}, kDouble)), DtypeError);
  EXPECT_THROW(lanewise::complex(ints({1}), ints({1})), DtypeError);
  EXPECT_THROW(hypot(ints({1}), ints({1})), DtypeError);
  EXPECT_THROW(celu(floats({1}), 0), ValueError);
  EXPECT_THROW(softshrink(floats({1}), -0.5), ValueError);
  EXPECT_THROW(glu(floats({1, 2, 3})), ShapeError);
  EXPECT_THROW(glu(scalar_tensor(1.0)), ShapeError);
  EXPECT_THROW(prelu(zeros({2, 3}), zeros({2})), ShapeError);
  EXPECT_THROW(prelu(zeros({2, 3}), zeros({3}, kDouble)), DtypeError);
  EXPECT_THROW(hardtanh(zeros({2}, kByte)), ValueError);
  EXPECT_THROW(mse_loss(zeros({2}), zeros({2}), 3), ValueError);
  EXPECT_THROW(smooth_l1_loss(zeros({2}), zeros({2}), 1, -1.0), ValueError);
  EXPECT_THROW(huber_loss(zeros({2}), zeros({2}), 1, 0.0), ValueError);
  EXPECT_THROW(binary_cross_entropy(floats({0.5, 1.5}), floats({0, 1})), ValueError);
  EXPECT_THROW(binary_cross_entropy(floats({0.5, kNan}), floats({0, 1})), ValueError);
  EXPECT_THROW(binary_cross_entropy_with_logits(floats({1}), ints({1})), DtypeError);
  EXPECT_THROW(leaky_relu_backward(floats({1}), floats({1}), -0.5, true), ValueError);
}

// The ops whose result has the type of its one operand store it in no other.
TEST(PointwiseOps, OutTakesTheExactDtype) {
  const Tensor x = floats({0.5, -1.5}), whole = ints({2, -3});
  Tensor wide = full({2}, 7.0, TensorOptions(kDouble)), wrong = full({2}, 7, TensorOptions(kLong));
  for (const char* op :
       {"neg",        "abs",           "sign",        "sgn",        "floor",      "ceil",       "trunc",
        "round",      "frac",          "silu",        "gelu",       "mish",       "softplus",   "elu",
        "hardtanh",   "hardswish",     "hardsigmoid", "hardshrink", "softshrink", "leaky_relu", "square",
        "nan_to_num", "conj_physical", "log_sigmoid", "signbit",    "isposinf"}) {
    EXPECT_THROW(call(op, {x}, {{"out", wide}}), DtypeError) << op;
  }
  for (const char* op : {"neg", "abs", "sign", "floor", "bitwise_not"}) {
    EXPECT_THROW(call(op, {whole}, {{"out", wrong}}), DtypeError) << op;
  }
  EXPECT_THROW(clamp_out(wide, x, 0, 1), DtypeError);
  EXPECT_THROW(clamp_min_out(wide, x, 0), DtypeError);
  EXPECT_THROW(pow_out(wide, x, 2), DtypeError);
  EXPECT_TRUE(equal(wide, full({2}, 7.0, TensorOptions(kDouble))));
  EXPECT_TRUE(equal(wrong, full({2}, 7, TensorOptions(kLong))));
  // Limits that are tensors promote; a modulus may be stored as a complex number.
  EXPECT_TRUE(equal(clamp_out(wide, x, zeros({2}), ones({2})), of<double>({0.5, 0}, kDouble)));
  Tensor z = lanewise::complex(floats({3, 0}), floats({4, -2}));
  EXPECT_TRUE(equal(abs_out(z, z), lanewise::complex(floats({5, 2}), floats({0, 0}))));
}

TEST(Losses, BinaryCrossEntropySeesTheTargetWithoutDimensionsOfOne) {
  const Tensor x = tensor({{0.2}, {0.7}, {0.9}}).set_requires_grad(true), y = floats({0, 1, 0.5});
  const Tensor loss = binary_cross_entropy(x, y, {}, 0);
  EXPECT_EQ(loss.sizes(), IntArrayRef({3, 1}));
  EXPECT_TRUE(loss.equal(binary_cross_entropy(x, y.view({3, 1}), {}, 0)));
  EXPECT_TRUE(binary_cross_entropy(x, y).equal(binary_cross_entropy(x, y.view({3, 1}))));
  const Tensor own = x.detach().requires_grad_(), target = y.detach().clone().requires_grad_();
  binary_cross_entropy(own, target).backward();
  const Tensor same = x.detach().requires_grad_(), column = y.view({3, 1}).clone().requires_grad_();
  binary_cross_entropy(same, column).backward();
  EXPECT_TRUE(own.grad().equal(same.grad()));
  EXPECT_TRUE(target.grad().equal(column.grad().view({3})));
  EXPECT_EQ(binary_cross_entropy(ones({2, 3}), ones({3}), {}, 0).sizes(), IntArrayRef({2, 3}));
  EXPECT_THROW(binary_cross_entropy(ones({3}), ones({2, 3})), ShapeError);
  EXPECT_THROW(binary_cross_entropy(ones({200}), ones({100})), ShapeError);
}

TEST(Losses, TakeNoOperandThatWouldGrowTheResult) {
  const auto refuses = [](const Call& call) {
    EXPECT_THAT(call, ThrowsMessage<ShapeError>(HasSubstr("doesn't match the broadcast shape [5, 5]")));
  };
  const Tensor column = full({5, 1}, 0.5), row = full({5}, 0.5);
  refuses([&] { binary_cross_entropy(column, row, row); });
  refuses([&] { binary_cross_entropy_with_logits(column, row); });
  refuses([&] { binary_cross_entropy_with_logits(column, column, row); });
  refuses([&] { binary_cross_entropy_with_logits(column, column, {}, row); });
  refuses([&] { soft_margin_loss(column, row); });
  EXPECT_EQ(mse_loss(column, row, 0).sizes(), IntArrayRef({5, 5}));  // it broadcasts, as in PyTorch
}

TEST(PointwiseOps, MultiplesThatOverflowHaveNoSign) {
  EXPECT_EQ(lcm(full({1}, 2147483647, kInt), full({1}, 6, kInt)).item<std::int64_t>(), 6);
}

TEST(PointwiseOps, MasksOfBytes) {
  const Tensor mask = tensor({0, 2, 1}).to(kByte), x = tensor({1.0, 2.0, 3.0});
  EXPECT_TRUE(equal(where(mask, x, x * 10), tensor({10.0, 2.0, 3.0})));
  EXPECT_TRUE(equal(masked_fill(x, mask, 7), tensor({1.0, 7.0, 7.0})));
  EXPECT_THROW(where(mask.to(kShort), x, x), DtypeError);
}

TEST(PointwiseOps, MaskedFillIsContiguous) {
  const Tensor x = arange(6).reshape({2, 3}), mask = x.gt(2);
  const Tensor expected = tensor({0, 9, 1, 9, 2, 9}).reshape({3, 2});
  for (const Tensor& m : {mask.t(), mask.t().contiguous()}) {
    const Tensor filled = masked_fill(x.t(), m, 9);
    EXPECT_TRUE(filled.is_contiguous());
    EXPECT_TRUE(equal(filled, expected));
  }
  EXPECT_TRUE(masked_fill(x.t().contiguous(), mask.t(), 9).is_contiguous());
  EXPECT_EQ(masked_fill(ones({3, 1}), tensor({true, false}), 0).strides(), IntArrayRef({2, 1}));
}

TEST(PointwiseOps, MaskedFillTakesValuesAsSelfDoes) {
  const Tensor mask = tensor({1, 0, 1}).to(kBool);
  for (const ScalarType dtype : {kLong, kInt, kByte}) {
    const Tensor filled = masked_fill(zeros({3}, dtype), mask, 1.5);
    EXPECT_EQ(filled.scalar_type(), dtype);
    EXPECT_TRUE(equal(filled, tensor({1, 0, 1}).to(dtype)));
  }
  EXPECT_TRUE(equal(masked_fill(zeros({3}, kInt), mask, tensor(-1.5)), tensor({-1, 0, -1}).to(kInt)));
  EXPECT_TRUE(equal(masked_fill(zeros({3}, kBool), mask, -1.5), mask));
  EXPECT_EQ(masked_fill(zeros({}), tensor(true), tensor(2.0).to(kDouble)).scalar_type(), kFloat);
  EXPECT_EQ(masked_fill(zeros({3}), mask, std::complex<double>(2, 0))[0].item<float>(), 2);
  Tensor self = zeros({3}, kInt);
  EXPECT_THROW(self.masked_fill_(mask, 3e10), ValueError);
  EXPECT_THROW(self.masked_fill_(mask, kNan), ValueError);
  EXPECT_THROW(zeros({3}, kByte).masked_fill(mask, -1.5), ValueError);
  EXPECT_THROW(zeros({3}).masked_fill(mask, std::complex<double>(1, 1)), ValueError);
  EXPECT_THROW(zeros({3}).masked_fill(mask, zeros({3})), ShapeError);
  EXPECT_TRUE(equal(self, zeros({3}, kInt)));
}

TEST(PointwiseOps, IntegersThatDoNotDivide) {
  const Tensor ones_of_int = ones({3}, kInt);
  EXPECT_THROW(addcdiv(ones({3}), ones_of_int, ones_of_int), DtypeError);
  EXPECT_TRUE(equal(addcdiv(ones({3}), ones_of_int, ones({3})), full({3}, 2)));
  const Tensor none = empty({0, 3}, kShort);
  EXPECT_EQ(remainder(none, 0).numel(), 0);
  EXPECT_EQ(fmod(none, zeros({3}, kInt)).numel(), 0);
  EXPECT_THROW(remainder(ones_of_int, 0), ValueError);
}

TEST(PointwiseOps, OneDivisorForAllRoundsAsEachDoes) {
  for (const ScalarType dtype : {kFloat, kDouble}) {
    Tensor x = randn({3000}).to(dtype) * 100;
    x.narrow(0, 100, 50).fill_(-0.0);
    x.narrow(0, 300, 1).fill_(kInf);
    x.narrow(0, 400, 1).fill_(1e-44);
    for (const double d : {255.0, 0.3, -1.7e-9, 3e38, 1e-42, 0.0}) {
      const Tensor by = full({}, d, dtype), each = full({3000}, d, dtype);
      ASSERT_TRUE(div(x, by)
                      .view(dtype == kFloat ? kInt : kLong)
                      .equal(div(x, each).view(dtype == kFloat ? kInt : kLong)))
          << d;
      ASSERT_TRUE(div(x, by).narrow(0, 500, 7).equal(div(x.narrow(0, 500, 7), by)));
    }
  }
}

TEST(PointwiseOps, RreluKeepsItsSlopes) {
  manual_seed(5);
  const Tensor x = arange(-50, 50, kFloat).requires_grad_();
  const Tensor noise = zeros({100});
  const Tensor y = rrelu_with_noise(x, noise, 0.1, 0.3, true);
  EXPECT_TRUE(equal(y.detach(), x.detach() * noise));
  EXPECT_TRUE(equal(noise.slice(0, 51, 100), ones({49})));
  const Tensor left = noise.slice(0, 0, 51);
  EXPECT_GE(left.min().item<float>(), 0.1F);
  EXPECT_LE(left.max().item<float>(), 0.3F);
  EXPECT_NE(left.min().item<float>(), left.max().item<float>());
  y.sum().backward();
  EXPECT_TRUE(equal(x.grad(), noise));
}

TEST(PointwiseOps, InPlaceActivationsOfTheSameMemory) {
  const Tensor x = floats({-2, -0.5, 0.25, 3, 7});
  const auto same = [&](auto function, auto in_place) {
    Tensor copy = x.clone();
    EXPECT_TRUE(in_place(copy).is_same(copy));
    EXPECT_TRUE(equal(copy, function(x)));
  };
  same([](const Tensor& t) { return selu(t); }, [](Tensor& t) -> Tensor& { return selu_(t); });
  same([](const Tensor& t) { return relu6(t); }, [](Tensor& t) -> Tensor& { return relu6_(t); });
  same([](const Tensor& t) { return rrelu(t); }, [](Tensor& t) -> Tensor& { return rrelu_(t); });
  same([](const Tensor& t) { return celu(t, 0.5); }, [](Tensor& t) -> Tensor& { return celu_(t, 0.5); });
}

// Ties, NaN, broadcasting, other dtypes and layouts.
TEST(PointwiseOps, GradientsInOnePassAreThoseOfTheGraph) {
  manual_seed(11);
  const auto some = [](std::vector<std::int64_t> sizes, ScalarType dtype) {
    return randint(-2, 3, sizes, dtype).requires_grad_();
  };
  for (const ScalarType dtype : {kFloat, kDouble, kHalf, kBFloat16}) {
    const Tensor x = some({5, 40}, dtype), y = some({40, 5}, dtype), row = some({40}, dtype);
    for (const Tensor& other : {y.t(), row, some({5, 1}, kDouble)}) {
      testing::expect_same_gradients(maximum(x, other), {x, other}, 0);
      testing::expect_same_gradients(minimum(x, other), {x, other}, 0);
    }
    const double error = dtype == kDouble ? 1e-13 : dtype == kFloat ? 1e-5 : 0.1;
    testing::expect_same_gradients(prelu(x, row), {x, row}, error);
    const Tensor one = some({1}, dtype);
    testing::expect_same_gradients(prelu(y.t(), one), {y, one}, error);
    testing::expect_same_gradients(masked_select(x, y.t().detach() > 0), {x}, 0);
    testing::expect_same_gradients(masked_select(x, row.detach() > 0), {x}, 0);
  }
  const Tensor x = floats({kNan, 1, kNan, 2}).requires_grad_(),
               y = floats({1, kNan, kNan, 3}).requires_grad_();
  maximum(x, y).sum().backward();
  EXPECT_EQ(values<float>(x.grad()), (std::vector<float>{1, 1, 1, 0}));
  EXPECT_EQ(values<float>(y.grad()), (std::vector<float>{1, 1, 1, 1}));
}

TEST(Gradients, OfLogNdtrTwiceEverywhere) {
  const Tensor x = tensor({-30.0, -3.0, 0.0, 8.9, 9.1, 14.0, 40.0}, kDouble).requires_grad_();
  const Tensor first = autograd::grad({special_log_ndtr(x).sum()}, {x}, {}, true, true)[0];
  const Tensor second = autograd::grad({first.sum()}, {x})[0];
  EXPECT_TRUE(allclose(first.detach(), autograd::grad({special_log_ndtr(x).sum()}, {x})[0], 1e-12, 0));
  const Tensor slope = first.detach();
  EXPECT_TRUE(allclose(second, -slope * (x.detach() + slope), 1e-9, 1e-300));
}

TEST(Gradients, OfXlog1pyByItsFactorBesideBytes) {
  const Tensor x = tensor({0.0, 0.0, 1.0}, kDouble).requires_grad_(), bytes = tensor({3, 1, 255}, kByte);
  special_xlog1py(x, bytes).sum().backward();
  EXPECT_TRUE(allclose(x.grad(), bytes.to(kDouble).log1p()));
}

TEST(Gradients, OfFirstPowersHaveAGraph) {
  const Tensor x = tensor({1.0, -2.0, 0.0}).requires_grad_();
  const Tensor slope = autograd::grad({x.pow(1).sum()}, {x}, {}, true, true)[0];
  EXPECT_TRUE(autograd::grad({(slope * slope).sum()}, {x})[0].equal(zeros({3})));
  const Tensor second = autograd::grad({x.pow(2).sum()}, {x}, {}, true, true)[0];
  EXPECT_TRUE(autograd::grad({second.sum()}, {x}, {}, true, true)[0].requires_grad());
}

TEST(PointwiseOps, OneLimitThatIsNanLimitsNothing) {
  const Tensor x = tensor({-1.0, 2.0});
  EXPECT_TRUE(clamp(x, std::optional<Scalar>(kNan), std::nullopt).equal(x));
  EXPECT_TRUE(clamp(x, std::nullopt, std::optional<Scalar>(kNan)).equal(x));
  EXPECT_TRUE(isnan(clamp(x, kNan, 3)).all().item<bool>());
  EXPECT_TRUE(isnan(clamp_min(x, kNan)).all().item<bool>());
}

TEST(PointwiseOps, TruthIsCloseToItself) {
  EXPECT_TRUE(isclose(tensor({true, false}), tensor({true, true})).equal(tensor({true, false})));
}

TEST(Gradients, ByANumberAreOfTheTensorsPrecision) {
  const Tensor x = tensor({1.0}, kDouble).requires_grad_();
  const auto slope = [&](const Tensor& y) { return autograd::grad({y.sum()}, {x})[0].item<double>(); };
  EXPECT_DOUBLE_EQ(slope(xlogy(x, 0.1)), std::log(0.1));
  EXPECT_DOUBLE_EQ(slope(xlogy(x, 1e300)), std::log(1e300));
  EXPECT_DOUBLE_EQ(slope(special_xlog1py(x, 0.1)), std::log1p(0.1));
}

TEST(Gradients, OfMishFarOut) {
  const Tensor x = tensor({41.0, 1e20, 1e34, 1e300}, kDouble).requires_grad_();
  EXPECT_TRUE(autograd::grad({mish(x).sum()}, {x})[0].equal(ones({4}, kDouble)));
}

TEST(Gradients, OfMantissasOfLargeHalves) {
  const Tensor x = tensor({40000.0}).to(kHalf).requires_grad_();
  EXPECT_EQ(autograd::grad({std::get<0>(frexp(x)).sum()}, {x})[0].item<double>(), 0x1p-16);
}

}  // namespace
}  // namespace lanewise
