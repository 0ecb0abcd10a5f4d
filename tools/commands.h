#pragma once

namespace CLI {
class App;
}

namespace lanewise::tools {

/// What `lanewise` returns.
enum ExitCode : int {
  kSuccess = 0,
  kFailure = 1,  ///< what was asked for could not be done
  kUsage = 2,    ///< it could not be understood
  kRegression =
      3,  ///< it was done, and the answer is no: slower than the bound allows, code outside of its tier
};

/// Each adds a subcommand to the tool. It runs when the arguments have been read, and puts its exit code into
/// `status`.
void add_bench(CLI::App& app, int& status);
void add_compare(CLI::App& app, int& status);
void add_explain(CLI::App& app, int& status);
void add_info(CLI::App& app, int& status);
void add_passport(CLI::App& app, int& status);
void add_profile(CLI::App& app, int& status);
void add_report(CLI::App& app, int& status);
void add_verify_isa(CLI::App& app, int& status);

}  // namespace lanewise::tools
