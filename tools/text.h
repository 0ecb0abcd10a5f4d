#pragma once

#include <cstdint>
#include <string>

namespace lanewise::tools {

/// "48 KiB", "2 MiB", "unknown" for 0.
std::string size_text(std::int64_t bytes);
/// "34.1 ns", "1.20 ms".
std::string time_text(double ns);
/// printf into a string.
[[gnu::format(printf, 1, 2)]] std::string format(const char* format, ...);

/// The whole file. Throws   Error, naming it
std::string read_file(const std::string& path);
/// Throws   Error, naming it
void write_file(const std::string& path, const std::string& text);

}  // namespace lanewise::tools
