#pragma once

#include <cstring>
#include <string_view>

#include "points.h"
#include "special_rows.h"

namespace lanewise::test {

/// Fingerprints of all results of a function on the points of points.h.
struct Digest {
  std::string_view name;
  std::uint64_t f32;
  std::uint64_t f64;
};
inline constexpr Digest kDigests[] = {
#include "digests.inc"
};

inline const Digest* find_digest(std::string_view name) {
  for (const Digest& d : kDigests) {
    if (d.name == name) return &d;
  }
  return nullptr;
}

/// FNV-1a over the bits of the results. NaN counts as one value: its sign and payload differ between
/// processors.
template <class T>
std::uint64_t digest_of(const Row& row) {
  const Points<T> p = make_points<T>(row.low, row.high, row.second, sizeof(T) == 4 ? 100 : 10);
  std::vector<T> out(p.x.size());
  if constexpr (sizeof(T) == 4) {
    row.f32(p.x.data(), p.y.data(), out.data(), out.size());
  } else {
    row.f64(p.x.data(), p.y.data(), out.data(), out.size());
  }
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const T value : out) {
    const std::uint64_t bits = std::isnan(value) ? 1 : __builtin_bit_cast(BitsOf<T>, value);
    hash = (hash ^ bits) * 0x100000001b3u;
  }
  return hash;
}

}  // namespace lanewise::test
