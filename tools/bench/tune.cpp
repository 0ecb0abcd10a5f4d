#include "bench/tune.h"

#include <lanewise/lanewise.h>

#include "bench/race.h"

namespace lanewise::tools {
namespace {

using kernels::SizeClass;
using kernels::Tuning;

// Half of the bound: where noise hides a gain, what is lost by keeping the defaults stays within all of it.
constexpr double kWorthIt = 1 + kTuneBound / 2;

std::int64_t elements_of(SizeClass size) {
  switch (size) {
    case SizeClass::Small: return 2048;
    case SizeClass::Cache: return 1 << 16;
    default: return 1 << 21;
  }
}

bool is_default(const Tuning& t) {
  return t.isa == kernels::tunable_isas().back() && t.grain == 0 && t.block == 0;
}

bool is_gain(const Interval& gain) { return gain.value > kWorthIt && gain.low > 1; }

/// The fastest, if it beats the first beyond chance by enough; else the first. Close calls are timed longer.
Tuning winner(PreparedCase& prepared, const std::vector<Tuning>& candidates, const TuneSettings& settings) {
  std::vector<Lane> lanes;
  for (const Tuning& candidate : candidates) lanes.push_back({.tunings = {candidate}});
  Race race(prepared, settings.seconds, std::move(lanes));
  race.run(settings.turns);
  const std::size_t best = race.fastest();
  return best != 0 && is_gain(race.decide(0, best, kWorthIt)) ? candidates[best] : candidates[0];
}

Tuning choose(PreparedCase& prepared, const Tuning& start, const TuneSettings& settings) {
  std::vector<Tuning> candidates{start};
  for (const Isa isa : kernels::tunable_isas()) {
    if (isa == start.isa) continue;
    candidates.push_back(start);
    candidates.back().isa = isa;
  }
  Tuning best = winner(prepared, candidates, settings);
  if (settings.threads > 1 && start.size != SizeClass::Small) {
    candidates = {best};
    for (const std::int64_t grain : {1 << 13, 1 << 15, 1 << 17, 1 << 30}) {
      candidates.push_back(best);
      candidates.back().grain = grain;
    }
    best = winner(prepared, candidates, settings);
  }
  if (kernels::compute_type(start.dtype) != start.dtype) {
    candidates = {best};
    for (const std::int64_t block : {256, 512, 1024}) {
      candidates.push_back(best);
      candidates.back().block = block;
    }
    best = winner(prepared, candidates, settings);
  }
  return best;
}

/// Choice, defaults and every fixed tier once more, so that the lucky samples that led to the choice do not
/// count: a choice that is not faster again gives way to the defaults, and those, the first time, to a tier that
/// beats them.
TuneResult checked(PreparedCase& prepared, const BenchCase& what, const Tuning& start, const Tuning& choice,
                   bool first, const TuneSettings& settings) {
  constexpr std::size_t kChoice = 0, kDefault = 1, kFixed = 2;
  const auto tiers = kernels::tunable_isas();
  std::vector<Lane> lanes{{.tunings = {choice}}, {.tunings = {start}}};
  for (const Isa isa : tiers) lanes.push_back({.fixed = isa});
  Race race(prepared, settings.seconds, std::move(lanes));
  race.run(2 * settings.turns);
  Tuning final_choice = choice;
  std::size_t lane = kChoice;
  if (is_default(choice) || race.decide(kDefault, kChoice, 1).low <= 1) {
    final_choice = start;
    lane = kDefault;
  }
  const std::size_t best = race.fastest(kFixed);
  if (first && is_gain(race.decide(lane, best, kWorthIt))) {
    final_choice = start;
    final_choice.isa = tiers[best - kFixed];
    lane = best;
  }
  // The turns since may have taken back what spoke for it.
  if (lane != kDefault && race.ratio(kDefault, lane).low <= 1) {
    final_choice = start;
    lane = kDefault;
  }
  return {.choice = final_choice,
          .what = what,
          .is_default = is_default(final_choice),
          .default_ns = race.median_ns(kDefault),
          .tuned_ns = race.median_ns(lane),
          .gain = race.ratio(kDefault, lane),
          .to_best = race.ratio(best, lane)};
}

}  // namespace

std::vector<std::string> for_each_tuned_case(const TuneSettings& settings,
                                             const std::function<void(const std::string&)>& progress,
                                             const TunedCaseFn& f) {
  std::vector<std::string> skipped;
  set_num_threads(settings.threads);
  for (const std::string& kernel : settings.kernels) {
    for (const ScalarType dtype : settings.dtypes) {
      progress(kernel + " " + short_name(dtype));
      for (const SizeClass size : {SizeClass::Small, SizeClass::Cache, SizeClass::Memory}) {
        const BenchCase what{
            .op = kernel, .dtype = dtype, .shape = {elements_of(size)}, .threads = settings.threads};
        try {
          PreparedCase prepared(what);
          f(prepared, what,
            {.kernel = kernel, .dtype = dtype, .size = size, .isa = kernels::tunable_isas().back()});
        } catch (const Error& error) {
          skipped.push_back(kernel + " " + short_name(dtype) + ": " + error.what());
          break;
        }
      }
    }
  }
  return skipped;
}

TuneReport tune(const TuneSettings& settings, const std::function<void(const std::string&)>& progress) {
  TuneReport report;
  report.skipped = for_each_tuned_case(
      settings, progress, [&](PreparedCase& prepared, const BenchCase& what, const Tuning& start) {
        const Tuning choice = choose(prepared, start, settings);
        // Each time with other operands: where they lie favours one tier or another by a few percent.
        PreparedCase elsewhere(what);
        TuneResult result = checked(elsewhere, what, start, choice, /*first=*/true, settings);
        if (!result.is_default) {
          PreparedCase third(what);
          result = checked(third, what, start, result.choice, /*first=*/false, settings);
        }
        report.results.push_back(result);
      });
  return report;
}

}  // namespace lanewise::tools
