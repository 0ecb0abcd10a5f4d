#pragma once

#include <filesystem>
#include <string>

namespace lanewise::codegen {

/// Text of a generated file.
class Text {
 public:
  /// Appends the parts and a newline.
  template <class... Parts>
  void line(const Parts&... parts) {
    ((text_ += parts), ...);
    text_ += '\n';
  }
  const std::string& str() const { return text_; }

 private:
  std::string text_;
};

/// The first lines of a C++ file: where it comes from.
std::string banner(const std::string& source, const std::string& comment = "// ");

/// Writes the file unless it already has this content, so that what depends on it is not built again.
void write_if_changed(const std::filesystem::path& path, const std::string& content);

}  // namespace lanewise::codegen
