#pragma once

#include <optional>
#include <string>

#include "bench/run_file.h"
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
Section profile_section(const ProfileFile& profile);
Section difference_section(const BenchRun& before, const BenchRun& after, double bound);
Section results_section(const BenchRun& run);

/// A case without the words that its plot says for all.
std::string short_key(const BenchCase& c);
/// 0 to 3: the colour and marker of a tier.
int series_of(Isa isa);

}  // namespace lanewise::tools
