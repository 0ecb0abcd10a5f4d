#include <cstdio>
#include <memory>

#include <nlohmann/json.hpp>

#include <lanewise/dispatch_isa/isa.h>

#include "command_line.h"
#include "commands.h"
#include "passport.h"
#include "progress.h"

namespace lanewise::tools {
namespace {

void print_head(const PassportSettings& settings) {
  if (settings.json) return;
  if (!settings.markdown) {
    std::printf("%-18s %-11s %-8s %10s %12s  %s\n", "op", "dtype", "tier", "max ULP", "elements/ns", "at");
    return;
  }
  std::printf(
      "# Mathematics: largest errors and speed\n\n"
      "Written by `lanewise passport --markdown > docs/mathematics.md`. Every mathematical op is compared "
      "with the same function "
      "in long double on %lld arguments: half from the range it is mostly used on, half of any sign and "
      "exponent, denormals "
      "included. `max ULP` is the largest error found, in units in the last place of the exact result; for "
      "complex numbers the "
      "distance from the exact result in units of its magnitude. lgamma and digamma are measured right of 0. "
      "Special values, and "
      "samples against MPFR, are in tests/vec, the largest errors over every f32 in its README. "
      "`elements/ns`: one thread, 16 Ki elements, out= given, call by name included; on %s.\n\n"
      "avx2, avx512 and neon give the same bits; sse4_2 has no fused multiply-add and may round "
      "differently.\n\n"
      "| op | dtype | tier | max ULP | elements/ns | at |\n|---|---|---|---:|---:|---|\n",
      static_cast<long long>(settings.points), cpu_model().c_str());
}

void print_row(const PassportSettings& settings, const PassportRow& row) {
  const char* format =
      settings.markdown ? "| %s | %s | %s | %.3f | %.2f | %s |\n" : "%-18s %-11s %-8s %10.3f %12.2f  %s\n";
  std::printf(format, row.op.c_str(), row.dtype.c_str(), name(row.isa), row.error, row.elements_per_ns,
              row.at.c_str());
}

int run(const PassportSettings& settings) {
  nlohmann::json rows = nlohmann::json::array();
  Progress progress(passport_count(settings));
  bool begun = false;
  passport(
      settings,
      [&](const std::string& op) {
        if (!begun) print_head(settings);  // after the names were found good
        begun = true;
        std::fflush(stdout);
        progress.step(op);
      },
      [&](const PassportRow& row) {
        progress.clear();
        if (settings.json) {
          rows.push_back({{"op", row.op},
                          {"dtype", row.dtype},
                          {"isa", name(row.isa)},
                          {"max_ulp", row.error},
                          {"elements_per_ns", row.elements_per_ns},
                          {"at", row.at}});
        } else {
          print_row(settings, row);
        }
      });
  if (settings.json) {
    const nlohmann::json all = {{"cpu", cpu_model()}, {"points", settings.points}, {"rows", rows}};
    std::printf("%s\n", all.dump(1).c_str());
  }
  return kSuccess;
}

}  // namespace

void add_passport(CommandLine& line) {
  Command command = line.command("passport", "Largest error and speed of every mathematical op");
  const auto settings = std::make_shared<PassportSettings>();
  Option markdown = command.flag("--markdown", settings->markdown, "Write docs/mathematics.md");
  command.flag("--json", settings->json, "Print a JSON object").excludes(markdown);
  command.option("--points", settings->points, "Arguments per op")
      .between(kFewestPoints, std::int64_t{1} << 32)
      .show_default();
  command.option("op", settings->names, "Ops (default: all)");
  command.action([settings] { return run(*settings); });
}

}  // namespace lanewise::tools
