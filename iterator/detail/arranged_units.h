#pragma once

#include <cstdint>
#include <type_traits>

#include <lanewise/kernels/kernel.h>

namespace lanewise::detail {

/// In what units the elements of a register are put in another order.
struct ArrangedUnits {
  using Pattern = kernels::BlockPattern;
  std::int64_t bytes;  ///< of a unit: 4, or 1 where elements are smaller or there is no instruction
  std::int64_t room;   ///< bytes of a register
  kernels::ArrangeFn arrange;

  ArrangedUnits(const kernels::Movers& movers, std::int64_t element_size) {
    const bool single = element_size < 4 || movers.arrange == nullptr;
    bytes = single ? 1 : 4;
    room = single ? 16 : movers.least_row;
    arrange = single ? movers.arrange_bytes : movers.arrange;
  }

  /// f of the units or bytes of a pattern.
  template <class F>
  void visit(Pattern& pattern, F f) const {
    bytes == 1 ? f(pattern.byte) : f(pattern.unit);
  }
  /// The element of `size` bytes at byte `from` comes to the places from `next` on; returns the one behind it.
  int put(Pattern& pattern, int next, std::int64_t from, std::int64_t size) const {
    visit(pattern, [&](auto* unit) {
      for (const std::int64_t last = from + size; from < last; from += bytes, ++next)
        unit[next] = static_cast<std::remove_reference_t<decltype(*unit)>>(from / bytes);
    });
    return next;
  }
};

/// The same in several registers, in units of 4 bytes; `room` is 0 where there is no instruction or elements are smaller.
struct LongArrangedUnits {
  using Pattern = kernels::LongBlockPattern;
  static constexpr std::int64_t bytes = 4;
  std::int64_t room;
  kernels::ArrangeLongFn arrange;

  LongArrangedUnits(const kernels::Movers& movers, std::int64_t element_size)
      : room(element_size < bytes || movers.arrange_long == nullptr ? 0 : bytes * Pattern::kMostUnits),
        arrange(movers.arrange_long) {}

  template <class F>
  void visit(Pattern& pattern, F f) const {
    f(pattern.unit);
  }
};

}  // namespace lanewise::detail
