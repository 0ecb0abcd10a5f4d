#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_scheduler_observer.h>

#include <lanewise/dispatch_isa/detail/binding.h>
#include <lanewise/dispatch_isa/detail/loop.h>

namespace lanewise::detail {

namespace {

/// Binds the workers of an arena as they come.
class BindsWorkers : public tbb::task_scheduler_observer {
 public:
  explicit BindsWorkers(tbb::task_arena& arena) : tbb::task_scheduler_observer(arena) { observe(true); }
  void on_scheduler_entry(bool is_worker) override {
    if (is_worker) bind_this_thread(tbb::this_task_arena::current_thread_index());
  }
};

/// The arena of that many threads. Arenas are made on first use and never freed: there are few, they hold no
/// threads of their own, and a loop that runs while another thread changes the number of threads keeps the
/// one it began with.
tbb::task_arena& arena(int threads) {
  static constinit std::array<std::atomic<tbb::task_arena*>, kMaxThreads + 1> arenas{};
  std::atomic<tbb::task_arena*>& slot = arenas[static_cast<std::size_t>(threads)];
  tbb::task_arena* current = slot.load(std::memory_order_acquire);
  if (current == nullptr) [[unlikely]] {
    const bool binds = !binding().pus.empty();
    // More slots than oneTBB has threads would only earn a warning on the error stream.
    const auto limit = tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
    auto* made = new tbb::task_arena(static_cast<int>(std::min(static_cast<std::size_t>(threads), limit)));
    if (slot.compare_exchange_strong(current, made, std::memory_order_acq_rel)) {
      current = made;
      if (binds) {
        made->initialize();
        static_cast<void>(new BindsWorkers(*made));  // lives as long as the arena
        static const bool caller_is_bound =
            (bind_this_thread(0), true);  // the first caller of a loop has the first core
        static_cast<void>(caller_is_bound);
      }
    } else {
      delete made;
    }
  }
  return *current;
}

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
    // The arena may be the caller's own, whose workers nobody bound as they came. A caller stays where it is.
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

}  // namespace

void run_loop(const Loop& loop, int threads) {
  if (tbb::this_task_arena::current_thread_index() == tbb::task_arena::not_initialized) {
    arena(threads).execute([&loop] { run_here(loop); });
  } else {
    // Isolated: while it waits, the thread must not pick up an unrelated task of the caller, who may hold a
    // lock.
    tbb::this_task_arena::isolate([&loop] { run_here(loop); });
  }
}

}  // namespace lanewise::detail
