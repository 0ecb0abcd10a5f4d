// In-place and out= forms of products, what they may overlap, and products that PyTorch 1.13 cannot say: of
// complex vectors and halves.

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lanewise/lanewise.h>

#include "call.h"
#include "reduction_support.h"

namespace lanewise {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using namespace lanewise::testing;

Tensor numbers(IntArrayRef sizes, ScalarType dtype = kFloat) { return randn(sizes, kFloat).to(dtype); }

TEST(Products, InPlaceHasTheBitsOfTheFunction) {
  for (const ScalarType dtype : {kFloat, kDouble, kBFloat16, kComplexFloat, kInt}) {
    const Tensor a = (numbers({70, 300}) * 3).to(dtype), b = (numbers({300, 40}) * 3).to(dtype),
                 x = (numbers({300}) * 3).to(dtype);
    const Tensor self = (numbers({70, 40}) * 3).to(dtype), vec = (numbers({70}) * 3).to(dtype),
                 other = (numbers({40}) * 3).to(dtype);
    const Tensor a3 = a.view({7, 10, 300}), b3 = b.view({1, 300, 40}).expand({7, 300, 40}),
                 self3 = self.view({7, 10, 40});
    Tensor t = self.clone();
    EXPECT_EQ(bits(t.addmm_(a, b, 2, -1)), bits(self.addmm(a, b, 2, -1))) << dtype;
    t = vec.clone();
    EXPECT_EQ(bits(t.addmv_(a, x, 2, -1)), bits(vec.addmv(a, x, 2, -1))) << dtype;
    t = self3.clone();
    EXPECT_EQ(bits(t.baddbmm_(a3, b3, 2, -1)), bits(self3.baddbmm(a3, b3, 2, -1))) << dtype;
    t = self3[0].clone();
    EXPECT_EQ(bits(t.addbmm_(a3, b3, 2, -1)), bits(self3[0].addbmm(a3, b3, 2, -1))) << dtype;
    t = self.clone();
    EXPECT_EQ(bits(t.addr_(vec, other, 2, -1)), bits(self.addr(vec, other, 2, -1))) << dtype;
  }
}

TEST(Products, AddToWhatIsThereWithTheBitsOfTheFunction) {
  for (const ScalarType dtype : {kFloat, kDouble, kHalf, kComplexFloat, kLong}) {
    for (const std::int64_t depth : {1, 40, 256, 257}) {
      for (const std::int64_t cols : {1, 5, 40, 100}) {
        const Tensor a = (numbers({70, depth}) * 3).to(dtype), b = (numbers({depth, cols}) * 3).to(dtype);
        const Tensor self = (numbers({70, cols}) * 3).to(dtype), want = self.addmm(a, b);
        Tensor t = self.clone(), turned = self.t().contiguous().t(),
               spread = cat({self, self}, 1).slice(1, 0, cols);
        for (Tensor* out : {&t, &turned, &spread}) {
          EXPECT_EQ(bits(out->addmm_(a, b)), bits(want)) << dtype << " " << depth << " " << cols;
        }
      }
    }
  }
}

TEST(Products, SmallOnesAfterAnything) {
  // Memory of other work lies behind what is multiplied: it must not show.
  const Tensor noise = full({4096}, std::numeric_limits<double>::quiet_NaN(), kDouble);
  manual_seed(3);
  for (const std::int64_t n : {1, 2, 3, 4, 5, 7, 15}) {
    const Tensor a = randn({50, n, n}), b = randn({50, n, n});
    const Tensor c = bmm(a, b);
    for (std::int64_t i = 0; i < 50; ++i) {
      mm(noise.view({64, 64}), noise.view({64, 64}));
      EXPECT_EQ(bits(mm(a[i], b[i])), bits(c[i]));
    }
  }
}

TEST(Products, WriteIntoAnyLayout) {
  for (const ScalarType dtype : {kFloat, kComplexDouble, kHalf, kShort}) {
    const Tensor a = (numbers({33, 50}) * 3).to(dtype), b = (numbers({50, 40}) * 3).to(dtype);
    const Tensor want = a.mm(b), added = want.addmm(a, b);
    Tensor transposed = zeros({40, 33}, dtype).t(), spread = zeros({33, 80}, dtype).slice(1, 0, 80, 2);
    for (Tensor* out : {&transposed, &spread}) {
      const auto strides = DimVector(out->strides());
      EXPECT_EQ(bits(mm_out(*out, a, b)), bits(want)) << dtype;
      EXPECT_EQ(bits(addmm_out(*out, want, a, b)), bits(added)) << dtype;
      out->copy_(want);
      EXPECT_EQ(bits(out->addmm_(a, b)), bits(added)) << dtype;
      EXPECT_EQ(DimVector(out->strides()), strides);
    }
    Tensor small = zeros({3}, dtype);
    EXPECT_EQ(bits(mm_out(small, a, b)), bits(want)) << "resized";
  }
}

TEST(Products, OperandsMayLieInTheDestination) {
  const Tensor a = numbers({20, 20}), b = numbers({20, 20}), x = numbers({20});
  const std::string product = bits(a.mm(b)), sum = bits(a.addmm(a, b));
  Tensor t = a.clone();
  EXPECT_EQ(bits(mm_out(t, t, b)), product);
  t = b.clone();
  EXPECT_EQ(bits(mm_out(t, a, t)), product);
  t = a.clone();
  EXPECT_EQ(bits(t.addmm_(t, b)), sum);
  t = a.clone();
  EXPECT_EQ(bits(addmm_out(t, t.t(), t, b)),
            bits(a.t().addmm(a, b)));  // self in the same place, but transposed
  t = x.clone();
  EXPECT_EQ(bits(mv_out(t, a, t)), bits(a.mv(x)));
  // A self that lies beside the destination in one storage.
  const Tensor both = stack({a, b});
  Tensor first = both[0];
  EXPECT_EQ(bits(addmm_out(first, both[1], a, b)), bits(b.addmm(a, b)));
}

TEST(Products, BetaZeroDoesNotReadSelf) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Tensor a = numbers({2, 3, 4}), b = numbers({2, 4, 5}), x = numbers({4}), y = numbers({3}),
               z = numbers({5});
  const auto finite = [](const Tensor& t) { return isfinite(t).all().item<bool>(); };
  EXPECT_TRUE(finite(baddbmm(full({2, 3, 5}, nan), a, b, 0)));
  EXPECT_TRUE(finite(addbmm(full({3, 5}, nan), a, b, 0)));
  EXPECT_TRUE(finite(addmv(full({3}, nan), a[0], x, 0)));
  EXPECT_TRUE(finite(addr(full({3, 5}, nan), y, z, 0)));
  EXPECT_FALSE(finite(addmv(full({3}, nan), a[0], x, 1)));
  Tensor t = full({3, 5}, nan);
  EXPECT_TRUE(finite(t.addmm_(a[0], b[0], 0)));
}

