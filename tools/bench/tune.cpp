#include "bench/tune.h"

#include <algorithm>

#include <lanewise/lanewise.h>

#include "bench/measure.h"

namespace lanewise::tools {
namespace {

using kernels::SizeClass;
using kernels::Tuning;

constexpr double kWorthIt = 1.03;

std::int64_t elements_of(SizeClass size) {
  switch (size) {
    case SizeClass::Small: return 2048;
    case SizeClass::Cache: return 1 << 16;
    default: return 1 << 21;
  }
}

/// Samples of each candidate, turn i of all taken together.
class Race {
 public:
  Race(PreparedCase& prepared, const TuneSettings& settings) : prepared_(prepared), settings_(settings) {}

  std::vector<std::vector<double>> run(const std::vector<Tuning>& candidates, int turns) {
    std::vector<std::vector<double>> samples(candidates.size());
    for (int turn = 0; turn < turns; ++turn) {
      for (std::size_t i = 0; i < candidates.size(); ++i) {
        const kernels::TuneGuard guard({&candidates[i], 1});
        samples[i].push_back(sample());
      }
    }
    return samples;
  }
  /// The winner, if it beats the first beyond chance by enough; else the first.
  Tuning winner(const std::vector<Tuning>& candidates) {
    const auto samples = run(candidates, settings_.turns);
    std::size_t best = 0;
    for (std::size_t i = 1; i < candidates.size(); ++i) {
      if (median(samples[i]) < median(samples[best])) best = i;
    }
    const Interval gain = median_of_ratios(samples[0], samples[best]);
    return gain.value > kWorthIt && gain.low > 1 ? candidates[best] : candidates[0];
  }
  double sample() {
    prepared_.run();  // the tier's code and the operands are warm again
    if (calls_ == 0) calls_ = calls_in(prepared_, settings_.seconds);
    return ns_of(prepared_, calls_) / static_cast<double>(calls_);
  }

 private:
  PreparedCase& prepared_;
  const TuneSettings& settings_;
  std::int64_t calls_ = 0;
};

bool is_default(const Tuning& t) {
  return t.isa == kernels::tunable_isas().back() && t.grain == 0 && t.block == 0;
}

Tuning choose(Race& race, const Tuning& start, const TuneSettings& settings) {
  std::vector<Tuning> candidates{start};
  for (const Isa isa : kernels::tunable_isas()) {
    if (isa == start.isa) continue;
    candidates.push_back(start);
    candidates.back().isa = isa;
  }
  Tuning best = race.winner(candidates);
  if (settings.threads > 1 && start.size != SizeClass::Small) {
    candidates = {best};
    for (const std::int64_t grain : {1 << 13, 1 << 15, 1 << 17, 1 << 30}) {
      candidates.push_back(best);
      candidates.back().grain = grain;
    }
    best = race.winner(candidates);
  }
  if (kernels::compute_type(start.dtype) != start.dtype) {
    candidates = {best};
    for (const std::int64_t block : {256, 512, 1024}) {
      candidates.push_back(best);
      candidates.back().block = block;
    }
    best = race.winner(candidates);
  }
  return best;
}

/// Choice, defaults and every fixed tier once more, so that the lucky samples that led to the choice do not
/// count.
TuneResult checked(Race& race, const BenchCase& what, const Tuning& start, const Tuning& choice,
                   const TuneSettings& settings) {
  std::vector<Tuning> candidates{choice, start};
  for (const Isa isa : kernels::tunable_isas()) {
    candidates.push_back(start);
    candidates.back().isa = isa;
  }
  const auto samples = race.run(candidates, 2 * settings.turns);
  std::size_t best = 2;
  for (std::size_t i = 3; i < candidates.size(); ++i) {
    if (median(samples[i]) < median(samples[best])) best = i;
  }
  return {.choice = choice,
          .what = what,
          .is_default = is_default(choice),
          .default_ns = median(samples[1]),
          .tuned_ns = median(samples[0]),
          .gain = median_of_ratios(samples[1], samples[0]),
          .to_best = median_of_ratios(samples[best], samples[0])};
}

TuneResult tune_case(const std::string& kernel, ScalarType dtype, SizeClass size,
                     const TuneSettings& settings) {
  const BenchCase what{
      .op = kernel, .dtype = dtype, .shape = {elements_of(size)}, .threads = settings.threads};
  PreparedCase prepared(what);
  Race race(prepared, settings);
  const Tuning start{.kernel = kernel, .dtype = dtype, .size = size, .isa = kernels::tunable_isas().back()};
  const Tuning choice = choose(race, start, settings);
  TuneResult result = checked(race, what, start, choice, settings);
  if (!result.is_default && result.gain.low <= 1) {  // it was luck
    result.choice = start;
    result.is_default = true;
  }
  return result;
}

}  // namespace

TuneReport tune(const TuneSettings& settings, const std::function<void(const std::string&)>& progress) {
  set_num_threads(settings.threads);
  TuneReport report;
  for (const std::string& kernel : settings.kernels) {
    for (const ScalarType dtype : settings.dtypes) {
      progress(kernel + " " + short_name(dtype));
      try {
        for (const SizeClass size : {SizeClass::Small, SizeClass::Cache, SizeClass::Memory})
          report.results.push_back(tune_case(kernel, dtype, size, settings));
      } catch (const Error& error) {
        report.skipped.push_back(kernel + " " + short_name(dtype) + ": " + error.what());
      }
    }
  }
  return report;
}

}  // namespace lanewise::tools
