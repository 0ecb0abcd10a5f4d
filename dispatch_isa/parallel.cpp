#include <lanewise/dispatch_isa/parallel.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>

namespace lanewise {

namespace {

constinit thread_local bool inside = false;

/// A thread that waits inside a body may be given another part by oneTBB, so the old state is restored, not cleared.
class InsideGuard {
 public:
  InsideGuard() noexcept : previous_(inside) { inside = true; }
  ~InsideGuard() { inside = previous_; }
  InsideGuard(const InsideGuard&) = delete;
  InsideGuard& operator=(const InsideGuard&) = delete;

 private:
  bool previous_;
};

/// The arena of that many threads. Arenas are made on first use and never freed: there are few, they hold no threads of
/// their own, and a loop that runs while another thread changes the number of threads keeps the one it began with.
tbb::task_arena& arena(int threads) {
  static constinit std::array<std::atomic<tbb::task_arena*>, kMaxThreads + 1> arenas{};
  std::atomic<tbb::task_arena*>& slot = arenas[static_cast<std::size_t>(threads)];
  tbb::task_arena* current = slot.load(std::memory_order_acquire);
  if (current == nullptr) [[unlikely]] {
    // More slots than oneTBB has threads would only earn a warning on the error stream.
    const auto limit = tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
    auto* made = new tbb::task_arena(static_cast<int>(std::min(static_cast<std::size_t>(threads), limit)));
    if (slot.compare_exchange_strong(current, made, std::memory_order_acq_rel)) {
      current = made;
    } else {
      delete made;
    }
  }
  return *current;
}

struct Loop {
  std::int64_t begin;
  std::int64_t end;
  std::int64_t step;
  int parts;
  void* context;
  detail::RangeFn fn;

  void run_part(int part) const {
    const std::int64_t b = begin + part * step;
    const std::int64_t e = part + 1 == parts ? end : b + step;
    const InsideGuard guard;
    fn(context, b, e);
  }

  // One part per thread, handed to the same thread each time: the caches stay warm from loop to loop.
  void run() const {
    tbb::parallel_for(0, parts, 1, [this](int part) { run_part(part); }, tbb::static_partitioner());
  }
};

Loop split(std::int64_t begin, std::int64_t end, std::int64_t grain, int threads) {
  const std::int64_t size = end - begin;
  grain = std::max<std::int64_t>(1, grain);
  std::int64_t parts = std::min<std::int64_t>(threads, size / grain);
  parts = std::max<std::int64_t>(1, parts);
  std::int64_t step = (size + parts - 1) / parts;
  if (step >= 1024) {  // whole cache lines per part, whatever the element
    step = (step + 63) / 64 * 64;
  }
  parts = (size + step - 1) / step;
  return {begin, end, step, static_cast<int>(parts), nullptr, nullptr};
}

}  // namespace

bool in_parallel_region() noexcept { return inside; }

namespace detail {

void parallel_for(std::int64_t begin, std::int64_t end, std::int64_t grain, void* context, RangeFn fn) {
  const int threads = inside ? 1 : get_num_threads();
  if (threads == 1) {
    fn(context, begin, end);
    return;
  }
  Loop loop = split(begin, end, grain, threads);
  if (loop.parts == 1) {
    fn(context, begin, end);
    return;
  }
  loop.context = context;
  loop.fn = fn;
  if (tbb::this_task_arena::current_thread_index() == tbb::task_arena::not_initialized) {
    arena(threads).execute([&loop] { loop.run(); });
  } else {
    // Isolated: while it waits, the thread must not pick up an unrelated task of the caller, who may hold a lock.
    tbb::this_task_arena::isolate([&loop] { loop.run(); });
  }
}

}  // namespace detail
}  // namespace lanewise
