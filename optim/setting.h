#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <variant>

namespace lanewise::optim {

/// A setting of an optimizer: its name, and where its value is.
struct Setting {
  using Place = std::variant<double*, std::int64_t*, bool*, std::tuple<double, double>*,
                             std::optional<std::int64_t>*, std::optional<std::string>*>;

  const char* name;
  Place place;
};

}  // namespace lanewise::optim
