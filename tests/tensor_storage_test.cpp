#include <cstring>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <lanewise/tensor/detail/block_cache.h>
#include <lanewise/tensor/make_tensor.h>

namespace lanewise {
namespace {

using detail::empty_cpu;

TEST(Storage, DataIsAlignedAndWritableAtEverySize) {
  for (std::int64_t bytes : {0, 1, 63, 64, 65, 1000, 4096, 65536, 131008, 131072, 1 << 20, (4 << 20) + 1}) {
    const Tensor t = empty_cpu({bytes}, kByte);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(t.data_ptr()) % 64, 0u) << bytes;
    if (bytes > 0) std::memset(t.data_ptr(), 7, static_cast<std::size_t>(bytes));  // else it is null
    EXPECT_EQ(t.nbytes(), static_cast<std::size_t>(bytes));
  }
}

// Note [Places in a page].
TEST(Storage, DataLieAtTheSamePlaceOfTheirPagesOrFarApart) {
  if (!LANEWISE_CACHES_BLOCKS) GTEST_SKIP() << "blocks have their exact sizes under AddressSanitizer";
  std::vector<Tensor> tensors;
  for (int repeat = 0; repeat < 3; ++repeat) {
    for (std::int64_t bytes = 4096; bytes < 16 << 20; bytes += bytes / 3)
      tensors.push_back(empty_cpu({bytes}, kByte));
  }
  for (const Tensor& t : tensors) {
    const auto place = reinterpret_cast<std::uintptr_t>(t.data_ptr()) - detail::kStorageHeader;
    EXPECT_EQ(place % detail::alignment_of(t.nbytes()), 0u) << t.nbytes();
  }
}

TEST(Storage, BlockClassesCoverTheirSizes) {
  for (std::size_t bytes = 1; bytes <= detail::kMaxSmallBlock; bytes += 17) {
    const unsigned c = detail::block_class(bytes);
    ASSERT_GE(detail::block_size(c), bytes);
    if (c > 0) {
      ASSERT_LT(detail::block_size(c - 1), bytes);
    }
  }
}

TEST(Storage, LargeBlocksAreUsedAgain) {
  if (!LANEWISE_CACHES_BLOCKS) GTEST_SKIP() << "caches are off under AddressSanitizer";
  empty_cache();
  const AllocatorStats before = memory_stats();
  void* first = nullptr;
  {
    const Tensor t = empty_cpu({5 << 20}, kFloat);
    first = t.data_ptr();
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first) % (2 << 20), detail::kStorageHeader);
    EXPECT_GE(memory_stats().bytes_in_use, before.bytes_in_use + (20u << 20));
  }
  EXPECT_GE(memory_stats().bytes_cached, 20u << 20);
  const Tensor again = empty_cpu({5 << 20}, kFloat);
  EXPECT_EQ(again.data_ptr(), first);
  EXPECT_EQ(memory_stats().hits, before.hits + 1);
  EXPECT_EQ(memory_stats().bytes_cached, 0u);
}

TEST(Storage, CacheKeepsItsLimit) {
  if (!LANEWISE_CACHES_BLOCKS) GTEST_SKIP() << "caches are off under AddressSanitizer";
  empty_cache();
  set_cache_limit(8 << 20);
  {
    std::vector<Tensor> tensors;
    for (int i = 0; i < 10; ++i) tensors.push_back(empty_cpu({2 << 20}, kByte));
  }
  EXPECT_LE(memory_stats().bytes_cached, 8u << 20);
  EXPECT_GT(memory_stats().bytes_cached, 0u);
  set_cache_limit(0);
  EXPECT_EQ(memory_stats().bytes_cached, 0u);
  set_cache_limit(std::size_t{256} << 20);
}

