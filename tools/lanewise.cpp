// The command-line tool. Each subcommand is in a file of its own.
#include <cstdio>
#include <exception>
#include <string>

#include <CLI/CLI.hpp>

#include <lanewise/dispatch_isa/version.h>

#include "commands.h"
#include "completion.h"

int main(int argc, char** argv) {
  using namespace lanewise::tools;
  CLI::App app(
      "Lanewise: what it sees of this machine, benchmarks of instruction sets, profiles of programs.",
      "lanewise");
  app.require_subcommand(1);
  app.set_help_all_flag("--help-all", "Help of all commands");
  app.set_version_flag("--version", std::string("lanewise ") + lanewise::version());
  app.failure_message(CLI::FailureMessage::simple);
  int status = kSuccess;
  add_info(app, status);
  add_bench(app, status);
  add_compare(app, status);
  add_explain(app, status);
  add_passport(app, status);
  add_profile(app, status);
  add_report(app, status);
  add_verify_isa(app, status);
  app.add_flag_callback(
      "--bash-completion",
      [&app] {
        std::printf("%s", bash_completion(app).c_str());
        throw CLI::Success();
      },
      "Print a script that completes commands and options: source <(lanewise --bash-completion)");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kSuccess : kUsage;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "lanewise: %s\n", error.what());
    return kFailure;
  }
  return status;
}
