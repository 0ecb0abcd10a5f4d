#include <algorithm>

#include <lanewise/tensor/errors.h>

#include "profile_file.h"
#include "report/sections.h"
#include "text.h"

namespace lanewise::tools {
namespace {

/// "avx2, grain 8192".
std::string choice_of(const nlohmann::json& c) {
  if (!c.at("tuned").get<bool>()) return "default";
  std::string text = c.at("isa");
  for (const char* part : {"grain", "block"}) {
    if (const std::int64_t n = c.at(part); n > 0)
      text += format(", %s %lld", part, static_cast<long long>(n));
  }
  return text;
}

Section section_of(const nlohmann::json& stored) {
  Section section{.title = "Tuning"};
  Table table{.head = {"case", "choice", "tuned>"}};
  const nlohmann::json& cases = stored.at("cases");
  if (!cases.empty()) {
    for (const nlohmann::json& fixed : cases[0].at("fixed"))
      table.head.push_back(fixed.at("isa").get<std::string>() + ">");
  }
  table.head.insert(table.head.end(), {"to best>", "95 %>", "verdict"});
  int tuned = 0, loses = 0, undecided = 0;
  for (const nlohmann::json& c : cases) {
    const bool is_tuned = c.at("tuned");
    const std::string verdict = c.at("verdict");
    tuned += is_tuned;
    loses += verdict == "loses";
    undecided += verdict == "undecided";
    if (!is_tuned && verdict == "holds") continue;
    std::vector<Table::Cell> row{
        {short_key(c.at("case").get<std::string>())}, {choice_of(c)}, {time_text(c.at("tuned_ns"))}};
    for (const nlohmann::json& fixed : c.at("fixed")) row.push_back({time_text(fixed.at("ns"))});
    row.push_back({format("%.3fx", c.at("to_best_fixed_tier").get<double>()), verdict == "loses" ? -0.6 : 0});
    row.push_back({format("%.3f to %.3f", c.at("low").get<double>(), c.at("high").get<double>())});
    row.push_back({verdict});
    table.rows.push_back(std::move(row));
  }
  section.paragraph(format(
      "The library with a file of `lanewise bench --tune` beside every fixed tier that gives the same bits, "
      "%d thread%s, in turns: %zu cases, %d of them tuned. %d lose more than %g %% to the best fixed tier "
      "(95 %%, measured twice), %d are undecided, the others hold. Shown are those that are tuned or do not "
      "hold.",
      stored.at("threads").get<int>(), stored.at("threads") == 1 ? "" : "s", cases.size(), tuned, loses,
      100 * stored.at("bound").get<double>(), undecided));
  if (!table.rows.empty()) section.table(table);
  section.data = stored;
  return section;
}

}  // namespace

Section tuning_section(const nlohmann::json& stored, const std::string& path) {
  LANEWISE_CHECK(Error, field(stored, "format") == "lanewise-tune-check", path,
                 ": not what `lanewise bench --tune file --verify -o` stores");
  LANEWISE_CHECK(Error, field(stored, "version") == 1, path, ": format ", field(stored, "version").dump(),
                 ", this tool reads format 1");
  try {
    return section_of(stored);
  } catch (const nlohmann::json::exception& error) {
    detail::raise<Error>(path, ": ", error.what());
  }
}

}  // namespace lanewise::tools
