#include "words.h"

#include <cctype>

namespace lanewise::codegen {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

std::vector<std::size_t> places_of(const std::string& name, const std::string& code) {
  std::vector<std::size_t> places;
  for (std::size_t at = code.find(name); at != std::string::npos; at = code.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !is_word(code[at - 1])) && (end == code.size() || !is_word(code[end])))
      places.push_back(at);
  }
  return places;
}

bool mentions(const std::string& code, const std::string& name) { return !places_of(name, code).empty(); }

std::string join(const std::vector<std::string>& parts, const std::string& separator) {
  std::string result;
  for (const std::string& part : parts) result += (result.empty() ? "" : separator) + part;
  return result;
}

}  // namespace lanewise::codegen
