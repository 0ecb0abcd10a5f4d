#include "bench/limits.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <functional>
#include <memory>
#include <new>

#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/dispatch_isa/threads.h>

namespace lanewise::tools {
namespace {

double seconds_of(const std::function<void()>& run) {
  const auto begin = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// The shortest of many runs: what disturbs only makes them longer.
double best_seconds(const std::function<void(std::int64_t repeats)>& run) {
  constexpr double kEach = 0.004;
  std::int64_t repeats = 1;
  while (seconds_of([&] { run(repeats); }) < kEach && repeats < (std::int64_t{1} << 40)) repeats *= 2;
  double best = 1e9;
  for (int i = 0; i < 9; ++i) best = std::min(best, seconds_of([&] { run(repeats); }));
  return best / static_cast<double>(repeats);
}

struct ThreadsGuard {
  explicit ThreadsGuard(int threads) : before(get_num_threads()) { set_num_threads(threads); }
  ~ThreadsGuard() { set_num_threads(before); }
  int before;
};

struct Free {
  void operator()(float* p) const { ::operator delete(p, std::align_val_t{64}); }
};
using Block = std::unique_ptr<float, Free>;

Block block(std::int64_t n, float value) {
  auto* p =
      static_cast<float*>(::operator new(static_cast<std::size_t>(n) * sizeof(float), std::align_val_t{64}));
  std::fill(p, p + n, value);
  return Block(p);
}

}  // namespace

double Limits::bandwidth(Isa isa, int threads, std::int64_t working_set) {
  const auto rounded = static_cast<std::int64_t>(
      std::bit_floor(static_cast<std::uint64_t>(std::max<std::int64_t>(working_set, 4096))));
  const auto [entry, fresh] = bandwidths_.try_emplace({isa, threads, rounded}, 0);
  if (!fresh) return entry->second;
  const std::int64_t n = std::max<std::int64_t>(rounded / 12 / 256, 1) * 256;
  const Block a = block(n, 0), b = block(n, 1), c = block(n, 2);
  const LimitLoops loops = limit_loops(isa);
  const ThreadsGuard guard(threads);
  const std::int64_t pieces = n / 256, grain = std::max<std::int64_t>(64, divup(pieces, threads));
  double seconds = 1e9;
  for (const LimitLoops::Triad triad : {loops.triad, loops.triad_past_cache}) {
    seconds = std::min(seconds, best_seconds([&](std::int64_t repeats) {
                         for (std::int64_t r = 0; r < repeats; ++r) {
                           parallel_for(0, pieces, grain, [&](std::int64_t begin, std::int64_t end) {
                             triad(a.get() + begin * 256, b.get() + begin * 256, c.get() + begin * 256,
                                   (end - begin) * 256);
                           });
                         }
                       }));
  }
  return entry->second = static_cast<double>(n) * 12 / seconds * 1e-9;
}

double Limits::arithmetic(Isa isa, int threads, bool doubles) {
  const auto [entry, fresh] = arithmetics_.try_emplace({isa, threads, doubles}, 0);
  if (!fresh) return entry->second;
  const LimitLoops loops = limit_loops(isa);
  const ThreadsGuard guard(threads);
  std::atomic<std::int64_t> operations = 0;  // of one round, all threads
  const double seconds = best_seconds([&](std::int64_t repeats) {
    operations = 0;
    parallel_for(0, threads, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        operations += static_cast<std::int64_t>((doubles ? loops.doubles : loops.floats)(64 * repeats));
    });
    operations = operations / repeats;
  });
  return entry->second = static_cast<double>(operations) / seconds * 1e-9;
}

}  // namespace lanewise::tools
