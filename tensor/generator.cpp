#include <mutex>

#include <lanewise/tensor/generator.h>

namespace lanewise {

namespace {

constexpr std::uint64_t kDefaultSeed = 67280421310721;

struct Shared {
  std::mutex mutex;
  Generator::State state{kDefaultSeed, 0};
};
constinit Shared shared;

}  // namespace

Generator::State Generator::reserve(std::uint64_t count) noexcept {
  const std::lock_guard lock(shared.mutex);
  const State before = shared.state;
  shared.state.offset += count;
  return before;
}

Generator::State Generator::state() noexcept {
  const std::lock_guard lock(shared.mutex);
  return shared.state;
}

void Generator::set_state(State state) noexcept {
  const std::lock_guard lock(shared.mutex);
  shared.state = state;
}

void Generator::set_current_seed(std::uint64_t seed) noexcept { set_state({seed, 0}); }
std::uint64_t Generator::current_seed() noexcept { return state().seed; }

void manual_seed(std::uint64_t seed) noexcept { Generator::set_state({seed, 0}); }
std::uint64_t initial_seed() noexcept { return Generator::state().seed; }

}  // namespace lanewise
