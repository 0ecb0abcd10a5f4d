#include "bench/case.h"

#include <charconv>

#include <lanewise/tensor/dtype.h>
#include <lanewise/tensor/errors.h>

namespace lanewise::tools {
namespace {

std::string joined(const std::vector<std::int64_t>& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i == 0 ? "" : ",") + std::to_string(shape[i]);
  return text + "]";
}

}  // namespace

std::string BenchCase::key() const {
  std::string text = op + " " + short_name(dtype) + " " + joined(shape) + " " + layout;
  for (const auto& [name, value] : arguments) text += " " + name + "=" + value;
  return text + (threads == 1 ? ", 1 thread" : ", " + std::to_string(threads) + " threads");
}

std::vector<std::int64_t> parse_shape(const std::string& text) {
  std::vector<std::int64_t> shape;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    std::int64_t size = 0;
    const auto [next, error] = std::from_chars(at, end, size);
    at = next;
    bool good = error == std::errc() && size > 0 && size < (std::int64_t{1} << 40);
    if (good && end - at >= 2 && (at[0] == 'K' || at[0] == 'M') && at[1] == 'i') {
      size *= at[0] == 'K' ? 1 << 10 : 1 << 20;
      at += 2;
    }
    LANEWISE_CHECK(ValueError, good && (at == end || *at == 'x'), "size '", text,
                   "': expected numbers above 0 such as 4096, 16Ki, 2Mi or 64x784");
    shape.push_back(size);
    if (at == end) return shape;
    ++at;
  }
}

std::vector<std::pair<std::string, std::string>> parse_arguments(const std::vector<std::string>& texts) {
  std::vector<std::pair<std::string, std::string>> result;
  for (const std::string& text : texts) {
    const std::size_t at = text.find('=');
    LANEWISE_CHECK(ValueError, at != std::string::npos && at > 0, "--arg ", text, ": expected name=value");
    result.emplace_back(text.substr(0, at), text.substr(at + 1));
  }
  return result;
}

}  // namespace lanewise::tools
