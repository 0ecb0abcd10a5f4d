// clip_grad_norm_ and clip_grad_value_ against the numbers of torch.nn.utils (PyTorch 1.13), and what they refuse.

#include <cmath>
#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lanewise/lanewise.h>

#include "call.h"

namespace lanewise::optim {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr double kInf = std::numeric_limits<double>::infinity();

const std::vector<double> kA = {1, -2, 3, -4, 0, 6}, kB = {0.5, -7};

/// Two parameters with gradients and, between them, one without.
struct Parameters {
  explicit Parameters(ScalarType dtype = kDouble)
      : a(zeros({2, 3}, dtype).requires_grad_()),
        idle(ones({2}, dtype).requires_grad_()),
        b(zeros({2}, dtype).requires_grad_()) {
    a.mutable_grad() = tensor(kA, kDouble).to(dtype).reshape({2, 3});
    b.mutable_grad() = tensor(kB, kDouble).to(dtype);
  }
  std::vector<Tensor> all() const { return {a, idle, b}; }

  Tensor a, idle, b;
};

void expect_gradients(const Parameters& p, const std::vector<double>& a, const std::vector<double>& b,
                      double tolerance = 1e-14) {
  const Tensor want_a = tensor(a, kDouble).reshape({2, 3}), want_b = tensor(b, kDouble);
  EXPECT_TRUE(allclose(p.a.grad().to(kDouble), want_a, tolerance, tolerance)) << p.a.grad();
  EXPECT_TRUE(allclose(p.b.grad().to(kDouble), want_b, tolerance, tolerance)) << p.b.grad();
  EXPECT_FALSE(p.idle.grad().defined());
}

TEST(ClipGradNorm, FollowsPyTorch) {
  struct Row {
    double norm_type, norm;
    std::vector<double> a, b;
  };
  const std::vector<Row> rows = {
      {2,
       10.735455276791946,
       {0.1397239168346035, -0.279447833669207, 0.4191717505038105, -0.558895667338414, 0, 0.838343501007621},
       {0.06986195841730175, -0.9780674178422245}},
      {1,
       23.5,
       {0.0638297845178815, -0.127659569035763, 0.1914893535536445, -0.255319138071526, 0, 0.382978707107289},
       {0.03191489225894075, -0.4468084916251705}},
      {3.5,
       8.265919779083843,
       {0.18146798645779585, -0.3629359729155917, 0.5444039593733876, -0.7258719458311834, 0,
        1.0888079187467752},
       {0.09073399322889793, -1.270275905204571}},
      {kInf,
       7,
       {0.21428568367347373, -0.42857136734694745, 0.6428570510204212, -0.8571427346938949, 0,
        1.2857141020408425},
       {0.10714284183673686, -1.4999997857143161}},
      {-1, 0, kA, kB},
  };
  for (const Row& row : rows) {
    const Parameters p;
    EXPECT_NEAR(clip_grad_norm_(p.all(), 1.5, row.norm_type), row.norm, 1e-13) << row.norm_type;
    expect_gradients(p, row.a, row.b);
  }
}

TEST(ClipGradNorm, OfOrderZeroCountsGradients) {
  const Parameters p;
  p.a.mutable_grad().zero_();
  EXPECT_EQ(clip_grad_norm_(p.all(), 0.5, 0), 2);
  const double factor = 0.5 / 2.000001;
  expect_gradients(p, {0, 0, 0, 0, 0, 0}, {0.5 * factor, -7 * factor});
}

TEST(ClipGradNorm, TakesFloatsAndSeveralDtypes) {
  const Parameters p(kFloat);
  EXPECT_FLOAT_EQ(static_cast<float>(clip_grad_norm_(p.all(), 1.5)), 10.735455F);
  const std::vector<double> want_b = {0.06986195594072342, -0.9780673980712891};
  const std::vector<double> want_a = {
      0.13972391188144684, -0.2794478237628937, 0.4191717505455017, -0.5588956475257874, 0,
      0.8383435010910034};
  expect_gradients(p, want_a, want_b, 1e-7);
  Parameters mixed(kFloat);
  mixed.b = Parameters().b;
  clip_grad_norm_(mixed.all(), 1.5);
  expect_gradients(mixed, want_a, want_b, 1e-7);
}

TEST(ClipGradNorm, TakesComplexGradients) {
  const Tensor p = zeros({2}, kComplexDouble).requires_grad_();
  p.mutable_grad() = complex(tensor({3.0, 0.0}, kDouble), tensor({4.0, 12.0}, kDouble));
  EXPECT_NEAR(clip_grad_norm_(p, 1.3), 13, 1e-14);
  const double factor = 1.3 / 13.000001;
  EXPECT_TRUE(allclose(real(p.grad()), tensor({3 * factor, 0.0}, kDouble), 1e-14, 1e-14));
  EXPECT_TRUE(allclose(imag(p.grad()), tensor({4 * factor, 12 * factor}, kDouble), 1e-14, 1e-14));
}

TEST(ClipGradNorm, LeavesWhatIsShorterAlone) {
  const Parameters p;
  EXPECT_NEAR(clip_grad_norm_({p.a, p.b}, 100), 10.735455276791946, 1e-13);
  EXPECT_TRUE(p.a.grad().equal(tensor(kA, kDouble).reshape({2, 3})));
  EXPECT_TRUE(p.b.grad().equal(tensor(kB, kDouble)));
}

TEST(ClipGradNorm, TakesOneTensorAndNone) {
  const Parameters p;
  EXPECT_NEAR(clip_grad_norm_(p.b, 1), std::sqrt(49.25), 1e-13);
  EXPECT_NEAR(p.b.grad().norm().item<double>(), 1, 1e-6);
  EXPECT_TRUE(p.a.grad().equal(tensor(kA, kDouble).reshape({2, 3})));
  EXPECT_EQ(clip_grad_norm_(p.idle, 1), 0);
  EXPECT_EQ(clip_grad_norm_(std::vector<Tensor>{}, 1), 0);
}

TEST(ClipGradNorm, OfSomethingNotFiniteIsAnErrorIfAskedFor) {
  for (const double bad : {kInf, std::numeric_limits<double>::quiet_NaN()}) {
    const Parameters p;
    p.b.mutable_grad()[1].fill_(bad);
    EXPECT_THAT(Call([&] { clip_grad_norm_(p.all(), 1, 2, true); }),
                ThrowsMessage<ValueError>(HasSubstr("clip_grad_norm_: the norm of all gradients is")));
    EXPECT_TRUE(p.a.grad().equal(tensor(kA, kDouble).reshape({2, 3})));
    const double norm = clip_grad_norm_(p.all(), 1);
    EXPECT_FALSE(std::isfinite(norm));
    EXPECT_EQ(std::isnan(p.a.grad()[0][0].item<double>()), std::isnan(norm));
    EXPECT_TRUE(std::isnan(p.b.grad()[1].item<double>()));  // 0 * inf, too
  }
  const Parameters fine;
  EXPECT_EQ(clip_grad_norm_(fine.all(), 1, kInf, true), 7);
}

TEST(ClipGradNorm, RecordsNothing) {
  const Tensor p = full({2}, 3.0, kDouble).requires_grad_();
  p.pow(3).sum().backward(Tensor(), true, true);
  ASSERT_TRUE(p.grad().requires_grad());
  const auto recorded = p.grad().grad_fn();
  const auto version = p.grad()._version();
  clip_grad_norm_(p, 100);
  EXPECT_EQ(p.grad()._version(), version);  // short enough, and not written
  clip_grad_norm_(p, 1);
  clip_grad_value_(p, 0.5);
  EXPECT_EQ(p.grad().grad_fn(), recorded);
  EXPECT_EQ(p.grad()._version(), version + 2);
  EXPECT_TRUE(p.grad().detach().equal(full({2}, 0.5, kDouble)));
  p.mutable_grad().reset();  // whose graph holds p
}

TEST(ClipGradNorm, WritesNothingIfItThrows) {
  const auto expect_untouched = [](const Parameters& p) {
    EXPECT_TRUE(p.a.grad().equal(tensor(kA, kDouble).reshape({2, 3})));
  };
  const Parameters p;
  const Tensor counts = zeros({2}, kLong);
  counts.mutable_grad() = full({2}, 7, kLong);
  const Tensor turns = zeros({2}, kComplexDouble);
  turns.mutable_grad() = full({2}, 7, kComplexDouble);
  EXPECT_THAT(Call([&] {
                clip_grad_norm_({p.a, counts}, 1);
              }),
              ThrowsMessage<DtypeError>(HasSubstr("clip_grad_norm_: the gradient of parameter 1 is Long")));
  EXPECT_THAT(Call([&] {
                clip_grad_value_({p.a, counts}, 1);
              }),
              ThrowsMessage<DtypeError>(HasSubstr("clip_grad_value_: the gradient of parameter 1 is Long")));
  EXPECT_THAT(
      Call([&] {
        clip_grad_value_({p.a, turns}, 1);
      }),
      ThrowsMessage<DtypeError>(HasSubstr("clip_grad_value_: the gradient of parameter 1 is ComplexDouble")));
  EXPECT_THROW(clip_grad_norm_({p.a, Tensor()}, 1), AutogradError);
  expect_untouched(p);
  const Parameters expanded;
  expanded.b.mutable_grad() = full({1}, 7.0, kDouble).expand({2});
  EXPECT_THROW(clip_grad_norm_(expanded.all(), 1), StorageError);
  EXPECT_THROW(clip_grad_value_(expanded.all(), 1), StorageError);
  expect_untouched(expanded);
}

TEST(ClipGradValue, Clamps) {
  const Parameters p;
  clip_grad_value_(p.all(), 2.5);
  expect_gradients(p, {1, -2, 2.5, -2.5, 0, 2.5}, {0.5, -2.5}, 0);
  clip_grad_value_(p.a, 1.5);
  expect_gradients(p, {1, -1.5, 1.5, -1.5, 0, 1.5}, {0.5, -2.5}, 0);
  clip_grad_value_({p.idle, p.b}, 0.25);
  expect_gradients(p, {1, -1.5, 1.5, -1.5, 0, 1.5}, {0.25, -0.25}, 0);
}

}  // namespace
}  // namespace lanewise::optim
