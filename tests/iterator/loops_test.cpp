// Ops from lambdas, and raw strided loops.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lanewise/dispatch_isa/threads.h>
#include <lanewise/iterator/loops.h>

#include "../call.h"
#include "random_tensor.h"

namespace lanewise::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

Tensor empty(std::initializer_list<std::int64_t> sizes, ScalarType t = kFloat) {
  return detail::empty_cpu(sizes, t);
}

Tensor counted(std::initializer_list<std::int64_t> sizes, ScalarType t = kFloat) {
  const Tensor out = empty(sizes, t);
  for (std::int64_t e = 0; e < out.numel(); ++e) {
    write_element(const_cast<char*>(element_at(out, e)), t, static_cast<double>(e % 100));
  }
  return out;
}

Tensor transposed(const Tensor& t) {
  return detail::make_view(t, {t.size(1), t.size(0)}, {t.stride(1), t.stride(0)}, t.storage_offset());
}

TEST(CpuKernel, RunsOnAnyLayoutInParallel) {
  const int threads = get_num_threads();
  for (const int count : {1, 3}) {
    set_num_threads(count);
    const Tensor a = counted({300, 400}), b = transposed(counted({400, 300}));
    TensorIterator iter = TensorIterator::binary_op(Tensor(), a, b);
    cpu_kernel(
        iter, [](float x, float y) { return 2 * x - y; }, 1024);
    const Tensor out = iter.output();
    for (std::int64_t e = 0; e < out.numel(); ++e) {
      ASSERT_EQ(read_element(element_at(out, e), kFloat),
                2.0 * read_element(element_at(a, e), kFloat) - read_element(element_at(b, e), kFloat));
    }
  }
  set_num_threads(threads);
}

TEST(CpuKernel, SeesPromotedOperandsAndCastsTheResult) {
  const Tensor i = counted({50}, kInt), h = counted({50}, kHalf);
  Tensor out = empty({50}, kDouble);
  TensorIterator iter = TensorIterator::binary_op(out, i, h);  // f16
  cpu_kernel(iter, [](float x, float y) { return x + y / 4; });
  EXPECT_EQ(out.data_ptr<double>()[13], 13 + 13.0 / 4);
  TensorIterator doubles = TensorIterator::binary_op(Tensor(), i, counted({1}, kDouble));
  cpu_kernel(doubles, [](double x, double y) { return x + y + 0.5; });
  EXPECT_EQ(doubles.output().data_ptr<double>()[49], 49.5);
}

TEST(CpuKernel, RefusesLambdasOfOtherTypes) {
  TensorIterator iter = TensorIterator::binary_op(Tensor(), empty({3}), empty({3}), "mine");
  EXPECT_THAT(Call([&] { cpu_kernel(iter, [](double x, double y) { return x + y; }); }),
              ThrowsMessage<DtypeError>(
                  HasSubstr("mine: the lambda's result 0 is Double, but the iterator's operand is Float")));
  EXPECT_THAT(Call([&] { cpu_kernel(iter, [](float x) { return x; }); }),
              ThrowsMessage<ValueError>(HasSubstr("1 parameters")));
}

TEST(CpuKernel, InPlaceAndBroadcast) {
  const Tensor a = counted({6, 5}), row = counted({5}), one = counted({1});
  TensorIterator iter =
      TensorIteratorConfig().add_output(a).add_input(a).add_input(row).add_input(one).build();
  cpu_kernel(iter, [](float x, float y, float z) { return x * 10 + y + z; });
  EXPECT_EQ(a.data_ptr<float>()[7], 72.0f);
}

TEST(CpuKernel, PassesExceptionsOn) {
  TensorIterator iter = TensorIterator::unary_op(Tensor(), counted({100000}));
  EXPECT_THROW(cpu_kernel(
                   iter, [](float x) { return x > 50 ? throw std::runtime_error("no") : x; }, 1000),
               std::runtime_error);
}

TEST(CpuKernel, HasSeveralOutputs) {
  Tensor quotient, remainder;
  const Tensor a = counted({40}, kLong);
  TensorIterator iter =
      TensorIteratorConfig().add_output(quotient).add_output(remainder).add_input(a).build();
  cpu_kernel_multiple_outputs(
      iter, [](std::int64_t x) { return std::tuple<std::int64_t, std::int64_t>(x / 7, x % 7); });
  EXPECT_EQ(iter.output(0).data_ptr<std::int64_t>()[39], 5);
  EXPECT_EQ(iter.output(1).data_ptr<std::int64_t>()[39], 4);
}

TEST(CpuKernel, SeriallyInOrder) {
  // The output is transposed in memory; C order is asked for all the same.
  Tensor out = transposed(empty({70, 90}, kLong));
  TensorIterator iter =
      TensorIteratorConfig().resize_outputs(false).enforce_linear_iteration().add_output(out).build();
  std::int64_t next = 0;
  cpu_serial_kernel(iter, [&]() -> std::int64_t { return next++; });
  for (std::int64_t e = 0; e < out.numel(); ++e) {
    ASSERT_EQ(*reinterpret_cast<const std::int64_t*>(element_at(out, e)), e);
  }
}

