#pragma once

#include <stdexcept>
#include <string>

namespace lanewise::codegen {

/// A mistake in derivatives.yaml. The message begins with `file:line: ` like a compiler's.
class SourceError : public std::runtime_error {
 public:
  SourceError(const std::string& file, int line, const std::string& message)
      : std::runtime_error(file + ":" + std::to_string(line) + ": " + message) {}
};

/// A mistake in a piece of text whose place is not known here; the reader adds file and line.
class SyntaxError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace lanewise::codegen
