// What TensorIterator decides before anything runs: shapes, layouts, dtypes, resizing, and its errors.

#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lanewise/iterator/pointwise.h>
#include <lanewise/iterator/tensor_iterator.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/tensor/make_tensor.h>

#include "../call.h"

namespace lanewise {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Dims = std::vector<std::int64_t>;

Tensor empty(const Dims& sizes, ScalarType t = kFloat) { return detail::empty_cpu(sizes, t); }
Tensor strided(const Dims& sizes, const Dims& strides, ScalarType t = kFloat) {
  return detail::empty_strided_cpu(sizes, strides, t);
}
Tensor view(const Tensor& base, const Dims& sizes, const Dims& strides, std::int64_t offset) {
  return detail::make_view(base, sizes, strides, offset);
}
Tensor filled(const Dims& sizes, float value) {
  const Tensor t = empty(sizes);
  std::fill_n(t.data_ptr<float>(), t.numel(), value);
  return t;
}
TensorIterator add_iterator(const Tensor& out, const Tensor& a, const Tensor& b) {
  return TensorIterator::binary_op(out, a, b, "add");
}

struct LayoutCase {
  Dims a_sizes, a_strides, b_sizes, b_strides, result_strides;
};

// Strides of a + b as PyTorch 1.13 gives them.
const LayoutCase kLayouts[] = {
    {{3, 1, 4}, {1, 3, 3}, {3, 1, 4}, {1, 1, 3}, {1, 3, 3}},
    {{1, 2}, {2, 2}, {1, 2}, {2, 1}, {1, 1}},
    {{2, 1}, {2, 2}, {2, 2}, {2, 1}, {2, 1}},
    {{1, 3, 3}, {1, 1, 3}, {1, 3, 1}, {1, 1, 1}, {1, 1, 3}},
    {{1, 2}, {2, 1}, {1, 1}, {1, 2}, {2, 1}},
    {{3, 1, 3}, {1, 9, 3}, {3, 1, 3}, {1, 3, 6}, {1, 9, 3}},
    {{4, 4, 2}, {16, 4, 1}, {4, 4, 2}, {0, 2, 1}, {8, 2, 1}},
    {{1, 2, 4, 3}, {48, 24, 6, 2}, {1, 2, 4, 3}, {24, 3, 6, 1}, {24, 12, 3, 1}},
    {{2, 1, 4, 2}, {4, 16, 1, 8}, {2, 1, 4, 2}, {1, 2, 4, 2}, {4, 16, 1, 8}},
    {{4, 3, 1}, {3, 1, 3}, {4, 1, 3}, {3, 3, 1}, {9, 3, 1}},
    {{3, 3, 2, 2}, {6, 2, 18, 1}, {3, 3, 2, 2}, {0, 2, 6, 1}, {6, 2, 18, 1}},
    {{4, 2}, {1, 4}, {4, 2}, {4, 1}, {1, 4}},
    {{4}, {1}, {4}, {2}, {1}},
    {{1, 3, 1, 3}, {9, 3, 1, 1}, {1, 3, 1, 3}, {9, 3, 3, 1}, {9, 3, 3, 1}},
    {{2, 4}, {4, 1}, {2, 4}, {8, 1}, {4, 1}},
    {{3, 4}, {4, 1}, {3, 1}, {1, 1}, {4, 1}},
    {{4, 1, 3}, {6, 3, 1}, {4, 1, 3}, {3, 3, 1}, {3, 3, 1}},
    {{2, 3, 3}, {9, 3, 1}, {1, 3, 3}, {9, 3, 1}, {9, 3, 1}},
    {{4}, {0}, {4}, {0}, {1}},
    {{1, 4}, {4, 1}, {1, 4}, {1, 1}, {4, 1}},
    {{3}, {2}, {3}, {1}, {1}},
    {{2, 4, 1}, {0, 2, 2}, {1, 1, 1}, {1, 1, 1}, {4, 1, 1}},
    {{1}, {2}, {2}, {2}, {1}},
    {{3}, {1}, {3}, {1}, {1}},
    {{3, 3, 1, 2}, {2, 12, 1, 1}, {3, 3, 1, 2}, {0, 1, 9, 9}, {2, 6, 1, 1}},
    {{1}, {1}, {1}, {1}, {1}},
    {{4, 1}, {1, 8}, {4, 2}, {2, 1}, {2, 1}},
    {{3, 4, 3}, {3, 9, 1}, {3, 4, 3}, {1, 18, 3}, {3, 9, 1}},
    {{1, 4, 4}, {16, 4, 1}, {1, 4, 4}, {4, 8, 1}, {16, 4, 1}},
    {{1, 3, 1, 1}, {3, 1, 1, 3}, {2, 3, 1, 3}, {18, 6, 6, 1}, {9, 3, 3, 1}},
    {{2, 1}, {1, 2}, {1, 1}, {2, 2}, {1, 2}},
    {{2, 2}, {4, 1}, {2, 2}, {1, 2}, {2, 1}},
    {{1, 1, 2}, {1, 1, 1}, {1, 1, 2}, {1, 1, 1}, {2, 2, 1}},
    {{2, 4}, {0, 1}, {2, 4}, {1, 2}, {1, 2}},
    {{4, 2, 1, 3}, {6, 3, 3, 1}, {4, 2, 1, 3}, {12, 1, 1, 2}, {6, 3, 3, 1}},
    {{4}, {1}, {4}, {0}, {1}},
    {{4, 1, 3}, {3, 12, 1}, {4, 1, 3}, {3, 3, 1}, {3, 3, 1}},
    {{1, 4, 2}, {1, 1, 4}, {1, 4, 2}, {4, 4, 1}, {1, 1, 4}},
    {{4, 3, 1}, {0, 1, 12}, {4, 3, 1}, {0, 1, 1}, {3, 1, 3}},
    {{2, 4}, {4, 1}, {2, 4}, {1, 2}, {4, 1}},
    {{1}, {1}, {1}, {2}, {1}},
    {{2, 3}, {1, 2}, {2, 1}, {1, 1}, {1, 2}},
    {{4, 4}, {1, 4}, {1, 1}, {1, 1}, {1, 4}},
    {{4, 1}, {0, 4}, {4, 1}, {1, 1}, {1, 1}},
    {{4, 1, 2, 4}, {16, 1, 4, 1}, {4, 1, 2, 4}, {8, 8, 4, 1}, {8, 1, 4, 1}},
    {{4, 1}, {1, 1}, {4, 1}, {1, 4}, {1, 1}},
    {{3, 1, 3, 2}, {12, 12, 4, 2}, {3, 1, 3, 2}, {2, 2, 6, 1}, {6, 6, 2, 1}},
    {{3, 4}, {0, 1}, {3, 4}, {1, 3}, {1, 3}},
    {{4, 1}, {2, 8}, {4, 1}, {1, 4}, {1, 4}},
    {{3}, {2}, {1}, {2}, {1}},
    {{3}, {1}, {3}, {0}, {1}},
    {{3, 2, 3, 4}, {24, 12, 4, 1}, {3, 2, 3, 4}, {0, 4, 24, 1}, {24, 12, 4, 1}},
    {{2, 3, 1, 2}, {6, 2, 12, 1}, {2, 3, 1, 2}, {1, 8, 1, 4}, {6, 2, 12, 1}},
    {{1}, {2}, {1}, {1}, {1}},
    {{1, 4}, {1, 2}, {4, 4}, {4, 1}, {4, 1}},
    {{1, 2, 3, 2}, {1, 1, 4, 2}, {1, 2, 3, 2}, {1, 6, 1, 3}, {1, 1, 4, 2}},
    {{1, 4, 2, 1}, {16, 2, 1, 16}, {2, 4, 2, 1}, {8, 2, 1, 8}, {8, 2, 1, 8}},
    {{2, 3}, {6, 2}, {2, 3}, {1, 2}, {3, 1}},
    {{3, 1}, {1, 1}, {3, 1}, {1, 3}, {1, 1}},
    {{4, 4, 3}, {1, 4, 32}, {4, 4, 3}, {0, 6, 1}, {1, 4, 16}},
};

TEST(IteratorLayout, IsThatOfPyTorch) {
  for (const LayoutCase& c : kLayouts) {
    const TensorIterator iter =
        add_iterator(Tensor(), strided(c.a_sizes, c.a_strides), strided(c.b_sizes, c.b_strides));
    EXPECT_EQ(iter.output().strides().vec(), c.result_strides)
        << IntArrayRef(c.a_sizes) << IntArrayRef(c.a_strides) << IntArrayRef(c.b_sizes)
        << IntArrayRef(c.b_strides);
  }
}

TEST(IteratorLayout, MergesDimensionsAndPutsTheFastestFirst) {
  const Tensor a = strided({2, 3, 4}, {1, 8, 2}), b = empty({2, 3, 4});
  const TensorIterator iter = add_iterator(Tensor(), a, b);
  EXPECT_THAT(iter.perm().vec(), ElementsAre(0, 2, 1));
  EXPECT_THAT(iter.shape().vec(), ElementsAre(2, 12));  // the last two dimensions are one for every operand
  EXPECT_THAT(iter.strides(1).vec(), ElementsAre(4, 8));
  EXPECT_THAT(iter.strides(2).vec(), ElementsAre(48, 4));
  EXPECT_TRUE(iter.has_coalesced_dimensions());
  EXPECT_EQ(iter.output().strides().vec(), (Dims{1, 8, 2}));
  const TensorIterator contiguous = add_iterator(Tensor(), b, b);
  EXPECT_EQ(contiguous.ndim(), 1);
  EXPECT_THAT(contiguous.shape().vec(), ElementsAre(24));
  EXPECT_TRUE(contiguous.is_contiguous());
  EXPECT_TRUE(contiguous.is_trivial_1d());
  EXPECT_TRUE(contiguous.can_use_32bit_indexing());
  const TensorIterator dense = add_iterator(Tensor(), a, a);  // not contiguous, but one stretch all the same
  EXPECT_TRUE(dense.is_contiguous());
  EXPECT_EQ(dense.output().strides().vec(), a.strides().vec());
}

TEST(IteratorLayout, KeepsTheStridesOfAnOutput) {
  Tensor out = strided({4, 4}, {1, 4});
  const TensorIterator iter = add_iterator(out, empty({4, 4}), empty({4, 4}));
  EXPECT_TRUE(iter.output().is_same(out));
  EXPECT_EQ(out.strides().vec(), (Dims{1, 4}));
  EXPECT_THAT(iter.perm().vec(), ElementsAre(0, 1));
}

TEST(IteratorLayout, LinearIterationKeepsCOrder) {
  const Tensor a = strided({2, 3}, {1, 2});
  const TensorIterator iter =
      TensorIteratorConfig().enforce_linear_iteration().add_output(Tensor()).add_input(a).build();
  EXPECT_THAT(iter.perm().vec(), ElementsAre(1, 0));
  EXPECT_EQ(iter.output().strides().vec(), (Dims{3, 1}));
}

TEST(IteratorShape, OfEmptyAndZeroDimensionalOperands) {
  EXPECT_EQ(add_iterator(Tensor(), empty({0, 3}), empty({1, 3})).output().sizes().vec(), (Dims{0, 3}));
  EXPECT_EQ(add_iterator(Tensor(), empty({}), empty({})).output().dim(), 0);
  EXPECT_EQ(add_iterator(Tensor(), empty({}), empty({})).numel(), 1);
}

TEST(IteratorShape, NamesTheDimensionThatDoesNotFit) {
  EXPECT_THAT(Call([] {
                TensorIterator::binary_op(Tensor(), empty({8, 3}), empty({8, 4}), "hypot");
              }),
              ThrowsMessage<ShapeError>(
                  AllOf(HasSubstr("hypot: shapes [8, 3] and [8, 4] do not broadcast"),
                        HasSubstr("dimension 1 is 3 against 4"),
                        HasSubstr("must match the size of tensor b (4) at non-singleton dimension 1"))));
}

TEST(IteratorOutput, OfAnotherShapeIsResized) {
  Tensor out = empty({7});
  const TensorIterator iter = add_iterator(out, empty({2, 3}), empty({3}));
  EXPECT_EQ(out.sizes().vec(), (Dims{2, 3}));
  EXPECT_EQ(iter.data_ptr(0), out.data_ptr());
  Tensor transposed = empty({0});
  add_iterator(transposed, strided({2, 3}, {1, 2}), strided({2, 3}, {1, 2}));
  EXPECT_EQ(transposed.strides().vec(), (Dims{1, 2}));
}

TEST(IteratorOutput, IsNotResizedWhereThatIsForbiddenOrImpossible) {
  Tensor out = empty({7});
  EXPECT_THAT(
      Call([&] {
        TensorIteratorConfig("op").resize_outputs(false).add_output(out).add_input(empty({2, 7})).build();
      }),
      ThrowsMessage<ShapeError>(
          HasSubstr("op: output with shape [7] doesn't match the broadcast shape [2, 7]")));
  Tensor a = empty({3});
  EXPECT_THAT(Call([&] {
                add_iterator(a, a, empty({2, 3}));
              }),
              ThrowsMessage<ShapeError>(HasSubstr("an output that is also an input is not resized")));
  EXPECT_EQ(a.sizes().vec(), Dims{3});
  const Tensor base = empty({10});
  Tensor part = view(base, {2}, {1}, 0);
  EXPECT_THAT(Call([&] { add_iterator(part, view(base, {5}, {1}, 5), empty({5})); }),
              ThrowsMessage<StorageError>(HasSubstr("shares its memory with another operand")));
  EXPECT_EQ(part.sizes().vec(), Dims{2});
}

TEST(IteratorOverlap, OfAnOutputWithItselfIsAnError) {
  EXPECT_THAT(Call([] { add_iterator(view(empty({1}), {4}, {0}, 0), empty({4}), empty({4})); }),
              ThrowsMessage<StorageError>(
                  HasSubstr("more than one element of the written-to tensor refers to a single")));
  EXPECT_NO_THROW(
      add_iterator(view(empty({8}), {4, 2}, {1, 1}, 0), empty({4, 2}), empty({4, 2})));  // as in PyTorch
}

TEST(IteratorOverlap, InPartIsAnErrorAndExactIsNot) {
  const Tensor base = filled({10}, 1);
  const Tensor front = view(base, {5}, {1}, 0), shifted = view(base, {5}, {1}, 1);
  EXPECT_THAT(
      Call([&] { add_iterator(shifted, front, front); }),
      ThrowsMessage<StorageError>(HasSubstr("some elements of the input tensor and the written-to tensor "
                                            "refer to a single memory location. Please clone()")));
  EXPECT_NO_THROW(add_iterator(front, front, front));
  EXPECT_NO_THROW(add_iterator(front, view(base, {5}, {1}, 0), front));
  EXPECT_NO_THROW(
      add_iterator(view(base, {5}, {2}, 0), view(base, {5}, {2}, 1), front.dim() == 1 ? empty({5}) : front));
  EXPECT_NO_THROW(
      TensorIteratorConfig().set_check_mem_overlap(false).add_output(shifted).add_input(front).build());
  // Two outputs must be apart even if they are equal.
  EXPECT_THAT(Call([&] {
                TensorIteratorConfig()
                    .add_output(front)
                    .add_output(view(base, {5}, {1}, 0))
                    .add_input(empty({5}))
                    .build();
              }),
              ThrowsMessage<StorageError>(HasSubstr("other output")));
}

TEST(IteratorTypes, FollowTheSwitches) {
  const Tensor i = empty({2}, kInt), d = empty({2}, kDouble), f = empty({2});
  EXPECT_THAT(
      Call([&] { TensorIteratorConfig("op").add_output(Tensor()).add_input(f).add_input(d).build(); }),
      ThrowsMessage<DtypeError>(HasSubstr("op: found dtype Double but expected Float")));
  const TensorIterator promoted = TensorIterator::binary_op(Tensor(), i, d);
  EXPECT_EQ(promoted.common_dtype(), kDouble);
  EXPECT_EQ(promoted.dtype(1), kDouble);
  EXPECT_EQ(promoted.input_dtype(0), kDouble);
  EXPECT_EQ(promoted.memory_dtype(1), kInt);
  EXPECT_EQ(promoted.output().scalar_type(), kDouble);
  EXPECT_EQ(TensorIterator::binary_float_op(Tensor(), i, i).common_dtype(), kFloat);
  EXPECT_EQ(TensorIterator::unary_float_op(Tensor(), i).output().scalar_type(), kFloat);
  EXPECT_EQ(TensorIterator::comparison_op(Tensor(), i, d).output().scalar_type(), kBool);
  EXPECT_EQ(TensorIterator::comparison_op(f, i, d).dtype(0), kDouble);
  EXPECT_EQ(TensorIterator::comparison_op(empty({2}, kBool), i, d).dtype(0), kBool);
  EXPECT_THAT(Call([&] { TensorIterator::binary_op(empty({2}, kLong), f, i, "mul"); }),
              ThrowsMessage<DtypeError>(
                  HasSubstr("mul: result type Float can't be cast to the desired output type Long")));
  const TensorIterator loose = TensorIteratorConfig()
                                   .check_all_same_dtype(false)
                                   .add_output(Tensor())
                                   .declare_dtype(kByte)
                                   .add_input(i)
                                   .add_input(d)
                                   .build();
  EXPECT_EQ(loose.output().scalar_type(), kByte);
  EXPECT_EQ(loose.dtype(1), kInt);
  EXPECT_THROW(loose.common_dtype(), DtypeError);
  EXPECT_THAT(Call([&] {
                TensorIteratorConfig()
                    .check_all_same_dtype(false)
                    .add_output(Tensor())
                    .add_input(i)
                    .add_input(d)
                    .build();
              }),
              ThrowsMessage<DtypeError>(HasSubstr("declare_static_dtype")));
  EXPECT_EQ(TensorIteratorConfig()
                .add_output(Tensor())
                .declare_static_dtype(kBool)
                .add_input(f)
                .build()
                .output()
                .scalar_type(),
            kBool);
}

TEST(IteratorTypes, NumbersPromoteAsWrapped) {
  const Tensor i = empty({2}, kInt);
  TensorIterator iter = TensorIteratorConfig("op")
                            .promote_inputs_to_common_dtype(true)
                            .add_output(Tensor())
                            .add_input(i)
                            .add_number(2.5)
                            .build();
  EXPECT_EQ(iter.common_dtype(), kFloat);
  EXPECT_TRUE(iter.is_scalar(2));
  TensorIterator same = TensorIteratorConfig("op")
                            .promote_inputs_to_common_dtype(true)
                            .add_output(Tensor())
                            .add_input(i)
                            .add_number(2)
                            .build();
  EXPECT_EQ(same.common_dtype(), kInt);
}

TEST(IteratorConfig, TakesOutputsAfterInputs) {
  const Tensor a = empty({3});
  Tensor out = empty({3});
  const TensorIterator iter = TensorIteratorConfig().add_input(a).add_output(out).build();
  EXPECT_TRUE(iter.output().is_same(out));
  EXPECT_TRUE(iter.input().is_same(a));
  EXPECT_EQ(iter.noutputs(), 1);
  EXPECT_EQ(iter.ninputs(), 1);
  EXPECT_THAT(Call([] { TensorIterator::unary_op(Tensor(), Tensor(), "neg"); }),
              ThrowsMessage<ValueError>(HasSubstr("neg: input 0 is an undefined tensor")));
}

TEST(IteratorConfig, StaticShapeAndSquashedDimensions) {
  const Tensor a = filled({4, 6}, 1);
  Tensor out = filled({4, 6}, 0);
  TensorIterator rows =
      TensorIteratorConfig().declare_static_shape({4, 6}, {1}).add_output(out).add_input(a).build();
  EXPECT_EQ(rows.numel(), 4);
  int visited = 0;
  rows.serial_for_each(
      [&](char** data, const std::int64_t* strides, std::int64_t n) {
        for (std::int64_t k = 0; k < n; ++k, ++visited) {
          auto* row = reinterpret_cast<float*>(data[0] + k * strides[0]);
          std::memcpy(row, data[1] + k * strides[1], 6 * sizeof(float));
        }
      },
      {0, 4});
  EXPECT_EQ(visited, 4);
  EXPECT_EQ(std::memcmp(out.data_ptr(), a.data_ptr(), a.nbytes()), 0);
  EXPECT_THROW(TensorIteratorConfig().declare_static_shape({5, 6}).add_output(out).add_input(a).build(),
               ShapeError);
}

TEST(IteratorKernel, ChecksRolesAndTypes) {
  const auto& table = kernels::active_kernels();
  TensorIterator unary = TensorIterator::unary_op(Tensor(), empty({2}), "add");
  EXPECT_THROW(unary.for_each(*table.add), ValueError);
  TensorIterator complex =
      TensorIterator::binary_op(Tensor(), empty({2}, kComplexFloat), empty({2}, kComplexFloat), "lt");
  EXPECT_THAT(Call([&] { complex.for_each(*table.lt); }),
              ThrowsMessage<DtypeError>(HasSubstr("lt: not implemented for 'ComplexFloat'")));
  TensorIterator sum = TensorIterator::binary_op(Tensor(), filled({5}, 1), filled({5}, 2), "add");
  sum.for_each(*table.add);  // without parameters alpha is 1
  EXPECT_EQ(sum.output().data_ptr<float>()[4], 3.0f);
  TensorIterator scaled = TensorIterator::binary_op(Tensor(), filled({5}, 1), filled({5}, 2), "add");
  scaled.for_each(*table.add, {3});
  EXPECT_EQ(scaled.output().data_ptr<float>()[4], 7.0f);
}

TEST(IteratorPointwise, RowsThatRepeatAndDoNotFitATile) {
  // 500 elements of 16 bytes, times the operands: longer than a tile, so that tiles begin anywhere in the
  // row.
  const Tensor x = empty({6, 500}, kComplexFloat), row = empty({500}, kComplexDouble),
               other = empty({500}, kComplexFloat);
  for (int e = 0; e < 3000; ++e) {
    x.data_ptr<std::complex<float>>()[e] = {static_cast<float>(e), 1};
  }
  for (int e = 0; e < 500; ++e) {
    row.data_ptr<std::complex<double>>()[e] = {static_cast<double>(e % 7), 0};
    other.data_ptr<std::complex<float>>()[e] = {static_cast<float>(e % 11), 0};
  }
  const Tensor out = pointwise({"addcmul", &kernels::KernelTable::addcmul}, {x, row, other}, {1});
  for (int e = 0; e < 3000; ++e) {
    const std::complex<double> expected(e + e % 500 % 7 * (e % 500 % 11), 1);
    ASSERT_EQ(out.data_ptr<std::complex<double>>()[e], expected) << e;
  }
}

TEST(IteratorPointwise, LargeTransposedOperands) {
  // 36 MB: the output's rows are copied past the caches.
  const std::int64_t rows = 3001, cols = 3003;
  const Tensor a = empty({rows, cols}, kInt), b = empty({cols, rows}, kInt);
  auto *x = a.data_ptr<std::int32_t>(), *y = b.data_ptr<std::int32_t>();
  for (std::int64_t e = 0; e < rows * cols; ++e) {
    x[e] = static_cast<std::int32_t>(e);
    y[e] = static_cast<std::int32_t>(e % 1000);
  }
  Tensor out = empty({rows, cols}, kInt);
  const PointwiseOp sub{"sub", &kernels::KernelTable::sub};
  pointwise_out(sub, out, {a, view(b, {rows, cols}, {1, rows}, 0)}, {1});
  pointwise_inplace(sub, out, {view(b, {rows, cols}, {1, rows}, 0), out}, {1});
  const auto* found = out.data_ptr<std::int32_t>();
  for (std::int64_t e = 0; e < rows * cols; ++e) {
    const std::int32_t transposed = y[e % cols * rows + e / cols];
    ASSERT_EQ(found[e], transposed - (x[e] - transposed)) << e;
  }
}

TEST(IteratorPointwise, NothingIsWrittenOnErrors) {
  const PointwiseOp add{"add", &kernels::KernelTable::add}, where{"where", &kernels::KernelTable::where};
  Tensor out = filled({4}, 9);
  EXPECT_THROW(pointwise_inplace(add, out, {out, empty({3})}), ShapeError);
  EXPECT_THROW(pointwise_inplace(add, out, {out, empty({2, 4})}), ShapeError);
  EXPECT_THROW(pointwise_inplace(add, out, {out, empty({4}, kComplexFloat)}), DtypeError);
  EXPECT_THROW(pointwise(add, {out}), ValueError);
  EXPECT_THROW(pointwise(add, {out, Tensor()}), ValueError);
  EXPECT_THAT(Call([&] {
                pointwise(where, {out, out, out});
              }),
              ThrowsMessage<DtypeError>(HasSubstr("expected Bool")));
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(out.data_ptr<float>()[i], 9.0f);
  }
  Tensor undefined;
  EXPECT_THROW(pointwise_inplace(add, undefined, {out, out}), ValueError);
  EXPECT_TRUE(pointwise_out(add, undefined, {out, out}).is_same(undefined));
  EXPECT_EQ(undefined.data_ptr<float>()[0], 18.0f);
}

}  // namespace
}  // namespace lanewise
