#pragma once

#include <cstdint>

namespace lanewise::kernels {

/// Room for the ranks of the longest line that any tier takes.
inline constexpr std::int64_t kMostRankedBytes = 512;

/// ranks[i]: how many of the n elements of x come before element i in stable order, -0 being equal to 0 and NaN above all. An
/// element of a register at a time is compared with all of the line: no branch to guess. `ranks` are integers of the element's
/// size, with room for whole registers.
using RankFn = void (*)(const void* x, std::int64_t n, bool descending, void* ranks) noexcept;

/// Ranks of one ISA.
struct RankTable {
  RankFn f32, f64, i32, i64;
  /// Lines of up to so many bytes are sorted faster this way than by any other: the comparisons grow with the square. Lines of 16 and 64
  /// f32 take 0.2 of the time of before, of 128 0.5.
  std::int64_t most_bytes;
};

#ifdef LANEWISE_ISA
namespace LANEWISE_ISA {
extern const RankTable rank_table;
}
#endif

}  // namespace lanewise::kernels
