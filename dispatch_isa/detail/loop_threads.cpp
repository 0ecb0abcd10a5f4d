// Runs loops in threads of its own. Only for builds with ThreadSanitizer: it cannot see how oneTBB's library,
// which is not compiled with it, orders memory, and would report every loop.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

#include <lanewise/dispatch_isa/detail/loop.h>

namespace lanewise::detail {

namespace {

constinit thread_local int place = 0;

}  // namespace

int thread_in_loop() noexcept { return place; }

void run_loop(const Loop& loop, int threads) {
  std::vector<std::exception_ptr> errors(static_cast<std::size_t>(loop.pieces));
  std::atomic<int> next{0};
  const auto work = [&] {
    const InsideLoop inside(loop);
    for (int piece = next++; piece < loop.pieces; piece = next++) {
      try {
        loop.run_piece(piece);
      } catch (...) {
        errors[static_cast<std::size_t>(piece)] = std::current_exception();
      }
    }
  };
  std::vector<std::thread> workers;
  for (int i = 1; i < std::min(threads, loop.workers); ++i) {
    workers.emplace_back([&work, i] {
      place = i;
      work();
    });
  }
  work();
  for (std::thread& worker : workers) {
    worker.join();
  }
  for (const std::exception_ptr& error : errors) {
    if (error) {
      std::rethrow_exception(error);
    }
  }
}

}  // namespace lanewise::detail
