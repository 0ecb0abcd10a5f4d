#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <stdlib.h>

#include <lanewise/dispatch_isa/detail/binding.h>
#include <lanewise/dispatch_isa/detail/cgroup.h>
#include <lanewise/dispatch_isa/detail/cpu_caches.h>
#include <lanewise/dispatch_isa/error.h>
#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/dispatch_isa/threads.h>
#include <lanewise/dispatch_isa/topology.h>

#include "../call.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ExitedWithCode;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(Topology, CountsAreConsistent) {
  const Topology& t = topology();
  EXPECT_GE(t.usable_cores, 1);
  EXPECT_LE(t.usable_cores, t.cores);
  EXPECT_LE(t.usable_cores, t.usable_pus);
  EXPECT_LE(t.cores, t.pus);
  EXPECT_GT(t.line_bytes, 0);
  if (t.l1d_bytes > 0 && t.l2_bytes > 0) {
    EXPECT_LE(t.l1d_bytes, t.l2_bytes);
  }
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0) {
    EXPECT_LE(t.usable_pus, CPU_COUNT(&set));
  }
}

TEST(Topology, KnowsTheCachesThatTheCLibraryKnows) {
  const Topology& t = topology();
  Topology caches;
  detail::read_caches_of_libc(caches);
  if (caches.l1d_bytes > 0) {
    EXPECT_GT(t.l1d_bytes, 0);
  }
  if (caches.l2_bytes > 0) {
    EXPECT_GT(t.l2_bytes, 0);
  }
  if (caches.l3_bytes > 0) {
    EXPECT_GT(t.l3_bytes, 0);
  }
}

TEST(Topology, OfAPackageOfAmdOneL3IsNear) {
  constexpr std::int64_t kMiB = 1 << 20;
  EXPECT_EQ(detail::l3_near_core(512 * kMiB, {"AuthenticAMD", 0x1a, 2}), 32 * kMiB);
  EXPECT_EQ(detail::l3_near_core(16 * kMiB, {"AuthenticAMD", 0x17, 0x31}), 16 * kMiB);
  EXPECT_EQ(detail::l3_near_core(105 * kMiB, {"GenuineIntel", 6, 143}), 105 * kMiB);
  EXPECT_EQ(detail::l3_near_core(0, {"AuthenticAMD", 0x1a, 2}), 0);
}

TEST(Topology, DefaultThreadsAreUsableCoresWithinTheQuota) {
  Topology t;
  t.usable_cores = 8;
  EXPECT_EQ(default_num_threads(t), 8);
  t.cpu_quota = 2.5;
  EXPECT_EQ(default_num_threads(t), 2);
  t.cpu_quota = 0.5;
  EXPECT_EQ(default_num_threads(t), 1);
  t.cpu_quota = 64;
  EXPECT_EQ(default_num_threads(t), 8);
}

/// A made-up /proc and /sys/fs/cgroup.
class Cgroup : public ::testing::Test {
 protected:
  Cgroup() {
    std::string pattern = (fs::temp_directory_path() / "lanewise_cgroup_XXXXXX").string();
    root_ = ::mkdtemp(pattern.data());
  }
  ~Cgroup() override { fs::remove_all(root_); }

  void write(const std::string& file, const std::string& text) const {
    fs::create_directories(fs::path(root_ + "/" + file).parent_path());
    std::ofstream(root_ + "/" + file) << text;
  }
  double quota() const { return detail::cgroup_cpu_quota(root_ + "/self", root_ + "/fs"); }

  std::string root_;
};

TEST_F(Cgroup, NoFilesMeansNoLimit) { EXPECT_EQ(quota(), 0); }

TEST_F(Cgroup, Version2TakesTheSmallestOfAllParents) {
  write("self", "0::/a/b\n");
  write("fs/a/cpu.max", "150000 100000\n");
  write("fs/a/b/cpu.max", "max 100000\n");
  EXPECT_DOUBLE_EQ(quota(), 1.5);
  write("fs/a/b/cpu.max", "300000 100000\n");
  EXPECT_DOUBLE_EQ(quota(), 1.5);
  write("fs/cpu.max", "50000 100000\n");
  EXPECT_DOUBLE_EQ(quota(), 0.5);
}

TEST_F(Cgroup, Version2InAContainerUsesTheMountItself) {
  write("self", "0::/somewhere/on/the/host\n");
  write("fs/cpu.max", "200000 100000\n");
  EXPECT_DOUBLE_EQ(quota(), 2);
}

TEST_F(Cgroup, Version1ReadsTheCpuController) {
  write("self", "5:memory:/m\n3:cpu,cpuacct:/a\n1:name=systemd:/x\n");
  write("fs/cpu,cpuacct/a/cpu.cfs_quota_us", "250000\n");
  write("fs/cpu,cpuacct/a/cpu.cfs_period_us", "100000\n");
  EXPECT_DOUBLE_EQ(quota(), 2.5);
  write("fs/cpu,cpuacct/a/cpu.cfs_quota_us", "-1\n");
  EXPECT_DOUBLE_EQ(quota(), 0);
}

