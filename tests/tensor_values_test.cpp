#include <cmath>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lanewise/tensor/formatting.h>
#include <lanewise/tensor/make_tensor.h>
#include <lanewise/tensor/shape.h>

#include "call.h"

namespace lanewise {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

// The compiler's own half; gcc 12 has no _Float16 in C++ for AArch64.
#if defined(__aarch64__) && !defined(__clang__)
using Binary16 = __fp16;
#else
using Binary16 = _Float16;
#endif

template <class T>
Tensor of(IntArrayRef sizes, std::initializer_list<T> values) {
  Tensor t = detail::empty_cpu(sizes, scalar_type_of<T>);
  std::copy(values.begin(), values.end(), t.data_ptr<T>());
  return t;
}

std::string printed(const Tensor& t) {
  std::ostringstream out;
  out << t;
  return out.str();
}

TEST(Half, EveryValueSurvivesTheWayThroughFloat) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const Half h = Half::from_bits(static_cast<std::uint16_t>(bits));
    const auto as_float = static_cast<float>(h);
    if (std::isnan(as_float)) {
      EXPECT_GT(bits & 0x7fffu, 0x7c00u);
    } else {
      ASSERT_EQ(Half(as_float).x, bits);
      ASSERT_EQ(as_float, static_cast<float>(static_cast<Binary16>(as_float))) << bits;
    }
    const BFloat16 b = BFloat16::from_bits(static_cast<std::uint16_t>(bits));
    if (!std::isnan(static_cast<float>(b))) {
      ASSERT_EQ(BFloat16(static_cast<float>(b)).x, bits);
    }
  }
}

TEST(Half, LimitsAreThoseOfTheFormat) {
  using H = std::numeric_limits<Half>;
  using B = std::numeric_limits<BFloat16>;
  static_assert(H::is_specialized && B::is_specialized && H::digits == 11 && B::digits == 8);
  static_assert(H::max_digits10 == 5 && B::max_digits10 == 4 && H::max_exponent == 16 &&
                B::max_exponent == 128);
  EXPECT_EQ(static_cast<float>(H::max()), 65504.0f);
  EXPECT_EQ(static_cast<float>(H::lowest()), -65504.0f);
  EXPECT_EQ(static_cast<float>(H::min()), 0x1p-14f);
  EXPECT_EQ(static_cast<float>(H::denorm_min()), 0x1p-24f);
  EXPECT_EQ(static_cast<float>(H::epsilon()), 0x1p-10f);
  EXPECT_EQ(static_cast<float>(H::round_error()), 0.5f);
  EXPECT_EQ(static_cast<float>(B::max()), 0x1.fep127f);
  EXPECT_EQ(static_cast<float>(B::lowest()), -0x1.fep127f);
  EXPECT_EQ(static_cast<float>(B::min()), std::numeric_limits<float>::min());
  EXPECT_EQ(static_cast<float>(B::epsilon()), 0x1p-7f);
  EXPECT_EQ(static_cast<float>(B::round_error()), 0.5f);
  for (const float infinite : {static_cast<float>(H::infinity()), static_cast<float>(B::infinity())})
    EXPECT_EQ(infinite, INFINITY);
  for (const float nan : {static_cast<float>(H::quiet_NaN()), static_cast<float>(H::signaling_NaN()),
                          static_cast<float>(B::quiet_NaN()), static_cast<float>(B::signaling_NaN())})
    EXPECT_TRUE(std::isnan(nan));
  EXPECT_EQ(static_cast<float>(Half(0x3c00, Half::from_bits())), 1.0f);
  EXPECT_EQ(static_cast<float>(BFloat16(0x3f80, BFloat16::from_bits())), 1.0f);
}

