#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <lanewise/profiler/averages.h>

namespace lanewise::tools {

/// What the profiler wrote, without the single events.
struct ProfileFile {
  nlohmann::json summary;  ///< the object "lanewise" of the trace

  std::vector<profiler::Average> averages(profiler::GroupBy group) const;
};

/// Parses JSON from a file. Throws   Error, naming the file and the place, if it is not JSON
nlohmann::json read_json(const std::string& path);
/// What an object has under that name; null where there is no such field, or no object.
nlohmann::json field(const nlohmann::json& object, const char* name);
/// Throws   Error, naming the file, if it is no profile
ProfileFile read_profile(const std::string& path);

}  // namespace lanewise::tools
