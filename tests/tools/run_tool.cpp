#include "run_tool.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <sys/wait.h>
#include <unistd.h>

namespace lanewise::test {
namespace {

struct Folder {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("lanewise_tool_" + std::to_string(getpid()));
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() { std::filesystem::remove_all(path); }
};

std::string text_of(const std::string& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

std::string scratch_file(const std::string& name) {
  static const Folder folder;
  return folder.path / name;
}

ToolRun run_tool(const std::vector<std::string>& arguments, const std::string& environment) {
  const std::string out = scratch_file("out"), errors = scratch_file("errors");
  std::string command = environment + " " LANEWISE_TOOL;
  for (const std::string& argument : arguments) command += " '" + argument + "'";
  const int state = std::system((command + " > " + out + " 2> " + errors).c_str());
  return {WIFEXITED(state) ? WEXITSTATUS(state) : -1, text_of(out), text_of(errors)};
}

}  // namespace lanewise::test
