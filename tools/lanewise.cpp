// The command-line tool. Each subcommand is in a file of its own.
#include <cstdio>
#include <exception>

#include <lanewise/dispatch_isa/version.h>

#include "command_line.h"
#include "commands.h"
#include "completion.h"

int main(int argc, char** argv) {
  using namespace lanewise::tools;
  CommandLine line(
      "lanewise",
      "Lanewise: what it sees of this machine, benchmarks of instruction sets, profiles of programs.",
      lanewise::version());
  add_info(line);
  add_bench(line);
  add_compare(line);
  add_explain(line);
  add_passport(line);
  add_profile(line);
  add_report(line);
  add_verify_isa(line);
  line.printing_flag(
      "--bash-completion", [&line] { return bash_completion(line); },
      "Print a script that completes commands and options: source <(lanewise --bash-completion)");
  try {
    return line.run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "lanewise: %s\n", error.what());
    return kFailure;
  }
}
