#pragma once

#include <cstdint>

#include <lanewise/dispatch_isa/parallel.h>

namespace lanewise::detail {

/// A parallel loop, cut into parts of `step` items, the last one shorter.
struct Loop {
  std::int64_t begin;
  std::int64_t end;
  std::int64_t step;
  int parts;
  void* context;
  RangeFn fn;

  void run_part(int part) const {
    const std::int64_t b = begin + part * step;
    fn(context, b, part + 1 == parts ? end : b + step);
  }
};

/// Runs every part once, in up to `threads` threads, with in_parallel_region() true, and waits.
/// loop_tbb.cpp, or loop_threads.cpp in builds with ThreadSanitizer.
void run_loop(const Loop& loop, int threads);

/// Marks the calling thread as inside a loop. A thread that waits inside a part may be given another one by
/// oneTBB, so the old state is restored, not cleared.
class InsideLoop {
 public:
  InsideLoop() noexcept;
  ~InsideLoop();
  InsideLoop(const InsideLoop&) = delete;
  InsideLoop& operator=(const InsideLoop&) = delete;

 private:
  bool previous_;
};

}  // namespace lanewise::detail
