// Lists of indices along one dimension of large tensors: the same results however tensors and values lie in memory.
#include <vector>

#include <gtest/gtest.h>

#include <lanewise/lanewise.h>

namespace lanewise {
namespace {

/// The same values contiguous, turned round, with neighbours at the other end, batch second, and with gaps.
std::vector<Tensor> layouts(const Tensor& t) {
  const std::int64_t last = t.dim() - 1;
  return {t.clone(MemoryFormat::Contiguous),
          t.transpose(0, last).contiguous().transpose(0, last),
          t.movedim(1, last).contiguous().movedim(last, 1),
          t.transpose(0, 1).contiguous().transpose(0, 1),
          stack({t, t}, -1).select(-1, 0),
          t.repeat({2, 1, 1, 1}).narrow(0, 1, t.size(0)).copy_(t)};
}

Tensor numbers(IntArrayRef sizes, ScalarType dtype) { return (randn(sizes) * 5).to(dtype); }

TEST(IndexedSlices, AreThoseOfContiguousTensors) {
  manual_seed(23);
  for (const ScalarType dtype : {kFloat, kDouble, kBFloat16, kHalf, kShort, kByte, kBool, kComplexFloat}) {
    for (const std::vector<std::int64_t>& sizes :
         std::vector<std::vector<std::int64_t>>{{6, 40, 70, 5}, {9, 3, 60, 31}}) {
      const Tensor whole = numbers(sizes, dtype);
      for (std::int64_t dim = 0; dim < 4; ++dim) {
        const Tensor index = randint(0, whole.size(dim), {7}, kLong);  // some of them twice
        std::vector<std::int64_t> of_source = sizes;
        of_source[static_cast<std::size_t>(dim)] = 7;
        const Tensor source = numbers(of_source, dtype);
        const Tensor picked = whole.index_select(dim, index);
        const Tensor added = whole.index_add(dim, index, source),
                     copied = whole.index_copy(dim, index, source);
        std::vector<Tensor> outs = layouts(zeros_like(picked));
        for (const Tensor& self : layouts(whole)) {
          SCOPED_TRACE(::testing::Message() << dtype << " " << self.strides() << " along " << dim);
          ASSERT_TRUE(equal(self.index_select(dim, index), picked));
          ASSERT_TRUE(self.index_select(dim, index).is_contiguous());
          for (Tensor& out : outs)
            ASSERT_TRUE(equal(index_select_out(out, self, dim, index), picked)) << out.strides();
          for (const Tensor& from : layouts(source)) {
            ASSERT_TRUE(equal(self.clone().index_add_(dim, index, from), added)) << from.strides();
            ASSERT_TRUE(equal(self.clone().index_copy_(dim, index, from), copied)) << from.strides();
          }
          Tensor own = self.clone();
          own.index_copy_(dim, index, own.narrow(dim, 0, 1).expand(of_source));
          ASSERT_TRUE(equal(
              own, whole.index_copy(dim, index, whole.narrow(dim, 0, 1).expand(of_source).contiguous())))
              << "from its own memory";
        }
      }
    }
  }
}

TEST(IndexedSlices, GradientsInAnyLayout) {
  manual_seed(24);
  const Tensor x = randn({6, 40, 50, 3}, TensorOptions(kFloat)).requires_grad_(true);
  const Tensor index = tensor({4, 0, 4, 5}, kLong);
  const Tensor seed = randn({4, 40, 50, 3});
  const Tensor expected = autograd::grad({x.index_select(0, index)}, {x}, {seed})[0];
  for (const Tensor& g : layouts(seed))
    EXPECT_TRUE(equal(autograd::grad({x.index_select(0, index)}, {x}, {g})[0], expected));
}

TEST(IndexedSlices, AWrongIndexIsFoundBeforeAnythingIsWritten) {
  const Tensor whole = ones({5, 70, 80}).transpose(0, 2);
  const Tensor before = whole.clone();
  const Tensor index = tensor({0, 2, 80}, kLong), source = zeros({3, 70, 5});
  EXPECT_THROW((void)whole.index_select(0, index), IndexError);
  EXPECT_THROW(Tensor(whole).index_add_(0, index, source), IndexError);
  EXPECT_THROW(Tensor(whole).index_copy_(0, index, source), IndexError);
  EXPECT_THROW(Tensor(whole).index_copy_(0, index.narrow(0, 0, 2), source), ShapeError);
  EXPECT_THROW(Tensor(whole).index_add_(0, tensor({1}, kLong), zeros({1, 70, 5}, kDouble)), DtypeError);
  EXPECT_TRUE(equal(whole, before));
  EXPECT_EQ(whole.index_select(0, zeros({0}, kLong)).sizes(), IntArrayRef({0, 70, 5}));
}

}  // namespace
}  // namespace lanewise
