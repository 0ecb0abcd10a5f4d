#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lanewise::tools {

struct PassportSettings {
  bool markdown = false;
  std::int64_t points = 200000;
  std::vector<std::string> names;  ///< empty: all
};

/// Fewest points that the timed part needs.
inline constexpr std::int64_t kFewestPoints = 1 << 15;

/// The largest error found and the speed of each mathematical op, on every tier of this machine. Returns the
/// exit code.
int passport(const PassportSettings& settings);

}  // namespace lanewise::tools
