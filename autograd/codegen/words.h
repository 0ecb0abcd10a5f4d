#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace lanewise::codegen {

/// Whether a C++ name may contain `c`.
bool is_word(char c);

/// Where `name` stands in C++ code, as a whole word.
std::vector<std::size_t> places_of(const std::string& name, const std::string& code);

/// Whether the C++ code names `name`, as a whole word.
bool mentions(const std::string& code, const std::string& name);

std::string join(const std::vector<std::string>& parts, const std::string& separator = ", ");

}  // namespace lanewise::codegen
