#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace lanewise::tools {

/// A script for bash that completes commands, their options, ops, and the words that an option takes.
std::string bash_completion(const CLI::App& app);

}  // namespace lanewise::tools
