// t_ and its kin: the tensor looks at its memory in another way, and nobody else notices. What is expected is
// what PyTorch 1.13 answers.
#include <lanewise/autograd/forward_ad.h>
#include <lanewise/autograd/hooks.h>

#include "../call.h"
#include "helpers.h"

namespace lanewise::autograd {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

Tensor counted(std::initializer_list<std::int64_t> sizes) {
  std::int64_t n = 1;
  for (const std::int64_t size : sizes) n *= size;
  return arange(n, TensorOptions(kDouble)).view(sizes);
}

TEST(InplaceViews, OfAResult) {
  const Tensor x = counted({2, 3}).requires_grad_();
  Tensor y = x * 2;
  y.t_();
  EXPECT_EQ(y.sizes(), IntArrayRef({3, 2}));
  EXPECT_FALSE(y.is_contiguous());
  EXPECT_EQ(y._version(), 1);
  EXPECT_THAT(y.grad_fn()->name(), HasSubstr("TBackward"));
  (y * counted({3, 2})).sum().backward();
  EXPECT_VALUES(x.grad(), 0, 4, 8, 2, 6, 10);
}

TEST(InplaceViews, OfAViewLeaveItsBaseAlone) {
  const Tensor x = counted({2, 3}).requires_grad_();
  const Tensor y = x * 2;
  Tensor v = y.narrow(0, 0, 1);
  v.t_();
  EXPECT_EQ(v.sizes(), IntArrayRef({3, 1}));
  EXPECT_THAT(v.grad_fn()->name(), HasSubstr("TBackward"));
  EXPECT_EQ(y.grad_fn()->name(), "MulBackward0");
  EXPECT_TRUE(v._is_view());
  (y * counted({2, 3})).sum().backward();
  EXPECT_VALUES(x.grad(), 0, 2, 4, 6, 8, 10);
}

TEST(InplaceViews, ThenWrittenTo) {
  const Tensor x = ones({2, 3}, TensorOptions(kDouble)).requires_grad_();
  const Tensor y = x * 2;
  Tensor v = y.narrow(0, 0, 1);
  v.t_();
  v.mul_(3);
  EXPECT_EQ(v.grad_fn()->name(), "AsStridedBackward0");
  EXPECT_EQ(y.grad_fn()->name(), "CopySlices");
  EXPECT_EQ(v.sizes(), IntArrayRef({3, 1}));
  y.sum().backward();
  EXPECT_VALUES(x.grad(), 6, 6, 6, 2, 2, 2);
}

TEST(InplaceViews, OfTheBaseOfAView) {
  const Tensor x = ones({2, 3}, TensorOptions(kDouble)).requires_grad_();
  Tensor y = x * 2, v = y[0];
  y.t_();
  EXPECT_EQ(v.sizes(), IntArrayRef({3}));
  v.mul_(3);
  EXPECT_EQ(y.grad_fn()->name(), "CopySlices");
  y.sum().backward();
  EXPECT_VALUES(x.grad(), 6, 6, 6, 2, 2, 2);
}

TEST(InplaceViews, WrittenToThroughALaterView) {
  const Tensor x = counted({2, 3}).requires_grad_();
  Tensor y = x * 2;
  y.t_();
  y[0].mul_(5);
  (y * counted({3, 2})).sum().backward();
  EXPECT_VALUES(x.grad(), 0, 4, 8, 10, 6, 10);
}

TEST(InplaceViews, SeveralInARow) {
  const Tensor x = ones({2, 3}, TensorOptions(kDouble)).requires_grad_();
  const Tensor y = x * 2;
  Tensor v = y[0];
  const Tensor same = v.unsqueeze_(1);
  v.t_();
  v.squeeze_(0);
  v.unsqueeze_(0);
  v.transpose_(0, 1);
  EXPECT_TRUE(same.is_same(v));
  EXPECT_EQ(v.sizes(), IntArrayRef({3, 1}));
  (v * v).sum().backward();
  EXPECT_VALUES(x.grad(), 8, 8, 8, 0, 0, 0);
}

TEST(InplaceViews, OfAnExpandedTensor) {
  const Tensor x = ones({2, 3}, TensorOptions(kDouble)).requires_grad_();
  Tensor v = (x * 1).expand({2, 2, 3});
  v.transpose_(0, 1);
  (v * counted({2, 2, 3})).sum().backward();
  EXPECT_VALUES(x.grad(), 3, 5, 7, 15, 17, 19);
}

TEST(InplaceViews, OfAViewOfAnotherType) {
  const Tensor x = counted({2, 2}).requires_grad_();
  const Tensor z = complex(x, x * 2);
  Tensor v = view_as_real(z);  // [2, 2, 2]
  v.transpose_(0, 2);
  v[1].mul_(3);  // the imaginary parts: z = x + 6ix
  EXPECT_EQ(v.sizes(), IntArrayRef({2, 2, 2}));
  EXPECT_VALUES(v, 0, 2, 1, 3, 0, 12, 6, 18);
  (v * counted({2, 2, 2})).sum().backward();
  // v[0] is x transposed and weighs 0..3, v[1] is 6x transposed and weighs 4..7.
  EXPECT_VALUES(x.grad(), 0 + 24, 2 + 36, 1 + 30, 3 + 42);
}

TEST(InplaceViews, WithoutGradMode) {
  const Tensor x = ones({2, 3}, TensorOptions(kDouble)).requires_grad_();
  Tensor y = x * 1, v = y[0];
  {
    const NoGradGuard guard;
    v.unsqueeze_(0);
  }
  EXPECT_EQ(v.sizes(), IntArrayRef({1, 3}));
  EXPECT_TRUE(v.requires_grad());
  EXPECT_EQ(v.grad_fn()->name(), "AsStridedBackward0");
  EXPECT_EQ(v._version(), 1);
  v.sum().backward();
  EXPECT_VALUES(x.grad(), 1, 1, 1, 0, 0, 0);
}

TEST(InplaceViews, AreVersionsToSavedTensors) {
  const Tensor x = ones({2, 3}, TensorOptions(kDouble)).requires_grad_();
  const Tensor y = x * 2;
  Tensor v = y.narrow(1, 0, 2);
  const Tensor z = v * v;
  v.t_();
  EXPECT_THAT(Call([&] { z.sum().backward(); }),
              ThrowsMessage<AutogradError>(HasSubstr("modified by an inplace operation")));
}

TEST(InplaceViews, AreRefusedWhereWritesAre) {
  const Tensor x = ones({2, 3}, TensorOptions(kDouble)).requires_grad_();
  EXPECT_THAT(Call([&] { Tensor(x).t_(); }), ThrowsMessage<AutogradError>(HasSubstr("leaf Variable")));
  EXPECT_THAT(Call([&] { x[0].unsqueeze_(0); }), ThrowsMessage<AutogradError>(HasSubstr("view of a leaf")));
  const Tensor y = x * 1;
  EXPECT_THAT(Call([&] { y.unbind(0)[0].unsqueeze_(0); }),
              ThrowsMessage<AutogradError>(HasSubstr("returns multiple views")));
  Tensor v;
  {
    const NoGradGuard guard;
    v = y[0];
  }
  EXPECT_THAT(Call([&] { v.unsqueeze_(0); }), ThrowsMessage<AutogradError>(HasSubstr("no_grad mode")));
  EXPECT_EQ(v.sizes(), IntArrayRef({3}));
}

TEST(InplaceViews, RetainedGradientsAndHooks) {
  const Tensor x = counted({2, 3}).requires_grad_();
  Tensor y = x * 2;
  std::vector<std::int64_t> seen;
  y.register_hook([&](const Tensor& g) { seen = g.sizes().vec(); });
  y.retain_grad();
  y.t_();
  (y * counted({3, 2})).sum().backward();
  EXPECT_EQ(seen, (std::vector<std::int64_t>{2, 3}));  // the hook belongs to the value before
  EXPECT_EQ(y.grad().sizes(), IntArrayRef({3, 2}));
  EXPECT_VALUES(y.grad(), 0, 1, 2, 3, 4, 5);
}

TEST(InplaceViews, SecondOrder) {
  const Tensor x = counted({2, 2}).requires_grad_();
  Tensor y = x * x;
  y.t_();
  const Tensor first = grad({(y * y * counted({2, 2})).sum()}, {x}, {}, true, true)[0];
  // d/dx of w x^4 with w transposed: 4 w x^3, and 12 w x^2.
  EXPECT_VALUES(first, 0, 8, 32, 324);
  EXPECT_VALUES(grad({first.sum()}, {x})[0], 0, 24, 48, 324);
}

TEST(InplaceViews, ForwardModeOfATensorWithItsOwnTangent) {
  const forward_ad::dual_level level;
  Tensor y = forward_ad::make_dual(counted({2, 2}), constant({{1, 2}, {3, 4}})) * 2;
  y.t_();
  EXPECT_VALUES(y, 0, 4, 2, 6);
  EXPECT_VALUES(forward_ad::unpack_dual(y).tangent, 2, 6, 4, 8);
}

TEST(InplaceViews, ForwardModeOfAView) {
  const forward_ad::dual_level level;
  const Tensor y = forward_ad::make_dual(counted({2, 2}), constant({{1, 2}, {3, 4}})) * 2;
  Tensor v = y.view({2, 2});
  v.t_();
  EXPECT_VALUES(forward_ad::unpack_dual(v).tangent, 2, 6, 4, 8);
  EXPECT_VALUES(forward_ad::unpack_dual(y).tangent, 2, 4, 6, 8);
  v[0].mul_(10);
  EXPECT_VALUES(forward_ad::unpack_dual(v).tangent, 20, 60, 4, 8);
  EXPECT_VALUES(forward_ad::unpack_dual(y).tangent, 20, 4, 60, 8);
}

TEST(InplaceViews, WithAnySizesAndStrides) {
  const Tensor x = counted({2, 3}).requires_grad_();
  Tensor y = x * 2;
  y.as_strided_({2, 2}, {1, 2}, 1);
  EXPECT_VALUES(y, 2, 6, 4, 8);
  EXPECT_EQ(y._version(), 1);
  EXPECT_THAT(y.grad_fn()->name(), HasSubstr("AsStridedBackward"));
  (y * constant({{1, 2}, {3, 4}})).sum().backward();
  EXPECT_VALUES(x.grad(), 0, 2, 6, 4, 8, 0);
  EXPECT_THAT(Call([&] { y.as_strided_({100}, {1}, 0); }), ::testing::Throws<ShapeError>());
  EXPECT_EQ(y.sizes(), IntArrayRef({2, 2}));
}

TEST(InplaceViews, WithAnySizesOfAView) {
  const Tensor x = counted({2, 3}).requires_grad_();
  const Tensor y = x * 2;
  Tensor v = y.narrow(0, 1, 1);
  v.as_strided_({2}, {2}, 3);
  EXPECT_VALUES(v, 6, 10);
  EXPECT_EQ(y.grad_fn()->name(), "MulBackward0");
  v.mul_(5);
  EXPECT_VALUES(y, 0, 2, 4, 30, 8, 50);
  EXPECT_EQ(v.grad_fn()->name(), "AsStridedBackward0");
  y.sum().backward();
  EXPECT_VALUES(x.grad(), 2, 2, 2, 10, 2, 10);
}

TEST(InplaceViews, ConjugatesInPlace) {
  const Tensor x = counted({2, 2}).requires_grad_();
  Tensor z = view_as_complex(x) * 2;
  z.conj_physical_();
  EXPECT_EQ(z.grad_fn()->name(), "ConjPhysicalBackward1");
  EXPECT_VALUES(view_as_real(z), 0, -2, 4, -6);
  view_as_real(z).sum().backward();
  EXPECT_VALUES(x.grad(), 2, -2, 2, -2);
  Tensor r = counted({2}) * 1;
  EXPECT_VALUES(r.conj_physical_(), 0, 1);
  EXPECT_TRUE(resolve_conj(r).is_same(r) && resolve_neg(r).is_same(r));
  EXPECT_EQ(matrix_H(z.view({1, 2})).sizes(), IntArrayRef({2, 1}));
  EXPECT_THAT(Call([&] { matrix_H(z); }), ThrowsMessage<ShapeError>(HasSubstr("matrices")));
}

TEST(InplaceViews, OfALeafThatIsAViewItself) {
  const Tensor x = counted({2}), v = x.view({2}).requires_grad_();
  Tensor w = v.view({2});
  EXPECT_THAT(Call([&] { w.mul_(3); }), ThrowsMessage<AutogradError>(HasSubstr("a view of a leaf Variable")));
  EXPECT_FALSE(x.requires_grad());
}

TEST(UnsafeSplit, PartsCountTheirVersionsAlone) {
  const Tensor x = counted({2, 3}).requires_grad_();
  const Tensor q = x * 1;
  std::vector<Tensor> parts = unsafe_chunk(q, 3, 1);
  ASSERT_EQ(parts.size(), 3U);
  parts[0].mul_(2);
  EXPECT_EQ(q._version(), 0);
  EXPECT_EQ(parts[0]._version(), 1);
  EXPECT_EQ(parts[1]._version(), 0);
  EXPECT_FALSE(parts[1]._is_view());
  EXPECT_EQ(parts[1].grad_fn()->name(), "UnsafeSplitBackward0");
  (parts[0] + parts[2]).sum().backward();
  EXPECT_VALUES(x.grad(), 2, 0, 1, 2, 0, 1);
  EXPECT_EQ(unsafe_split(q, 2, 1)[1].sizes(), IntArrayRef({2, 1}));
  EXPECT_EQ(unsafe_split_with_sizes(q, {1, 2}, 1)[1].grad_fn()->name(), "UnsafeSplitWithSizesBackward0");
  EXPECT_EQ(unsafe_chunk(counted({0}), 3).size(), 3U);
}

TEST(IsSetTo, ComparesMemoryAndLook) {
  const Tensor x = counted({2, 3});
  EXPECT_TRUE(x.is_set_to(x.view({2, 3})));
  EXPECT_FALSE(x.is_set_to(x.t()));
  EXPECT_FALSE(x.is_set_to(x.clone()));
  EXPECT_FALSE(x[0].is_set_to(x[1]));
}

}  // namespace
}  // namespace lanewise::autograd
