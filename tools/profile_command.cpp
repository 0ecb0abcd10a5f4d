#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include <lanewise/dispatch_isa/error.h>

#include "command_line.h"
#include "commands.h"
#include "profile_file.h"
#include "text.h"

namespace lanewise::tools {
namespace {

struct Settings {
  std::string output = "lanewise-profile.json";
  bool counters = false, shapes = false, json = false;
  std::size_t rows = 20;
  std::string sort = "self";
  std::vector<std::string> program;
};

/// Runs the program with the profile on. Its exit code, 128 and more by a signal, as shells say it; nothing, having said why, if it
/// cannot be run.
std::optional<int> run(const Settings& settings) {
  int failure[2];  // closed when the program begins; tells the error if it does not
  LANEWISE_CHECK(Error, pipe2(failure, O_CLOEXEC) == 0,
                 "profile: cannot make a pipe: ", std::strerror(errno));
  const pid_t child = fork();
  LANEWISE_CHECK(Error, child >= 0, "profile: cannot start a process: ", std::strerror(errno));
  if (child == 0) {
    setenv("LANEWISE_PROFILE", settings.output.c_str(), 1);
    if (settings.counters) setenv("LANEWISE_PROFILE_COUNTERS", "1", 1);
    std::vector<char*> arguments;
    for (const std::string& argument : settings.program)
      arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
    const int error = errno;
    _exit(write(failure[1], &error, sizeof error) == sizeof error ? 127 : 126);
  }
  close(failure[1]);
  int error = 0, state = 0;
  const bool fails = read(failure[0], &error, sizeof error) == sizeof error;
  close(failure[0]);
  while (waitpid(child, &state, 0) < 0 && errno == EINTR) {
  }
  if (fails) {
    std::fprintf(stderr, "lanewise: profile: cannot run %s: %s\n", settings.program[0].c_str(),
                 std::strerror(error));
    return std::nullopt;
  }
  return WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
}

int profile(const Settings& settings) {
  write_file(settings.output, "");  // an error now, not after hours
  if (std::filesystem::is_regular_file(settings.output)) std::remove(settings.output.c_str());
  const std::optional<int> status = run(settings);
  if (!status) return kFailure;
  if (access(settings.output.c_str(), R_OK) != 0) {
    std::fprintf(
        stderr,
        "lanewise: profile: %s wrote no profile: it does not use Lanewise, or the file cannot be written\n",
        settings.program[0].c_str());
    return kFailure;
  }
  const ProfileFile file = read_profile(settings.output);
  if (settings.json) {
    std::printf("%s\n", file.summary.dump(2).c_str());
  } else {
    const auto group = settings.shapes ? profiler::GroupBy::NameAndShape : profiler::GroupBy::Name;
    std::printf("%s", profiler::table(file.averages(group), settings.sort, settings.rows).c_str());
    for (const auto& [name, count] : file.summary.at("counters").items())
      std::printf("%s: %s\n", name.c_str(), count.dump().c_str());
    std::printf("trace for Perfetto and `lanewise report`: %s\n", settings.output.c_str());
  }
  if (*status != 0)
    std::fprintf(stderr, "lanewise: profile: %s ended with %d\n", settings.program[0].c_str(), *status);
  return *status;
}

}  // namespace

void add_profile(CommandLine& line) {
  Command command = line.command("profile",
                                 "Run a program that links Lanewise with the profiler on: lanewise "
                                 "profile [options] -- program [arguments]");
  const auto settings = std::make_shared<Settings>();
  command.option("-o,--output", settings->output, "Where the trace goes").show_default();
  command.flag("--counters", settings->counters, "Count cycles, instructions and misses");
  command.flag("--shapes", settings->shapes, "A row per op and shapes");
  command.flag("--json", settings->json, "Print the averages as JSON");
  command.option("--rows", settings->rows, "Rows of the table").between(1, 1'000'000).show_default();
  command.option("--sort", settings->sort, "Order of the rows")
      .one_of({"self", "total", "count", "bytes", "name"})
      .show_default();
  command.option("program", settings->program, "Program and its arguments, after --").required();
  command.action([settings] { return profile(*settings); });
}

}  // namespace lanewise::tools
