// The counters of perf_event_open against loops whose counts are known. Page faults count everywhere; the others
// only where the machine has counters, which most virtual machines have not.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

#include <lanewise/profiler/counters.h>

namespace lanewise::profiler {
namespace {

#if defined(__linux__)

/// What f did, by name.
std::map<std::string, std::uint64_t> count(const std::function<void()>& f) {
  Counters counters = Counters::open();
  f();
  counters.close();
  std::map<std::string, std::uint64_t> result;
  for (std::size_t i = 0; i < counters.names().size(); ++i)
    result[counters.names()[i]] = counters.totals()[i];
  return result;
}

#define SKIP_WITHOUT(name)                                                               \
  if (const Counters here = Counters::open();                                            \
      std::find(here.names().begin(), here.names().end(), name) == here.names().end()) { \
    EXPECT_THAT(here.problem(), testing::HasSubstr(name));                               \
    GTEST_SKIP() << here.problem();                                                      \
  }

// Without the sanitizers' own memory, whose pages would be counted too.
__attribute__((no_sanitize("address"), no_sanitize("thread"), no_sanitize("undefined"))) void touch_pages(
    volatile char* memory, std::size_t bytes, std::size_t page) {
  for (std::size_t at = 0; at < bytes; at += page) memory[at] = 1;
}

/// Memory that no one has touched.
class FreshPages {
 public:
  explicit FreshPages(std::size_t pages)
      : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))), bytes_(pages * page_) {
    memory_ =
        static_cast<char*>(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    madvise(memory_, bytes_, MADV_NOHUGEPAGE);  // a huge page would fault once for many
  }
  ~FreshPages() { munmap(memory_, bytes_); }
  FreshPages(const FreshPages&) = delete;
  FreshPages& operator=(const FreshPages&) = delete;
  void touch() { touch_pages(memory_, bytes_, page_); }

 private:
  std::size_t page_, bytes_;
  char* memory_;
};

TEST(KnownLoops, APageFaultPerFreshPage) {
  SKIP_WITHOUT("page_faults");
  FreshPages pages(2000);
  const auto first = count([&] { pages.touch(); })["page_faults"];
  EXPECT_GE(first, 2000u);
  EXPECT_LE(first, 2100u);
  EXPECT_LE(count([&] { pages.touch(); })["page_faults"], 100u);  // they are there now
}

// Threads that run before the counters are opened, and those that start later.
TEST(KnownLoops, AreCountedInAllThreads) {
  SKIP_WITHOUT("page_faults");
  FreshPages early_pages(3000), late_pages(5000);
  std::atomic<bool> go = false, done = false;
  std::thread early([&] {
    while (!go) std::this_thread::yield();
    early_pages.touch();
    done = true;
  });
  const auto both = count([&] {
    go = true;
    std::thread([&] { late_pages.touch(); }).join();
    while (!done) std::this_thread::yield();
  })["page_faults"];
  early.join();
  EXPECT_GE(both, 8000u);
#ifndef LANEWISE_THREAD_SANITIZER  // whose own memory for a thread has page faults
  EXPECT_LE(both, 8300u);
#endif
}

TEST(KnownLoops, WhatIsMissingIsNamedInOneLine) {
  const Counters counters = Counters::open();
  const std::vector<std::string> all = {"cycles",     "instructions",  "l1d_misses", "l2_misses",
                                        "llc_misses", "branch_misses", "page_faults"};
  for (const std::string& name : all) {
    const bool counts =
        std::find(counters.names().begin(), counters.names().end(), name) != counters.names().end();
    EXPECT_NE(counts, counters.problem().find(name) != std::string::npos) << name;
  }
  EXPECT_EQ(counters.problem().find('\n'), std::string::npos);
}

#if defined(__x86_64__)

constexpr std::uint64_t kRounds = 20'000'000;

TEST(KnownLoops, TwoInstructionsARound) {
  SKIP_WITHOUT("instructions");
  const auto counted = count([] {
    std::uint64_t n = kRounds;
    asm volatile("1: dec %0\n jnz 1b" : "+r"(n) : : "cc");
  })["instructions"];
  EXPECT_GE(counted, 2 * kRounds);
  EXPECT_LE(counted, 2 * kRounds * 102 / 100);
}

// Each multiplication waits for the one before, three cycles on every x86-64 CPU of the last fifteen years.
TEST(KnownLoops, CyclesOfAChainOfMultiplications) {
  SKIP_WITHOUT("cycles");
  const auto counted = count([] {
    std::uint64_t n = kRounds, x = 3;
    asm volatile("1: imul %1, %1\n dec %0\n jnz 1b" : "+r"(n), "+r"(x) : : "cc");
  })["cycles"];
  EXPECT_GE(counted, kRounds * 28 / 10);
  EXPECT_LE(counted, kRounds * 5);
}

std::uint64_t misses_of(const std::vector<std::uint8_t>& taken) {
  return count([&] {
    for (const std::uint8_t t : taken) asm volatile("test %0, %0\n jz 1f\n nop\n 1:" : : "q"(t) : "cc");
  })["branch_misses"];
}

TEST(KnownLoops, HalfOfRandomBranchesAreMissed) {
  SKIP_WITHOUT("branch_misses");
  std::vector<std::uint8_t> taken(1'000'000);
  const auto same = misses_of(taken);
  std::mt19937 random(1);
  for (auto& t : taken) t = static_cast<std::uint8_t>(random() & 1);
  const auto wild = misses_of(taken);
  EXPECT_LE(same, taken.size() / 50);
  EXPECT_GE(wild, taken.size() * 4 / 10);
  EXPECT_LE(wild, taken.size() * 6 / 10);
}

// A walk over 64 MiB in random order, a line at a time: no cache of the first level helps, no prefetcher guesses.
std::map<std::string, std::uint64_t> random_walk(std::size_t line_count) {
  struct alignas(64) Line {
    std::uint32_t next;
  };
  std::vector<Line> lines(line_count);
  std::vector<std::uint32_t> order(lines.size());
  std::iota(order.begin(), order.end(), 0U);
  std::shuffle(order.begin(), order.end(), std::mt19937(1));
  for (std::size_t i = 0; i < order.size(); ++i) lines[order[i]].next = order[(i + 1) % order.size()];
  return count([&] {
    std::uint32_t at = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) at = lines[at].next;
    asm volatile("" : : "r"(at));
  });
}

constexpr std::size_t kLines = 1 << 20;

TEST(KnownLoops, ARandomWalkMissesTheFirstCache) {
  SKIP_WITHOUT("l1d_misses");
  const auto misses = random_walk(kLines)["l1d_misses"];
  EXPECT_GE(misses, kLines * 8 / 10);
  EXPECT_LE(misses, kLines * 3);
}

// 64 MiB are far more than any second cache; a short walk stays in it.
TEST(KnownLoops, ARandomWalkMissesTheSecondCache) {
  SKIP_WITHOUT("l2_misses");
  EXPECT_GE(random_walk(kLines)["l2_misses"], kLines * 7 / 10);
  EXPECT_LE(random_walk(kLines / 256)["l2_misses"], kLines / 256);
}

#endif
#endif

}  // namespace
}  // namespace lanewise::profiler
