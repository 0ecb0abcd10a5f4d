// copy_, fill_, clone, contiguous and conversions between all dtypes, over random layouts.

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lanewise/dispatch_isa/isa.h>
#include <lanewise/dispatch_isa/threads.h>
#include <lanewise/iterator/detail/copy_bytes.h>
#include <lanewise/ops/copy.h>

#include "../call.h"
#include "random_tensor.h"

namespace lanewise::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// A value that every dtype holds, differently at each position.
void count_up(const Tensor& t) {
  for (std::int64_t e = 0; e < t.numel(); ++e) {
    write_element(const_cast<char*>(element_at(t, e)), t.scalar_type(),
                  static_cast<double>((e * 7 + e / 64) % 120));
  }
}

void expect_same(const Tensor& out, const Tensor& src) {
  for (std::int64_t e = 0; e < out.numel(); ++e) {
    const Wide wanted = rounded(broadcast_element(src, out.sizes(), e), out.scalar_type());
    ASSERT_EQ(read_element(element_at(out, e), out.scalar_type()), wanted)
        << "element " << e << ", " << describe(src) << " to " << describe(out);
  }
}

TEST(Copy, BetweenAllDtypesAndLayouts) {
  Rng rng(11);
  const int threads = get_num_threads();
  for (int from = 0; from < kNumScalarTypes; ++from) {
    for (int to = 0; to < kNumScalarTypes; ++to) {
      for (const auto& shape : std::vector<std::vector<std::int64_t>>{
               {}, {5}, {33, 65}, {3, 17, 5}, {2, 0, 3}, {70, 3}, {2000}}) {
        set_num_threads(static_cast<int>(uniform(rng, 1, 3)));
        const IsaGuard isa(
            available_isas()[static_cast<std::size_t>(uniform(rng, 0, std::ssize(available_isas()) - 1))]);
        const Tensor src = random_layout(rng, shape, static_cast<ScalarType>(from), Repeats::No);
        Tensor out = random_layout(rng, shape, static_cast<ScalarType>(to), Repeats::No);
        count_up(src);
        ops::copy_(out, src);
        expect_same(out, src);
      }
    }
  }
  set_num_threads(threads);
}

TEST(Copy, TransposesLargeMatrices) {
  for (const ScalarType t : {kByte, kHalf, kFloat, kDouble, kComplexDouble}) {
    const Tensor src = detail::empty_cpu({517, 1030}, t);
    count_up(src);
    Tensor out = detail::empty_cpu({1030, 517}, t);
    const Tensor view = detail::make_view(src, {1030, 517}, {1, 1030}, 0);
    ops::copy_(out, view);
    expect_same(out, view);
    Tensor transposed_out = detail::make_view(detail::empty_cpu({517, 1030}, t), {1030, 517}, {1, 1030}, 0);
    ops::copy_(transposed_out, out);
    expect_same(transposed_out, out);
  }
}

// A few long columns side by side, and apart again, on each tier; lengths around those of registers and tiles.
TEST(Copy, InterleavesColumns) {
  for (const Isa tier : available_isas()) {
    const IsaGuard isa(tier);
    for (const ScalarType t : {kByte, kHalf, kFloat, kDouble, kComplexDouble}) {
      for (const std::int64_t columns : {2, 3, 4, 5, 6, 7, 8, 9, 16, 31, 33, 63, 65}) {
        for (const std::int64_t rows : {15, 63, 64, 65, 1000, 2311}) {
          const std::int64_t gap = rows + columns % 3;  // columns need not follow each other
          const Tensor src = detail::empty_cpu({columns, gap}, t);
          count_up(src);
          Tensor out = detail::empty_cpu({rows, columns}, t);
          Tensor view = detail::make_view(src, {rows, columns}, {1, gap}, 0);
          ops::copy_(out, view);
          expect_same(out, view);
          count_up(out);
          ops::copy_(view, out);
          expect_same(view, out);
        }
      }
    }
  }
}

