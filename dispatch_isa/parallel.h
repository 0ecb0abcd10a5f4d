#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/dispatch_isa/threads.h>

namespace lanewise {

/// ceil(x / y) for y > 0.
constexpr std::int64_t divup(std::int64_t x, std::int64_t y) noexcept { return (x + y - 1) / y; }

namespace internal {
/// A grain for work of a few instructions per item; libtorch's name.
inline constexpr std::int64_t GRAIN_SIZE = 32768;
}  // namespace internal

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

/// sf(sf(identity, f(b0, e0, identity)), f(b1, e1, identity))... over ranges of `grain` items, in their order, f in
/// parallel: the result does not depend on the number of threads. `identity` must change nothing: a single range is not combined
/// with it.
template <class T, class F, class SF>
T parallel_reduce(std::int64_t begin, std::int64_t end, std::int64_t grain, const T identity, const F& f,
                  const SF& sf) {
  if (begin >= end) return identity;
  constexpr std::int64_t kMostRanges = 4096;
  const std::int64_t least = divup(end - begin, kMostRanges);
  const std::int64_t step = grain > least ? grain : least;
  if (end - begin <= step) return f(begin, end, identity);
  struct Part {
    T value;
  };
  const std::int64_t ranges = divup(end - begin, step);
  std::vector<Part> parts(static_cast<std::size_t>(ranges), Part{identity});
  parallel_for(0, ranges, 1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const std::int64_t from = begin + i * step;
      parts[static_cast<std::size_t>(i)].value = f(from, end - from < step ? end : from + step, identity);
    }
  });
  T result = identity;
  for (const Part& part : parts) result = sf(result, part.value);
  return result;
}

}  // namespace lanewise
