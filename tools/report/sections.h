#pragma once

#include <optional>
#include <string>

#include "bench/google_run.h"
#include "bench/run_file.h"
#include "compare/timed_run.h"
#include "profile_file.h"
#include "report/document.h"

namespace lanewise::tools {

// Each is empty (no title) where the run has nothing for it.
Section machine_section(const nlohmann::json& machine);
Section roofline_section(const BenchRun* run, const ProfileFile* profile);
/// Op x tier.
Section tiers_section(const BenchRun& run);
Section sizes_section(const BenchRun& run);
Section layouts_section(const BenchRun& run);
Section overhead_section(const BenchRun& run);
/// Of what `lanewise bench --tune file --verify -o` stored in `path`. Throws   Error if it is none
Section tuning_section(const nlohmann::json& stored, const std::string& path);
Section profile_section(const ProfileFile& profile);
Section difference_section(const TimedRun& before, const TimedRun& after, double bound);
Section results_section(const BenchRun& run);

// Of a Google Benchmark program.
Section machine_section(const GoogleRun& run);
/// With the curves of the other run, of another library perhaps, beside it; null for none.
Section sizes_section(const GoogleRun& run, const GoogleRun* before);
Section results_section(const GoogleRun& run);

/// A case without the words that its plot says for all.
std::string short_key(const BenchCase& c);
std::string short_key(std::string key);
/// 0 to 3: the colour and marker of a tier.
int series_of(Isa isa);

}  // namespace lanewise::tools
