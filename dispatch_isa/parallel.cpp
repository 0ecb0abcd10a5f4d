#include <lanewise/dispatch_isa/parallel.h>

#include <algorithm>

#include <lanewise/dispatch_isa/detail/loop.h>

namespace lanewise {

namespace {

constinit thread_local bool inside = false;

detail::Loop split(std::int64_t begin, std::int64_t end, std::int64_t grain, int threads) {
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

InsideLoop::InsideLoop() noexcept : previous_(inside) { inside = true; }

InsideLoop::~InsideLoop() { inside = previous_; }

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
  run_loop(loop, threads);
}

}  // namespace detail
}  // namespace lanewise
