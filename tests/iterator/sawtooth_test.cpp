// Walks over more than a cache holds: every other one goes from the end to the beginning.

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <lanewise/dispatch_isa/threads.h>
#include <lanewise/iterator/detail/sawtooth.h>
#include <lanewise/iterator/loops.h>
#include <lanewise/iterator/tensor_iterator.h>
#include <lanewise/tensor/make_tensor.h>

namespace lanewise {
namespace {

using Ranges = std::vector<std::pair<std::int64_t, std::int64_t>>;

Ranges walked(std::int64_t items, std::int64_t bytes_per_item, std::int64_t grain) {
  Ranges ranges;
  std::mutex mutex;
  detail::parallel_walk(items, bytes_per_item, grain, [&](std::int64_t begin, std::int64_t end) {
    const std::lock_guard lock(mutex);
    ranges.emplace_back(begin, end);
  });
  return ranges;
}

void expect_covers(Ranges ranges, std::int64_t items) {
  std::sort(ranges.begin(), ranges.end());
  std::int64_t next = 0;
  for (const auto& [begin, end] : ranges) {
    ASSERT_EQ(begin, next);
    ASSERT_LT(begin, end);
    next = end;
  }
  EXPECT_EQ(next, items);
}

TEST(Sawtooth, EveryItemOnceInBothDirections) {
  const int threads = get_num_threads();
  for (const int count : {1, 2, 3}) {
    set_num_threads(count);
    for (const std::int64_t bytes : {1, 4096, 1 << 20}) {
      for (const std::int64_t items : {1, 7, 1000}) {
        for (int i = 0; i < 2; ++i) expect_covers(walked(items, bytes, 16), items);
      }
    }
  }
  set_num_threads(threads);
}

TEST(Sawtooth, TurnsRoundWhereTheWalkIsLong) {
  constexpr std::int64_t kBytes = 64 << 10, kItems = 30;
  const Ranges one = walked(kItems, kBytes, kItems), other = walked(kItems, kBytes, kItems);
  const Ranges& up = one.size() == 1 ? one : other;
  const Ranges& down = one.size() == 1 ? other : one;
  EXPECT_EQ(up, (Ranges{{0, kItems}}));
  ASSERT_GT(down.size(), 1);
  EXPECT_TRUE(std::is_sorted(down.rbegin(), down.rend()));
  EXPECT_EQ(walked(kItems, 64, kItems), (Ranges{{0, kItems}}));  // fits
  EXPECT_EQ(walked(kItems, 64, kItems), (Ranges{{0, kItems}}));
}

TEST(Sawtooth, SerialLambdasStayInOrder) {
  const Tensor x = detail::empty_cpu({1 << 18}, kFloat);
  for (int i = 0; i < 2; ++i) {
    Tensor out = detail::empty_cpu({1 << 18}, kFloat);
    TensorIterator iter = TensorIterator::unary_op(out, x);
    float next = 0;
    cpu_serial_kernel(iter, [&](float) { return next++; });
    for (std::int64_t e = 0; e < out.numel(); ++e) {
      ASSERT_EQ(static_cast<const float*>(out.data_ptr())[e], static_cast<float>(e));
    }
  }
}

TEST(Sawtooth, LambdasSeeEveryElementOnce) {
  const Tensor x = detail::empty_cpu({(1 << 18) + 3}, kFloat);
  auto* in = static_cast<float*>(x.data_ptr());
  for (std::int64_t e = 0; e < x.numel(); ++e) in[e] = static_cast<float>(e);
  for (const ScalarType type : {kFloat, kDouble}) {  // straight, and through tiles
    for (int i = 0; i < 2; ++i) {
      Tensor out = detail::empty_cpu({(1 << 18) + 3}, type);
      TensorIterator iter = TensorIteratorConfig()
                                .add_output(out)
                                .add_input(x)
                                .promote_inputs_to_common_dtype(true)
                                .cast_common_dtype_to_outputs(true)
                                .build();
      cpu_kernel(iter, [](float v) { return v + 1; });
      for (std::int64_t e = 0; e < out.numel(); ++e) {
        const double value = type == kFloat
                                 ? static_cast<double>(static_cast<const float*>(out.data_ptr())[e])
                                 : static_cast<const double*>(out.data_ptr())[e];
        ASSERT_EQ(value, static_cast<double>(e + 1));
      }
    }
  }
}

}  // namespace
}  // namespace lanewise
