#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/dispatch_isa/threads.h>

namespace lanewise {

namespace detail {

using RangeFn = void (*)(void* context, std::int64_t begin, std::int64_t end);

/// The part of parallel_for that knows threads; begin < end, grain >= 1.
LANEWISE_API void parallel_for(std::int64_t begin, std::int64_t end, std::int64_t grain, void* context,
                               RangeFn fn);

}  // namespace detail

/// Calls f(b, e) on disjoint ranges that together cover [begin, end), in up to get_num_threads() threads, and
/// waits. Ranges are of about equal length and aim at `grain` items or more; a thread takes up to four of
/// them, and those of a thread that lags behind. Runs f(begin, end) in the calling thread if there are at
/// most `grain` items, only one thread, or if that thread already runs a part of a parallel loop. The first
/// exception that f throws is thrown here, after the other ranges have ended or been dropped.
///
/// Called from a thread of someone's oneTBB arena, it uses that arena's workers.
template <class F>
void parallel_for(std::int64_t begin, std::int64_t end, std::int64_t grain, F&& f) {
  if (end - begin <= grain) {
    if (begin < end) {
      f(begin, end);
    }
    return;
  }
  using Body = std::remove_reference_t<F>;
  const void* context = std::addressof(f);
  detail::parallel_for(begin, end, grain, const_cast<void*>(context),
                       [](void* body, std::int64_t b, std::int64_t e) { (*static_cast<Body*>(body))(b, e); });
}

}  // namespace lanewise