TEST(Half, RoundsToNearestEven) {
  for (std::uint64_t i = 0; i < (1u << 20); ++i) {  // a sample of all floats
    const float x = std::bit_cast<float>(static_cast<std::uint32_t>(i * 4099));
    if (std::isnan(x)) continue;
    ASSERT_EQ(Half(x).x, std::bit_cast<std::uint16_t>(static_cast<Binary16>(x))) << x;
  }
  EXPECT_EQ(BFloat16(1.00390625f).x, 0x3f80);  // a tie goes to even
  EXPECT_EQ(BFloat16(1.01171875f).x, 0x3f82);
  EXPECT_TRUE(std::isnan(static_cast<float>(BFloat16(NAN))));
  EXPECT_TRUE(std::isinf(static_cast<float>(BFloat16(std::numeric_limits<float>::max()))));
}

TEST(Scalar, RemembersItsKind) {
  EXPECT_EQ(Scalar(true).type(), kBool);
  EXPECT_EQ(Scalar(7).type(), kLong);
  EXPECT_EQ(Scalar(std::uint8_t{7}).type(), kLong);
  EXPECT_EQ(Scalar(1.5f).type(), kDouble);
  EXPECT_EQ(Scalar(std::complex<float>(1, 2)).type(), kComplexDouble);
  EXPECT_EQ(Scalar(std::complex<float>(1, 2)).conj().toComplexDouble(), std::complex<double>(1, -2));
  EXPECT_TRUE(Scalar(1).equal(1.0));
  EXPECT_FALSE(Scalar(1.5).equal(1));
  EXPECT_EQ((-Scalar(3)).toLong(), -3);
}

TEST(Scalar, ABoolEqualsOnlyBools) {
  EXPECT_TRUE(Scalar(true).equal(true));
  EXPECT_FALSE(Scalar(true).equal(false));
  EXPECT_FALSE(Scalar(true).equal(1) || Scalar(true).equal(1.0));
  EXPECT_FALSE(Scalar(1).equal(true) || Scalar(1.0).equal(true));
  const Scalar z(std::complex<double>(1, 2));
  EXPECT_TRUE(z.equal(std::complex<double>(1, 2)) && Scalar(3).equal(std::complex<float>(3, 0)));
  EXPECT_FALSE(z.equal(std::complex<double>(1, 0)) || z.equal(1.0) ||
               Scalar(true).equal(std::complex<double>(1, 0)));
}

TEST(Scalar, ConversionsThatDoNotFitAreErrors) {
  EXPECT_EQ(Scalar(300).to<float>(), 300.0f);
  EXPECT_EQ(Scalar(2.9).toLong(), 2);
  EXPECT_EQ(Scalar(-2.9).toLong(), -2);
  EXPECT_EQ(Scalar(INT64_MIN).toDouble(), -0x1p63);
  EXPECT_EQ(Scalar(-0x1p63).toLong(), INT64_MIN);
  EXPECT_THROW(Scalar(0x1p63).toLong(), ValueError);
  EXPECT_THAT(Call([] { Scalar(300).toByte(); }),
              ThrowsMessage<ValueError>(
                  HasSubstr("value cannot be converted to type uint8_t without overflow; it is 300")));
  EXPECT_THROW(Scalar(128).toChar(), ValueError);
  EXPECT_EQ(Scalar(-128).toChar(), -128);
  EXPECT_THROW(Scalar(NAN).toLong(), ValueError);
  EXPECT_THROW(Scalar(1e300).toFloat(), ValueError);
  EXPECT_TRUE(std::isinf(Scalar(INFINITY).toFloat()));
  EXPECT_THROW(Scalar(1e6).toHalf(), ValueError);
  EXPECT_THROW(Scalar(std::complex<double>(1, 2)).toDouble(), ValueError);
  EXPECT_EQ(Scalar(std::complex<double>(1, 0)).toDouble(), 1.0);
}

TEST(Item, NeedsExactlyOneElement) {
  EXPECT_EQ(of<float>({1, 1}, {2.5f}).item<float>(), 2.5f);
  EXPECT_EQ(of<std::int64_t>({}, {INT64_MAX}).item<std::int64_t>(), INT64_MAX);
  EXPECT_TRUE(of<bool>({}, {true}).item().isBoolean());
  EXPECT_THAT(
      Call([] {
        of<float>({2}, {1, 2}).item();
      }),
      ThrowsMessage<ValueError>(HasSubstr("item: a Tensor with 2 elements cannot be converted to Scalar")));
  EXPECT_THROW(detail::empty_cpu({0}, kFloat).item(), ValueError);
  EXPECT_THROW(Tensor().item(), ValueError);
}

