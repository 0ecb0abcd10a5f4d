#pragma once

#include <string>
#include <vector>

namespace lanewise::tools {

/// The options of `lanewise bench` that --tune knows.
struct TuneOptions {
  std::string path;
  std::vector<std::string> ops, dtypes;  ///< no ops: all elementwise kernels
  int threads = 1;
  int turns = 11;
  double seconds = 0.002;
  std::string output;  ///< for what --json prints
  bool json = false;
};

/// Finds the choices and writes them to the file. Its exit code.
int run_tune(const TuneOptions& options);
/// Reads the file and shows what it is worth; kRegression where it loses to a fixed tier.
int run_tune_check(const TuneOptions& options);

}  // namespace lanewise::tools
