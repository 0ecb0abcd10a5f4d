#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <lanewise/dispatch_isa/isa.h>

namespace lanewise::tools {

struct PassportSettings {
  bool markdown = false, json = false;
  std::int64_t points = 200000;
  std::vector<std::string> names;  ///< empty: all
};

/// Fewest points that the timed part needs.
inline constexpr std::int64_t kFewestPoints = 1 << 15;

/// One op on one tier.
struct PassportRow {
  std::string op, dtype;
  Isa isa;
  double error;            ///< the largest found, in ULP
  double elements_per_ns;  ///< one thread, 16 Ki elements into a given result
  std::string at;          ///< the argument of the largest error
};

/// Measures each mathematical op on every tier of this machine and hands each row on as it is found; `begins` is
/// told an op's name before it takes its time.
/// Throws   ValueError for a name that is none of them
void passport(const PassportSettings& settings, const std::function<void(const std::string&)>& begins,
              const std::function<void(const PassportRow&)>& found);
/// How many ops passport() will measure.
std::size_t passport_count(const PassportSettings& settings);

}  // namespace lanewise::tools