TEST_F(Cgroup, GarbageMeansNoLimit) {
  write("self", "nonsense\n0::/a\n");
  write("fs/a/cpu.max", "lots of it\n");
  EXPECT_EQ(quota(), 0);
}

/// In a fresh process: prints the number of threads that LANEWISE_NUM_THREADS=`value` leads to, or the error.
[[noreturn]] void ask_threads_with(const char* value) {
  ::setenv("LANEWISE_NUM_THREADS", value, 1);
  try {
    std::fputs(std::to_string(get_num_threads()).c_str(), stderr);
    std::exit(0);
  } catch (const Error& error) {
    std::fputs(error.what(), stderr);
    std::exit(3);
  }
}

class ThreadsEnvironment : public ::testing::Test {
 protected:
  ThreadsEnvironment() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(ThreadsEnvironment, SetsTheNumber) { EXPECT_EXIT(ask_threads_with("3"), ExitedWithCode(0), "^3$"); }

TEST_F(ThreadsEnvironment, GarbageIsAnError) {
  for (const char* value : {"many", "0", "-1", "2x", "1.5", "99999999999", " 2"}) {
    EXPECT_EXIT(ask_threads_with(value), ExitedWithCode(3),
                AllOf(HasSubstr(std::string("LANEWISE_NUM_THREADS=") + value),
                      HasSubstr("expected a whole number from 1 to 1024")));
  }
}

[[noreturn]] void ask_threads_on_one_cpu() {
  ::unsetenv("LANEWISE_NUM_THREADS");
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof(set), &set);
  int first = 0;
  while (!CPU_ISSET(first, &set)) {
    ++first;
  }
  CPU_ZERO(&set);
  CPU_SET(first, &set);
  sched_setaffinity(0, sizeof(set), &set);
  std::fputs(std::to_string(get_num_threads()).c_str(), stderr);
  std::exit(topology().usable_pus);
}

TEST_F(ThreadsEnvironment, AffinityLimitsTheDefault) {
  // hwloc says a line of its own where there is no /sys.
  EXPECT_EXIT(ask_threads_on_one_cpu(), ExitedWithCode(1), "(^|\n)1$");
}

TEST(Binding, CoresComeBeforeTheirSecondThreads) {
  const std::vector<int> order = detail::bind_order("cores");
  EXPECT_EQ(order.size(), static_cast<std::size_t>(topology().usable_pus));
  std::vector<int> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(std::adjacent_find(sorted.begin(), sorted.end()), sorted.end());
  EXPECT_TRUE(detail::bind_order("none").empty());
  EXPECT_TRUE(detail::bind_order("").empty());
}

TEST(Binding, OtherWordsAreErrors) {
  for (const char* text : {"core", "node", "node:", "node:x", "node:-1"}) {
    EXPECT_THAT(Call([&] { detail::bind_order(text); }),
                ThrowsMessage<Error>(HasSubstr("expected none, cores or node:<number>")))
        << text;
  }
  EXPECT_THAT(Call([] { detail::bind_order("node:12345"); }),
              ThrowsMessage<Error>(HasSubstr("LANEWISE_BIND=node:12345: this process can use")));
}

#ifndef LANEWISE_THREAD_SANITIZER  // plain threads there, which nobody binds

// Ends with the largest number of hardware threads that a thread of a loop may run on.
[[noreturn]] void exit_with_freedom_of_threads(const char* bind) {
  ::setenv("LANEWISE_BIND", bind, 1);
  set_num_threads(2);
  std::atomic<int> most = 0;
  for (int i = 0; i < 20; ++i) {
    parallel_for(0, 64, 1, [&](std::int64_t, std::int64_t) {
      cpu_set_t set;
      CPU_ZERO(&set);
      sched_getaffinity(0, sizeof(set), &set);
      int now = CPU_COUNT(&set), before = most;
      while (now > before && !most.compare_exchange_weak(before, now)) {
      }
    });
  }
  std::exit(most);
}

TEST_F(ThreadsEnvironment, BindPutsEachThreadOnOneCore) {
  EXPECT_EXIT(exit_with_freedom_of_threads("cores"), ExitedWithCode(1), "");
}

TEST_F(ThreadsEnvironment, WithoutBindThreadsAreFree) {
  EXPECT_EXIT(exit_with_freedom_of_threads("none"), ExitedWithCode(topology().usable_pus), "");
}

#endif

TEST(Threads, OutOfRangeIsAnErrorAndChangesNothing) {
  const int before = get_num_threads();
  EXPECT_THAT(
      Call([] { set_num_threads(0); }),
      ThrowsMessage<Error>(AllOf(HasSubstr("set_num_threads: got 0"), HasSubstr("expected 1 to 1024"))));
  EXPECT_THROW(set_num_threads(-3), Error);
  EXPECT_THROW(set_num_threads(kMaxThreads + 1), Error);
  EXPECT_EQ(get_num_threads(), before);
}

}  // namespace
}  // namespace lanewise