TEST(Access, ChecksTheElementType) {
  const Tensor t = of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_THAT(Call([&] { t.data_ptr<double>(); }),
              ThrowsMessage<DtypeError>(HasSubstr("data_ptr: expected scalar type Double but found Float")));
  const auto a = t.accessor<float, 2>();
  EXPECT_EQ(a[1][2], 6);
  a[0][1] = 9;
  EXPECT_EQ(t.data_ptr<float>()[1], 9);
  EXPECT_EQ(a.size(1), 3);
  EXPECT_THROW((t.accessor<float, 3>()), ShapeError);
  EXPECT_THROW((t.accessor<int, 2>()), DtypeError);
  EXPECT_THROW(t.size(2), IndexError);
  EXPECT_EQ(t.size(-1), 3);
}

TEST(Access, PackedAccessorsKeepTheirShape) {
  const Tensor t = of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  const auto wide = t.packed_accessor64<float, 2>();
  const PackedTensorAccessor32<float, 2> narrow = t.packed_accessor32<float, 2>();
  EXPECT_EQ(wide[1][2], 6);
  EXPECT_EQ(narrow[1][0], 4);
  EXPECT_EQ(narrow.size(1), 3);
  EXPECT_EQ(narrow.stride(0), 3);
  const auto turned = wide.transpose(0, 1);
  EXPECT_EQ(turned.size(0), 3);
  EXPECT_EQ(turned.stride(0), 1);
  EXPECT_EQ(turned[2][1], 6);
  turned[0][1] = 9;
  EXPECT_EQ(t.data_ptr<float>()[3], 9);
  EXPECT_THROW(wide.transpose(0, 2), IndexError);
  EXPECT_THROW(wide.transpose(-1, 1), IndexError);
  EXPECT_THROW((t.packed_accessor64<float, 3>()), ShapeError);
  EXPECT_THROW((t.packed_accessor32<double, 2>()), DtypeError);
  // 2^31 elements that are one.
  const Tensor many = detail::make_view(of<float>({1}, {1}), {std::int64_t{1} << 31}, {0}, 0);
  EXPECT_EQ((many.packed_accessor64<float, 1>()[5]), 1);
  EXPECT_THAT(Call([&] { many.packed_accessor32<float, 1>(); }),
              ThrowsMessage<ValueError>(HasSubstr("packed_accessor64")));
}

TEST(Print, LooksLikeLibtorch) {
  EXPECT_EQ(printed(of<float>({2, 2}, {1, 2, 3, 4})), " 1  2\n 3  4\n[ CPUFloatType{2,2} ]");
  EXPECT_EQ(printed(of<std::int64_t>({2, 2}, {1, 2, 30, -4})), "  1   2\n 30  -4\n[ CPULongType{2,2} ]");
  EXPECT_EQ(printed(of<std::int64_t>({2}, {-1, 5})), "-1\n 5\n[ CPULongType{2} ]");
  EXPECT_EQ(printed(of<std::int64_t>({2}, {1, -50})), " 1\n-50\n[ CPULongType{2} ]");
  EXPECT_EQ(printed(of<float>({2}, {1e6f, -1})), "   1e+06\n      -1\n[ CPUFloatType{2} ]");
  EXPECT_EQ(printed(of<float>({2}, {INFINITY, 1})), "inf\n 1\n[ CPUFloatType{2} ]");
  EXPECT_EQ(printed(of<float>({3}, {1.5f, INFINITY, NAN})), " 1.5000\n    inf\n    nan\n[ CPUFloatType{3} ]");
  EXPECT_EQ(printed(of<float>({1}, {123456.7f})), "1e+05 *\n 1.2346\n[ CPUFloatType{1} ]");
  EXPECT_EQ(printed(of<float>({}, {3.5f})), "3.5\n[ CPUFloatType{} ]");
  EXPECT_EQ(printed(of<float>({2}, {100, 2.5f})), " 100.0000\n   2.5000\n[ CPUFloatType{2} ]");
  EXPECT_EQ(printed(of<bool>({2}, {true, false})), " 1\n 0\n[ CPUBoolType{2} ]");
  EXPECT_EQ(printed(detail::empty_cpu({0, 3}, kFloat)), "[ CPUFloatType{0,3} ]");
  EXPECT_EQ(printed(Tensor()), "[ Tensor (undefined) ]");
  EXPECT_EQ(printed(of<double>({2, 1, 1}, {1, -2})),
            "(1,.,.) = \n  1\n\n(2,.,.) = \n -2\n[ CPUDoubleType{2,1,1} ]");
  // Each matrix has its own format.
  EXPECT_EQ(printed(of<float>({2, 1, 2}, {0.5f, 2, 400, 500})),
            "(1,.,.) = \n  0.5000  2.0000\n\n(2,.,.) = \n  400  500\n[ CPUFloatType{2,1,2} ]");
}

