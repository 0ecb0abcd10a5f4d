// What programs written for PyTorch's iterator call: changes to an iterator that was built, its parts, the
// serial loops, and the rules of overlap and layout.

#include <thread>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lanewise/iterator/loops.h>
#include <lanewise/tensor/make_tensor.h>

#include "random_tensor.h"

namespace lanewise::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Dims = std::vector<std::int64_t>;

Tensor make(std::initializer_list<std::int64_t> sizes, ScalarType t = kFloat) {
  return detail::empty_cpu(sizes, t);
}

template <class T>
Tensor counted(std::initializer_list<std::int64_t> sizes, ScalarType t) {
  const Tensor out = make(sizes, t);
  for (std::int64_t e = 0; e < out.numel(); ++e) {
    static_cast<T*>(out.data_ptr())[e] = static_cast<T>(e % 10);
  }
  return out;
}

Tensor view(const Tensor& t, IntArrayRef sizes, IntArrayRef strides, std::int64_t offset = 0) {
  return detail::make_view(t, sizes, strides, offset);
}

template <class T>
class SerialKernels : public ::testing::Test {};
using Types =
    ::testing::Types<std::uint8_t, std::int8_t, std::int16_t, std::int32_t, std::int64_t, float, double>;
TYPED_TEST_SUITE(SerialKernels, Types);

TYPED_TEST(SerialKernels, TakeResultsOfAnotherType) {
  using T = TypeParam;
  const ScalarType t = scalar_type_of<T>;
  const Tensor a = counted<T>({5, 5}, t), b = counted<T>({5, 5}, t);
  TensorIterator unary = TensorIterator::unary_op(Tensor(), a);
  native::cpu_serial_kernel(unary, [](T x) -> int { return static_cast<int>(x) + 1; });
  TensorIterator binary = TensorIterator::binary_op(Tensor(), a, b);
  native::cpu_serial_kernel(binary, [](T x, T y) -> int { return static_cast<int>(x + y); });
  Tensor less = make({0}, kBool);
  TensorIterator comparison = TensorIterator::comparison_op(less, a, b);
  native::cpu_serial_kernel(comparison, [](T x, T y) -> bool { return x < y + 1; });
  for (int e = 0; e < 25; ++e) {
    EXPECT_EQ(unary.output().data_ptr<T>()[e], static_cast<T>(e % 10 + 1));
    EXPECT_EQ(binary.output().data_ptr<T>()[e], static_cast<T>(2 * (e % 10)));
    EXPECT_TRUE(less.data_ptr<bool>()[e]);
  }
  int calls = 0;
  TensorIterator none = TensorIteratorConfig().add_owned_input(a).add_owned_input(b).build();
  native::cpu_serial_kernel(none, [&](T, T) -> void { ++calls; });
  EXPECT_EQ(calls, 25);
}

TYPED_TEST(SerialKernels, MultipleOutputs) {
  using T = TypeParam;
  const ScalarType t = scalar_type_of<T>;
  const Tensor a = counted<T>({5, 5}, t), b = counted<T>({5, 5}, t);
  Tensor sum = make({0}, t), product = make({0}, t);
  TensorIterator iter = TensorIteratorConfig()
                            .add_owned_output(sum)
                            .add_owned_output(product)
                            .add_owned_input(a)
                            .add_owned_input(b)
                            .build();
  native::cpu_kernel_multiple_outputs(iter, [](T x, T y) -> std::tuple<T, T> {
    return {static_cast<T>(x + y), static_cast<T>(x * y)};
  });
  for (int e = 0; e < 25; ++e) {
    EXPECT_EQ(sum.data_ptr<T>()[e], static_cast<T>(2 * (e % 10)));
    EXPECT_EQ(product.data_ptr<T>()[e], static_cast<T>((e % 10) * (e % 10)));
  }
}

TEST(SerialKernel, RunsInTheCallersThread) {
  const std::thread::id caller = std::this_thread::get_id();
  TensorIterator iter = TensorIterator::unary_op(Tensor(), counted<int>({50000}, kInt));
  cpu_serial_kernel(iter, [=](int x) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    return x + 1;
  });
  TensorIterator vec = TensorIterator::unary_op(Tensor(), counted<float>({500000}, kFloat));
  cpu_serial_kernel_vec(
      vec, [](float x) { return x + 1; },
      [=](const Vectorized<float>& x) {
        EXPECT_EQ(std::this_thread::get_id(), caller);
        return x + Vectorized<float>(1);
      });
  EXPECT_EQ(vec.output().data_ptr<float>()[499999], 10);
}

