#include "profile_file.h"

#include <algorithm>

#include <lanewise/dispatch_isa/error.h>

#include "text.h"

namespace lanewise::tools {

nlohmann::json read_json(const std::string& path) {
  const std::string text = read_file(path);
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    detail::raise<Error>(
        path, ": not JSON, or cut off: ", error.byte > text.size() ? "ends after " : "wrong at byte ",
        std::min(error.byte, text.size()), " of ", text.size(), " bytes");
  }
}

nlohmann::json field(const nlohmann::json& object, const char* name) {
  return object.is_object() && object.contains(name) ? object[name] : nlohmann::json();
}

ProfileFile read_profile(const std::string& path) {
  nlohmann::json summary = field(read_json(path), "lanewise");
  LANEWISE_CHECK(Error, field(summary, "format") == 1, path,
                 ": not a profile that LANEWISE_PROFILE or write_chrome_trace wrote");
  return {std::move(summary)};
}

std::vector<profiler::Average> ProfileFile::averages(profiler::GroupBy group) const {
  const char* wanted = group == profiler::GroupBy::Name ? "name" : "name_and_shape";
  std::vector<profiler::Average> result;
  for (const nlohmann::json& row : summary.at("averages")) {
    if (row.at("group") != wanted) continue;
    profiler::Average a;
    a.name = row.at("name");
    a.arguments = row.at("arguments");
    const std::string kind = row.at("kind");
    a.kind = kind == "backward" ? profiler::Kind::Backward
             : kind == "range"  ? profiler::Kind::Range
                                : profiler::Kind::Op;
    a.count = row.at("count");
    a.self = row.at("self_ns");
    a.total = row.at("total_ns");
    a.shortest = row.at("shortest_ns");
    a.longest = row.at("longest_ns");
    a.bytes = row.at("bytes");
    a.flops = row.at("flops");
    a.allocations = row.at("allocations");
    a.allocated_bytes = row.at("allocated_bytes");
    a.threads = row.at("threads");
    a.paths = row.at("paths");
    result.push_back(std::move(a));
  }
  return result;
}

}  // namespace lanewise::tools
