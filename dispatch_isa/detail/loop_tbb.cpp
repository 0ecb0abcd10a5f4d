#include <algorithm>
#include <atomic>
#include <cstddef>
#include <optional>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>

#include <lanewise/dispatch_isa/detail/binding.h>
#include <lanewise/dispatch_isa/detail/loop.h>

namespace lanewise::detail {

namespace {

/// The pieces of a worker that nobody has begun.
struct alignas(64) Share {
  std::atomic<int> next{0};
  int end = 0;
};
constexpr int kMaxShares = 64;

// A share per worker, handed to the same thread each time: the caches stay warm from loop to loop. Who is
// through with its own goes on with the others', so that a worker whose core is busy elsewhere, or that comes
// late, holds nobody up for longer than a piece.
void run_here(const Loop& loop) {
  const bool binds = !binding().pus.empty();
  Share shares[kMaxShares];
  const int count = std::min(loop.workers, kMaxShares);
  const int per_share = (loop.workers + count - 1) / count * loop.per_worker;
  for (int s = 0; s < count; ++s) {
    shares[s].next.store(std::min(s * per_share, loop.pieces), std::memory_order_relaxed);
    shares[s].end = std::min((s + 1) * per_share, loop.pieces);
  }
  const auto work = [&](int worker) {
    const InsideLoop inside(loop);
    // Workers only: a caller stays where it is.
    if (const int slot = binds ? tbb::this_task_arena::current_thread_index() : 0; slot > 0) [[unlikely]]
      bind_this_thread(slot);
    for (int i = 0; i < count; ++i) {
      Share& share = shares[(worker + i) % count];
      while (share.next.load(std::memory_order_relaxed) < share.end) {
        const int piece = share.next.fetch_add(1, std::memory_order_relaxed);
        if (piece < share.end) {
          loop.run_piece(piece);
        }
      }
    }
  };
  tbb::parallel_for(0, loop.workers, 1, work, tbb::static_partitioner());
}

/// Slots of the arena that oneTBB gives the calling thread of its own accord; 0 if the thread was in one, as a worker or by
/// execute(), when it first came here.
int default_slots() {
  thread_local const int slots =
      tbb::this_task_arena::current_thread_index() == tbb::task_arena::not_initialized
          ? tbb::this_task_arena::max_concurrency()
          : 0;
  return slots;
}

/// The calling thread's arena of that many slots.
tbb::task_arena& arena(int slots) {
  thread_local std::optional<tbb::task_arena> mine;
  if (!mine || mine->max_concurrency() != slots) mine.emplace(slots);
  return *mine;
}

/// The first thread that runs a loop has the first place of the binding.
void bind_first_caller() {
  static const bool bound = (bind_this_thread(0), true);
  static_cast<void>(bound);
}

}  // namespace

int thread_in_loop() noexcept { return std::max(0, tbb::this_task_arena::current_thread_index()); }

void run_loop(const Loop& loop, int threads) {
  // A thread's default arena has a slot for every core: with fewer threads asked for, oneTBB would wake the others to find
  // nothing to do. A caller's own arena is the caller's choice.
  const int slots = default_slots();
  if (!binding().pus.empty()) [[unlikely]]
    bind_first_caller();  // after oneTBB has counted the cores
  if (slots != 0 && threads != slots && tbb::this_task_arena::max_concurrency() == slots) {
    const auto most = tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
    const int wanted = static_cast<int>(std::min(static_cast<std::size_t>(threads), most));
    if (wanted != slots) {
      arena(wanted).execute([&loop] { run_here(loop); });
      return;
    }
  }
  // Isolated: while it waits, the thread must not pick up an unrelated task of the caller, who may hold a lock.
  tbb::this_task_arena::isolate([&loop] { run_here(loop); });
}

}  // namespace lanewise::detail