TEST(IteratorParts, NarrowAndSelectMoveTheOperands) {
  const Tensor base = counted<float>({6, 8}, kFloat), part = view(base, {6, 7}, {8, 1});
  TensorIterator iter = TensorIteratorConfig().add_owned_output(make({6, 7})).add_owned_input(part).build();
  ASSERT_EQ(iter.ndim(), 2);
  EXPECT_EQ(iter.shape().vec(), (Dims{7, 6}));
  EXPECT_EQ(iter.view_offsets().vec(), (Dims{0, 0}));
  EXPECT_EQ(iter.get_inner_strides(), DimVector({4, 4}));
  EXPECT_EQ(iter.get_strides(), DimVector({4, 4, 28, 32}));
  EXPECT_TRUE(iter.has_contiguous_first_dim());
  EXPECT_FALSE(iter.is_contiguous());
  EXPECT_EQ(iter.invert_perm({7, 6}), DimVector({6, 7}));
  EXPECT_EQ(iter.apply_perm_and_mul({6, 7}, 4), DimVector({28, 24}));
  EXPECT_EQ(iter.compatible_stride(4), DimVector({4, 28}));
  iter.narrow(1, 2, 3);
  EXPECT_EQ(iter.numel(), 21);
  EXPECT_EQ(iter.view_offsets().vec(), (Dims{0, 2}));
  EXPECT_EQ(iter.data_ptr(1), base.data_ptr<float>() + 16);
  iter.narrow(1, 0, 1);  // a dimension less
  EXPECT_EQ(iter.ndim(), 1);
  EXPECT_TRUE(iter.is_trivial_1d());
  TensorIterator other = TensorIteratorConfig().add_owned_output(make({6, 7})).add_owned_input(part).build();
  other.select_all_keeping_dim(0, {3, 4});
  EXPECT_EQ(other.numel(), 1);
  EXPECT_EQ(other.data_ptr(1), base.data_ptr<float>() + 35);
  EXPECT_THROW(other.narrow(0, 1, 1), IndexError);
  other.remove_operand(0);
  EXPECT_EQ(other.noutputs(), 0);
  EXPECT_EQ(other.scalar_value<double>(0), 5.0);
  float elsewhere = 3;
  other.unsafe_replace_operand(0, &elsewhere);
  EXPECT_EQ(other.data_ptr(0), &elsewhere);
}

TEST(IteratorParts, SplitCoversEverythingOnce) {
  const Tensor a = counted<float>({64, 48}, kFloat), out = make({64, 48});
  TensorIterator rest =
      TensorIteratorConfig().add_owned_output(out).add_owned_input(view(a, {64, 48}, {48, 1})).build();
  int parts = 0;
  const auto run = [&](TensorIterator& part) {
    ++parts;
    cpu_kernel(part, [](float x) { return x + 1; });
  };
  for (int i = 0; i < 3; ++i) {
    const auto first = rest.split(rest.get_dim_to_split());
    EXPECT_TRUE(first->is_final_output());
    EXPECT_FALSE(rest.should_accumulate());
    run(*first);
  }
  run(rest);
  EXPECT_EQ(parts, 4);
  for (int e = 0; e < 64 * 48; ++e) ASSERT_EQ(out.data_ptr<float>()[e], static_cast<float>(e % 10 + 1));
}

TEST(IteratorParts, ThirtyTwoBitsSplitOnlyWhatIsLong) {
  const Tensor a = counted<float>({4, 4}, kFloat);
  TensorIterator small = TensorIterator::unary_op(Tensor(), a);
  EXPECT_TRUE(small.can_use_32bit_indexing());
  int parts = 0;
  for (TensorIterator& part : small.with_32bit_indexing()) {
    EXPECT_EQ(part.numel(), 16);
    ++parts;
  }
  EXPECT_EQ(parts, 1);
  // Far apart, but nothing is read: strides are all that counts.
  TensorIterator far =
      TensorIteratorConfig().add_owned_input(view(a, {8, 3}, {std::int64_t{1} << 28, 1})).build();
  EXPECT_FALSE(far.can_use_32bit_indexing());
  std::int64_t elements = 0;
  parts = 0;
  for (TensorIterator& part : far.with_32bit_indexing()) {
    EXPECT_TRUE(part.can_use_32bit_indexing());
    elements += part.numel();
    ++parts;
  }
  EXPECT_EQ(elements, 24);
  EXPECT_GT(parts, 1);
}

