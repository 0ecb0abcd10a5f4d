#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace lanewise::ops {

/// The bytes of an element of any dtype of this size: data movement goes by size, not by type.
template <class Unsigned>
struct [[gnu::may_alias]] Bits {
  Unsigned bits;
};
struct [[gnu::may_alias]] Bits128 {
  std::uint64_t low;
  std::uint64_t high;
};

/// Calls f.template operator()<T>() with a T of `size` bytes, which is 1, 2, 4, 8 or 16.
template <class F>
decltype(auto) visit_size(std::size_t size, F&& f) {
  switch (size) {
    case 1: return f.template operator()<Bits<std::uint8_t>>();
    case 2: return f.template operator()<Bits<std::uint16_t>>();
    case 4: return f.template operator()<Bits<std::uint32_t>>();
    case 8: return f.template operator()<Bits<std::uint64_t>>();
    default: return f.template operator()<Bits128>();
  }
}

}  // namespace lanewise::ops
