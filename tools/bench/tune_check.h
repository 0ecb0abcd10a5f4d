#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/tune.h"

namespace lanewise::tools {

/// What a tuning file does to one case, beside every fixed tier.
struct TuneCheck {
  enum class Verdict { Holds, Loses, Undecided };

  BenchCase what;
  kernels::Tuning choice;  ///< of the file, else the defaults
  bool is_tuned = false;   ///< by the file
  double tuned_ns = 0;
  struct Fixed {
    Isa isa;
    double ns, to_tuned;  ///< to_tuned: time on this tier / tuned, of paired samples
  };
  std::vector<Fixed> fixed;      ///< the tiers with the same bits
  Isa best = Isa::sse4_2;        ///< the fastest of them
  Interval to_best = {1, 1, 1};  ///< best / tuned: below 1 where the tuned library loses
  bool same_bits = false;        ///< as on the best tier

  /// Loses: slower than the best fixed tier by more than kTuneBound beyond chance, measured twice. Undecided: the
  /// interval reaches over the bound after all turns.
  Verdict verdict() const;
};
const char* name(TuneCheck::Verdict verdict) noexcept;

struct TuneCheckReport {
  std::vector<TuneCheck> checks;
  std::vector<std::string> skipped;  ///< why a kernel could not be timed, a line each
};

/// Times each case as a program with LANEWISE_TUNE runs it, and on every fixed tier, in turns; close calls longer.
TuneCheckReport check_tuning_file(const kernels::TuneFile& file, const TuneSettings& settings,
                                  const std::function<void(const std::string& what)>& progress);

}  // namespace lanewise::tools