TEST(Print, EveryKindOfNumber) {
  EXPECT_THAT(printed(of<float>({3}, {NAN, INFINITY, -INFINITY})), HasSubstr("nan\ninf\n-inf\n"));
  EXPECT_THAT(printed(of<double>({2}, {1e10, 2.5})), HasSubstr(" 1.0000e+10\n 2.5000e+00"));
  EXPECT_THAT(printed(of<std::complex<float>>({2}, {{1, 2}, {-1, -0.5f}})),
              HasSubstr("  1.0000+2.0000i\n -1.0000-0.5000i"));
  EXPECT_THAT(printed(of<Half>({1}, {1.5f})), HasSubstr("1.5000\n[ CPUHalfType{1} ]"));
  EXPECT_THAT(printed(of<BFloat16>({1}, {2.0f})), HasSubstr("2\n[ CPUBFloat16Type{1} ]"));
  EXPECT_THAT(printed(of<std::uint8_t>({1}, {200})), HasSubstr("200\n"));
}

TEST(Print, SmallAndLargeNumbersShareAFactor) {
  EXPECT_EQ(printed(of<float>({2, 2}, {0, 1e-7f, 2e-7f, 3e-7f})),
            "1e-07 *\n 0.0000  1.0000\n  2.0000  3.0000\n[ CPUFloatType{2,2} ]");
  EXPECT_EQ(printed(of<float>({2}, {1234567.5f, 7654321.5f})),
            "1e+06 *\n 1.2346\n 7.6543\n[ CPUFloatType{2} ]");
}

TEST(Print, HugeTensorsAreSummarised) {
  Tensor t = detail::empty_cpu({1000, 1000}, kInt);
  for (int i = 0; i < 1000000; ++i) t.data_ptr<int>()[i] = i;
  const std::string text = printed(t);
  EXPECT_THAT(text, HasSubstr("..."));
  EXPECT_THAT(text, HasSubstr("999999"));
  EXPECT_LT(text.size(), 1000u);
}

TEST(Print, WideMatricesAreBrokenIntoColumns) {
  Tensor t = detail::empty_cpu({1, 60}, kInt);
  std::fill_n(t.data_ptr<int>(), 60, 7);
  // As libtorch has it, the first row begins in the line of the heading.
  EXPECT_THAT(printed(t), HasSubstr("Columns 1 to 26 7  7"));
  EXPECT_THAT(printed(t), HasSubstr("\n\nColumns 53 to 60 7  7"));
}

TEST(Shape, Broadcast) {
  EXPECT_EQ(broadcast_shapes("op", {8, 1, 3}, {4, 1}), DimVector({8, 4, 3}));
  EXPECT_EQ(broadcast_shapes("op", {}, {0}), DimVector({0}));
  EXPECT_THAT(Call([] {
                broadcast_shapes("add", {8, 3}, {8, 4});
              }),
              ThrowsMessage<ShapeError>(HasSubstr("dimension 1 is 3 against 4")));
}

