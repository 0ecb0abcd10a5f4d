#pragma once

#include <cstddef>
#include <string>

namespace lanewise::tools {

/// A line on the error stream that says how far long work is; silent where that is no terminal.
class Progress {
 public:
  explicit Progress(std::size_t steps);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void step(const std::string& what);
  /// Wipes the line, for other output.
  void clear();

 private:
  std::size_t steps_, done_ = 0;
  bool shown_;
};

}  // namespace lanewise::tools