TEST(Storage, StatisticsKnowThePeak) {
  empty_cache();
  reset_peak_memory_stats();
  const AllocatorStats before = memory_stats();
  EXPECT_EQ(before.peak_bytes_in_use, before.bytes_in_use);
  {
    const Tensor a = empty_cpu({1 << 20}, kByte), b = empty_cpu({1 << 20}, kByte);
    EXPECT_EQ(memory_stats().blocks_in_use, before.blocks_in_use + 2);
  }
  const AllocatorStats after = memory_stats();
  EXPECT_EQ(after.bytes_in_use, before.bytes_in_use);
  EXPECT_EQ(after.blocks_in_use, before.blocks_in_use);
  EXPECT_GE(after.peak_bytes_in_use, before.bytes_in_use + (2u << 20));
  EXPECT_EQ(after.misses, before.misses + 2);
  if (LANEWISE_CACHES_BLOCKS) {
    EXPECT_EQ(after.blocks_cached, 2u);
    empty_cache();
    EXPECT_EQ(memory_stats().released, after.released + 2);
  }
  EXPECT_EQ(memory_stats().blocks_cached, 0u);
}

TEST(Storage, BlocksThatLieIdleGoBack) {
  if (!LANEWISE_CACHES_BLOCKS) GTEST_SKIP() << "caches are off under AddressSanitizer";
  empty_cache();
  { const Tensor idle = empty_cpu({3 << 20}, kByte); }
  for (int i = 0; i < 5000; ++i) const Tensor busy = empty_cpu({1 << 18}, kByte);
  EXPECT_EQ(memory_stats().blocks_cached, 1u);
  EXPECT_LT(memory_stats().bytes_cached, 1u << 20);
}

long page_faults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

TEST(Storage, LargeResultsCostNoPageFaultsInSteadyState) {
  if (!LANEWISE_CACHES_BLOCKS) GTEST_SKIP() << "caches are off under AddressSanitizer";
  const auto fresh = [] {
    const Tensor t = empty_cpu({16 << 20}, kFloat);
    std::memset(t.data_ptr(), 1, t.nbytes());
  };
  fresh();
  const long before = page_faults();
  for (int i = 0; i < 3; ++i) fresh();
  EXPECT_LT(page_faults() - before, 64);
}

TEST(Storage, AFailedAllocationLeavesTheLibraryUsable) {
#if !LANEWISE_CACHES_BLOCKS || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers end the program where memory ends";
#endif
  // A system that promises more memory than it has would say yes to anything.
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  rlimit limited = before;
  limited.rlim_cur = rlim_t{1} << 37;
  ASSERT_EQ(setrlimit(RLIMIT_AS, &limited), 0);
  empty_cache();
  { const Tensor cached = empty_cpu({64 << 20}, kByte); }
  EXPECT_THROW(empty_cpu({std::int64_t{1} << 46}, kByte), AllocationError);
  Tensor t = empty_cpu({100}, kFloat);
  EXPECT_THROW(detail::resize_cpu(t, {std::int64_t{1} << 44}), AllocationError);
  EXPECT_EQ(t.numel(), 100);
  std::memset(t.data_ptr(), 0, t.nbytes());
  EXPECT_EQ(memory_stats().bytes_cached, 0u);  // given back, in case that would have helped
  EXPECT_NO_THROW(empty_cpu({1 << 20}, kFloat));
  EXPECT_EQ(setrlimit(RLIMIT_AS, &before), 0);
}

TEST(Storage, TensorsMayBeFreedOnAnotherThread) {
  for (int round = 0; round < 20; ++round) {
    std::vector<Tensor> tensors;
    std::thread make([&] {
      for (int i = 0; i < 500; ++i) tensors.push_back(empty_cpu({i}, kFloat));
    });
    make.join();
    std::thread drop([&] { tensors.clear(); });
    drop.join();
  }
}

TEST(Storage, SharedTensorsAreCountedAcrossThreads) {
  const Tensor shared = empty_cpu({4}, kFloat);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 10000; ++k) {
        const Tensor copy = shared;
        const Tensor view = detail::make_alias(copy);
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(shared.use_count(), 1u);
  EXPECT_EQ(shared.storage().use_count(), 1u);
}

struct FreedLate {
  Tensor t;
};
FreedLate static_tensor;  // destroyed after the thread's block cache