TEST(CpuKernelVec, TakesEveryElementThroughTheVectorLambda) {
  const Tensor a = counted({1003});
  TensorIterator iter = TensorIterator::binary_op(Tensor(), a, counted({1}));
  cpu_kernel_vec(
      iter, [](float x, float y) { return x + y; },
      [](Vectorized<float> x, Vectorized<float> y) { return maximum(x * x, y) - Vectorized<float>(1); });
  for (int e = 0; e < 1003; ++e) {
    ASSERT_EQ(iter.output().data_ptr<float>()[e], static_cast<float>(e % 100 * (e % 100) - 1)) << e;
  }
  // A lambda that takes scalars serves as both.
  TensorIterator same = TensorIterator::unary_op(Tensor(), a);
  const auto half = [](float x) { return x / 2; };
  cpu_kernel_vec(same, half, half);
  EXPECT_EQ(same.output().data_ptr<float>()[99], 49.5f);
}

TEST(ForEach, HandsOutStridedRuns) {
  const Tensor a = counted({30, 40}), b = transposed(counted({40, 30}));
  TensorIterator iter = TensorIterator::binary_op(Tensor(), a, b);
  std::atomic<std::int64_t> elements = 0;
  iter.for_each(
      [&](char** data, const std::int64_t* strides, std::int64_t n) {
        elements += n;
        for (std::int64_t k = 0; k < n; ++k) {
          *reinterpret_cast<float*>(data[0]) =
              *reinterpret_cast<float*>(data[1]) + *reinterpret_cast<float*>(data[2]);
          for (int o = 0; o < 3; ++o) {
            data[o] += strides[o];
          }
        }
      },
      64);
  EXPECT_EQ(elements, 1200);
  for (std::int64_t e = 0; e < 1200; ++e) {
    ASSERT_EQ(read_element(element_at(iter.output(), e), kFloat),
              read_element(element_at(a, e), kFloat) + read_element(element_at(b, e), kFloat));
  }
}

TEST(ForEach, ConvertsWhereTypesDiffer) {
  TensorIterator iter = TensorIterator::binary_op(Tensor(), counted({500}, kShort), counted({500}, kDouble));
  iter.for_each([](char** data, const std::int64_t* strides, std::int64_t n) {
    for (std::int64_t k = 0; k < n; ++k) {
      *reinterpret_cast<double*>(data[0] + k * strides[0]) =
          *reinterpret_cast<double*>(data[1] + k * strides[1]) -
          *reinterpret_cast<double*>(data[2] + k * strides[2]) / 2;
    }
  });
  EXPECT_EQ(iter.output().data_ptr<double>()[477], 77 - 38.5);
}

TEST(ForEach, RangesOfAnyBeginAndEndInTwoDimensions) {
  const Tensor a = detail::make_view(counted({1, 7 * 5 * 3 * 2}), {7, 5, 3}, {30, 6, 2}, 0);
  TensorIterator iter = TensorIterator::unary_op(Tensor(), a);
  for (std::int64_t begin = 0; begin <= 105; begin += 4) {
    for (std::int64_t end = begin; end <= 105; end += 3) {
      std::vector<float> seen;
      iter.serial_for_each(
          [&](char** data, const std::int64_t* strides, std::int64_t n0, std::int64_t n1) {
            for (std::int64_t j = 0; j < n1; ++j) {
              for (std::int64_t i = 0; i < n0; ++i) {
                seen.push_back(*reinterpret_cast<float*>(data[1] + i * strides[1] + j * strides[3]));
              }
            }
          },
          {begin, end});
      ASSERT_EQ(static_cast<std::int64_t>(seen.size()), end - begin);
      for (std::int64_t e = begin; e < end; ++e) {
        ASSERT_EQ(seen[static_cast<std::size_t>(e - begin)],
                  static_cast<float>(read_element(element_at(a, e), kFloat).real()));
      }
    }
  }
  EXPECT_THROW(iter.serial_for_each([](char**, const std::int64_t*, std::int64_t) {}, {0, 106}), IndexError);
}

TEST(ForEach, ReducesIntoAnOutputOfStrideZero) {
  const Tensor a = counted({200, 300});
  const Tensor sums = empty({200});
  std::fill_n(sums.data_ptr<float>(), 200, 0.0f);
  const Tensor out = detail::make_view(sums, {200, 300}, {1, 0}, 0);
  TensorIterator iter = TensorIterator::reduce_op(out, a);
  EXPECT_TRUE(iter.is_dim_reduced(0));
  EXPECT_EQ(iter.num_output_elements(), 200);
  cpu_kernel_multiple_outputs(iter, [](float x) { return std::tuple<float>(x); });  // the last one stays
  EXPECT_EQ(sums.data_ptr<float>()[3], 99.0f);
  std::fill_n(sums.data_ptr<float>(), 200, 0.0f);
  iter.for_each([](char** data, const std::int64_t* strides, std::int64_t n) {
    for (std::int64_t k = 0; k < n; ++k) {
      *reinterpret_cast<float*>(data[0] + k * strides[0]) +=
          *reinterpret_cast<float*>(data[1] + k * strides[1]);
    }
  });
  EXPECT_EQ(sums.data_ptr<float>()[3], 3 * 4950.0f);
}

}  // namespace
}  // namespace lanewise::testing
