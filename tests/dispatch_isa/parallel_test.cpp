#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <lanewise/dispatch_isa/error.h>
#include <lanewise/dispatch_isa/flush_denormal.h>
#include <lanewise/dispatch_isa/parallel.h>

#include "../thread_count.h"

namespace lanewise {
namespace {

using testing::ThreadCount;

/// Visits per index of a loop over [begin, end), and the number of ranges it came in.
std::pair<std::vector<int>, int> visits(std::int64_t begin, std::int64_t end, std::int64_t grain) {
  std::vector<int> counts(static_cast<std::size_t>(end > begin ? end - begin : 0));
  std::atomic<int> ranges{0};
  parallel_for(begin, end, grain, [&](std::int64_t b, std::int64_t e) {
    ++ranges;
    for (std::int64_t i = b; i < e; ++i) {
      ++counts[static_cast<std::size_t>(i - begin)];
    }
  });
  return {counts, ranges.load()};
}

TEST(ParallelFor, VisitsEachIndexOnce) {
  for (const int threads : {1, 2, 3, 7}) {
    const ThreadCount count(threads);
    for (const std::int64_t size : {0, 1, 2, 5, 63, 64, 1000, 4096, 70001}) {
      for (const std::int64_t grain : {1, 3, 64, 5000, 1000000}) {
        const auto [counts, ranges] = visits(-17, size - 17, grain);
        EXPECT_EQ(counts, std::vector<int>(static_cast<std::size_t>(size), 1)) << size << " " << grain;
        EXPECT_LE(ranges, 4 * threads);
        EXPECT_LE(ranges, size <= grain ? 1 : size / grain) << size << " " << grain;
      }
    }
  }
}

TEST(ParallelFor, AWorkerThatLagsBehindHoldsNobodyUp) {
  if (std::thread::hardware_concurrency() < 2) {
    GTEST_SKIP() << "one CPU";
  }
  const ThreadCount count(2);
  // The first piece takes as long as it takes the others to do all that is left.
  std::atomic<int> done{0};
  int done_meanwhile = 0;
  parallel_for(0, 8, 1, [&](std::int64_t b, std::int64_t) {
    if (b == 0) {
      for (int wait = 0; wait < 2000 && done < 7; ++wait) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      done_meanwhile = done;
      return;
    }
    ++done;
  });
  EXPECT_EQ(done_meanwhile, 7);
}

TEST(FlushDenormal, ReachesEveryWorkerAndOnlyForTheCaller) {
  if (!set_flush_denormal(false)) {
    GTEST_SKIP() << "this CPU cannot";
  }
  const ThreadCount count(4);
  const auto flushed_pieces = [] {
    std::atomic<int> flushed{0};
    parallel_for(0, 16, 1, [&](std::int64_t b, std::int64_t e) {
      volatile float small = 1e-38F;
      small = small * 0.01F;
      flushed += small == 0.0F && flush_denormal() ? static_cast<int>(e - b) : 0;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
    return flushed.load();
  };
  EXPECT_EQ(flushed_pieces(), 0);
  EXPECT_TRUE(set_flush_denormal(true));
  EXPECT_TRUE(flush_denormal());
  EXPECT_EQ(flushed_pieces(), 16);
  EXPECT_TRUE(set_flush_denormal(false));
  EXPECT_FALSE(flush_denormal());
  EXPECT_EQ(flushed_pieces(), 0);
}

TEST(ParallelFor, EmptyRangeDoesNotCall) {
  bool called = false;
  parallel_for(5, 5, 1, [&](std::int64_t, std::int64_t) { called = true; });
  parallel_for(5, 3, 1, [&](std::int64_t, std::int64_t) { called = true; });
  EXPECT_FALSE(called);
}

TEST(ParallelFor, SplitsForEachThread) {
  const ThreadCount count(4);
  EXPECT_EQ(visits(0, 4, 1).second, 4);
  EXPECT_EQ(visits(0, 1 << 20, 1024).second, 16);  // four pieces each, for whoever has time
  EXPECT_EQ(visits(0, 2048, 1024).second, 2);
  EXPECT_EQ(visits(0, 2047, 1024).second, 1);
}

TEST(ParallelFor, OneThreadRunsInTheCaller) {
  const ThreadCount count(1);
  const std::thread::id caller = std::this_thread::get_id();
  parallel_for(0, 1000, 1, [&](std::int64_t b, std::int64_t e) {
    EXPECT_EQ(b, 0);
    EXPECT_EQ(e, 1000);
    EXPECT_EQ(std::this_thread::get_id(), caller);
  });
}

TEST(ParallelFor, UsesMoreThanOneThread) {
  if (std::thread::hardware_concurrency() < 2) {
    GTEST_SKIP() << "one CPU";
  }
  const ThreadCount count(2);
  std::mutex mutex;
  std::set<std::thread::id> ids;
  for (int attempt = 0; attempt < 200 && ids.size() < 2; ++attempt) {
    parallel_for(0, 2, 1, [&](std::int64_t, std::int64_t) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      const std::lock_guard lock(mutex);
      ids.insert(std::this_thread::get_id());
    });
  }
  EXPECT_EQ(ids.size(), 2U);
}

TEST(ParallelFor, NestedLoopsRunInline) {
  const ThreadCount count(4);
  std::atomic<int> total{0};
  EXPECT_FALSE(in_parallel_region());
  parallel_for(0, 8, 1, [&](std::int64_t b, std::int64_t e) {
    EXPECT_TRUE(in_parallel_region());
    const std::thread::id outer = std::this_thread::get_id();
    for (std::int64_t i = b; i < e; ++i) {
      int ranges = 0;
      parallel_for(0, 1000, 1, [&](std::int64_t ib, std::int64_t ie) {
        EXPECT_EQ(std::this_thread::get_id(), outer);
        ++ranges;
        total += static_cast<int>(ie - ib);
      });
      EXPECT_EQ(ranges, 1);
    }
  });
  EXPECT_EQ(total.load(), 8000);
  EXPECT_FALSE(in_parallel_region());
}

TEST(ParallelFor, ExceptionsReachTheCaller) {
  const ThreadCount count(4);
  for (int attempt = 0; attempt < 50; ++attempt) {
    try {
      parallel_for(0, 1000, 1, [](std::int64_t b, std::int64_t e) {
        if (b <= 700 && 700 < e) {
          throw std::runtime_error("at 700");
        }
      });
      FAIL() << "nothing thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "at 700");
    }
    EXPECT_FALSE(in_parallel_region());
  }
}

#ifndef LANEWISE_THREAD_SANITIZER  // which cannot follow oneTBB

TEST(ParallelFor, ComposesWithTheCallersArena) {
  const ThreadCount count(4);
  tbb::task_arena arena(2);
  std::atomic<int> total{0};
  arena.execute([&] {
    tbb::parallel_for(0, 16, [&](int) {
      parallel_for(0, 10000, 10, [&](std::int64_t b, std::int64_t e) {
        EXPECT_LE(tbb::this_task_arena::max_concurrency(), 2);
        total += static_cast<int>(e - b);
      });
    });
  });
  EXPECT_EQ(total.load(), 160000);
}

// A thread has a default arena of oneTBB from its first loop on, with a slot per core; the number asked for decides all the same.
TEST(ParallelFor, TakesTheNumberOfThreadsAskedForInEveryLoop) {
  const tbb::global_control allowed(tbb::global_control::max_allowed_parallelism, 8);
  const int threads = tbb::this_task_arena::max_concurrency() + 2;
  if (threads > 8) GTEST_SKIP() << "needs more threads than cores";
  const ThreadCount count(threads);
  std::thread([&] {
    for (int loop = 0; loop < 3; ++loop) {
      std::atomic<int> arrived{0};
      parallel_for(0, threads, 1, [&](std::int64_t b, std::int64_t e) {
        arrived += static_cast<int>(e - b);
        const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (arrived < threads && std::chrono::steady_clock::now() < until) std::this_thread::yield();
        EXPECT_EQ(arrived.load(), threads) << "loop " << loop;
      });
    }
  }).join();
}

// A caller who holds a lock must not be handed another of its own tasks while it waits for the loop.
TEST(ParallelFor, DoesNotStealTheCallersTasksWhileItWaits) {
  const ThreadCount count(2);
  tbb::task_arena arena(2);
  std::atomic<int> total{0};
  arena.execute([&] {
    tbb::parallel_for(0, 64, [&](int) {
      thread_local bool busy = false;
      EXPECT_FALSE(busy);
      busy = true;
      parallel_for(0, 2, 1, [&](std::int64_t b, std::int64_t e) {
        // The part that a worker takes outlasts the caller's own, so that the caller waits.
        std::this_thread::sleep_for(std::chrono::microseconds(100 + 400 * b));
        total += static_cast<int>(e - b);
      });
      busy = false;
    });
  });
  EXPECT_EQ(total.load(), 128);
}

#endif

TEST(ParallelFor, NumberOfThreadsMayChangeWhileLoopsRun) {
  const ThreadCount count(2);
  std::atomic<bool> stop{false};
  std::thread changer([&] {
    for (int i = 0; !stop; ++i) {
      set_num_threads(1 + i % 5);
    }
  });
  std::vector<std::thread> callers;
  std::atomic<std::int64_t> total{0};
  for (int t = 0; t < 3; ++t) {
    callers.emplace_back([&] {
      for (int i = 0; i < 300; ++i) {
        parallel_for(0, 1000, 10, [&](std::int64_t b, std::int64_t e) { total += e - b; });
      }
    });
  }
  for (std::thread& caller : callers) {
    caller.join();
  }
  stop = true;
  changer.join();
  EXPECT_EQ(total.load(), 3 * 300 * 1000);
}

TEST(ParallelReduce, AddsRangesInOrder) {
  const auto list = [](std::int64_t begin, std::int64_t end, std::vector<std::int64_t> seen) {
    for (std::int64_t i = begin; i < end; ++i) seen.push_back(i);
    return seen;
  };
  const auto join = [](std::vector<std::int64_t> a, const std::vector<std::int64_t>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  };
  const std::vector<std::int64_t> none;
  const std::vector<std::int64_t> all = parallel_reduce(3, 1003, 10, none, list, join);
  ASSERT_EQ(all.size(), 1000u);
  for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], static_cast<std::int64_t>(i) + 3);
  EXPECT_EQ(parallel_reduce(5, 5, 1, none, list, join), none);
  EXPECT_EQ(divup(7, 3), 3);
}

TEST(ParallelFor, ThreadsHaveNumbers) {
  EXPECT_EQ(get_thread_num(), 0);
  const int threads = get_num_threads();
  set_num_threads(2);
  std::atomic<bool> fits{true};
  parallel_for(0, 1000, 1, [&](std::int64_t, std::int64_t) {
    if (get_thread_num() < 0 || get_thread_num() >= 2) fits = false;
  });
  EXPECT_TRUE(fits);
  set_num_threads(threads);
}

}  // namespace
}  // namespace lanewise
