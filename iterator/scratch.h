#pragma once

#include <cstddef>

namespace lanewise::detail {

/// What a thread's scratch memory is used for; each purpose has its own.
enum class Scratch { Tile, RawTile, Accumulators, Values, PanelA, PanelB, ProductTile, PartialProducts };
inline constexpr std::size_t kScratchPurposes = static_cast<std::size_t>(Scratch::PartialProducts) + 1;

/// At least `bytes` of this thread's memory for `purpose`, aligned to 64 bytes; valid until the thread asks
/// again for the same purpose.
char* scratch(Scratch purpose, std::size_t bytes);

}  // namespace lanewise::detail
