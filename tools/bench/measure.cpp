#include "bench/measure.h"

#include <algorithm>

#include <lanewise/lanewise.h>
#include <lanewise/profiler/profile.h>

#include "bench/check.h"
#include "bench/sample.h"
#include "compare/statistics.h"

namespace lanewise::tools {
namespace {

// What one call moves and computes, and how, told by the profiler.
void describe(PreparedCase& prepared, BenchResult& result) {
  profiler::Profile profile;
  prepared.run();
  profile.stop();
  for (const profiler::Event& event : profile.events()) {
    if (event.kind == profiler::Kind::Loop) continue;
    result.bytes += event.depth == 0 ? event.bytes : 0;
    result.flops += event.flops;
    if (event.path != "-" && result.path.find(event.path) == std::string::npos)
      result.path += (result.path.empty() ? "" : "+") + std::string(event.path);
    for (const profiler::TensorRecord& t : event.tensors) {
      std::int64_t n = 1;
      for (const std::int64_t size : t.sizes) n *= size;
      result.elements = std::max(result.elements, n);
    }
  }
}

void count(PreparedCase& prepared, std::int64_t calls, BenchResult& result) {
  profiler::Counters counters = profiler::Counters::open();
  for (std::int64_t i = 0; i < calls; ++i) prepared.run();
  counters.close();
  for (std::size_t i = 0; i < counters.names().size(); ++i) {
    const double per_element = static_cast<double>(counters.totals()[i]) / static_cast<double>(calls) /
                               static_cast<double>(std::max<std::int64_t>(result.elements, 1));
    if (counters.names()[i] == "cycles") result.cycles = per_element;
    if (counters.names()[i] == "instructions") result.instructions = per_element;
  }
}

}  // namespace

double BenchResult::median() const { return tools::median(ns); }
double BenchResult::spread() const { return (quantile(ns, 0.75) - quantile(ns, 0.25)) / 2 / median(); }
double BenchResult::share_of_limit() const {
  const double memory = bandwidth_limit > 0 ? static_cast<double>(bytes) / bandwidth_limit : 0;
  const double arithmetic = arithmetic_limit > 0 ? flops / arithmetic_limit : 0;
  return std::max(memory, arithmetic) / median();
}

std::vector<BenchResult> measure(const BenchCase& c, const MeasureSettings& settings, Limits& limits) {
  set_num_threads(c.threads);
  PreparedCase prepared(c);
  std::vector<BenchResult> results;
  std::vector<std::int64_t> calls;
  const std::vector<Tensor> reference = prepared.reference();
  for (const Isa isa : settings.isas) {
    const IsaGuard guard(isa);
    BenchResult& result = results.emplace_back();
    result.what = c;
    result.isa = isa;
    result.error = check(c.key() + " on " + name(isa), c.dtype, prepared.results(), reference);
    describe(prepared, result);
    calls.push_back(take_sample(prepared, settings.seconds).calls);
  }
  for (int turn = 0; turn < settings.turns; ++turn) {
    for (std::size_t i = 0; i < settings.isas.size(); ++i) {
      const IsaGuard guard(settings.isas[i]);
      prepared.run();  // the tier's code and the operands are warm again
      results[i].ns.push_back(take_sample(prepared, calls[i]).ns_per_call());
    }
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    BenchResult& result = results[i];
    {
      const IsaGuard guard(result.isa);
      count(prepared, calls[i], result);
    }
    result.bandwidth_limit = limits.bandwidth(result.isa, c.threads, result.bytes);
    result.arithmetic_limit =
        limits.arithmetic(result.isa, c.threads, c.dtype == kDouble || c.dtype == kComplexDouble);
  }
  return results;
}

}  // namespace lanewise::tools
