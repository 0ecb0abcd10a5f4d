#pragma once

#include <cstdint>
#include <utility>

#include <lanewise/dispatch_isa/api.h>

namespace lanewise {

/// The state of the counter-based random numbers (Philox 4x32-10): element i of a random tensor is a function
/// of (seed, offset, i). Process-wide, safe to use from several threads; then who draws first decides who
/// gets which numbers.
class LANEWISE_API Generator {
 public:
  struct State {
    std::uint64_t seed;
    std::uint64_t offset;
  };
  /// The (seed, offset) to draw `count` counters with; moves the offset past them.
  static State reserve(std::uint64_t count) noexcept;
  static State state() noexcept;
  static void set_state(State state) noexcept;

  /// manual_seed(), and the seed that it was called with.
  static void set_current_seed(std::uint64_t seed) noexcept;
  static std::uint64_t current_seed() noexcept;
};

/// Starts the random numbers anew: the same program draws the same numbers again.
LANEWISE_API void manual_seed(std::uint64_t seed) noexcept;
LANEWISE_API std::uint64_t initial_seed() noexcept;

}  // namespace lanewise