TEST(Products, DotsOfComplexVectors) {
  const Tensor x = view_as_complex(randn({1000, 2}, kDouble)), y = view_as_complex(randn({1000, 2}, kDouble));
  const auto plain = (x * y).sum().item().to<std::complex<double>>(),
             conjugated = (conj(x) * y).sum().item().to<std::complex<double>>();
  EXPECT_LT(std::abs(x.dot(y).item().to<std::complex<double>>() - plain), 1e-11);
  EXPECT_LT(std::abs(x.vdot(y).item().to<std::complex<double>>() - conjugated), 1e-11);
  EXPECT_LT(std::abs(x.slice(0, 0, 1000, 2).vdot(y.slice(0, 0, 1000, 2)).item().to<std::complex<double>>() -
                     (conj(x) * y).slice(0, 0, 1000, 2).sum().item().to<std::complex<double>>()),
            1e-11);
}

TEST(Products, DotsOfElementsApart) {
  for (const ScalarType dtype :
       {kFloat, kDouble, kHalf, kBFloat16, kChar, kShort, kInt, kLong, kComplexFloat, kComplexDouble}) {
    for (const std::int64_t n : {0, 1, 255, 256, 257, 2047, 2048, 2049, 140000}) {
      const Tensor both = (numbers({3 * n + 1, 2}) * 3).to(dtype);
      const Tensor apart = both.t()[0].slice(0, 1, 3 * n + 1, 3), beside = both.t()[1].narrow(0, 0, n),
                   same = both[0][0].expand({n});
      const Tensor dense = apart.contiguous();
      for (const Tensor& other : {apart, beside, same, dense}) {
        const std::string found = bits(dense.dot(other.contiguous()));
        EXPECT_EQ(bits(apart.dot(other)), found) << dtype << ' ' << n;
        EXPECT_EQ(bits(dense.dot(other)), found) << dtype << ' ' << n;
        EXPECT_EQ(bits(other.dot(apart)), bits(other.contiguous().dot(dense))) << dtype << ' ' << n;
      }
    }
  }
}

