#include <complex>

#include <lanewise/autograd/custom_function.h>
#include <lanewise/autograd/gradcheck.h>

#include "../call.h"
#include "helpers.h"

namespace lanewise::autograd {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

struct WrongSquare : Function<WrongSquare> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    ctx->save_for_backward({x});
    return x * x;
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    return {grads[0] * ctx->get_saved_variables()[0]};  // half of it
  }
};

TEST(Gradcheck, FindsAWrongDerivative) {
  const Tensor x = leaf({1, 2});
  const auto wrong = [](const variable_list& in) { return variable_list{WrongSquare::apply(in[0])}; };
  EXPECT_THAT(
      Call([&] { gradcheck(wrong, {x}); }),
      ThrowsMessage<AutogradError>(AllOf(HasSubstr("Jacobian mismatch for output 0 with respect to input 0"),
                                         HasSubstr("numerical:\n  [2, 0]\n  [0, 4]\n"),
                                         HasSubstr("analytical:\n  [1, 0]\n  [0, 2]\n"))));
  EXPECT_FALSE(gradcheck(wrong, {x}, 1e-6, 1e-5, 1e-3, false));
  EXPECT_VALUES(x, 1, 2);
}

/// Right for real numbers, but forgets to conjugate.
struct WrongComplexSquare : Function<WrongComplexSquare> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    ctx->save_for_backward({x});
    return x * x;
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    return {grads[0] * 2 * ctx->get_saved_variables()[0]};
  }
};

TEST(Gradcheck, Complex) {
  const Tensor z =
      tensor({std::complex<double>(1, 2), std::complex<double>(-0.5, 0.25)}, TensorOptions(kComplexDouble))
          .requires_grad_();
  EXPECT_TRUE(gradcheck(
      [](const variable_list& in) {
        return variable_list{in[0] * in[0], real(in[0]), abs(in[0])};
      },
      {z}));
  EXPECT_TRUE(gradgradcheck([](const variable_list& in) { return variable_list{in[0] * in[0]}; }, {z}));
  EXPECT_FALSE(
      gradcheck([](const variable_list& in) { return variable_list{WrongComplexSquare::apply(in[0])}; }, {z},
                1e-6, 1e-5, 1e-3, false));
}

TEST(Gradcheck, RealTimesComplex) {
  const Tensor z =
      tensor({std::complex<double>(1, 2), std::complex<double>(-0.5, 0.25)}, TensorOptions(kComplexDouble))
          .requires_grad_();
  const Tensor r = leaf({0.5, 3.0});
  EXPECT_TRUE(gradcheck(
      [](const variable_list& in) {
        return variable_list{in[0] * in[1], in[0] / in[1] + in[1]};
      },
      {z, r}));
}

TEST(Gradcheck, StridedInputsAndSeveralOutputs) {
  const Tensor x = constant({{1, 2, 3}, {4, 5, 6}}).t().requires_grad_();
  const Tensor y = constant({0.5, 9.0, -1.5, 9.0}).slice(0, 0, 4, 2).detach().requires_grad_();
  const auto fn = [](const variable_list& in) {
    return variable_list{in[0] * in[1], (in[0].tanh() + in[1]).sum(), in[0] > 2};
  };
  EXPECT_TRUE(gradcheck(fn, {x, y}));
  EXPECT_TRUE(gradgradcheck(fn, {x, y}));
}

TEST(Gradcheck, InplaceOnViews) {
  const Tensor x = leaf({0.5, -1.0, 2.0, 0.75});
  const auto fn = [](const variable_list& in) {
    const Tensor y = in[0] * 1;
    Tensor v = y.view({2, 2});
    v.select(1, 0).mul_(in[0].slice(0, 0, 2));
    v.t().select(0, 1).add_(v.select(0, 0).clone());
    y.slice(0, 2, 4).tanh_();
    return variable_list{y * y, v.sum()};
  };
  EXPECT_TRUE(gradcheck(fn, {x}));
  EXPECT_TRUE(gradgradcheck(fn, {x}));
}

TEST(Gradcheck, RefusesWhatItCannotCheck) {
  const auto identity = [](const variable_list& in) { return variable_list{in[0] * 1}; };
  EXPECT_THROW(gradcheck(identity, {constant({1})}), ValueError);
  EXPECT_THROW(gradcheck(identity, {constant({1}).expand({3}).detach().requires_grad_()}), ValueError);
  EXPECT_THROW(gradcheck(identity, {ones({2}, TensorOptions(kBFloat16)).requires_grad_()}), DtypeError);
}

}  // namespace
}  // namespace lanewise::autograd