TEST(Shape, LibtorchsHelpers) {
  EXPECT_EQ(infer_size({8, 1, 3}, {4, 1}), (std::vector<std::int64_t>{8, 4, 3}));
  EXPECT_EQ(maybe_wrap_dim(-1, 3), 2);
  EXPECT_EQ(maybe_wrap_dim(0, 0), 0);
  EXPECT_THROW(maybe_wrap_dim(0, 0, false), IndexError);
  EXPECT_THROW(maybe_wrap_dim(3, 3), IndexError);
  const std::vector<int> list{4, 5};
  EXPECT_EQ(makeArrayRef(list).at(1), 5);
  EXPECT_THROW(makeArrayRef(list).at(2), std::out_of_range);
}

TEST(Shape, ATensorWithoutDimensionsHasNoSizeOfThem) {
  const Tensor x = of<float>({}, {1});
  for (const std::int64_t dim : {0, -1, 1}) {
    EXPECT_THAT(Call([&] { x.size(dim); }),
                ThrowsMessage<IndexError>(HasSubstr("Dimension specified as " + std::to_string(dim) +
                                                    " but tensor has no dimensions")));
    EXPECT_THROW(x.stride(dim), IndexError);
  }
}

TEST(OptionalArrayRef, HoldsAListOrNone) {
  const std::vector<std::int64_t> two = {1, 2};
  OptionalIntArrayRef list;
  EXPECT_TRUE(list == std::nullopt);
  EXPECT_THROW((void)list.value(), std::bad_optional_access);
  list = two;
  EXPECT_TRUE(list == two);
  EXPECT_TRUE(list == IntArrayRef(two));
  EXPECT_FALSE(list == std::nullopt);
  EXPECT_EQ(list.value().data(), two.data());

  OptionalIntArrayRef other(std::in_place, two.data(), std::size_t{1});
  EXPECT_FALSE(list == other);
  list.swap(other);
  EXPECT_EQ(list->size(), 1u);
  EXPECT_EQ(list.emplace(two).size(), 2u);
  EXPECT_TRUE(list == other);
  list.reset();
  EXPECT_FALSE(list.has_value());
  EXPECT_EQ(list.value_or(two).size(), 2u);
  list = IntArrayRef();
  EXPECT_TRUE(list.has_value());  // of no elements, which is not none
  EXPECT_FALSE(list == std::nullopt);
}

TEST(ArrayRef, IsMadeFromListsVectorsAndSingleValues) {
  const auto size = [](IntArrayRef a) { return a.size(); };
  EXPECT_EQ(size({}), 0u);
  EXPECT_EQ(size({1, 2}), 2u);
  EXPECT_EQ(size(5), 1u);
  EXPECT_EQ(size(std::vector<std::int64_t>{1, 2, 3}), 3u);
  EXPECT_EQ(size(DimVector{1, 2, 3, 4, 5, 6, 7}), 7u);
  const auto given = [](OptionalIntArrayRef a) { return a.has_value() ? static_cast<int>(a->size()) : -1; };
  EXPECT_EQ(given(std::nullopt), -1);
  EXPECT_EQ(given({1, 2}), 2);
  EXPECT_EQ(given(0), 1);
  EXPECT_EQ(given(std::vector<std::int64_t>{}), 0);
  std::ostringstream out;
  out << IntArrayRef({2, 3});
  EXPECT_EQ(out.str(), "[2, 3]");
}

TEST(DimVector, GrowsBeyondItsInlineSpace) {
  DimVector v;
  for (int i = 0; i < 20; ++i) v.push_back(i);
  DimVector copy = v;
  DimVector moved = std::move(v);
  EXPECT_EQ(copy, moved);
  moved.insert(moved.begin() + 3, 100);
  EXPECT_EQ(moved[3], 100);
  EXPECT_EQ(moved[4], 3);
  moved.erase(moved.begin() + 3);
  EXPECT_EQ(copy, moved);
  copy = DimVector{1, 2};
  EXPECT_EQ(copy.size(), 2u);
}

}  // namespace
}  // namespace lanewise
