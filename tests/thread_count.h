#pragma once

#include <lanewise/dispatch_isa/threads.h>

namespace lanewise::testing {

/// So many threads for a scope.
class ThreadCount {
 public:
  explicit ThreadCount(int threads) : previous_(get_num_threads()) { set_num_threads(threads); }
  ~ThreadCount() { set_num_threads(previous_); }
  ThreadCount(const ThreadCount&) = delete;
  ThreadCount& operator=(const ThreadCount&) = delete;

 private:
  int previous_;
};

}  // namespace lanewise::testing
