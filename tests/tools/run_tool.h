#pragma once

#include <string>
#include <vector>

namespace lanewise::test {

struct ToolRun {
  int status = -1;
  std::string output;
  std::string errors;
};

/// Runs the tool; arguments are quoted for the shell, `environment` goes before it as NAME=value.
ToolRun run_tool(const std::vector<std::string>& arguments, const std::string& environment = "");
/// A file name in a folder that goes away with the process.
std::string scratch_file(const std::string& name);

}  // namespace lanewise::test