Tensor reduced_over_rows(const Tensor& out, std::int64_t rows) {
  return view(out, {rows, out.size(0)}, {0, 1});
}

TEST(IteratorParts, EachReducedElementIsOnePart) {
  const Tensor a = counted<float>({30, 20}, kFloat), sums = make({20}), second = make({20});
  std::fill_n(sums.data_ptr<float>(), 20, 0.0f);
  std::fill_n(second.data_ptr<float>(), 20, 0.0f);
  TensorIterator iter = TensorIterator::reduce_op(reduced_over_rows(sums, 30), a);
  EXPECT_EQ(iter.num_reduce_dims(), 1);
  EXPECT_EQ(iter.num_output_elements(), 20);
  EXPECT_TRUE(iter.is_dim_reduced(0));
  iter.foreach_reduced_elt([](TensorIterator& part) {
    EXPECT_EQ(part.num_output_elements(), 1);
    part.serial_for_each(
        [](char** data, const std::int64_t* strides, std::int64_t n) {
          for (std::int64_t e = 0; e < n; ++e) {
            *reinterpret_cast<float*>(data[0]) += *reinterpret_cast<float*>(data[1] + e * strides[1]);
          }
        },
        {0, part.numel()});
  });
  TensorIterator whole = TensorIterator::reduce_op(reduced_over_rows(second, 30), a);
  whole.parallel_reduce([](char** data, const std::int64_t* strides, std::int64_t n0, std::int64_t n1) {
    for (std::int64_t i = 0; i < n1; ++i) {
      for (std::int64_t e = 0; e < n0; ++e) {
        *reinterpret_cast<float*>(data[0] + e * strides[0] + i * strides[2]) +=
            *reinterpret_cast<float*>(data[1] + e * strides[1] + i * strides[3]);
      }
    }
  });
  for (int c = 0; c < 20; ++c) {
    float expected = 0;
    for (int r = 0; r < 30; ++r) expected += static_cast<float>((r * 20 + c) % 10);
    EXPECT_EQ(sums.data_ptr<float>()[c], expected);
    EXPECT_EQ(second.data_ptr<float>()[c], expected);
  }
  EXPECT_THROW(TensorIterator::reduce_op(Tensor(), a), ValueError);
  const Tensor values = make({20}), indices = make({20}, kLong);
  EXPECT_EQ(
      TensorIterator::reduce_op(reduced_over_rows(values, 30), reduced_over_rows(indices, 30), a).noutputs(),
      2);
  EXPECT_THROW(TensorIterator::reduce_op(reduced_over_rows(values, 30), make({30, 20}, kLong), a),
               ShapeError);
}

TEST(IteratorParts, SquashedDimensionsAreLeftToTheLoop) {
  const Tensor a = counted<float>({4, 5}, kFloat), out = make({4, 1});
  TensorIterator iter = TensorIteratorConfig()
                            .check_all_same_dtype(false)
                            .resize_outputs(false)
                            .declare_static_shape(a.sizes(), /*squash_dims=*/{1})
                            .add_output(out)
                            .add_input(a)
                            .build();
  EXPECT_EQ(iter.numel(), 4);
  iter.for_each([&](char** data, const std::int64_t* strides, std::int64_t n) {
    for (std::int64_t r = 0; r < n; ++r) {
      const auto* row = reinterpret_cast<const float*>(data[1] + r * strides[1]);
      *reinterpret_cast<float*>(data[0] + r * strides[0]) = row[0] + row[1] + row[2] + row[3] + row[4];
    }
  });
  for (int r = 0; r < 4; ++r) EXPECT_EQ(out.data_ptr<float>()[r], r % 2 == 0 ? 10 : 35);
}

TEST(IteratorBuild, IntoAnEmptyOne) {
  const Tensor a = counted<float>({3}, kFloat), d = counted<double>({3}, kDouble);
  TensorIterator iter;
  iter.build_binary_op(Tensor(), a, d);
  EXPECT_EQ(iter.common_dtype(), kDouble);
  iter.build_comparison_op(Tensor(), a, d);
  EXPECT_EQ(iter.output().scalar_type(), kBool);
  iter.build_borrowing_unary_force_boolean_op(Tensor(), a);
  EXPECT_EQ(iter.maybe_get_output(0).scalar_type(), kBool);
  TensorIteratorConfig config("mine");
  config.add_output(make({3})).add_input(a).check_all_same_device(true).allow_cpu_scalars(true);
  iter.build(config);
  EXPECT_EQ(iter.ntensors(), 2);
  EXPECT_EQ(iter.device(0).type(), kCPU);
}

