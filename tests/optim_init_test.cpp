// First values of weights, and parameters as one vector.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lanewise/lanewise.h>

#include "call.h"

namespace lanewise {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

double deviation(const Tensor& t) { return t.to(kDouble).std(false).item<double>(); }

TEST(Init, FillsLeavesWithoutARecord) {
  const Tensor w = empty({4, 3}, requires_grad());
  EXPECT_TRUE(equal(nn::init::constant_(w, 2.5), full({4, 3}, 2.5f)));
  EXPECT_TRUE(equal(nn::init::zeros_(w), zeros({4, 3})));
  EXPECT_TRUE(equal(nn::init::ones_(w), ones({4, 3})));
  EXPECT_TRUE(equal(nn::init::eye_(w), eye(4, 3)));
  EXPECT_TRUE(w.is_leaf() && w.requires_grad());
  EXPECT_TRUE(nn::init::eye_(w).is_same(w));
}

TEST(Init, GainsAreLibtorchs) {
  EXPECT_EQ(nn::init::calculate_gain(kLinear), 1);
  EXPECT_EQ(nn::init::calculate_gain(kSigmoid), 1);
  EXPECT_EQ(nn::init::calculate_gain(kTanh), 5.0 / 3);
  EXPECT_EQ(nn::init::calculate_gain(kReLU), std::sqrt(2.0));
  EXPECT_EQ(nn::init::calculate_gain(kLeakyReLU), std::sqrt(2.0 / (1 + 0.01 * 0.01)));
}

TEST(Init, HasTheDeviationsOfTheFans) {
  manual_seed(3);
  const Tensor w = empty({200, 100, 3}, kDouble);  // fan_in 300, fan_out 600
  const double xavier = std::sqrt(2.0 / 900);
  EXPECT_NEAR(deviation(nn::init::xavier_normal_(w)), xavier, 0.01 * xavier);
  EXPECT_NEAR(deviation(nn::init::xavier_uniform_(w, 2)), 2 * xavier, 0.02 * xavier);
  EXPECT_LE(w.abs().max().item<double>(), 2 * xavier * std::sqrt(3.0));
  const double in = std::sqrt(2.0 / 300), out = std::sqrt(1.0 / 600);
  EXPECT_NEAR(deviation(nn::init::kaiming_normal_(w)), in, 0.01 * in);
  EXPECT_NEAR(deviation(nn::init::kaiming_uniform_(w, 0, kFanOut, kLinear)), out, 0.01 * out);
  EXPECT_NEAR(deviation(nn::init::normal_(w, 5, 0.5)), 0.5, 0.005);
  EXPECT_GE(nn::init::uniform_(w, 2, 3).min().item<double>(), 2);
  EXPECT_LT(w.max().item<double>(), 3);
  EXPECT_NEAR(w.mean().item<double>(), 2.5, 0.01);
  EXPECT_NO_THROW(nn::init::xavier_uniform_(empty({0, 0})));
}

TEST(Init, TellsWhatIsWrong) {
  const Tensor bias = zeros({7});
  EXPECT_THAT(Call([&] { nn::init::xavier_normal_(bias); }),
              ThrowsMessage<ShapeError>(HasSubstr("fewer than 2 dimensions")));
  EXPECT_THAT(Call([&] { nn::init::kaiming_uniform_(bias); }),
              ThrowsMessage<ShapeError>(HasSubstr("fewer than 2 dimensions")));
  EXPECT_THAT(Call([&] { nn::init::eye_(bias); }), ThrowsMessage<ShapeError>(HasSubstr("2 dimensions")));
  EXPECT_THROW(nn::init::ones_(Tensor()), ValueError);
  EXPECT_TRUE(equal(bias, zeros({7})));
}

TEST(ParameterVector, GoesThereAndBack) {
  const Tensor a = tensor({1.0f, 2.0f}, requires_grad()),
               b = tensor({3.0f, 4.0f, 5.0f, 6.0f}).view({2, 2}).requires_grad_();
  const Tensor vec = nn::utils::parameters_to_vector({a, b});
  EXPECT_TRUE(equal(vec, arange(1, 7, kFloat)));
  (vec * vec).sum().backward();
  EXPECT_TRUE(equal(b.grad(), b.detach() * 2));
  const Tensor other = arange(6, kFloat) * 10;
  nn::utils::vector_to_parameters(other, {a, b});
  EXPECT_TRUE(equal(a, tensor({0.0f, 10.0f})) && equal(b, tensor({20.0f, 30.0f, 40.0f, 50.0f}).view({2, 2})));
  EXPECT_TRUE(a.is_leaf() && b.requires_grad());
  other[2].fill_(7);
  EXPECT_EQ(b[0][0].item<float>(), 7) << "they share memory";
}

TEST(ParameterVector, TellsWhatIsWrong) {
  const Tensor a = zeros({2}), b = zeros({3});
  EXPECT_THAT(Call([&] {
                nn::utils::vector_to_parameters(ones({6}), {a, b});
              }),
              ThrowsMessage<ShapeError>(HasSubstr("vector of 5 elements")));
  EXPECT_THROW(nn::utils::vector_to_parameters(ones({10}).slice(0, 0, 10, 2), {a, b}), ShapeError);
  EXPECT_THROW(nn::utils::vector_to_parameters(ones({5}, kDouble), {a, b}), DtypeError);
  EXPECT_THROW(nn::utils::vector_to_parameters(ones({2}), {a, Tensor()}), AutogradError);
  EXPECT_THROW(nn::utils::parameters_to_vector({}), ValueError);
  EXPECT_TRUE(equal(a, zeros({2})));
}

}  // namespace
}  // namespace lanewise
