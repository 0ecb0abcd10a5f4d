#include "text.h"

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <string_view>

#include <lanewise/dispatch_isa/error.h>

namespace lanewise::tools {

std::string format(const char* format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  return text;
}

std::string size_text(std::int64_t bytes) {
  if (bytes <= 0) return "unknown";
  constexpr std::string_view kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  return format(value < 10 && value != static_cast<int>(value) ? "%.1f " : "%.0f ", value) +
         std::string(kUnits[unit]);
}

std::string time_text(double ns) {
  if (ns < 1e3) return format("%.3g ns", ns);
  if (ns < 1e6) return format("%.3g us", ns * 1e-3);
  if (ns < 1e9) return format("%.3g ms", ns * 1e-6);
  return format("%.3g s", ns * 1e-9);
}

std::string read_file(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "re");
  LANEWISE_CHECK(Error, file != nullptr, path, ": cannot be read: ", std::strerror(errno));
  std::string text;
  char part[1 << 16];
  for (std::size_t n = 0; (n = std::fread(part, 1, sizeof(part), file)) > 0;) text.append(part, n);
  const bool failed = std::ferror(file) != 0;
  std::fclose(file);
  LANEWISE_CHECK(Error, !failed, path, ": cannot be read: ", std::strerror(errno));
  return text;
}

void write_file(const std::string& path, const std::string& text) {
  std::FILE* file = std::fopen(path.c_str(), "we");
  LANEWISE_CHECK(Error, file != nullptr, path, ": cannot be written: ", std::strerror(errno));
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const bool closed = std::fclose(file) == 0;
  LANEWISE_CHECK(Error, written && closed, path, ": cannot be written: ", std::strerror(errno));
}

}  // namespace lanewise::tools