TEST(Products, HalvesRoundOnce) {
  for (const ScalarType dtype : {kHalf, kBFloat16}) {
    const Tensor a = numbers({2, 9, 40}, dtype), b = numbers({2, 40, 7}, dtype), s = numbers({9, 7}, dtype),
                 x = numbers({40}, dtype);
    const auto wide = [](const Tensor& t) { return t.to(kFloat); };
    EXPECT_EQ(bits(a.bmm(b)), bits(wide(a).bmm(wide(b)).to(dtype)));
    EXPECT_EQ(bits(s.baddbmm(a, b, 0.5, 2)), bits(wide(s).baddbmm(wide(a), wide(b), 0.5, 2).to(dtype)));
    EXPECT_EQ(bits(s.addbmm(a, b)), bits(wide(s).addbmm(wide(a), wide(b)).to(dtype)));
    EXPECT_EQ(bits(a[0].mv(x)), bits(wide(a[0]).mv(wide(x)).to(dtype)));
    EXPECT_EQ(bits(x.dot(x)), bits(wide(x).dot(wide(x)).to(dtype)));
    EXPECT_EQ(bits(linalg_cross(s.slice(1, 0, 3), s.slice(1, 3, 6))).size(), 9U * 3 * 2);
  }
}

TEST(Products, SameBitsOnTiersAndThreads) {
  const Tensor a = numbers({40, 30, 300}), b = numbers({40, 300, 24}), wide = numbers({200, 5000}),
               x = numbers({5000}), long_vector = numbers({300000});
  const Tensor s = numbers({30, 24});
  std::string fused, unfused;
  for (const Isa isa : available_isas()) {
    const IsaGuard tier(isa);
    std::string& expected = isa == Isa::sse4_2 ? unfused : fused;
    for (const int threads : {1, 2, 5}) {
      const ThreadCount guard(threads);
      const std::string now = bits(a.bmm(b)) + bits(s.addbmm(a, b, 2, 3)) + bits(wide.mv(x)) +
                              bits(long_vector.dot(long_vector)) + bits(x.slice(0, 0, 200).addmv(wide, x));
      if (expected.empty()) expected = now;
      ASSERT_EQ(now, expected) << name(isa) << " " << threads << " threads";
    }
    // Whatever the layout.
    const Tensor columns = wide.t().contiguous().t(), spread = stack({wide, wide}, -1).select(-1, 0);
    ASSERT_EQ(bits(columns.mv(x)), bits(wide.mv(x)));
    ASSERT_EQ(bits(spread.mv(x)), bits(wide.mv(x)));
  }
}

