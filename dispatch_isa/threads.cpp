#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include <lanewise/dispatch_isa/detail/binding.h>
#include <lanewise/dispatch_isa/error.h>
#include <lanewise/dispatch_isa/threads.h>
#include <lanewise/dispatch_isa/topology.h>

namespace lanewise {

namespace {

constinit std::atomic<int> num_threads{0};  // 0: not decided yet

int initial_num_threads() {
  const char* text = std::getenv("LANEWISE_NUM_THREADS");
  if (text == nullptr || *text == '\0') {
    const int threads = default_num_threads(topology());
    const int bound = detail::binding().cores;
    return bound > 0 ? std::min(threads, bound) : threads;
  }
  int threads = 0;
  const char* end = text + std::strlen(text);
  const auto [rest, error] = std::from_chars(text, end, threads);
  LANEWISE_CHECK(Error, error == std::errc() && rest == end && threads >= 1 && threads <= kMaxThreads,
                 "LANEWISE_NUM_THREADS=", text, ": expected a whole number from 1 to ", kMaxThreads);
  return threads;
}

}  // namespace

int get_num_threads() {
  const int threads = num_threads.load(std::memory_order_relaxed);
  if (threads > 0) [[likely]] {
    return threads;
  }
  const int initial = initial_num_threads();
  int expected = 0;
  return num_threads.compare_exchange_strong(expected, initial) ? initial : expected;
}

void set_num_threads(int threads) {
  LANEWISE_CHECK(Error, threads >= 1 && threads <= kMaxThreads, "set_num_threads: got ", threads,
                 ", expected 1 to ", kMaxThreads);
  num_threads.store(threads, std::memory_order_relaxed);
}

}  // namespace lanewise
