#pragma once

namespace lanewise::tools {

class CommandLine;

/// What `lanewise` returns.
enum ExitCode : int {
  kSuccess = 0,
  kFailure = 1,  ///< what was asked for could not be done
  kUsage = 2,    ///< it could not be understood
  kRegression =
      3,  ///< it was done, and the answer is no: slower than the bound allows, code outside of its tier
};

/// Each adds a subcommand to the tool. It runs when the arguments have been read.
void add_bench(CommandLine& line);
void add_compare(CommandLine& line);
void add_explain(CommandLine& line);
void add_info(CommandLine& line);
void add_passport(CommandLine& line);
void add_profile(CommandLine& line);
void add_report(CommandLine& line);
void add_verify_isa(CommandLine& line);

}  // namespace lanewise::tools
