// Elements chosen along each dimension of tensors whose last dimensions are short, against loops over coordinates. What comes to one
// place is added in order of position, which sums of fractions tell.
#include <complex>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include <lanewise/lanewise.h>

#include "thread_count.h"

namespace lanewise {
namespace {

using Dims = std::vector<std::int64_t>;

const Dims kShapes[] = {{300, 7, 3, 3},       {4, 6, 5, 7, 6, 8}, {64, 10, 12, 5},    {9, 260, 3},
                        {3, 2, 2, 2, 400, 2}, {130, 2, 2},        {2, 3, 4, 5, 6, 7}, {40, 3, 200, 4},
                        {300, 7, 1, 1},       {1, 40, 1, 200, 1}, {40, 200, 2},       {30, 70, 12},
                        {3, 1500, 17},        {5, 9, 133},        {2, 3, 4, 90}};

std::int64_t count_of(const Dims& shape) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count *= size;
  return count;
}

/// Fractions that round when they are added.
Tensor numbers(const Dims& shape, std::int64_t factor, ScalarType dtype) {
  const Tensor whole = remainder(arange(count_of(shape), TensorOptions().dtype(kLong)) * factor, 10007);
  return (whole.to(kDouble) / 97).to(dtype).view(shape);
}

/// Another order in memory, or gaps.
Tensor laid_out(const Tensor& t, int variant) {
  const std::int64_t last = t.dim() - 1;
  if (variant == 1) return t.transpose(0, last).contiguous().transpose(0, last);
  if (variant == 2) return stack({t, t}, last + 1).select(last + 1, 1);
  return t;
}

/// Calls f(position in a contiguous tensor of `shape` and of `other`, of which `dim` is not counted) for each element of `shape`.
void each_position(const Dims& shape, const Dims& other, std::size_t dim,
                   const std::function<void(std::int64_t, std::int64_t, std::int64_t)>& f) {
  std::int64_t step_along = 1;
  for (std::size_t d = dim + 1; d < other.size(); ++d) step_along *= other[d];
  for (std::int64_t e = 0; e < count_of(shape); ++e) {
    std::int64_t left = e, at = 0, step = 1;
    for (std::size_t d = shape.size(); d-- > 0; left /= shape[d], step *= other[d]) {
      if (d != dim) at += left % shape[d] * step;
    }
    f(e, at, step_along);
  }
}

template <class T>
class ShortDims : public ::testing::Test {};
using Types = ::testing::Types<float, double, std::complex<float>, std::int16_t>;
TYPED_TEST_SUITE(ShortDims, Types);

/// What an index of `src`'s shape reads of x, and x after src is written or added there.
template <class T>
struct Loops {
  Tensor gathered, scattered, added;