TEST(IteratorLayout, DimensionsOfSizeOneCountBesideANumber) {
  // PyTorch sorts by stride there; where all shapes are equal it takes contiguous for contiguous.
  const Tensor column = view(make({3}), {1, 3}, {1, 1}), odd = view(make({6}), {3, 1, 2}, {2, 77, 1});
  const auto beside_number = [](const Tensor& t) {
    return TensorIteratorConfig("op")
        .promote_inputs_to_common_dtype(true)
        .add_output(Tensor())
        .add_input(t)
        .add_number(1)
        .build()
        .output()
        .strides()
        .vec();
  };
  EXPECT_EQ(beside_number(column), (Dims{1, 1}));
  EXPECT_EQ(beside_number(odd), (Dims{2, 6, 1}));
  EXPECT_EQ(TensorIterator::binary_op(Tensor(), column, column).output().strides().vec(), (Dims{3, 1}));
  EXPECT_EQ(TensorIterator::binary_op(Tensor(), odd, odd).output().strides().vec(), (Dims{2, 2, 1}));
  EXPECT_EQ(TensorIterator::binary_op(Tensor(), odd, make({2})).output().strides().vec(), (Dims{2, 6, 1}));
}

TEST(MemOverlaps, AreThoseOfPyTorch) {
  const Tensor base = make({16});
  EXPECT_EQ(has_internal_overlap(base), MemOverlap::No);
  EXPECT_EQ(has_internal_overlap(view(base, {4, 4}, {1, 4})), MemOverlap::No);
  EXPECT_EQ(has_internal_overlap(view(base, {4, 4}, {0, 1})), MemOverlap::Yes);
  EXPECT_EQ(has_internal_overlap(view(base, {4, 2}, {1, 1})), MemOverlap::TooHard);
  const Tensor front = view(base, {8}, {1}), back = view(base, {8}, {1}, 8), middle = view(base, {8}, {1}, 4);
  EXPECT_EQ(get_overlap_status(front, front), MemOverlapStatus::Full);
  EXPECT_EQ(get_overlap_status(front, view(base, {8}, {1})), MemOverlapStatus::Full);
  EXPECT_EQ(get_overlap_status(front, back), MemOverlapStatus::No);
  EXPECT_EQ(get_overlap_status(front, middle), MemOverlapStatus::Partial);
  EXPECT_EQ(get_overlap_status(front, view(base, {4}, {2})), MemOverlapStatus::TooHard);
  EXPECT_NO_THROW(assert_no_internal_overlap(view(base, {4, 2}, {1, 1})));
  EXPECT_THROW(assert_no_internal_overlap(view(base, {4}, {0})), StorageError);
  EXPECT_THROW(assert_no_partial_overlap(front, middle), StorageError);
  EXPECT_NO_THROW(assert_no_partial_overlap(front, front));
  EXPECT_THROW(assert_no_overlap(front, front), StorageError);
}

TEST(MemOverlaps, WhatIsNoErrorHasADefinedResult) {
  // Windows: written in order.
  const Tensor base = counted<float>({10}, kFloat);
  const Tensor windows = view(base, {8, 3}, {1, 1});
  TensorIterator in_order =
      TensorIteratorConfig().add_output(windows).add_input(counted<float>({8, 3}, kFloat)).build();
  cpu_kernel(in_order, [](float x) { return x; });
  for (int e = 0; e < 7; ++e) EXPECT_EQ(base.data_ptr<float>()[e], static_cast<float>(3 * e % 10)) << e;
  // An input that is overwritten meanwhile is read as it was.
  const Tensor square = counted<float>({40, 40}, kFloat);
  const Tensor left = view(square, {40, 39}, {40, 1}), right = view(square, {40, 39}, {40, 1}, 1);
  TensorIterator shifted = TensorIteratorConfig().add_output(right).add_input(left).build();
  cpu_kernel(shifted, [](float x) { return x + 100; });
  for (int r = 0; r < 40; ++r) {
    for (int c = 1; c < 40; ++c)
      ASSERT_EQ(square.data_ptr<float>()[r * 40 + c], static_cast<float>((r * 40 + c - 1) % 10 + 100));
  }
}

