#pragma once

#include <span>
#include <string_view>

namespace lanewise::tools {

/// `lanewise passport [--markdown] [--points N] [name...]`: the largest error found and the speed of each
/// mathematical op, on every tier of this machine. Returns the exit code.
int passport(std::span<const std::string_view> arguments);

}  // namespace lanewise::tools
