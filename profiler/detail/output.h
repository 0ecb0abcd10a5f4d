#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <lanewise/profiler/counters.h>
#include <lanewise/profiler/event.h>

namespace lanewise::profiler::detail {

struct Recording {
  const std::vector<Event>& events;
  const Counters& counters;
  std::int64_t dropped;
  double seconds;
};

std::string chrome_trace(const Recording& recording);
std::string folded_stacks(const std::vector<Event>& events);
/// Throws   Error, naming the file
void write_file(const std::string& path, std::string_view text);

/// Writes JSON: commas and quotes come by themselves.
class Json {
 public:
  Json& open(char bracket);  ///< '{' or '['
  Json& close();
  Json& key(std::string_view name);
  Json& value(std::string_view text);
  Json& value(const char* text) { return value(std::string_view(text)); }
  Json& value(std::int64_t number);
  Json& value(std::uint64_t number);
  Json& value(int number) { return value(static_cast<std::int64_t>(number)); }
  Json& value(double number);  ///< null for what is no number
  template <class T>
  Json& field(std::string_view name, const T& v) {
    return key(name).value(v);
  }
  Json& line();  ///< the next value begins a line
  const std::string& text() const noexcept { return text_; }

 private:
  void comma();
  std::string text_;
  std::string brackets_;
  bool first_ = true, line_ = false;
};

}  // namespace lanewise::profiler::detail