TEST(SerialForEach, ConvertsAsForEachDoes) {
  for (const ScalarType result : {kFloat, kHalf, kDouble}) {
    const Tensor wide = counted<std::int32_t>({3, 140}, kInt), out = make({3, 70}, result);
    const Tensor every_second = view(wide, {3, 70}, {140, 2});
    TensorIterator iter = TensorIterator::binary_float_op(out, every_second, counted<float>({70}, kFloat));
    for (const Range range : {Range{0, 30}, Range{30, 140}, Range{140, 210}}) {
      iter.serial_for_each(
          [](char** data, const std::int64_t* strides, std::int64_t n) {
            for (std::int64_t i = 0; i < n; ++i) {
              *reinterpret_cast<float*>(data[0] + i * strides[0]) =
                  *reinterpret_cast<float*>(data[1] + i * strides[1]) +
                  *reinterpret_cast<float*>(data[2] + i * strides[2]) / 2;
            }
          },
          range);
    }
    for (int e = 0; e < 210; ++e) {
      const int column = e % 70;
      ASSERT_EQ(read_element(element_at(out, e), result).real(), column * 2 % 10 + column % 10 / 2.0) << e;
    }
  }
}

TEST(SerialForEach, ConvertsOutputsOfReductions) {
  const Tensor sums = detail::empty_cpu({2, 1}, kFloat), in = counted<std::int32_t>({2, 100}, kInt);
  std::fill_n(sums.data_ptr<float>(), 2, 0.5f);
  TensorIterator iter = TensorIteratorConfig()
                            .set_check_mem_overlap(false)
                            .resize_outputs(false)
                            .is_reduction(true)
                            .add_output(sums)
                            .add_input(in)
                            .promote_inputs_to_common_dtype(true)
                            .cast_common_dtype_to_outputs(true)
                            .build();
  ASSERT_EQ(iter.dtype(0), kInt);
  iter.serial_for_each(
      [](char** data, const std::int64_t* strides, std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i)
          *reinterpret_cast<std::int32_t*>(data[0] + i * strides[0]) +=
              *reinterpret_cast<std::int32_t*>(data[1] + i * strides[1]);
      },
      {0, iter.numel()});
  EXPECT_EQ(sums.data_ptr<float>()[0], 450);
  EXPECT_EQ(sums.data_ptr<float>()[1], 450);
}

TEST(Reductions, OutputsMustFit) {
  const Tensor in = make({2, 3});
  EXPECT_THROW(TensorIterator::reduce_op(make({4}), in), ShapeError);
  EXPECT_THROW(TensorIterator::reduce_op(make({0}), make({4})), ShapeError);
  EXPECT_THAT(TensorIterator::reduce_op(make({2, 1}), in).numel(), 6);
  EXPECT_THAT(TensorIterator::reduce_op(make({4}), make({})).numel(), 4);
  EXPECT_THAT(TensorIterator::reduce_op(make({4, 2}), make({1, 2})).numel(), 8);
}

TEST(IteratorConfig, SquashedDimensionsMayBeEmpty) {
  const TensorIterator iter = TensorIteratorConfig()
                                  .resize_outputs(false)
                                  .declare_static_shape({5, 0, 5}, {0, 1})
                                  .add_output(make({1, 0, 5}))
                                  .build();
  EXPECT_EQ(iter.numel(), 5);
  TensorIteratorConfig declared_one;
  declared_one.resize_outputs(false).declare_static_shape({1, 5}).add_output(make({0, 5}));
  EXPECT_THROW(declared_one.build(), ShapeError);
}

TEST(TensorIteratorParts, IndicesAreInRange) {
  const Tensor x = make({6});
  TensorIterator iter = TensorIterator::unary_op(Tensor(), x);
  const std::int64_t beyond = iter.shape()[0];
  EXPECT_THROW(iter.select_all_keeping_dim(0, {beyond}), IndexError);
  EXPECT_THROW(iter.select_all_keeping_dim(0, {-1}), IndexError);
  EXPECT_EQ(iter.shape()[0], beyond);
}

TEST(TensorIteratorConfigs, MakeOneIterator) {
  TensorIteratorConfig config = TensorIteratorConfig("once").add_output(Tensor()).add_input(make({2}));
  EXPECT_EQ(config.build().numel(), 2);
  EXPECT_THROW(config.build(), ValueError);
}

}  // namespace
}  // namespace lanewise::testing
