#include "bench/tune_command.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <nlohmann/json.hpp>

#include <lanewise/dispatch_isa/isa.h>
#include <lanewise/tensor/errors.h>

#include "bench/run_file.h"
#include "bench/tune.h"
#include "bench/tune_check.h"
#include "commands.h"
#include "progress.h"
#include "text.h"

namespace lanewise::tools {
namespace {

TuneSettings settings_of(const TuneOptions& o) {
  const auto known = kernels::tunable_kernels();
  TuneSettings settings{
      .kernels = o.ops, .dtypes = {}, .threads = o.threads, .turns = o.turns, .seconds = o.seconds};
  for (const std::string& op : o.ops) {
    LANEWISE_CHECK(ValueError, std::binary_search(known.begin(), known.end(), op), "bench --tune: ", op,
                   ": no elementwise kernel of that name");
  }
  if (o.ops.empty()) settings.kernels.assign(known.begin(), known.end());
  for (const std::string& dtype : o.dtypes) settings.dtypes.push_back(parse_dtype(dtype));
  return settings;
}

std::string describe(const kernels::Tuning& t) {
  return std::string(name(t.isa)) + (t.grain > 0 ? ", grain " + std::to_string(t.grain) : "") +
         (t.block > 0 ? ", block " + std::to_string(t.block) : "");
}

nlohmann::json to_json(const TuneReport& report) {
  nlohmann::json rows = nlohmann::json::array();
  for (const TuneResult& r : report.results) {
    rows.push_back({{"case", r.what.key()},
                    {"isa", name(r.choice.isa)},
                    {"grain", r.choice.grain},
                    {"block", r.choice.block},
                    {"default", r.is_default},
                    {"default_ns", r.default_ns},
                    {"tuned_ns", r.tuned_ns},
                    {"speed_up", r.gain.value},
                    {"low", r.gain.low},
                    {"high", r.gain.high},
                    {"to_best_fixed_tier", r.to_best.value},
                    {"to_best_low", r.to_best.low},
                    {"to_best_high", r.to_best.high}});
  }
  return {{"cases", rows}, {"skipped", report.skipped}};
}

nlohmann::json to_json(const TuneCheckReport& report, const TuneOptions& o) {
  nlohmann::json rows = nlohmann::json::array();
  for (const TuneCheck& c : report.checks) {
    nlohmann::json fixed = nlohmann::json::array();
    for (const TuneCheck::Fixed& f : c.fixed)
      fixed.push_back({{"isa", name(f.isa)}, {"ns", f.ns}, {"to_tuned", f.to_tuned}});
    rows.push_back({{"case", c.what.key()},
                    {"tuned", c.is_tuned},
                    {"isa", name(c.choice.isa)},
                    {"grain", c.choice.grain},
                    {"block", c.choice.block},
                    {"tuned_ns", c.tuned_ns},
                    {"fixed", fixed},
                    {"best_fixed_tier", name(c.best)},
                    {"to_best_fixed_tier", c.to_best.value},
                    {"low", c.to_best.low},
                    {"high", c.to_best.high},
                    {"verdict", name(c.verdict())}});
  }
  return {{"format", "lanewise-tune-check"},
          {"version", 1},
          {"date", utc_now()},
          {"cpu", cpu_model()},
          {"file", o.path},
          {"threads", o.threads},
          {"bound", kTuneBound},
          {"cases", rows},
          {"skipped", report.skipped}};
}

void print(const TuneReport& report, const TuneOptions& o) {
  std::printf("%-44s %10s %10s %8s\n", "case", "default", "tuned", "speed-up");
  std::size_t tuned = 0;
  double worst = 2;
  for (const TuneResult& r : report.results) {
    worst = std::min(worst, r.to_best.high);
    if (r.is_default) continue;
    ++tuned;
    std::printf("%-44s %10s %10s %7.2fx  %s\n", r.what.key().c_str(), time_text(r.default_ns).c_str(),
                time_text(r.tuned_ns).c_str(), r.gain.value, describe(r.choice).c_str());
  }
  std::printf(
      "%zu of %zu cases are faster by more than %.1f %%, the others keep the defaults (%zu kernels not "
      "timed: no op of their name takes such operands). Worst against the best fixed tier: %.1f %% slower "
      "(95 %%).\nLANEWISE_TUNE=%s\n",
      tuned, report.results.size(), 50 * kTuneBound, report.skipped.size(),
      100 * std::max(0.0, 1 / worst - 1), o.path.c_str());
}

void print(const TuneCheckReport& report) {
  std::printf("%-44s %10s", "case", "tuned");
  for (const Isa isa : kernels::tunable_isas()) std::printf(" %10s", name(isa));
  std::printf(" %8s  %-15s %-9s %s\n", "to best", "95 %", "", "choice");
  std::size_t tuned = 0, loses = 0, undecided = 0;
  std::vector<double> logs(kernels::tunable_isas().size());  // of each tier over the tuned library
  for (const TuneCheck& c : report.checks) {
    tuned += c.is_tuned;
    loses += c.verdict() == TuneCheck::Verdict::Loses;
    undecided += c.verdict() == TuneCheck::Verdict::Undecided;
    for (std::size_t i = 0; i < logs.size(); ++i) logs[i] += std::log(c.fixed[i].to_tuned);
    if (!c.is_tuned && c.verdict() == TuneCheck::Verdict::Holds) continue;  // the defaults, and rightly
    std::printf("%-44s %10s", c.what.key().c_str(), time_text(c.tuned_ns).c_str());
    for (const TuneCheck::Fixed& f : c.fixed) std::printf(" %10s", time_text(f.ns).c_str());
    std::printf(" %7.3fx  %-15s %-9s %s\n", c.to_best.value,
                format("%.3f to %.3f", c.to_best.low, c.to_best.high).c_str(),
                c.verdict() == TuneCheck::Verdict::Loses ? "LOSES" : name(c.verdict()),
                c.is_tuned ? describe(c.choice).c_str() : "default");
  }
  std::printf("%zu cases, %zu of them tuned", report.checks.size(), tuned);
  for (std::size_t i = 0; i < logs.size(); ++i) {
    std::printf("; %.3fx over %s alone",
                std::exp(logs[i] / static_cast<double>(std::max<std::size_t>(report.checks.size(), 1))),
                name(kernels::tunable_isas()[i]));
  }
  std::printf(
      ".\n%zu lose more than %.0f %% to the best fixed tier (95 %%, twice), %zu are undecided; the others "
      "hold. Results have the same bits.\n",
      loses, 100 * kTuneBound, undecided);
}

/// On the output stream, and into the file that was asked for.
void put(const nlohmann::json& json, const TuneOptions& o) {
  const std::string text = json.dump(1) + "\n";
  if (o.json) std::printf("%s", text.c_str());
  if (!o.output.empty()) write_file(o.output, text);
}

}  // namespace

int run_tune(const TuneOptions& o) {
  const TuneSettings settings = settings_of(o);
  write_file(o.path, "");  // an error now, not at the end
  if (!o.output.empty()) write_file(o.output, "");
  TuneReport report;
  {
    Progress progress(settings.kernels.size() * settings.dtypes.size());
    report = tune(settings, [&](const std::string& what) { progress.step(what); });
  }
  LANEWISE_CHECK(ValueError, o.ops.empty() || report.skipped.empty(), "bench --tune: ", report.skipped[0]);
  kernels::TuneFile file{cpu_model(), {}};
  for (const TuneResult& r : report.results) {
    if (!r.is_default) file.tunings.push_back(r.choice);
  }
  write_file(o.path, file.text());
  if (!o.json) print(report, o);
  put(to_json(report), o);
  return kSuccess;
}

int run_tune_check(const TuneOptions& o) {
  const TuneSettings settings = settings_of(o);
  const kernels::TuneFile file = kernels::TuneFile::parse(read_file(o.path), o.path);
  LANEWISE_CHECK(ValueError, file.cpu == cpu_model(), o.path, ": of another CPU: ", file.cpu,
                 "; this one is ", cpu_model());
  if (!o.output.empty()) write_file(o.output, "");
  TuneCheckReport report;
  {
    Progress progress(settings.kernels.size() * settings.dtypes.size());
    report = check_tuning_file(file, settings, [&](const std::string& what) { progress.step(what); });
  }
  LANEWISE_CHECK(ValueError, o.ops.empty() || report.skipped.empty(), "bench --tune: ", report.skipped[0]);
  for (const TuneCheck& c : report.checks)
    LANEWISE_CHECK(Error, c.same_bits, c.what.key(),
                   ": the tuned library gives other bits than its best tier");
  if (!o.json) print(report);
  put(to_json(report, o), o);
  const auto loses = std::count_if(report.checks.begin(), report.checks.end(), [](const TuneCheck& c) {
    return c.verdict() == TuneCheck::Verdict::Loses;
  });
  if (loses > 0)
    std::fprintf(stderr, "lanewise: bench --tune --verify: %d of %zu cases lose more than %g %%\n",
                 static_cast<int>(loses), report.checks.size(), 100 * kTuneBound);
  return loses > 0 ? kRegression : kSuccess;
}

}  // namespace lanewise::tools
