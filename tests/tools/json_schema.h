#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace lanewise::test {

/// Where `value` breaks `schema`, as "/results/3/ns: expected array"; empty if nowhere. Knows the keywords that
/// docs/schemas uses; any other is a failure of its own, so that no rule is passed over in silence.
std::string schema_problem(const nlohmann::json& schema, const nlohmann::json& value,
                           const std::string& place = "");

/// The schema of that name in docs/schemas.
nlohmann::json read_schema(const std::string& name);

}  // namespace lanewise::test
