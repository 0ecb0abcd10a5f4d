#pragma once

#include <string>

#include "command_line.h"

namespace lanewise::tools {

/// A script for bash that completes commands, their options, ops, and the words that an option takes.
std::string bash_completion(const CommandLine& line);

}  // namespace lanewise::tools
