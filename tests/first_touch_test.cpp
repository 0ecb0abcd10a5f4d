// Memory comes from the NUMA node of the thread that touches it first. So large results must not be touched before their
// op runs, and must be touched by the threads of its loop, each its own part; the next loop then finds the same part in
// the same thread. The kernel counts page faults by thread, on a machine with one node as well.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#if defined(__linux__)
#include <dirent.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <lanewise/lanewise.h>

namespace lanewise {
namespace {

#if defined(__linux__)

// Before the first loop asks.
[[maybe_unused]] const int bound = ::setenv("LANEWISE_BIND", "cores", 1);

constexpr std::int64_t kElements = std::int64_t{1} << 24;  // 64 MiB: 32 huge pages or 16384 others
constexpr int kAttempts = 40;  // a worker whose core is busy elsewhere comes late, and others do its part

/// Page faults that needed no disk, of each thread of the process so far.
std::map<std::string, std::int64_t> faults_of_threads() {
  std::map<std::string, std::int64_t> faults;
  DIR* folder = opendir("/proc/self/task");
  while (const dirent* entry = folder == nullptr ? nullptr : readdir(folder)) {
    std::ifstream file(std::string("/proc/self/task/") + entry->d_name + "/stat");
    std::string text;
    if (entry->d_name[0] == '.' || !std::getline(file, text)) continue;
    std::istringstream words(text.substr(text.rfind(')') + 1));
    std::string skipped;
    for (int i = 0; i < 7; ++i) words >> skipped;  // state ... flags; the next is minflt
    words >> faults[entry->d_name];
  }
  if (folder != nullptr) closedir(folder);
  return faults;
}

/// What f added, most first.
std::vector<std::int64_t> faults_in(const std::function<void()>& f) {
  const auto before = faults_of_threads();
  f();
  std::vector<std::int64_t> added;
  for (const auto& [thread, count] : faults_of_threads()) {
    const auto old = before.find(thread);
    added.push_back(count - (old == before.end() ? 0 : old->second));
  }
  std::sort(added.rbegin(), added.rend());
  added.resize(std::max<std::size_t>(added.size(), 2));
  return added;
}

class FirstTouch : public testing::Test {
 protected:
  FirstTouch() : threads_(get_num_threads()) { set_num_threads(2); }
  ~FirstTouch() override { set_num_threads(threads_); }
  void SetUp() override {
    if (topology().usable_cores < 2) GTEST_SKIP() << "one core";
    ones({kElements});  // the workers are there
  }

  /// `make` gives a result in fresh memory: two threads have a good part of its page faults each.
  static void is_shared(const std::function<Tensor()>& make) {
    std::vector<std::int64_t> best = {0, 0};
    for (int attempt = 0; attempt < kAttempts && (best[0] == 0 || best[1] * 4 < best[0]); ++attempt) {
      empty_cache();
      const auto faults = faults_in([&] { make(); });
      if (faults[1] * best[0] >= best[1] * faults[0]) best = faults;
    }
    EXPECT_GE(best[0] + best[1], 32) << "the memory was touched before";
    EXPECT_GE(best[1] * 4, best[0]) << "one thread touched " << best[0] << " pages, the other " << best[1];
  }

 private:
  int threads_;
};

TEST_F(FirstTouch, EmptyTouchesNothing) {
  empty_cache();
  Tensor t;
  const auto faults = faults_in([&] { t = empty({kElements}); });
  EXPECT_LT(faults[0] + faults[1], 16);
  // Which pages are there, the other way round: filling it is what brings them.
  EXPECT_GE(faults_in([&] { t.fill_(1); })[0], 8);
}

TEST_F(FirstTouch, FactoriesAreFilledByTheThreadsOfTheLoop) {
  is_shared([] { return zeros({kElements}); });
  is_shared([] { return full({kElements}, 3); });
  is_shared([] { return empty({kElements}).fill_(2); });
}

TEST_F(FirstTouch, ResultsAreWrittenByTheThreadsOfTheLoop) {
  const Tensor a = rand({kElements}), row = rand({4096});
  is_shared([&] { return a + 1; });
  is_shared([&] { return a.view({-1, 4096}) * row; });
  is_shared([&] { return a.view({4096, -1}).t().contiguous(); });
}

// Of a thousand pages of a loop, the thread that has each of them, twice: the same but for one of eight pieces, which a
// thread that is through may take from the other.
TEST_F(FirstTouch, TheNextLoopHasTheSamePartsInTheSameThreads) {
  constexpr std::int64_t kPages = 1000;
  const auto owners = [] {
    std::vector<long> owner(kPages);
    std::atomic<double> sink = 0;
    parallel_for(0, kPages, 1, [&](std::int64_t begin, std::int64_t end) {
      double sum = 0;
      for (std::int64_t page = begin; page < end; ++page) {
        for (int i = 0; i < 2000; ++i) sum += static_cast<double>(i) * static_cast<double>(page);
        owner[static_cast<std::size_t>(page)] = syscall(SYS_gettid);
      }
      sink.store(sum);
    });
    return owner;
  };
  std::int64_t best = 0;
  bool shared = false;
  for (int attempt = 0; attempt < kAttempts && best < kPages * 7 / 8; ++attempt) {
    const std::vector<long> first = owners(), second = owners();
    shared = std::count(first.begin(), first.end(), first[0]) < kPages * 3 / 4;
    std::int64_t same = 0;
    for (std::size_t i = 0; i < first.size(); ++i) same += first[i] == second[i];
    if (shared) best = std::max(best, same);
  }
  EXPECT_GE(best, kPages * 7 / 8);
}

#endif

}  // namespace
}  // namespace lanewise
