#include <cstdio>
#include <cstdlib>
#include <memory>
#include <regex>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include <lanewise/tensor/errors.h>

#include "command_line.h"
#include "commands.h"
#include "progress.h"
#include "text.h"
#include "verify/disassembly.h"

namespace lanewise::tools {
namespace {

struct Settings {
  std::vector<std::string> files, allow;
  bool json = false;
};

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? "'\\''" : std::string(1, c);
  return result + "'";
}

IsaReport inspect(const std::string& file, const std::vector<std::regex>& allow) {
  static_cast<void>(read_file(file));  // its message, not objdump's
  const char* given = std::getenv("LANEWISE_OBJDUMP");
  const std::string objdump = given != nullptr ? given : "objdump";
  const std::string command =
      "LC_ALL=C " + quoted(objdump) + " -d -C --wide --no-addresses -- " + quoted(file) + " 2>&1";
  std::FILE* pipe = popen(command.c_str(), "r");
  LANEWISE_CHECK(Error, pipe != nullptr, "verify-isa: cannot run ", objdump);
  DisassemblyReader reader([&](const std::string& function) {
    for (const std::regex& pattern : allow) {
      if (std::regex_search(function, pattern)) return true;
    }
    return false;
  });
  std::string first, line;
  bool x86 = false;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) {
    if (c != '\n') {
      line += static_cast<char>(c);
      continue;
    }
    if (first.empty()) first = line;
    x86 |= line.find("file format elf64-x86-64") != std::string::npos;
    reader.line(line);
    line.clear();
  }
  const int status = pclose(pipe);
  LANEWISE_CHECK(Error, status == 0, file, ": objdump (binutils) failed: ", first.empty() ? line : first);
  LANEWISE_CHECK(Error, x86, file, ": not an ELF file of x86-64");
  return reader.report();
}

void print(const std::string& file, const IsaReport& report) {
  std::printf("%s\n", file.c_str());
  for (const auto& [tier, count] : report.tiers) {
    std::printf("  %-12s %9lld instructions, %9lld AVX or later, %9lld AVX-512\n",
                tier == "none" ? "outside" : tier.c_str(), static_cast<long long>(count.instructions),
                static_cast<long long>(count.avx), static_cast<long long>(count.evex));
  }
  if (report.tiers.size() == 1)
    std::printf(
        "  no tier of Lanewise inside: not linked statically, or sections were merged by a linker script\n");
  if (report.allowed > 0) std::printf("  allowed: %lld\n", static_cast<long long>(report.allowed));
  std::printf("  misplaced: %lld\n", static_cast<long long>(report.misplaced));
  for (const Misplaced& m : report.examples)
    std::printf("    %s: %s: %s\n", m.section.c_str(), m.function.c_str(), m.instruction.c_str());
  if (report.misplaced > static_cast<std::int64_t>(report.examples.size())) {
    std::printf(
        "    ... in %zu functions; --allow <pattern> excuses those that are dispatched by other means\n",
        report.functions.size());
  }
}

nlohmann::json to_json(const std::string& file, const IsaReport& report) {
  nlohmann::json tiers = nlohmann::json::object(), examples = nlohmann::json::array();
  for (const auto& [tier, count] : report.tiers)
    tiers[tier] = {{"instructions", count.instructions}, {"avx", count.avx}, {"evex", count.evex}};
  for (const Misplaced& m : report.examples)
    examples.push_back({{"section", m.section}, {"function", m.function}, {"instruction", m.instruction}});
  return {{"file", file},
          {"tiers", tiers},
          {"misplaced", report.misplaced},
          {"allowed", report.allowed},
          {"functions", report.functions},
          {"examples", examples}};
}

int verify(const Settings& settings) {
  std::vector<std::regex> allow;
  for (const std::string& pattern : settings.allow) {
    try {
      allow.emplace_back(pattern);
    } catch (const std::regex_error&) {
      detail::raise<ValueError>("--allow ", pattern, ": not a regular expression");
    }
  }
  nlohmann::json all = nlohmann::json::array();
  bool clean = true;
  Progress progress(settings.files.size());
  for (const std::string& file : settings.files) {
    progress.step(file);
    const IsaReport report = inspect(file, allow);
    progress.clear();
    clean &= report.misplaced == 0;
    if (settings.json) {
      all.push_back(to_json(file, report));
    } else {
      print(file, report);
    }
  }
  if (settings.json) std::printf("%s\n", all.dump(1).c_str());
  return clean ? kSuccess : kRegression;
}

}  // namespace

void add_verify_isa(CommandLine& line) {
  Command command = line.command("verify-isa",
                                 "Disassemble finished programs or libraries and look for AVX code "
                                 "outside of the dispatched tiers; exit code 3 if there is some");
  const auto settings = std::make_shared<Settings>();
  command.option("file", settings->files, "ELF files of x86-64").required();
  command.option("--allow", settings->allow, "Regular expression of functions that may use any instruction")
      .values(1, 1);
  command.flag("--json", settings->json, "Print JSON");
  command.action([settings] { return verify(*settings); });
}

}  // namespace lanewise::tools
