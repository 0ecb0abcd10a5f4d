// Ops that have ways of their own for short rows, few columns and small matrices: many at once give the bits that each gives by
// itself.
#include <functional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <lanewise/lanewise.h>

#include "same_bits.h"

namespace lanewise {
namespace {

constexpr std::int64_t kLengths[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65};

Tensor numbers(IntArrayRef sizes, ScalarType dtype) { return (randn(sizes) * 4).to(dtype); }

using Op = std::function<Tensor(const Tensor&)>;
struct Named {
  const char* name;
  Op op;
};

/// op of all against op of each slice of dimension 0 by itself.
void expect_slice_by_slice(const Named& named, const Tensor& all, const std::string& what) {
  std::vector<Tensor> slices;
  for (std::int64_t i = 0; i < all.size(0); ++i) slices.push_back(named.op(all.narrow(0, i, 1).clone()));
  EXPECT_TRUE(same_bits(named.op(all), cat(slices, 0))) << named.name << " of " << what;
}

const std::vector<Named> kAlong1 = {
    {"sum", [](const Tensor& t) { return t.sum(1); }},
    {"prod", [](const Tensor& t) { return (t / 8).prod(1); }},
    {"amax", [](const Tensor& t) { return t.amax(1); }},
    {"argmax", [](const Tensor& t) { return t.argmax(1); }},
    {"min, where", [](const Tensor& t) { return std::get<1>(t.min(1)); }},
    {"var", [](const Tensor& t) { return t.var(1); }},
    {"norm", [](const Tensor& t) { return t.norm(2, 1); }},
    {"any", [](const Tensor& t) { return t.gt(6).any(1); }},
    {"sum of integers", [](const Tensor& t) { return t.to(kInt).sum(1); }},
    {"softmax", [](const Tensor& t) { return t.softmax(1); }},
    {"log_softmax", [](const Tensor& t) { return t.log_softmax(1); }},
    {"cumsum", [](const Tensor& t) { return t.cumsum(1); }},
    {"cumprod", [](const Tensor& t) { return (t / 8).cumprod(1); }},
    {"cumsum of integers", [](const Tensor& t) { return t.to(kInt).cumsum(1); }},
    {"cumprod of integers", [](const Tensor& t) { return t.to(kLong).cumprod(1); }},
};

class ShortRows : public ::testing::TestWithParam<ScalarType> {
 protected:
  void SetUp() override { manual_seed(3); }
};

TEST_P(ShortRows, ReducedAndScannedAlongThem) {
  for (const std::int64_t n : kLengths) {
    const Tensor x = numbers({37, n}, GetParam());
    for (const Named& named : kAlong1) {
      if (n == 1 && std::string(named.name) == "var") continue;  // NaN
      expect_slice_by_slice(named, x, std::to_string(n));
    }
  }
}

TEST_P(ShortRows, ReducedAndScannedAcrossFewColumns) {
  for (const std::int64_t n : {2, 5, 16, 70, 1025}) {
    for (const std::int64_t columns : {2, 3, 8, 15}) {
      const Tensor x = numbers({21, n, columns}, GetParam());
      for (const Named& named : kAlong1)
        expect_slice_by_slice(named, x, std::to_string(n) + " x " + std::to_string(columns));
    }
  }
}

TEST_P(ShortRows, OfWindowsAndRepetitions) {
  std::vector<Tensor> views;
  const Tensor matrix = numbers({40, 100}, GetParam());
  for (const std::int64_t size : {2, 3, 8}) {
    for (const std::int64_t step : {1, 2}) {
      views.push_back(matrix.unfold(0, size, step));
      views.push_back(matrix.unfold(1, size, step));
    }
  }
  for (const std::int64_t columns : {2, 5, 17, 70, 3000})
    views.push_back(numbers({1, 10, columns}, GetParam()).expand({20, 10, columns}));
  views.push_back(numbers({40, 1, 3}, GetParam()).expand({40, 20, 3}));
  views.push_back(numbers({40, 20, 1}, GetParam()).expand({40, 20, 3}));
  for (const Tensor& view : views) {
    const Tensor copy = view.contiguous();
    for (std::int64_t dim = 0; dim < 3; ++dim) {
      EXPECT_TRUE(same_bits(view.sum(dim), copy.sum(dim))) << view.sizes() << view.strides() << dim;
      EXPECT_TRUE(same_bits(view.amax(dim), copy.amax(dim))) << view.sizes() << view.strides() << dim;
      EXPECT_TRUE(same_bits(view.argmin(dim), copy.argmin(dim))) << view.sizes() << view.strides() << dim;
      EXPECT_TRUE(same_bits(view.cumsum(dim), copy.cumsum(dim))) << view.sizes() << view.strides() << dim;
      EXPECT_TRUE(same_bits(view.softmax(dim), copy.softmax(dim))) << view.sizes() << view.strides() << dim;
    }
  }
}

TEST_P(ShortRows, SumsOverManyOfThem) {
  for (const std::int64_t n : {2, 3, 16, 31, 32}) {
    const Tensor x = numbers({3000, n}, GetParam());
    const Tensor columns = stack(x.clone().t().contiguous().unbind(0), 0);
    EXPECT_TRUE(same_bits(x.sum(0), columns.sum(1))) << n;
  }
}

TEST_P(ShortRows, SoftmaxBackward) {
  for (const auto& [n, columns] :
       {std::pair<std::int64_t, std::int64_t>{9, 2}, {9, 3}, {9, 15}, {200, 3}, {9000, 5}}) {
    const Tensor y = numbers({21, n, columns}, GetParam()).softmax(1), grad = numbers(y.sizes(), GetParam());
    std::vector<Tensor> slices;
    for (std::int64_t i = 0; i < y.size(0); ++i)
      slices.push_back(
          _softmax_backward_data(grad.narrow(0, i, 1).clone(), y.narrow(0, i, 1).clone(), 1, GetParam()));
    EXPECT_TRUE(same_bits(_softmax_backward_data(grad, y, 1, GetParam()), cat(slices, 0))) << columns;
  }
}

TEST_P(ShortRows, ProductsWithVectors) {
  for (const std::int64_t n : kLengths) {
    const Tensor a = numbers({37, n}, GetParam()), b = numbers({37, n}, GetParam()),
                 x = numbers({n}, GetParam());
    std::vector<Tensor> products, dots;
    for (std::int64_t i = 0; i < a.size(0); ++i) {
      products.push_back(a.narrow(0, i, 1).clone().mv(x));
      dots.push_back(a.narrow(0, i, 1).clone().mv(b[i].clone()));
    }
    EXPECT_TRUE(same_bits(a.mv(x), cat(products, 0))) << n;
    EXPECT_TRUE(same_bits(a.t().contiguous().t().mv(x), cat(products, 0))) << n;
    EXPECT_TRUE(same_bits(a.unsqueeze(1).bmm(b.unsqueeze(2)).view({37}), cat(dots, 0))) << n;
  }
}

TEST_P(ShortRows, SmallMatrices) {
  for (const std::int64_t n : {1, 2, 3, 4, 5, 8, 9}) {
    const Tensor a = numbers({19, n, n}, GetParam()), b = numbers({19, n, n}, GetParam());
    for (const bool turned : {false, true}) {
      const Tensor right = turned ? b.transpose(1, 2) : b, column = right.narrow(2, 0, 1);
      std::vector<Tensor> products, columns;
      for (std::int64_t i = 0; i < 19; ++i) {
        products.push_back(a[i].mm(right[i].contiguous()).unsqueeze(0));
        columns.push_back(a[i].mv(column[i].contiguous().view({n})).unsqueeze(0));
      }
      EXPECT_TRUE(same_bits(a.bmm(right), cat(products, 0))) << n << ' ' << turned;
      EXPECT_TRUE(same_bits(a.bmm(column).squeeze(2), cat(columns, 0))) << n << ' ' << turned;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Dtype, ShortRows, ::testing::Values(kFloat, kDouble, kBFloat16),
                         [](const auto& dtype) { return std::string(toString(dtype.param)); });

TEST(ShortBatches, NormalizedChannels) {
  for (const std::int64_t channels : {1, 3, 8, 64, 600}) {
    const Tensor x = randn({70, channels}), w = randn({channels}), b = randn({channels});
    const Tensor whole = batch_norm(x, w, b, {}, {}, true, 0.1, 1e-5);
    // Channels that lie apart, one by one.
    std::vector<Tensor> each;
    for (std::int64_t c = 0; c < channels; ++c)
      each.push_back(batch_norm(x.narrow(1, c, 1).clone(), w.narrow(0, c, 1), b.narrow(0, c, 1), {}, {}, true,
                                0.1, 1e-5));
    EXPECT_TRUE(same_bits(whole, cat(each, 1))) << channels;
  }
}

TEST(ShortBatches, GradientsOfNormalizedRows) {
  for (const ScalarType dtype : {kFloat, kDouble, kBFloat16}) {
    for (const std::int64_t n : {1, 2, 7, 32, 63, 64}) {
      const TensorOptions options(dtype);
      const Tensor x = randn({23, n}, options).set_requires_grad(true), w = randn({n}, options),
                   b = randn({n}, options), grad = randn({23, n}, options);
      const auto gradient = [&](std::int64_t first, std::int64_t rows) {
        const Tensor part = x.detach().narrow(0, first, rows).clone().set_requires_grad(true);
        return autograd::grad({layer_norm(part, {n}, w, b)}, {part}, {grad.narrow(0, first, rows)})[0];
      };
      std::vector<Tensor> each;
      for (std::int64_t r = 0; r < 23; ++r) each.push_back(gradient(r, 1));
      EXPECT_TRUE(same_bits(gradient(0, 23), cat(each, 0))) << toString(dtype) << ' ' << n;
    }
  }
}

/// Few columns for each of several threads, and none: no bit depends on how they are shared.
TEST(Columns, SharedByThreads) {
  const int threads = get_num_threads();
  manual_seed(2);
  for (const auto& [rows, columns] : {std::pair{300, 1000}, std::pair{2000, 130}, std::pair{1025, 4097}}) {
    const Tensor x = randn({rows, columns}), deep = x.view({1, rows, columns});
    set_num_threads(1);
    const Tensor sums = x.sum(0), largest = std::get<1>(x.max(0));
    for (const int count : {2, 3, 7}) {
      set_num_threads(count);
      EXPECT_TRUE(x.sum(0).equal(sums)) << rows << " " << count;
      EXPECT_TRUE(deep.sum(1)[0].equal(sums)) << rows << " " << count;
      EXPECT_TRUE(std::get<1>(x.max(0)).equal(largest)) << rows << " " << count;
    }
  }
  set_num_threads(2);
  EXPECT_TRUE(empty({0, 100}).sum(0).equal(zeros({100})));
  EXPECT_TRUE(empty({0, 100}).prod(0).equal(ones({100})));
  EXPECT_FALSE(empty({0, 100}).any(0).any().item<bool>());
  EXPECT_EQ(empty({100, 0}).sum(0).numel(), 0);
  set_num_threads(threads);
}

}  // namespace
}  // namespace lanewise
