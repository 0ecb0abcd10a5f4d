#pragma once

#include <cstdint>

#include <lanewise/dispatch_isa/detail/observe.h>
#include <lanewise/dispatch_isa/parallel.h>

namespace lanewise::detail {

/// A parallel loop, cut into pieces of `step` items, the last one shorter. Every worker has `per_worker` of
/// them in a row to begin with, the last worker maybe fewer.
struct Loop {
  std::int64_t begin;
  std::int64_t end;
  std::int64_t step;
  int pieces;
  int workers;
  int per_worker;
  bool flush_denormal;
  void* context;
  RangeFn fn;
  OpNotes* notes = nullptr;  ///< of the op that began the loop, if it is observed

  void run_piece(int piece) const {
    const std::int64_t b = begin + piece * step;
    fn(context, b, piece + 1 == pieces ? end : b + step);
  }
};

/// Runs every piece once, in up to `threads` threads, with in_parallel_region() true and the caller's setting
/// of denormals, and waits. loop_tbb.cpp, or loop_threads.cpp in builds with ThreadSanitizer.
void run_loop(const Loop& loop, int threads);
/// The calling thread's place among those of the loop that it runs a piece of.
int thread_in_loop() noexcept;

/// Marks the calling thread as inside a loop, and gives it the setting of denormals of the thread that began
/// it. A thread that waits inside a piece may be given another one by oneTBB, so the old state is restored,
/// not cleared.
class InsideLoop {
 public:
  explicit InsideLoop(const Loop& loop) noexcept;
  ~InsideLoop();
  InsideLoop(const InsideLoop&) = delete;
  InsideLoop& operator=(const InsideLoop&) = delete;

 private:
  bool previous_;
  bool flushed_;
  bool observed_ = false;
};

}  // namespace lanewise::detail
