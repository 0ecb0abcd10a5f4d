#include <algorithm>

#include <lanewise/dispatch_isa/detail/loop.h>
#include <lanewise/dispatch_isa/flush_denormal.h>
#include <lanewise/dispatch_isa/parallel.h>

namespace lanewise {

namespace {

constinit thread_local bool inside = false;

/// A worker's share comes in up to this many pieces, so that what a thread on a busy core does not get to is
/// done by the others.
constexpr std::int64_t kPiecesPerWorker = 4;

detail::Loop split(std::int64_t begin, std::int64_t end, std::int64_t grain, int threads) {
  const std::int64_t size = end - begin;
  grain = std::max<std::int64_t>(1, grain);
  const std::int64_t workers = std::max<std::int64_t>(1, std::min<std::int64_t>(threads, size / grain));
  const std::int64_t per_worker = std::clamp<std::int64_t>(size / grain / workers, 1, kPiecesPerWorker);
  std::int64_t step = divup(size, workers * per_worker);
  if (step >= 1024) {  // whole cache lines per piece, whatever the element
    step = divup(step, 64) * 64;
  }
  const std::int64_t pieces = divup(size, step);
  return {.begin = begin,
          .end = end,
          .step = step,
          .pieces = static_cast<int>(pieces),
          .workers = static_cast<int>(divup(pieces, per_worker)),
          .per_worker = static_cast<int>(per_worker),
          .flush_denormal = flush_denormal(),
          .context = nullptr,
          .fn = nullptr};
}

}  // namespace

bool in_parallel_region() noexcept { return inside; }
int get_thread_num() noexcept { return inside ? detail::thread_in_loop() : 0; }

namespace detail {

InsideLoop::InsideLoop(const Loop& loop) noexcept : previous_(inside), flushed_(lanewise::flush_denormal()) {
  inside = true;
  if (flushed_ != loop.flush_denormal) {
    set_flush_denormal(loop.flush_denormal);
  }
  if (loop.notes != nullptr) [[unlikely]] {
    loop_observer.load(std::memory_order_acquire)->begin(*loop.notes);
    observed_ = true;
  }
}

InsideLoop::~InsideLoop() {
  if (observed_) [[unlikely]]
    loop_observer.load(std::memory_order_acquire)->end();
  inside = previous_;
  if (flushed_ != lanewise::flush_denormal()) {
    set_flush_denormal(flushed_);
  }
}

void parallel_for(std::int64_t begin, std::int64_t end, std::int64_t grain, void* context, RangeFn fn) {
  const int threads = inside ? 1 : get_num_threads();
  if (threads == 1) {
    fn(context, begin, end);
    return;
  }
  Loop loop = split(begin, end, grain, threads);
  if (loop.workers == 1) {
    fn(context, begin, end);
    return;
  }
  loop.context = context;
  loop.fn = fn;
  if (is_observed() && op_notes != nullptr && loop_observer.load(std::memory_order_acquire) != nullptr)
      [[unlikely]] {
    loop.notes = op_notes;
    op_notes->threads =
        std::max(op_notes->threads, static_cast<std::uint16_t>(std::min(loop.workers, threads)));
  }
  run_loop(loop, threads);
}

}  // namespace detail
}  // namespace lanewise
