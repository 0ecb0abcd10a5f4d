#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <lanewise/dispatch_isa/error.h>
#include <lanewise/dispatch_isa/threads.h>
#include <lanewise/tensor/errors.h>

#include "bench/bench_table.h"
#include "bench/run_file.h"
#include "bench/standard_cases.h"
#include "bench/tune_command.h"
#include "command_line.h"
#include "commands.h"
#include "machine.h"
#include "progress.h"
#include "text.h"

namespace lanewise::tools {
namespace {

struct Settings {
  std::vector<std::string> ops, dtypes{"f32"}, sizes{"16Ki"}, layouts{"contiguous"}, isas, arguments;
  std::vector<int> threads{1};
  int turns = 11;
  double seconds = 0.004;
  std::string output, label, tune;
  bool json = false, list = false, verify = false;
};

std::vector<BenchCase> cases_of(const Settings& s) {
  std::vector<BenchCase> cases;
  if (s.ops.empty()) {
    for (const BenchCase& standard : standard_cases()) {
      for (const int threads : s.threads) {
        cases.push_back(standard);
        cases.back().threads = threads;
      }
    }
    return cases;
  }
  for (const std::string& op : s.ops) {
    for (const std::string& dtype : s.dtypes) {
      for (const std::string& size : s.sizes) {
        for (const std::string& layout : s.layouts) {
          for (const int threads : s.threads)
            cases.push_back(
                {op, parse_dtype(dtype), parse_shape(size), layout, threads, parse_arguments(s.arguments)});
        }
      }
    }
  }
  return cases;
}

std::vector<Isa> isas_of(const Settings& s) {
  if (s.isas.empty()) return {available_isas().begin(), available_isas().end()};
  std::vector<Isa> isas;
  for (const std::string& text : s.isas) {
    isas.push_back(parse_isa(text));
    const IsaGuard available(isas.back());  // an error here, not after the first cases
  }
  return isas;
}

int tune(const Settings& s) {
  const TuneOptions options{.path = s.tune,
                            .ops = s.ops,
                            .dtypes = s.dtypes,
                            .threads = *std::max_element(s.threads.begin(), s.threads.end()),
                            .turns = s.turns,
                            .seconds = s.seconds / 2,
                            .output = s.output,
                            .json = s.json};
  return s.verify ? run_tune_check(options) : run_tune(options);
}

int bench(const Settings& s) {
  if (!s.tune.empty()) return tune(s);
  const std::vector<BenchCase> cases = cases_of(s);
  if (s.list) {
    for (const BenchCase& c : cases) std::printf("%s\n", c.key().c_str());
    return kSuccess;
  }
  BenchRun run;
  run.machine = machine_json();
  run.date = utc_now();
  run.label = s.label;
  if (!s.output.empty()) write_file(s.output, "");  // an error now, not at the end
  const MeasureSettings settings{isas_of(s), s.turns, s.seconds};
  Limits limits;
  Progress progress(cases.size());
  for (const BenchCase& c : cases) {
    progress.step(c.key());
    const std::vector<BenchResult> results = measure(c, settings, limits);
    progress.clear();
    if (!s.json && run.results.empty())
      std::printf("%s, %s\n%s", cpu_model().c_str(), run.date.c_str(), bench_head().c_str());
    if (!s.json) std::printf("%s", bench_rows(results).c_str());
    std::fflush(stdout);
    run.results.insert(run.results.end(), results.begin(), results.end());
  }
  set_limits(run, limits);
  const std::string text = to_json(run).dump(1) + "\n";
  if (s.json) std::printf("%s", text.c_str());
  if (!s.output.empty()) write_file(s.output, text);
  return kSuccess;
}

}  // namespace

void add_bench(CommandLine& line) {
  Command command = line.command("bench", "Time ops by name on every tier, answers checked first");
  const auto s = std::make_shared<Settings>();
  command.option("op", s->ops, "Ops such as add or sum.dim_IntList (default: the standard list)");
  command.option("--dtype", s->dtypes, "f32, f64, bf16, f16, i32...").separated_by(',').show_default();
  command.option("--size", s->sizes, "Shapes: 16Ki, 2Mi, 64x784; products: m x k x n")
      .separated_by(',')
      .show_default();
  command.option("--layout", s->layouts, "Where operands lie")
      .separated_by(',')
      .one_of(std::vector<std::string>(std::begin(kLayouts), std::end(kLayouts)))
      .show_default();
  command.option("--threads", s->threads, "Numbers of threads")
      .separated_by(',')
      .between(1, kMaxThreads)
      .show_default();
  command.option("--isa", s->isas, "Tiers (default: all of this machine)").separated_by(',');
  command.option("--arg", s->arguments, "Other arguments of the op: dim=0");
  command.option("--turns", s->turns, "Samples per tier, in turns with the others")
      .between(3, 10000)
      .show_default();
  command.option("--seconds", s->seconds, "Length of a turn").between(1e-5, 60.0).show_default();
  command.option("-o,--output", s->output, "Store the run");
  Option tune =
      command.option("--tune", s->tune,
                     "Find tier, grain and block for each elementwise kernel (or those given as op), and "
                     "write them to this file for LANEWISE_TUNE");
  command
      .flag("--verify", s->verify,
            "With --tune: read the file and time the tuned library beside every fixed tier; exit code 3 "
            "where it loses more than 3 %")
      .needs(tune);
  command.option("--label", s->label, "What the stored run is called");
  command.flag("--json", s->json, "Print the run as JSON");
  command.flag("--list", s->list, "Only name the cases");
  for (const char* other : {"--size", "--layout", "--isa", "--arg", "--label", "--list"})
    tune.excludes(command.defined(other));
  command.action([s] { return bench(*s); });
}

}  // namespace lanewise::tools