TEST(Copy, TransposesPastTheCaches) {
  const Tensor src = detail::empty_cpu({3001, 3003}, kInt);
  auto* data = src.data_ptr<std::int32_t>();
  for (std::int64_t e = 0; e < src.numel(); ++e) {
    data[e] = static_cast<std::int32_t>(e);
  }
  const Tensor view = detail::make_view(src, {3003, 3001}, {1, 3003}, 0);
  const Tensor out = ops::contiguous(view);
  const auto* found = out.data_ptr<std::int32_t>();
  for (std::int64_t e = 0; e < out.numel(); ++e) {
    ASSERT_EQ(found[e], e % 3001 * 3003 + e / 3001);
  }
}

// Where source and target lie nearly whole pages apart, some CPUs copy runs from their end.
TEST(Copy, TakesRunsAtAnyDistance) {
  constexpr int kPage = 4096, kLength = 5003;
  std::vector<char> from(3 * kPage), to(4 * kPage);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<char>(i * 31 + i / 251);
  const auto in_page = [](const std::vector<char>& v) {
    return reinterpret_cast<std::uintptr_t>(v.data()) % kPage;
  };
  const auto same = (in_page(from) + kPage - in_page(to)) % kPage;  // then both are as far into a page
  for (int behind = -2; behind < 40; ++behind) {
    for (const int length : {0, 63, 2047, 2048, 2111, kLength}) {
      for (const auto copy : {detail::copy_bytes, detail::copy_backwards}) {
        std::fill(to.begin(), to.end(), '\x55');
        const auto at =
            static_cast<std::ptrdiff_t>((same + static_cast<unsigned>(behind + kPage)) % kPage + 64);
        copy(to.data() + at, from.data() + 64, static_cast<std::size_t>(length));
        for (std::ptrdiff_t i = 0; i < std::ssize(to); ++i) {
          const bool inside = i >= at && i < at + length;
          ASSERT_EQ(to[static_cast<std::size_t>(i)],
                    inside ? from[static_cast<std::size_t>(i - at + 64)] : '\x55')
              << behind << ", " << length << ", " << i - at;
        }
      }
    }
  }
}

TEST(Copy, BroadcastsTheSource) {
  const Tensor column = detail::empty_cpu({300, 1}, kInt);
  count_up(column);
  Tensor out = detail::empty_cpu({4, 300, 200}, kFloat);
  ops::copy_(out, column);
  expect_same(out, column);
  EXPECT_THAT(
      Call([&] {
        ops::copy_(out, detail::empty_cpu({301, 1}, kInt));
      }),
      ThrowsMessage<ShapeError>(HasSubstr("copy_: shapes [4, 300, 200] and [301, 1] do not broadcast")));
  EXPECT_THAT(Call([&] {
                Tensor small = detail::empty_cpu({200}, kInt);
                ops::copy_(small, column);
              }),
              ThrowsMessage<ShapeError>(HasSubstr("copy_: output with shape [200] doesn't match")));
}

TEST(Copy, RefusesOverlapInPart) {
  const Tensor base = detail::empty_cpu({10}, kFloat);
  count_up(base);
  Tensor front = detail::make_view(base, {6}, {1}, 0);
  EXPECT_THROW(ops::copy_(front, detail::make_view(base, {6}, {1}, 2)), StorageError);
  Tensor repeated = detail::make_view(base, {6}, {0}, 0);
  EXPECT_THROW(ops::copy_(repeated, front), StorageError);
  EXPECT_NO_THROW(ops::copy_(front, front));
  EXPECT_NO_THROW(ops::copy_(front, detail::make_view(base, {6}, {1}, 0)));
  EXPECT_EQ(front.data_ptr<float>()[5], 35.0f);
  Tensor undefined;
  EXPECT_THROW(ops::copy_(undefined, front), ValueError);
}