  Loops(const Tensor& x, const Tensor& src, const Tensor& index, const Dims& shape, const Dims& chosen,
        std::size_t dim)
      : gathered(empty(chosen, x.options())), scattered(x.clone()), added(x.clone()) {
    const auto* i = index.const_data_ptr<std::int64_t>();
    each_position(chosen, shape, dim, [&](std::int64_t e, std::int64_t at, std::int64_t step) {
      const std::int64_t place = at + i[e] * step;
      gathered.data_ptr<T>()[e] = x.const_data_ptr<T>()[place];
      scattered.data_ptr<T>()[place] = src.const_data_ptr<T>()[e];
      T& sum = added.data_ptr<T>()[place];
      sum = static_cast<T>(sum + src.const_data_ptr<T>()[e]);
    });
  }
};

/// f(shape, dimension) for all of both, with one thread and with three.
template <class F>
void each_dimension(F f) {
  for (const int threads : {1, 3}) {
    const testing::ThreadCount count(threads);
    for (const Dims& shape : kShapes) {
      for (std::size_t dim = 0; dim < shape.size(); ++dim) f(shape, dim);
    }
  }
}

TYPED_TEST(ShortDims, AreThoseOfLoops) {
  using T = TypeParam;
  constexpr ScalarType kType = scalar_type_of<T>;
  each_dimension([](const Dims& shape, std::size_t dim) {
    Dims chosen = shape;
    chosen[dim] = (shape[dim] + 1) / 2 + 1;
    const Tensor index = remainder(numbers(chosen, 7919, kLong), shape[dim]);
    const Tensor x = numbers(shape, 31, kType), src = numbers(chosen, 57, kType);
    const Loops<T> loops(x, src, index, shape, chosen, dim);
    const auto d = static_cast<std::int64_t>(dim);
    for (int variant = 0; variant < 3; ++variant) {
      const Tensor self = laid_out(x, variant), from = laid_out(src, (variant + 1) % 3),
                   at = laid_out(index, (variant + 2) % 3);
      EXPECT_TRUE(equal(gather(self, d, at), loops.gathered)) << IntArrayRef(shape) << d << variant;
      EXPECT_TRUE(equal(scatter(self, d, at, from), loops.scattered)) << IntArrayRef(shape) << d << variant;
      EXPECT_TRUE(equal(scatter_add(self, d, at, from), loops.added)) << IntArrayRef(shape) << d << variant;
    }
    for (std::int64_t other = 0; other < x.dim(); ++other) {
      if (other == d) continue;
      const auto first = [other](const Tensor& t) { return t.narrow(other, 0, 1); };
      const Tensor at = first(index), from = first(src);
      Tensor scattered = x.clone(), added = x.clone();
      first(scattered).copy_(first(loops.scattered));
      first(added).copy_(first(loops.added));
      EXPECT_TRUE(equal(gather(x, d, at), first(loops.gathered))) << IntArrayRef(shape) << d << other;
      EXPECT_TRUE(equal(scatter(x, d, at, from), scattered)) << IntArrayRef(shape) << d << other;
      EXPECT_TRUE(equal(scatter_add(x, d, at, src), added)) << IntArrayRef(shape) << d << other;
    }
    Tensor wrong = index.clone();
    wrong.view({-1})[index.numel() - 1] = shape[dim];
    EXPECT_THROW(gather(x, d, wrong), IndexError);
    EXPECT_THROW(scatter(x, d, wrong, src), IndexError);
    Tensor kept = x.clone();
    EXPECT_THROW(kept.scatter_(d, wrong, src), IndexError);
    EXPECT_TRUE(equal(kept, x)) << "written before the error";
  });
}

TYPED_TEST(ShortDims, AreChosenByVectors) {
  using T = TypeParam;
  constexpr ScalarType kType = scalar_type_of<T>;
  each_dimension([](const Dims& shape, std::size_t dim) {
    for (const std::int64_t n : {shape[dim] / 2 + 2, std::int64_t{1}}) {
      Dims chosen = shape, along(shape.size(), 1);
      chosen[dim] = along[dim] = n;
      const Tensor index = remainder(numbers({n}, 7919, kLong), shape[dim]);
      const Tensor x = numbers(shape, 31, kType), src = numbers(chosen, 57, kType);
      const Loops<T> loops(x, src, index.view(along).expand(chosen).contiguous(), shape, chosen, dim);
      const auto d = static_cast<std::int64_t>(dim);
      for (int variant = 0; variant < 3; ++variant) {
        const Tensor self = laid_out(x, variant), from = laid_out(src, (variant + 1) % 3);
        EXPECT_TRUE(equal(index_select(self, d, index), loops.gathered))
            << IntArrayRef(shape) << d << variant;
        EXPECT_TRUE(equal(index_copy(self, d, index, from), loops.scattered))
            << IntArrayRef(shape) << d << variant;
        EXPECT_TRUE(equal(index_add(self, d, index, from), loops.added))
            << IntArrayRef(shape) << d << variant;
      }
    }
  });
}

}  // namespace
}  // namespace lanewise