TEST(Storage, TensorsOutliveTheThreadCache) {
  static_tensor.t = empty_cpu({10}, kFloat);
  thread_local FreedLate thread_tensor;
  thread_tensor.t = empty_cpu({10}, kFloat);
  std::thread([] {
    thread_local FreedLate inner;
    inner.t = empty_cpu({10}, kFloat);
  }).join();
}

TEST(Storage, AdoptedMemoryIsGivenBack) {
  float data[4] = {1, 2, 3, 4};
  int calls = 0;
  {
    Storage storage(StorageImpl::adopt(data, sizeof data, [&](void* p) {
      EXPECT_EQ(p, data);
      ++calls;
    }));
    EXPECT_FALSE(storage->resizable());
    EXPECT_THROW(storage->resize(64), StorageError);
    const Storage second = storage;
    EXPECT_EQ(calls, 0);
  }
  EXPECT_EQ(calls, 1);
}

TEST(Storage, ResizeKeepsContents) {
  Tensor t = empty_cpu({3}, kInt);
  for (int i = 0; i < 3; ++i) t.data_ptr<int>()[i] = i + 1;
  detail::resize_cpu(t, {1000, 100});
  EXPECT_EQ(t.sizes(), IntArrayRef({1000, 100}));
  EXPECT_EQ(t.data_ptr<int>()[2], 3);
  t.data_ptr<int>()[99999] = 1;
  detail::resize_cpu(t, {2});
  EXPECT_EQ(t.numel(), 2);
}

TEST(Allocation, RefusesWhatDoesNotFit) {
  EXPECT_THROW(empty_cpu({-1}, kFloat), ShapeError);
  EXPECT_THROW(empty_cpu({std::int64_t{1} << 40, std::int64_t{1} << 40}, kFloat), ShapeError);
  EXPECT_THROW(empty_cpu({std::int64_t{1} << 62}, kDouble), ShapeError);
  EXPECT_THROW(empty_cpu({std::int64_t{1} << 58}, kDouble), AllocationError);
  const Tensor none = empty_cpu({std::int64_t{1} << 40, std::int64_t{1} << 40, 0}, kFloat);
  EXPECT_EQ(none.numel(), 0);
  EXPECT_EQ(detail::empty_like_cpu(none, kInt).sizes(), none.sizes());
  EXPECT_THROW(detail::empty_strided_cpu({2}, {1, 2}, kFloat), ShapeError);
  EXPECT_THROW(detail::empty_strided_cpu({2}, {-1}, kFloat), ShapeError);
  EXPECT_THROW(detail::empty_strided_cpu({3}, {INT64_MAX}, kFloat), ShapeError);
}

TEST(TensorImpl, MoreDimensionsThanAreStoredInline) {
  const std::vector<std::int64_t> nine = {2, 1, 3, 1, 2, 1, 1, 2, 1};
  Tensor t = empty_cpu(nine, kFloat);
  EXPECT_EQ(t.sizes(), IntArrayRef(nine));
  EXPECT_EQ(t.stride(0), 12);
  EXPECT_EQ(t.stride(-2), 1);
  const Tensor view = detail::make_view(t, t.sizes(), t.strides(), 0);
  EXPECT_EQ(view.strides(), t.strides());
  detail::resize_cpu(t, {2, 2});
  EXPECT_EQ(t.strides(), IntArrayRef({2, 1}));
  detail::resize_cpu(t, nine);
  EXPECT_EQ(t.sizes(), view.sizes());
}

TEST(TensorImpl, TakesSizesOfItsOwn) {
  Tensor t = empty_cpu({2, 3, 100}, kFloat);
  detail::resize_cpu(t, t.sizes().slice(1));
  EXPECT_EQ(t.sizes(), IntArrayRef({3, 100}));
  EXPECT_EQ(t.strides(), IntArrayRef({100, 1}));
  Tensor wide = empty_cpu({3, 2, 1, 1, 1, 1, 1, 1}, kFloat);
  detail::resize_cpu(wide, wide.sizes().slice(0, 2));  // frees what the list lies in
  EXPECT_EQ(wide.sizes(), IntArrayRef({3, 2}));
  Tensor strided = empty_cpu({2, 3, 4}, kFloat);
  strided.unsafeGetTensorImpl()->set_sizes_and_strides(strided.sizes().slice(1),
                                                       strided.strides().slice(0, 2));
  EXPECT_EQ(strided.sizes(), IntArrayRef({3, 4}));
  EXPECT_EQ(strided.strides(), IntArrayRef({12, 4}));
}

