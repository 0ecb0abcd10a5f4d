#include "bench/tune_check.h"

#include <cstring>

#include <lanewise/lanewise.h>

#include "bench/race.h"

namespace lanewise::tools {
namespace {

using kernels::Tuning;

constexpr double kAllowed = 1 / (1 + kTuneBound);  // best / tuned
constexpr std::size_t kTuned = 0, kFixed = 1;

bool has_same_bits(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Tensor x = a[i].contiguous(), y = b[i].contiguous();
    if (std::memcmp(x.data_ptr(), y.data_ptr(), x.nbytes()) != 0) return false;
  }
  return a.size() == b.size();
}

bool is_same_bits(const PreparedCase& prepared, const std::vector<Tuning>& tunings) {
  std::vector<Tensor> tuned;
  {
    const kernels::TuneGuard guard(tunings);
    tuned = prepared.results();
  }
  const IsaGuard guard(kernels::tunable_isas().back());
  return has_same_bits(tuned, prepared.results());
}

void put(TuneCheck& c, const Race& race) {
  c.tuned_ns = race.median_ns(kTuned);
  c.fixed.clear();
  for (const Isa isa : kernels::tunable_isas()) {
    const std::size_t lane = kFixed + c.fixed.size();
    c.fixed.push_back({isa, race.median_ns(lane), race.ratio(lane, kTuned).value});
  }
}

}  // namespace

TuneCheck::Verdict TuneCheck::verdict() const {
  return to_best.high < kAllowed   ? Verdict::Loses
         : to_best.low >= kAllowed ? Verdict::Holds
                                   : Verdict::Undecided;
}

const char* name(TuneCheck::Verdict verdict) noexcept {
  switch (verdict) {
    case TuneCheck::Verdict::Holds: return "holds";
    case TuneCheck::Verdict::Loses: return "loses";
    default: return "undecided";
  }
}

TuneCheckReport check_tuning_file(const kernels::TuneFile& file, const TuneSettings& settings,
                                  const std::function<void(const std::string&)>& progress) {
  TuneCheckReport report;
  const auto tiers = kernels::tunable_isas();
  std::vector<Lane> lanes{{.tunings = file.tunings}};
  for (const Isa isa : tiers) lanes.push_back({.fixed = isa});
  const auto check = [&](PreparedCase& prepared, const BenchCase& what, const Tuning& start) {
    TuneCheck& c = report.checks.emplace_back();
    c.what = what;
    c.choice = start;
    for (const Tuning& t : file.tunings) {
      if (t.kernel != start.kernel || t.dtype != start.dtype || t.size != start.size) continue;
      c.choice = t;
      c.is_tuned = true;
    }
    c.same_bits = is_same_bits(prepared, file.tunings);
    Race race(prepared, settings.seconds, lanes);
    race.run(settings.turns);
    const std::size_t best = race.fastest(kFixed);
    c.best = tiers[best - kFixed];
    c.to_best = race.decide(best, kTuned, kAllowed);
    put(c, race);
    if (c.verdict() != TuneCheck::Verdict::Loses) return;
    // Of hundreds of cases some are slow by chance, or by where their operands lie: against the same tier, with
    // other operands, from the beginning.
    PreparedCase elsewhere(what);
    Race again(elsewhere, settings.seconds, lanes);
    again.run(2 * settings.turns);
    c.to_best = again.decide(best, kTuned, kAllowed);
    put(c, again);
  };
  report.skipped = for_each_tuned_case(settings, progress, check);
  return report;
}

}  // namespace lanewise::tools
