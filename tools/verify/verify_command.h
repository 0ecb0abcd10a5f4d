#pragma once

#include <CLI/CLI.hpp>

namespace lanewise::tools {

/// `lanewise verify-isa`, as the others of commands.h.
void add_verify_isa(CLI::App& app, int& status);

}  // namespace lanewise::tools