TEST(TensorImpl, ViewsShareVersionsAndVariableDataDoesNot) {
  const Tensor base = empty_cpu({4}, kFloat);
  const Tensor view = detail::make_alias(base);
  const Tensor apart = detail::make_alias(base, false);
  const Tensor view_of_apart = detail::make_alias(apart);
  base.unsafeGetTensorImpl()->bump_version();
  EXPECT_EQ(view.unsafeGetTensorImpl()->version(), 1u);
  EXPECT_EQ(apart.unsafeGetTensorImpl()->version(), 0u);
  view_of_apart.unsafeGetTensorImpl()->bump_version();
  EXPECT_EQ(apart.unsafeGetTensorImpl()->version(), 1u);
  EXPECT_EQ(base.unsafeGetTensorImpl()->version(), 1u);
}

TEST(TensorImpl, SetDataKeepsTheVersion) {
  const Tensor t = empty_cpu({4}, kFloat);
  t.unsafeGetTensorImpl()->bump_version();
  t.unsafeGetTensorImpl()->set_data_from(*empty_cpu({2, 3}, kDouble).unsafeGetTensorImpl());
  EXPECT_EQ(t.sizes(), IntArrayRef({2, 3}));
  EXPECT_EQ(t.scalar_type(), kDouble);
  EXPECT_EQ(t.unsafeGetTensorImpl()->version(), 1u);
}

TEST(TensorImpl, Contiguity) {
  const Tensor t = empty_cpu({2, 3, 4}, kFloat);
  const auto strided = [&](IntArrayRef sizes, IntArrayRef strides) {
    return detail::make_view(t, sizes, strides, 0);
  };
  EXPECT_TRUE(t.is_contiguous());
  EXPECT_FALSE(strided({3, 2}, {1, 3}).is_contiguous());
  EXPECT_TRUE(strided({3, 2}, {1, 3}).is_non_overlapping_and_dense());
  EXPECT_TRUE(strided({1, 4}, {99, 1}).is_contiguous());
  EXPECT_TRUE(strided({0, 4}, {1, 1}).is_contiguous());
  EXPECT_FALSE(strided({2, 3}, {4, 1}).is_non_overlapping_and_dense());
  EXPECT_FALSE(strided({2, 3}, {0, 1}).is_non_overlapping_and_dense());
  EXPECT_TRUE(detail::empty_like_cpu(strided({3, 2}, {1, 3}), kInt).strides() == IntArrayRef({1, 3}));
  EXPECT_TRUE(detail::empty_like_cpu(strided({3, 2}, {2, 8}), kInt).strides() == IntArrayRef({1, 3}));
  // Of equal strides the smaller dimension is the inner one.
  const Tensor expanded = strided({3, 4, 5}, {1, 0, 3});
  EXPECT_TRUE(detail::empty_like_cpu(expanded, kInt).strides() == IntArrayRef({1, 3, 12}));
  EXPECT_TRUE(detail::empty_like_cpu(strided({5, 6, 2}, {1, 1, 7}), kInt).strides() ==
              IntArrayRef({1, 5, 30}));
}

TEST(Storage, OfSomebodyElseHasNoContext) {
  double numbers[] = {1, 2};
  const auto adopted = [&](std::function<void(void*)> deleter) {
    return Storage(StorageImpl::adopt(numbers, sizeof(numbers), std::move(deleter)));
  };
  EXPECT_EQ(adopted({}).data_ptr().get(), numbers);
  EXPECT_EQ(adopted({}).data_ptr().get_context(), nullptr);
  EXPECT_NE(adopted([](void*) {}).data_ptr().get_context(), nullptr);
  EXPECT_NE(Storage(StorageImpl::create(16)).data_ptr().get_context(), nullptr);
}

}  // namespace
}  // namespace lanewise