TEST(Products, ErrorsLeaveTheDestinationAlone) {
  const Tensor a = numbers({2, 3}), b = numbers({3, 4});
  Tensor wrong = ones({2, 4}, kDouble), self = ones({4});
  EXPECT_THAT(
      Call([&] { mm_out(wrong, a, b); }),
      ThrowsMessage<DtypeError>(HasSubstr("Expected out tensor to have dtype Float, but got Double")));
  EXPECT_THAT(Call([&] { self.addmm_(a, b); }),
              ThrowsMessage<ShapeError>(HasSubstr(
                  "addmm_: Bad in-place call: input tensor size [4] and output tensor size [2, 4]")));
  EXPECT_THAT(
      Call([&] { mm_out(wrong, a, a); }),
      ThrowsMessage<ShapeError>(HasSubstr("mm: mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)")));
  Tensor expanded = zeros({1, 4}).expand({2, 4});
  EXPECT_THROW(mm_out(expanded, a, b), StorageError);
  Tensor integers = ones({2, 2}, kInt);
  EXPECT_THAT(Call([&] { integers.addmm_(integers, integers, 1, std::complex<double>(0, 1)); }),
              ThrowsMessage<DtypeError>(HasSubstr("addmm_: alpha is complex, the matrices are Int")));
  EXPECT_TRUE(wrong.equal(ones({2, 4})));
  EXPECT_TRUE(self.equal(ones({4})));
  EXPECT_TRUE(integers.equal(ones({2, 2})));
}

TEST(Products, EinsumFollowsItsPath) {
  const Tensor a = numbers({3, 4}, kDouble), b = numbers({4, 5}, kDouble), c = numbers({5, 2}, kDouble);
  const Tensor want = a.mm(b).mm(c);
  EXPECT_TRUE(einsum("ij,jk,kl", {a, b, c}).allclose(want));
  EXPECT_TRUE(einsum("ij,jk,kl", {a, b, c}, IntArrayRef({1, 2, 0, 1})).allclose(want));
  EXPECT_THAT(Call([&] {
                einsum("ij,jk,kl", {a, b, c}, IntArrayRef({1, 2}));
              }),
              ThrowsMessage<ValueError>(HasSubstr("contraction path")));
  EXPECT_THAT(Call([&] {
                einsum("ij,jk,kl", {a, b, c}, IntArrayRef({1, 3, 0, 1}));
              }),
              ThrowsMessage<ValueError>(HasSubstr("(1, 3)")));
  EXPECT_THAT(Call([&] {
                einsum("ij,jk->i1", {a, b});
              }),
              ThrowsMessage<ValueError>(HasSubstr("invalid subscript given at index 8")));
}

TEST(Products, ChainsMultiplyInTheBestOrder) {
  // 1 x 1000 times 1000 x 1000 three times: from the left, every product is a vector's.
  const Tensor row = numbers({1, 200}), square = numbers({200, 200});
  const Tensor result = linalg_multi_dot({row.requires_grad_(), square, square, square});
  EXPECT_EQ(result.grad_fn()->next_edges()[0].function->name(), "MmBackward0");
  EXPECT_EQ(bits(result), bits(row.mm(square).mm(square).mm(square)));
}

// Where a batch is small products, kernels read them where they lie, but for the last ones.
TEST(Products, OfBatchesAreThoseOfEach) {
  manual_seed(23);
  for (const ScalarType dtype : {kFloat, kDouble, kBFloat16, kComplexFloat, kInt}) {
    for (const std::int64_t m : {2, 4, 7, 33, 300}) {
      for (const std::int64_t n : {2, 4, 15, 16, 17}) {
        for (const std::int64_t k : {2, 4, 9}) {
          const Tensor a = numbers({11, m, k}).mul(9).to(dtype), b = numbers({11, k, n}).mul(9).to(dtype);
          std::vector<Tensor> each;
          for (std::int64_t i = 0; i < 11; ++i) each.push_back(a[i].mm(b[i]));
          const Tensor expected = stack(each);
          const auto transposed = [](const Tensor& t) {
            return t.transpose(1, 2).contiguous().transpose(1, 2);
          };
          const auto with_gaps = [](const Tensor& t) { return stack({t, t}, -1).select(-1, 0); };
          for (const Tensor& x : {a, transposed(a), with_gaps(a)}) {
            for (const Tensor& y : {b, transposed(b), with_gaps(b)})
              ASSERT_EQ(bits(x.bmm(y)), bits(expected)) << dtype << " " << m << " x " << k << " x " << n;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace lanewise