TEST(Copy, ComplexToRealKeepsTheRealPartAndBoolIsTruth) {
  const Tensor z = detail::empty_cpu({2}, kComplexFloat);
  z.data_ptr<std::complex<float>>()[0] = {3, 4};
  z.data_ptr<std::complex<float>>()[1] = {0, 4};
  EXPECT_EQ(ops::to_copy(z, kFloat).data_ptr<float>()[0], 3.0f);
  EXPECT_TRUE(ops::to_copy(z, kBool).data_ptr<bool>()[1]);
  const Tensor nan = detail::empty_cpu({1}, kDouble);
  nan.data_ptr<double>()[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(static_cast<float>(ops::to_copy(nan, kHalf).data_ptr<Half>()[0])));
}

TEST(Clone, KeepsStridesOfDimensionsOfOne) {
  const Tensor column = detail::empty_strided_cpu({2, 1}, {1, 2}, kFloat);  // contiguous, and yet not [1, 1]
  EXPECT_EQ(column.clone().strides(), column.strides());
  EXPECT_EQ(detail::empty_like_cpu(column, kInt).strides(), column.strides());
}

TEST(Clone, KeepsDenseLayoutsAndCopiesMemory) {
  const Tensor t = detail::empty_strided_cpu({3, 4}, {1, 3}, kFloat);
  count_up(t);
  const Tensor same = ops::clone(t), rows = ops::clone(t, MemoryFormat::Contiguous);
  EXPECT_TRUE(same.strides().equals(t.strides()));
  EXPECT_TRUE(rows.is_contiguous());
  EXPECT_NE(same.data_ptr(), t.data_ptr());
  expect_same(same, t);
  expect_same(rows, t);
  const Tensor copy = ops::contiguous(t);
  EXPECT_TRUE(copy.is_contiguous());
  expect_same(copy, t);
  EXPECT_TRUE(ops::contiguous(copy).is_same(copy));
  EXPECT_TRUE(ops::to_copy(t, kLong).strides().equals(t.strides()));
}

TEST(Fill, WritesEveryElementAndNothingElse) {
  Rng rng(3);
  for (int type = 0; type < kNumScalarTypes; ++type) {
    for (int round = 0; round < 20; ++round) {
      const auto t = static_cast<ScalarType>(type);
      Tensor out = random_layout(rng, {uniform(rng, 1, 9), uniform(rng, 1, 200)}, t,
                                 round % 2 == 0 ? Repeats::No : Repeats::Yes);
      const char* base = static_cast<const char*>(out.storage().data());
      std::vector<char> expected(base, base + out.storage().nbytes());
      const Scalar value = round % 3 == 0 ? Scalar(0) : Scalar(uniform(rng, 0, 1));
      for (std::int64_t e = 0; e < out.numel(); ++e) {
        write_element(expected.data() + (element_at(out, e) - base), t, value.to<std::complex<double>>());
      }
      ops::fill_(out, value);
      ASSERT_TRUE(std::equal(expected.begin(), expected.end(), base)) << describe(out);
    }
  }
}

TEST(Fill, ChecksTheValue) {
  Tensor bytes = detail::empty_cpu({3}, kByte);
  ops::fill_(bytes, 7);
  EXPECT_THROW(ops::fill_(bytes, 300), ValueError);
  EXPECT_THROW(ops::fill_(bytes, std::complex<double>(1, 1)), ValueError);
  EXPECT_EQ(bytes.data_ptr<std::uint8_t>()[2], 7);
  EXPECT_THROW(ops::fill_(bytes, detail::empty_cpu({1}, kByte)), ShapeError);
  Tensor value = detail::empty_cpu({}, kDouble);
  ops::fill_(value, 2.5);
  Tensor floats = detail::empty_cpu({2}, kFloat);
  ops::fill_(floats, value);
  EXPECT_EQ(floats.data_ptr<float>()[1], 2.5f);
  EXPECT_EQ(ops::fill_(floats, 0).data_ptr<float>()[1], 0.0f);
}

}  // namespace
}  // namespace lanewise::testing
