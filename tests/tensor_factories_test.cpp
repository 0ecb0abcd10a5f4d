#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lanewise/autograd/factories_out.h>
#include <lanewise/autograd/generator_forms.h>
#include <lanewise/generated/functions.h>
#include <lanewise/autograd/grad_mode.h>
#include <lanewise/autograd/registry.h>
#include <lanewise/dispatch_isa/isa.h>
#include <lanewise/dispatch_isa/threads.h>
#include <lanewise/ops/factories.h>
#include <lanewise/ops/tensor_literal.h>
#include <lanewise/ops/views.h>

#include "call.h"

namespace lanewise {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr ScalarType kAll[] = {kBool, kByte,     kChar,  kShort,  kInt,          kLong,
                               kHalf, kBFloat16, kFloat, kDouble, kComplexFloat, kComplexDouble};

std::vector<double> values(const Tensor& t) {
  std::vector<double> result;
  visit_dtype(t.scalar_type(), [&]<class T>() {
    if constexpr (std::is_convertible_v<T, double>) {
      for (std::int64_t i = 0; i < t.numel(); ++i) result.push_back(static_cast<double>(t.data_ptr<T>()[i]));
    }
  });
  return result;
}

TEST(Factories, ConstantsOfEveryDtype) {
  for (const ScalarType t : kAll) {
    EXPECT_EQ(zeros({2, 3}, t).scalar_type(), t);
    EXPECT_TRUE(equal(zeros({2, 3}, t), full({2, 3}, 0, kInt))) << t;
    EXPECT_TRUE(equal(ones({2, 3}, t), full({2, 3}, 1, kInt))) << t;
    EXPECT_TRUE(equal(eye(2, 3, t), tensor({{1, 0, 0}, {0, 1, 0}}))) << t;
  }
  EXPECT_EQ(zeros({}).dim(), 0);
  EXPECT_EQ(zeros({0}).numel(), 0);
  EXPECT_EQ(zeros(3).sizes(), IntArrayRef({3}));
}

TEST(Factories, FillAnySizeAndLayout) {
  for (const ScalarType dtype :
       {kBool, kByte, kShort, kHalf, kInt, kFloat, kLong, kDouble, kComplexFloat, kComplexDouble}) {
    for (const std::int64_t n : {0, 1, 15, 4096, 4097, 70001}) {
      Tensor x = full({n}, 1, dtype);
      EXPECT_EQ(x.ne(1).any().item<bool>(), false) << dtype << " " << n;
      x.zero_();
      EXPECT_EQ(x.ne(0).any().item<bool>(), false) << dtype << " " << n;
    }
    Tensor base = zeros({6, 4}, dtype);
    base.slice(1, 0, 4, 2).fill_(1);
    base.t().narrow(0, 3, 1).fill_(1);
    EXPECT_TRUE(equal(base.ne(0), tensor({true, false, true, true}).expand({6, 4}))) << dtype;
    zeros({1}, dtype).expand({5}).fill_(1);
  }
}

TEST(Factories, DtypeComesFromTheNumberOrTheDefault) {
  EXPECT_EQ(full({1}, 2).scalar_type(), kLong);
  EXPECT_EQ(full({1}, 2.5).scalar_type(), kFloat);
  EXPECT_EQ(full({1}, true).scalar_type(), kBool);
  EXPECT_EQ(full({1}, std::complex<double>(1, 2)).scalar_type(), kComplexFloat);
  EXPECT_EQ(zeros({1}).scalar_type(), kFloat);
  EXPECT_EQ(zeros({1}, dtype(kDouble)).scalar_type(), kDouble);
  EXPECT_EQ(scalar_tensor(3).scalar_type(), kFloat);
  EXPECT_EQ(scalar_tensor(3, kInt).item<int>(), 3);
  EXPECT_THROW(full({1}, std::complex<double>(1, 2), kFloat), ValueError);
}

TEST(Factories, LikeKeepsDtypeAndOrderOfDimensions) {
  const Tensor t = ops::transpose(zeros({2, 3}, kInt), 0, 1);
  EXPECT_EQ(ones_like(t).strides(), IntArrayRef({1, 3}));
  EXPECT_EQ(ones_like(t).scalar_type(), kInt);
  EXPECT_EQ(ones_like(t, kDouble).scalar_type(), kDouble);
  EXPECT_TRUE(equal(full_like(t, 7), full({3, 2}, 7)));
  EXPECT_TRUE(equal(zeros_like(ops::expand(ones({3, 1}), {3, 4})), zeros({3, 4})));
  EXPECT_THROW(zeros_like(Tensor()), ValueError);
}

TEST(Factories, RequiresGrad) {
  EXPECT_TRUE(ones({2, 2}, requires_grad()).requires_grad());
  EXPECT_TRUE(rand({2}, dtype(kDouble).requires_grad(true)).requires_grad());
  EXPECT_TRUE(tensor({1.0}, requires_grad()).requires_grad());
  EXPECT_FALSE(ones({2}).requires_grad());
  EXPECT_THROW(ones({2}, dtype(kInt).requires_grad(true)), Error);
}

TEST(Arange, CountsExactly) {
  EXPECT_THAT(values(arange(4)), ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(arange(4).scalar_type(), kLong);
  EXPECT_THAT(values(arange(1, 2, 0.25)), ElementsAre(1, 1.25, 1.5, 1.75));
  EXPECT_EQ(arange(1, 2, 0.25).scalar_type(), kFloat);
  EXPECT_THAT(values(arange(5, 0, -2)), ElementsAre(5, 3, 1));
  EXPECT_THAT(values(arange(3, kHalf)), ElementsAre(0, 1, 2));
  EXPECT_EQ(arange(2, 2).numel(), 0);
  // To the end; of integers all three are.
  EXPECT_THAT(values(range(0.5, 4.7, 1.5)), ElementsAre(0.5, 2, 3.5));
  EXPECT_THAT(values(range(0.5, 4.7, 1.5, kInt)), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(values(range(5, 1, -1.7, kLong)), ElementsAre(5, 4, 3, 2, 1));
  EXPECT_THROW(range(0, 3, 0.5, kLong), ValueError);
  EXPECT_THROW(range(0, 3, 1, kBool), DtypeError);
  EXPECT_THROW(logspace(0, 3, 4, 10, kBool), DtypeError);
  const std::int64_t big = (std::int64_t{1} << 60) + 1;
  EXPECT_EQ(arange(big, big + 3).numel(), 3);
  EXPECT_EQ(arange(big, big + 3).data_ptr<std::int64_t>()[2], big + 2);
  EXPECT_EQ(values(arange(100000, kDouble)).back(), 99999);
  EXPECT_THAT(Call([] { arange(0, 1, 0); }), ThrowsMessage<ValueError>(HasSubstr("step must be nonzero")));
  EXPECT_THAT(Call([] { arange(3, 0); }),
              ThrowsMessage<ValueError>(HasSubstr("inconsistent with step sign")));
  EXPECT_THROW(arange(NAN), ValueError);
  EXPECT_THROW(arange(0, 2, 0.5, kInt), ValueError);
  EXPECT_THROW(arange(std::complex<double>(1, 1)), DtypeError);
  EXPECT_THROW(arange(INT64_MIN, INT64_MAX), ShapeError);
  EXPECT_THROW(arange(INT64_MAX, INT64_MAX - 1, std::int64_t{1} << 62), ValueError);
}

TEST(Linspace, HitsBothEnds) {
  EXPECT_THAT(values(linspace(0, 1, 5)), ElementsAre(0, 0.25, 0.5, 0.75, 1));
  EXPECT_THAT(values(linspace(3, 9, 1)), ElementsAre(3));
  EXPECT_EQ(linspace(3, 9, 0).numel(), 0);
  const auto many = values(linspace(0.1, 0.7, 1001, kDouble));
  EXPECT_EQ(many.front(), 0.1);
  EXPECT_EQ(many.back(), 0.7);
  EXPECT_TRUE(std::is_sorted(many.begin(), many.end()));
  EXPECT_THROW(linspace(0, 1, -1), ValueError);
}

TEST(Linspace, OfIntegersGoesFromIntegerToInteger) {
  EXPECT_TRUE(linspace(-0.5, 5, 5, kLong).equal(tensor({0, 1, 2, 3, 5})));
  EXPECT_TRUE(linspace(5.5, -3.5, 6, kInt).equal(tensor({5, 3, 1, 0, -1, -3}, kInt)));
  EXPECT_TRUE(linspace(-2.7, 2.7, 4, kChar).equal(tensor({-2, 0, 0, 2}, kChar)));
  EXPECT_THROW(linspace(-0.5, 5, 5, kByte), ValueError);
  EXPECT_TRUE(linspace(0, -1, 3, kByte).equal(tensor({0, 127, 255}, kByte)));  // to the byte that -1 becomes
  const std::int64_t odd = (std::int64_t{1} << 53) + 1;
  EXPECT_TRUE(linspace(-odd, odd, 3, kLong).equal(tensor({-odd, std::int64_t{0}, odd})));
  EXPECT_TRUE(linspace(INT64_MIN, INT64_MAX, 2, kLong).equal(tensor({INT64_MIN, INT64_MAX})));
  EXPECT_TRUE(linspace(odd, 0, 1, kLong).equal(tensor({odd})));
  EXPECT_TRUE(logspace(2.5, 7, 2, 2, kLong).equal(tensor({4, 128})));
  EXPECT_TRUE(logspace(2.5, 7, 1, 2, kLong).equal(tensor({5})));
}

TEST(Random, SameSeedSameNumbers) {
  manual_seed(3);
  const Tensor first = rand({1000});
  const Tensor second = rand({1000});
  EXPECT_FALSE(equal(first, second));
  manual_seed(3);
  EXPECT_TRUE(equal(first, rand({1000})));
  EXPECT_TRUE(equal(second, rand({1000})));
  manual_seed(4);
  EXPECT_FALSE(equal(first, rand({1000})));
  EXPECT_EQ(initial_seed(), 4u);
}

TEST(Random, DoesNotDependOnThreadsOrInstructionSet) {
  const int threads = get_num_threads();
  manual_seed(5);
  const Tensor r = rand({300000});
  const Tensor n = randn({300000});
  const Tensor i = randint(1000, {300000});
  for (const Isa isa : available_isas()) {
    for (const int count : {1, 3}) {
      const IsaGuard guard(isa);
      set_num_threads(count);
      manual_seed(5);
      EXPECT_TRUE(equal(r, rand({300000}))) << name(isa) << count;
      // Without FMA (sse4_2) the normal transform may differ in the last place.
      EXPECT_TRUE(allclose(n, randn({300000}), 1e-5, 1e-6)) << name(isa) << count;
      EXPECT_TRUE(equal(i, randint(1000, {300000}))) << name(isa) << count;
    }
  }
  set_num_threads(threads);
}

TEST(Random, UniformIsHalfOpenInEveryFloatingType) {
  manual_seed(1);
  for (const ScalarType t : {kHalf, kBFloat16, kFloat, kDouble}) {
    const auto v = values(rand({100000}, t));
    EXPECT_GE(*std::min_element(v.begin(), v.end()), 0.0) << t;
    EXPECT_LT(*std::max_element(v.begin(), v.end()), 1.0) << t;
    EXPECT_NEAR(std::accumulate(v.begin(), v.end(), 0.0) / 100000, 0.5, 0.01) << t;
  }
  EXPECT_EQ(rand({3}, kComplexFloat).scalar_type(), kComplexFloat);
  EXPECT_THROW(rand({3}, kInt), DtypeError);
  EXPECT_THROW(randn({3}, kBool), DtypeError);
}

TEST(Random, NormalHasItsMoments) {
  manual_seed(2);
  const auto v = values(randn({200000}, kDouble));
  double sum = 0, squares = 0, fourth = 0;
  for (const double x : v) sum += x, squares += x * x, fourth += x * x * x * x;
  EXPECT_NEAR(sum / 200000, 0, 0.01);
  EXPECT_NEAR(squares / 200000, 1, 0.02);
  EXPECT_NEAR(fourth / 200000, 3, 0.15);
}

TEST(Random, IntegersStayInRange) {
  manual_seed(6);
  for (const ScalarType t : {kByte, kShort, kLong, kFloat}) {
    const auto v = values(randint(3, 9, {10000}, t));
    EXPECT_EQ(*std::min_element(v.begin(), v.end()), 3) << t;
    EXPECT_EQ(*std::max_element(v.begin(), v.end()), 8) << t;
  }
  EXPECT_EQ(randint(5, {2}).scalar_type(), kLong);
  EXPECT_THROW(randint(5, 5, {2}), ValueError);
  EXPECT_THROW(randint(300, {2}, kByte), ValueError);
  auto p = values(randperm(1000));
  EXPECT_FALSE(std::is_sorted(p.begin(), p.end()));
  std::sort(p.begin(), p.end());
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(p[static_cast<std::size_t>(i)], i);
}

TEST(FactoriesOut, GiveWhatTheFactoryGives) {
  const std::pair<std::function<Tensor(const TensorOptions&)>, std::function<void(Tensor&)>> factories[] = {
      {[](auto& o) {
         return zeros({2, 3}, o);
       },
       [](Tensor& t) {
         zeros_out(t, {2, 3});
       }},
      {[](auto& o) {
         return ones({2, 3}, o);
       },
       [](Tensor& t) {
         ones_out(t, {2, 3});
       }},
      {[](auto& o) {
         return full({2, 3}, 7, o);
       },
       [](Tensor& t) {
         full_out(t, {2, 3}, 7);
       }},
      {[](auto& o) { return eye(3, o); }, [](Tensor& t) { eye_out(t, 3); }},
      {[](auto& o) { return eye(2, 4, o); }, [](Tensor& t) { eye_out(t, 2, 4); }},
      {[](auto& o) { return arange(5, o); }, [](Tensor& t) { arange_out(t, 5); }},
      {[](auto& o) { return arange(1, 9, 2, o); }, [](Tensor& t) { arange_out(t, 1, 9, 2); }},
      {[](auto& o) { return range(1, 9, 2, o); }, [](Tensor& t) { range_out(t, 1, 9, 2); }},
      {[](auto& o) { return linspace(0, 12, 7, o); }, [](Tensor& t) { linspace_out(t, 0, 12, 7); }},
      {[](auto& o) { return logspace(0, 3, 4, 2, o); }, [](Tensor& t) { logspace_out(t, 0, 3, 4, 2); }},
      {[](auto& o) {
         return randint(0, 9, {2, 3}, o);
       },
       [](Tensor& t) {
         randint_out(t, 9, {2, 3});
       }},
      {[](auto& o) {
         return randint(2, 9, {2, 3}, o);
       },
       [](Tensor& t) {
         randint_out(t, 2, 9, {2, 3});
       }},
      {[](auto& o) { return randperm(6, o); }, [](Tensor& t) { randperm_out(t, 6); }},
  };
  for (const auto& [make, write] : factories) {
    for (const ScalarType dtype : {kInt, kLong, kHalf, kFloat, kDouble}) {
      manual_seed(5);
      const Tensor expected = make(TensorOptions(dtype));
      Tensor gaps = zeros({expected.size(0), 2 * expected.numel() + 2}, TensorOptions(dtype));
      for (Tensor out : {empty({0}, TensorOptions(dtype)), empty(expected.sizes(), TensorOptions(dtype)),
                         expected.dim() == 2 ? gaps.narrow(1, 1, expected.size(1))
                                             : gaps.flatten().narrow(0, 1, expected.numel())}) {
        const Tensor same = out;
        manual_seed(5);
        write(out);
        EXPECT_TRUE(out.is_same(same));
        EXPECT_EQ(out.scalar_type(), dtype);
        EXPECT_TRUE(out.equal(expected));
        EXPECT_GT(out._version(), 0);
      }
    }
    Tensor fresh;
    write(fresh);
    EXPECT_TRUE(fresh.defined());
  }
  for (const ScalarType dtype : {kFloat, kDouble}) {
    Tensor out = empty({0}, TensorOptions(dtype));
    const auto draw = [&](const Tensor& expected, Tensor& result) { EXPECT_TRUE(result.equal(expected)); };
    manual_seed(1);
    const Tensor a = rand({2, 3}, TensorOptions(dtype)), b = randn({4}, TensorOptions(dtype)),
                 c = normal(2, 3, {5}, TensorOptions(dtype));
    manual_seed(1);
    draw(a, rand_out(out, {2, 3}));
    draw(b, randn_out(out, {4}));
    draw(c, normal_out(out, 2, 3, {5}));
  }
}

TEST(FactoriesOut, KeepWhatTheyMayNotWrite) {
  Tensor leaf = ones({2}).requires_grad_();
  EXPECT_THAT(Call([&] { zeros_out(leaf, {2}); }), ThrowsMessage<AutogradError>(HasSubstr("out=")));
  EXPECT_THAT(Call([&] { arange_out(leaf, 5); }), ThrowsMessage<AutogradError>(HasSubstr("out=")));
  EXPECT_TRUE(leaf.equal(ones({2})));
  {
    const NoGradGuard guard;
    zeros_out(leaf, {2});
  }
  EXPECT_TRUE(leaf.equal(zeros({2})));
  Tensor wide = zeros({1}).expand({3});
  EXPECT_THAT(Call([&] { arange_out(wide, 3); }), testing::Throws<Error>());
  EXPECT_TRUE(wide.equal(zeros({3})));
  Tensor some = ones({2});
  EXPECT_THAT(Call([&] { empty_out(some, {-1}); }), testing::Throws<Error>());
  EXPECT_TRUE(some.equal(ones({2})));
}

TEST(FactoriesOut, CanBeCalledByName) {
  Tensor out = empty({0}, TensorOptions(kLong));
  call("arange.out", {5}, {{"out", out}});
  EXPECT_THAT(values(out), ElementsAre(0, 1, 2, 3, 4));
  call("zeros", {std::vector<std::int64_t>{2}}, {{"out", out}});
  EXPECT_THAT(values(out), ElementsAre(0, 0));
}

TEST(FromBlob, UsesTheMemoryItWasGiven) {
  std::vector<float> data = {1, 2, 3, 4, 5, 6};
  int freed = 0;
  {
    const Tensor t = from_blob(data.data(), {2, 3}, [&](void*) { ++freed; });
    EXPECT_EQ(t.data_ptr(), data.data());
    t.data_ptr<float>()[5] = 60;
    const Tensor column = ops::select(t, 1, 2);
    EXPECT_EQ(freed, 0);
  }
  EXPECT_EQ(freed, 1);
  EXPECT_EQ(data[5], 60);
  const Tensor transposed = from_blob(data.data(), {3, 2}, {1, 3});
  EXPECT_TRUE(equal(transposed, tensor({{1, 4}, {2, 5}, {3, 60}})));
  EXPECT_EQ(from_blob(data.data(), {3}, kInt).scalar_type(), kInt);
  EXPECT_THROW(from_blob(nullptr, {3}), ValueError);
  EXPECT_THROW(from_blob(data.data(), {-3}), ShapeError);
}

TEST(Literal, TakesTheShapeOfItsBraces) {
  EXPECT_EQ(tensor(1.5).dim(), 0);
  EXPECT_EQ(tensor({1.0, 2.0}).scalar_type(), kFloat);
  EXPECT_EQ(tensor({1, 2}).scalar_type(), kLong);
  EXPECT_EQ(tensor({true, false}).scalar_type(), kBool);
  EXPECT_EQ(tensor({{1, 2}, {3, 4}, {5, 6}}).sizes(), IntArrayRef({3, 2}));
  EXPECT_EQ(tensor({{{1.0}, {2.0}}}, kDouble).sizes(), IntArrayRef({1, 2, 1}));
  EXPECT_EQ(tensor({1}).sizes(), IntArrayRef({1}));
  EXPECT_EQ(tensor(std::vector<float>{1, 2, 3}).numel(), 3);
  EXPECT_EQ(tensor({std::complex<float>(1, 2)}).scalar_type(), kComplexFloat);
  EXPECT_THAT(values(tensor({1.5, -2.0}, kInt)), ElementsAre(1, -2));
  EXPECT_THAT(
      Call([] {
        tensor({{1, 2}, {3}});
      }),
      ThrowsMessage<ShapeError>(HasSubstr("Expected all sub-lists to have sizes: 2 (e.g. {1, 2}), but got "
                                          "sub-list {3} with sizes: 1")));
  EXPECT_THROW(tensor({1, 300}, kByte), ValueError);
}

TEST(Literals, ComplexNumbersAreNotCutToReal) {
  const std::vector<std::complex<float>> numbers = {{1, 2}, {3, 0}};
  EXPECT_THAT(Call([&] { tensor(numbers, kFloat); }),
              ThrowsMessage<DtypeError>(
                  HasSubstr("because complex can not be casted to real number without loss of information")));
  EXPECT_EQ(tensor(numbers, kComplexDouble)[0].item<std::complex<double>>(), std::complex<double>(1, 2));
}

TEST(Literal, KeepsTypesButIntAndFloat) {
  EXPECT_EQ(tensor(std::vector<std::uint8_t>{1}).scalar_type(), kByte);
  EXPECT_EQ(tensor(std::int8_t{1}).scalar_type(), kChar);
  EXPECT_EQ(tensor({std::int16_t{1}, std::int16_t{2}}).scalar_type(), kShort);
  EXPECT_EQ(tensor(std::vector<int>{1}).scalar_type(), kLong);
  EXPECT_EQ(tensor(Half(1.0f)).scalar_type(), kHalf);
  EXPECT_THAT(
      Call([] {
        tensor({1, 2.5});
      }),
      ThrowsMessage<DtypeError>(HasSubstr("Expected all elements of the tensor to have the same scalar type: "
                                          "Int, but got element of scalar type: Double")));
}

TEST(Literal, NumbersMustFit) {
  EXPECT_THROW(tensor(1e10, kInt), ValueError);
  EXPECT_THROW(tensor({NAN}, kInt), ValueError);
  EXPECT_THROW(tensor({1e40}, kFloat), ValueError);
  EXPECT_EQ(tensor({-1}, kByte).item<int>(), 255);                  // two's complement, as in libtorch
  EXPECT_EQ(tensor(std::vector<int>{300}, kByte).item<int>(), 44);  // a container is converted as by to()
}

TEST(Factories, NumbersMustFit) {
  EXPECT_THAT(
      Call([] { full({1}, 300, kByte); }),
      ThrowsMessage<ValueError>(HasSubstr("value cannot be converted to type uint8_t without overflow")));
  EXPECT_THROW(full({1}, 1e10, kInt), ValueError);
  EXPECT_THROW(full({1}, 70000, kHalf), ValueError);
  EXPECT_THROW(scalar_tensor(300, kByte), ValueError);
  EXPECT_THROW(full_like(zeros({1}, kByte), 300), ValueError);
  EXPECT_EQ(full({1}, -1, kByte).item<int>(), 255);
}

TEST(Factories, RandomNumbersKeepTheLayout) {
  const Tensor turned = ones({3, 5}).t();
  EXPECT_EQ(rand_like(turned).strides(), turned.strides());
  EXPECT_EQ(randint_like(turned, 0, 9).strides(), turned.strides());
  manual_seed(5);
  const Tensor like = randn_like(turned, requires_grad());
  EXPECT_TRUE(like.requires_grad() && like.is_leaf());
  manual_seed(5);
  EXPECT_TRUE(like.equal(randn({5, 3})));
  EXPECT_TRUE(rand_like(ones({3}).expand({2, 3})).is_contiguous());
}

TEST(FactoriesOut, SequencesKeepAShapeThatHoldsThem) {
  Tensor row = empty({1, 2});
  EXPECT_EQ(linspace_out(row, 0, 1, 2).sizes(), IntArrayRef({1, 2}));
  EXPECT_TRUE(row.equal(tensor({{0., 1.}})));
  EXPECT_EQ(arange_out(row, 3).sizes(), IntArrayRef({3}));
  Tensor bytes = empty({0}, kChar);
  EXPECT_THROW(full_out(bytes, {2, 2}, 300), ValueError);
  EXPECT_EQ(bytes.numel(), 0);
}

TEST(FactoriesOut, TakeGenerators) {
  Generator one = make_generator<CPUGeneratorImpl>(3), other = make_generator<CPUGeneratorImpl>(3);
  Tensor out = empty({4});
  EXPECT_TRUE(randn_out(out, {4}, one).equal(randn({4}, other)));
  EXPECT_TRUE(normal_out(out, zeros({4}), 2, one).equal(normal(zeros({4}), 2, other)));
  EXPECT_TRUE(bernoulli_out(out, full({4}, 0.5), one).equal(bernoulli(full({4}, 0.5), other)));
}

}  // namespace
}  // namespace lanewise
