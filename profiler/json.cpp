#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>

#include <lanewise/profiler/detail/output.h>
#include <lanewise/tensor/errors.h>

namespace lanewise::profiler::detail {

void Json::comma() {
  if (!first_) text_ += ',';
  if (line_) text_ += '\n';
  first_ = line_ = false;
}

Json& Json::open(char bracket) {
  comma();
  text_ += bracket;
  brackets_ += bracket == '{' ? '}' : ']';
  first_ = true;
  return *this;
}

Json& Json::close() {
  text_ += brackets_.back();
  brackets_.pop_back();
  first_ = false;
  return *this;
}

Json& Json::key(std::string_view name) {
  value(name);
  text_ += ':';
  first_ = true;
  return *this;
}

Json& Json::value(std::string_view text) {
  comma();
  text_ += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      text_ += '\\';
      text_ += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char code[8];
      std::snprintf(code, sizeof(code), "\\u%04x", static_cast<unsigned>(c));
      text_ += code;
    } else {
      text_ += c;
    }
  }
  text_ += '"';
  return *this;
}

Json& Json::value(std::int64_t number) {
  comma();
  text_ += std::to_string(number);
  return *this;
}

Json& Json::value(std::uint64_t number) {
  comma();
  text_ += std::to_string(number);
  return *this;
}

Json& Json::value(double number) {
  comma();
  char text[40];
  const char* end = std::to_chars(text, text + sizeof(text), number, std::chars_format::general, 12).ptr;
  text_ += std::isfinite(number) ? std::string_view(text, static_cast<std::size_t>(end - text)) : "null";
  return *this;
}

Json& Json::line() {
  line_ = true;
  return *this;
}

void write_file(const std::string& path, std::string_view text) {
  std::FILE* file = std::fopen(path.c_str(), "we");
  LANEWISE_CHECK(Error, file != nullptr, "profile: cannot write ", path, ": ", std::strerror(errno));
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const bool closed = std::fclose(file) == 0;
  LANEWISE_CHECK(Error, written && closed, "profile: cannot write ", path, ": ", std::strerror(errno));
}

}  // namespace lanewise::profiler::detail
