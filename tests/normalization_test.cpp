// Normalizations and dropouts: what golden data do not show: running statistics, random masks, bits, errors.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lanewise/lanewise.h>

#include "call.h"
#include "same_gradients.h"
#include "thread_count.h"

namespace lanewise {
namespace {

using ::testing::HasSubstr;

bool same_bits(const Tensor& a, const Tensor& b) { return a.sizes() == b.sizes() && equal(a, b); }

TEST(BatchNorm, TrainingMovesRunningStatistics) {
  manual_seed(1);
  const Tensor x = randn({8, 3, 5}, kDouble) * 2 + 1;
  const Tensor mean = zeros({3}, kDouble), var = ones({3}, kDouble);
  const Tensor y = batch_norm(x, {}, {}, mean, var, true, 0.25, 1e-5);
  EXPECT_TRUE(allclose(mean, x.mean(IntArrayRef{0, 2}) * 0.25, 1e-12, 1e-12));
  EXPECT_TRUE(allclose(var, x.var(IntArrayRef{0, 2}, true) * 0.25 + 0.75, 1e-12, 1e-12));
  EXPECT_TRUE(allclose(y.mean(IntArrayRef{0, 2}), zeros({3}, kDouble), 1e-10, 1e-10));
  // Evaluation takes them as they are, and leaves them.
  const Tensor before = mean.clone();
  const Tensor z = batch_norm(x, {}, {}, mean, var, false, 0.25, 1e-5);
  EXPECT_TRUE(equal(mean, before));
  EXPECT_TRUE(allclose(z, (x - mean.view({1, 3, 1})) / (var.view({1, 3, 1}) + 1e-5).sqrt(), 1e-12, 1e-12));
}

TEST(BatchNorm, TheBackwardOfTrainingAllowsForMovedStatistics) {
  const Tensor x = randn({4, 3}, requires_grad());
  const Tensor mean = zeros({3}), var = ones({3});
  const Tensor y = batch_norm(x, {}, {}, mean, var, true, 0.1, 1e-5);
  batch_norm(x.detach(), {}, {}, mean, var, true, 0.1, 1e-5);
  (y * y * y).sum().backward();
  EXPECT_TRUE(x.grad().defined());
}

TEST(Normalizations, GradientsAreThoseOfTheFormula) {
  manual_seed(12);
  const auto leaf = [](IntArrayRef sizes, ScalarType dtype, bool turned = false) {
    Tensor t = (randn(sizes) + 0.5).to(dtype);
    if (turned) t = t.transpose(0, -1).contiguous().transpose(0, -1);
    return t.set_requires_grad(true);
  };
  for (const ScalarType dtype : {kFloat, kDouble, kBFloat16}) {
    const double error = dtype == kDouble ? 1e-11 : dtype == kFloat ? 1e-4 : 1e-1;
    for (const bool turned : {false, true}) {
      for (const DimVector& shape : {DimVector{7, 6}, DimVector{3, 8, 37}, DimVector{2, 4, 9, 130}}) {
        const Tensor x = leaf(shape, dtype, turned), channels = leaf({shape[1]}, dtype),
                     bias = leaf({shape[1]}, dtype);
        const DimVector inner(shape.begin() + 1, shape.end());
        const Tensor elements = leaf(inner, dtype), shift = leaf(inner, dtype);
        const Tensor mean = zeros({shape[1]}).to(dtype), var = ones({shape[1]}).to(dtype);
        testing::expect_same_gradients(layer_norm(x, inner, elements, shift), {x, elements, shift}, error);
        testing::expect_same_gradients(layer_norm(x, inner), {x}, error);
        testing::expect_same_gradients(group_norm(x, 2, channels, bias), {x, channels, bias}, error);
        testing::expect_same_gradients(group_norm(x, 1), {x}, error);
        testing::expect_same_gradients(batch_norm(x, channels, bias, {}, {}, true, 0.1, 1e-5),
                                       {x, channels, bias}, error);
        testing::expect_same_gradients(batch_norm(x, {}, {}, {}, {}, true, 0.1, 1e-5), {x}, error);
        testing::expect_same_gradients(batch_norm(x, channels, bias, mean, var, false, 0.1, 1e-5),
                                       {x, channels, bias}, error);
      }
    }
  }
}

TEST(BatchNorm, WithoutStatisticsEvaluationIsAnError) {
  EXPECT_THAT(Call([] {
                batch_norm(ones({2, 3}), {}, {}, {}, {}, false, 0.1, 1e-5);
              }),
              ::testing::ThrowsMessage<ValueError>(HasSubstr("must be defined in evaluation mode")));
  EXPECT_THAT(Call([] {
                batch_norm(ones({2, 3}), ones({4}), {}, {}, {}, true, 0.1, 1e-5);
              }),
              ::testing::ThrowsMessage<ShapeError>(HasSubstr("weight should contain 3 elements")));
}

TEST(InstanceNorm, RunningStatisticsAreMeansOverSamples) {
  manual_seed(2);
  const Tensor x = randn({4, 2, 6}, kDouble);
  const Tensor mean = zeros({2}, kDouble), var = zeros({2}, kDouble);
  instance_norm(x, {}, {}, mean, var, true, 1.0, 1e-5);
  EXPECT_TRUE(allclose(mean, x.mean(-1).mean(0), 1e-12, 1e-12));
  EXPECT_TRUE(allclose(var, x.var(IntArrayRef(-1), true).mean(0), 1e-12, 1e-12));
}

TEST(Dropout, KeepsAboutTheShareAndScales) {
  manual_seed(3);
  const Tensor y = dropout(ones({10000}), 0.2, true);
  const double kept = y.count_nonzero().item<double>() / 10000;
  EXPECT_NEAR(kept, 0.8, 0.02);
  EXPECT_TRUE(equal(y, (y != 0).to(kFloat) * 1.25f));
  const Tensor channels = feature_dropout(ones({50, 20, 4}), 0.5, true);
  EXPECT_TRUE(equal(channels, channels.select(2, 0).unsqueeze(2).expand({50, 20, 4})));
}

TEST(Dropout, AlphaKeepsMeanAndVariance) {
  manual_seed(4);
  const Tensor y = alpha_dropout(randn({200000}, kDouble), 0.3, true);
  EXPECT_NEAR(y.mean().item<double>(), 0, 0.02);
  EXPECT_NEAR(y.var(true).item<double>(), 1, 0.03);
}

TEST(Dropout, NothingAndEverything) {
  const Tensor x = ones({3}, requires_grad());
  EXPECT_TRUE(dropout(x, 0, true).is_same(x));
  EXPECT_TRUE(dropout(x, 0.5, false).is_same(x));
  EXPECT_TRUE(equal(dropout(x, 1, true).detach(), zeros({3})));
  EXPECT_THROW(dropout(x, 1.5, true), ValueError);
  Tensor y = ones({3});
  EXPECT_TRUE(dropout_(y, 1, true).is_same(y));
  EXPECT_TRUE(equal(y, zeros({3})));
}

TEST(Dropout, TheGradientHasTheSameMask) {
  manual_seed(5);
  const Tensor x = rand({100}, kDouble).add(1).requires_grad_();
  const Tensor y = dropout(x, 0.5, true);
  y.sum().backward();
  EXPECT_TRUE(equal(x.grad() * x.detach(), y.detach()));
}

/// x normalised over all but its first dimension, in f64.
Tensor normalised(const Tensor& x, double eps) {
  const Tensor flat = x.to(kDouble).reshape({x.size(0), -1});
  return ((flat - flat.mean(IntArrayRef(1), true)) / (flat.var(IntArrayRef(1), false, true) + eps).sqrt())
      .view(x.sizes());
}

TEST(Normalization, ShortChannelsAndLongOnes) {
  manual_seed(12);
  for (const std::int64_t spatial : {1, 2, 7, 63, 64, 300, 3000}) {
    const Tensor x = randn({3, 12, spatial}) * 2 + 5, weight = randn({12}), bias = randn({12});
    const Tensor w = weight.view({1, 12, 1}), b = bias.view({1, 12, 1});
    for (const std::int64_t groups : {1, 3, 12}) {
      if (spatial == 1 && groups == 12) continue;  // of one element each
      const Tensor plain =
          normalised(x.view({3 * groups, 12 / groups, spatial}), 1e-5).view({3, 12, spatial});
      EXPECT_TRUE(allclose(group_norm(x, groups).to(kDouble), plain, 1e-4, 1e-4)) << spatial << " " << groups;
      EXPECT_TRUE(allclose(group_norm(x, groups, weight, bias).to(kDouble), plain * w + b, 1e-4, 1e-4));
      EXPECT_TRUE(allclose(group_norm(x, groups, {}, bias).to(kDouble), plain + b, 1e-4, 1e-4));
    }
    const Tensor plain = normalised(x.transpose(0, 1).contiguous(), 1e-5).transpose(0, 1);
    const auto normed = [&](const Tensor& scale, const Tensor& shift) {
      return batch_norm(x, scale, shift, {}, {}, true, 0.1, 1e-5, false).to(kDouble);
    };
    EXPECT_TRUE(allclose(normed({}, {}), plain, 1e-4, 1e-4)) << spatial;
    EXPECT_TRUE(allclose(normed(weight, bias), plain * w + b, 1e-4, 1e-4)) << spatial;
  }
}

/// One value for any layout and number of threads.
TEST(Statistics, BitsDoNotDependOnLayoutOrThreads) {
  manual_seed(6);
  const Tensor x = randn({70, 33, 130}) * 3 + 100;
  const Tensor transposed = x.transpose(0, 2).contiguous().transpose(0, 2);
  const auto results = [&](const Tensor& t) {
    return std::vector<Tensor>{t.var(IntArrayRef{0, 2}, true),
                               t.var(IntArrayRef{1}, true),
                               lanewise::std(t, IntArrayRef{2}, false),
                               t.var(true),
                               linalg_vector_norm(t, 2, IntArrayRef{0, 1}),
                               linalg_vector_norm(t, 1),
                               t.nansum(IntArrayRef{0}),
                               t.cumsum(0),
                               t.cumsum(1),
                               t.cumsum(2),
                               t.cumprod(-1),
                               t.narrow(0, 0, 3).logcumsumexp(2)};
  };
  const int threads = get_num_threads();
  set_num_threads(1);
  const auto wanted = results(x);
  for (const int n : {1, 3}) {
    set_num_threads(n);
    const auto found = results(x), other = results(transposed);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      EXPECT_TRUE(same_bits(wanted[i], found[i])) << i << " with " << n << " threads";
      EXPECT_TRUE(same_bits(wanted[i], other[i])) << i << " transposed with " << n << " threads";
    }
  }
  set_num_threads(threads);
}

TEST(Variance, IsRightFarFromZero) {
  // 1e6 +- 1 in f32: a difference of squares would be noise.
  const Tensor x = (arange(100000, kLong) % 2).to(kFloat) * 2 + 999999;
  EXPECT_NEAR(x.var(false).item<double>(), 1, 1e-3);
  const Tensor rows = x.reshape({1000, 100});
  EXPECT_TRUE(allclose(rows.var(IntArrayRef{0}, false).mean(), zeros({}), 1e-3, 1e-3));
  EXPECT_TRUE(allclose(rows.var(IntArrayRef{1}, false), ones({1000}), 1e-3, 1e-3));
}

TEST(Scans, FloatsCarryInDoublePrecision) {
  const Tensor x = full({1 << 20}, 0.1f);
  const Tensor sums = x.cumsum(0);
  const double want = static_cast<double>(0.1f) * (1 << 20);
  EXPECT_NEAR(sums[-1].item<double>(), want, want * 1e-7);
}

TEST(Losses, ReductionByName) {
  const Tensor a = ones({2}), b = zeros({2});
  EXPECT_EQ(mse_loss(a, b, Reduction::Sum).item<float>(), 2);
  EXPECT_EQ(mse_loss(a, b, Reduction::Mean).item<float>(), 1);
  EXPECT_EQ(mse_loss(a, b, Reduction::None).dim(), 1);
}

TEST(Losses, ErrorsNameTheTrouble) {
  const Tensor scores = zeros({2, 3});
  const Tensor classes = tensor({std::int64_t{0}, std::int64_t{3}});
  EXPECT_THROW(multi_margin_loss(scores, classes), IndexError);
  EXPECT_THROW(multi_margin_loss(scores, classes, 3), ValueError);
  EXPECT_THROW(nll_loss2d(scores, classes), ShapeError);
  EXPECT_THROW(cross_entropy_loss(scores, scores, {}, 1, 0), ValueError);
  EXPECT_THROW(cdist(ones({2, 3}), ones({2, 4})), ShapeError);
}

TEST(Normalizations, HalvesAreComputedInF32AndRoundedOnce) {
  manual_seed(3);
  const auto f32 = [](const Tensor& t) { return t.defined() ? t.to(kFloat) : t; };
  for (const ScalarType dtype : {kHalf, kBFloat16}) {
    // Rows of a part of a tile, of several parts of one, longer than one; channels side by side.
    for (const DimVector& sizes : {DimVector{3, 9001}, DimVector{40, 300}, DimVector{7, 5, 70},
                                   DimVector{2, 3, 4097}, DimVector{600, 4}}) {
      const Tensor x = randn(sizes).to(dtype);
      const std::int64_t channels = sizes[1], last = sizes.back();
      for (const bool affine : {true, false}) {
        const auto some = [&](std::int64_t n) { return affine ? randn({n}).to(dtype) : Tensor(); };
        const Tensor weight = some(channels), bias = some(channels), row_weight = some(last),
                     row_bias = some(last);
        const Tensor mean = randn({channels}).to(dtype), var = rand({channels}).add(0.5).to(dtype);
        for (const int threads : {1, 3}) {
          const testing::ThreadCount guard(threads);
          EXPECT_TRUE(same_bits(
              batch_norm(x, weight, bias, mean, var, false, 0.1, 1e-5),
              batch_norm(f32(x), f32(weight), f32(bias), f32(mean), f32(var), false, 0.1, 1e-5).to(dtype)));
          EXPECT_TRUE(
              same_bits(batch_norm(x, weight, bias, {}, {}, true, 0.1, 1e-5),
                        batch_norm(f32(x), f32(weight), f32(bias), {}, {}, true, 0.1, 1e-5).to(dtype)));
          EXPECT_TRUE(same_bits(layer_norm(x, {last}, row_weight, row_bias, 1e-5),
                                layer_norm(f32(x), {last}, f32(row_weight), f32(row_bias), 1e-5).to(dtype)));
          EXPECT_TRUE(same_bits(group_norm(x, 1, weight, bias, 1e-5),
                                group_norm(f32(x), 1, f32(weight), f32(bias), 1e-5).to(dtype)));
        }
      }
    }
  }
}

TEST(BatchNorm, OfNothing) {
  const Tensor input = zeros({3, 2, 0}).requires_grad_(), weight = ones({2}).requires_grad_(),
               mean = ones({2});
  const Tensor out = batch_norm(input, weight, {}, mean, ones({2}), true, 0.1, 1e-5);
  EXPECT_EQ(out.sizes(), input.sizes());
  EXPECT_TRUE(mean.equal(ones({2})));  // no statistics to move it
  out.sum().backward();
  EXPECT_EQ(input.grad().sizes(), input.sizes());
  EXPECT_TRUE(weight.grad().equal(zeros({2})));
}

TEST(CosineSimilarity, OfVectorsShorterThanEps) {
  // As PyTorch 1.13 has it.
  const Tensor x = tensor({1., .5}, requires_grad()).to(kDouble), y = tensor({.3, .4}).to(kDouble);
  const Tensor leaf = x.detach().requires_grad_(true);
  cosine_similarity(leaf, y, 0, 2).backward();
  EXPECT_TRUE(allclose(leaf.grad(), tensor({.04375, .084375}).to(kDouble), 1e-6));
}

}  // namespace
}  // namespace lanewise
