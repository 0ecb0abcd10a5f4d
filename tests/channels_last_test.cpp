// What keeps tensors channels last, by PyTorch's rule of their strides.
#include <vector>

#include <gtest/gtest.h>

#include <lanewise/lanewise.h>

namespace lanewise {
namespace {

Tensor channels_last(IntArrayRef sizes) {
  const Tensor x = arange(empty(sizes).numel(), TensorOptions().dtype(kFloat)).view(sizes);
  return x.movedim(1, -1).contiguous().movedim(-1, 1);
}

bool is_last(const Tensor& t) { return t.movedim(1, -1).is_contiguous() && !t.is_contiguous(); }

TEST(ChannelsLast, IsKept) {
  for (const std::vector<std::int64_t>& sizes : {std::vector<std::int64_t>{2, 3, 4, 5}, {2, 3, 4, 5, 6}}) {
    const Tensor x = channels_last(sizes), same = x.contiguous();
    for (const Tensor& given : {x, x.narrow(2, 1, 2)}) {
      const Tensor a = given.contiguous();
      for (std::int64_t d = 0; d < x.dim(); ++d) {
        const Tensor joined = cat({given, given.to(kDouble)}, d);
        EXPECT_TRUE(is_last(joined)) << d;
        EXPECT_TRUE(equal(joined, cat({a, a.to(kDouble)}, d)));
        const Tensor rolled = roll(given, 1, d);
        EXPECT_TRUE(is_last(rolled)) << d;
        EXPECT_TRUE(equal(rolled, roll(a, 1, d)));
        const Tensor stacked = stack({given, given}, d);
        EXPECT_FALSE(stacked.is_contiguous()) << d;
        EXPECT_TRUE(equal(stacked, stack({a, a}, d)));
      }
      const Tensor padded = constant_pad_nd(given, {1, 2, -1, 3}, 7);
      EXPECT_TRUE(is_last(padded));
      EXPECT_TRUE(equal(padded, constant_pad_nd(a, {1, 2, -1, 3}, 7)));
    }
    EXPECT_TRUE(cat({x, same}, 1).is_contiguous()) << "one is not";
    EXPECT_TRUE(roll(x, x.size(2), 2).is_contiguous()) << "an empty part is not";
  }
}

// Few channels go through a copy.
TEST(ChannelsLast, IsKeptByBatchNorm) {
  for (const std::int64_t channels : {3, 20}) {
    const Tensor x = channels_last({4, channels, 6, 5}),
                 weight = arange(1, channels + 1, TensorOptions().dtype(kFloat));
    const auto results = [&](const Tensor& given, bool training) {
      Tensor input = given.detach().requires_grad_();
      Tensor mean = zeros({channels}), var = ones({channels});
      Tensor out = batch_norm(input, weight, weight, mean, var, training, 0.1, 1e-5, false);
      (out * out).sum().backward();
      return std::vector<Tensor>{out.detach(), mean, var, input.grad()};
    };
    for (const bool training : {false, true}) {
      const std::vector<Tensor> last = results(x, training), dense = results(x.contiguous(), training);
      EXPECT_TRUE(is_last(last[0]));
      for (std::size_t i = 0; i < last.size(); ++i)
        EXPECT_TRUE(equal(last[i], dense[i])) << training << ' ' << i;
    }
  }
}

// Sums over channels are taken in pieces of some thousand elements, in the same order in both layouts, and agree with those of doubles.
TEST(ChannelsLast, GradientsOfLongChannels) {
  for (const std::vector<std::int64_t>& sizes : {std::vector<std::int64_t>{3, 20, 50, 60},
                                                 {2, 70, 5000, 1},
                                                 {2, 3, 90, 60},
                                                 {5, 17, 4, 4},
                                                 {9, 33, 3, 7}}) {
    const std::int64_t channels = sizes[1];
    const Tensor x = remainder(channels_last(sizes) * 7, 1009) / 500, g = remainder(x * 331, 3) - 1.25;
    const auto gradients = [&](Tensor input, const Tensor& grad) {
      input = input.detach().requires_grad_();
      const auto parameter = [&] { return linspace(1, 2, channels, grad.options()).requires_grad_(); };
      const Tensor weight = parameter(), bias = parameter();
      const Tensor out = batch_norm(input, weight, bias, {}, {}, true, 0.1, 1e-5, false);
      return autograd::grad({out}, {input, weight, bias}, {grad});
    };
    const auto last = gradients(x, g), mixed = gradients(x, g.contiguous()),
               dense = gradients(x.contiguous(), g.contiguous()),
               exact = gradients(x.to(kDouble), g.to(kDouble));
    for (std::size_t i = 0; i < dense.size(); ++i) {
      EXPECT_TRUE(equal(last[i], dense[i])) << channels << ' ' << i;
      EXPECT_TRUE(equal(mixed[i], dense[i])) << channels << ' ' << i;
      // Of an element, or of all that are added for a channel.
      const double size =
          i == 0 ? exact[i].abs().max().item<double>() : static_cast<double>(x.numel() / channels);
      EXPECT_LT((dense[i].to(kDouble) - exact[i]).abs().max().item<double>(), 2e-6 * size)
          << channels << ' ' << i;
    }
    EXPECT_TRUE(last[0].strides().equals(x.strides()));
  }
}

// PyTorch tells by strides alone what tensors of one channel are.
TEST(ChannelsLast, IsToldByStrides) {
  const Tensor memory = arange(40, TensorOptions().dtype(kFloat));
  const Tensor last = memory.as_strided({2, 1, 4, 5}, {20, 1, 5, 1}),
               dense = memory.as_strided({2, 1, 4, 5}, {20, 20, 5, 1});
  EXPECT_EQ(cat({last, last}, 1).stride(1), 1);
  EXPECT_TRUE(cat({dense, dense}, 1).is_contiguous());
  EXPECT_TRUE(equal(cat({last, last}, 1), cat({dense, dense}, 1)));
  const Tensor place = memory.as_strided({2, 3, 1, 1}, {3, 1, 1, 1});
  EXPECT_TRUE(cat({place, place}, 2).is_contiguous());
  // What is contiguous stays so where it is normalized.
  const Tensor line = memory.as_strided({4, 1, 4, 1}, {4, 1, 1, 1}), one = ones({1});
  EXPECT_EQ(batch_norm(line, one, one, one, one, false, 0.1, 1e-5, false).stride(1), 4);
}

TEST(ChannelsLast, IsLostWhereAPartOfARollIsEmpty) {
  const Tensor x = channels_last({2, 3, 4, 5});
  EXPECT_TRUE(is_last(roll(x, {1, 2}, {2, 2})));
  EXPECT_TRUE(roll(x, {4, 1}, {2, 2}).is_contiguous());
  EXPECT_TRUE(equal(roll(x, {4, 1}, {2, 2}), roll(x, 1, 2)));
}

}  // namespace
}  // namespace lanewise
