#include "json_schema.h"

#include <algorithm>
#include <fstream>

namespace lanewise::test {
namespace {

using nlohmann::json;

bool has_type(const json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "integer") return value.is_number_integer();
  return type == "number" && value.is_number();
}

std::string one_of_problem(const json& rules, const json& value, const std::string& place) {
  int fits = 0;
  std::string problems;
  for (const json& rule : rules) {
    const std::string problem = schema_problem(rule, value, place);
    fits += problem.empty();
    problems += "; " + problem;
  }
  if (fits == 1) return "";
  return place + ": fits " + std::to_string(fits) + " of " + std::to_string(rules.size()) + " forms" +
         (fits == 0 ? problems : "");
}

std::string properties_problem(const json& schema, const json& value, const std::string& place) {
  for (const auto& [name, rule] : schema.at("properties").items()) {
    if (!value.contains(name)) continue;
    if (std::string problem = schema_problem(rule, value.at(name), place + "/" + name); !problem.empty())
      return problem;
  }
  return "";
}

}  // namespace

std::string schema_problem(const json& schema, const json& value, const std::string& place) {
  if (schema.contains("type") && !has_type(value, schema.at("type")))
    return place + ": expected " + schema.at("type").get<std::string>();
  for (const auto& [keyword, rule] : schema.items()) {
    if (keyword == "const") {
      if (value != rule) return place + ": expected " + rule.dump();
    } else if (keyword == "enum") {
      if (std::find(rule.begin(), rule.end(), value) == rule.end())
        return place + ": " + value.dump() + " is none of " + rule.dump();
    } else if (keyword == "minimum") {
      if (value.get<double>() < rule.get<double>()) return place + ": below " + rule.dump();
    } else if (keyword == "exclusiveMinimum") {
      if (value.get<double>() <= rule.get<double>()) return place + ": not above " + rule.dump();
    } else if (keyword == "required") {
      for (const json& name : rule) {
        if (!value.contains(name.get<std::string>())) return place + ": lacks " + name.dump();
      }
    } else if (keyword == "additionalProperties") {
      for (const auto& [name, member] : value.items()) {
        if (schema.contains("properties") && schema["properties"].contains(name)) continue;
        if (rule == false) return place + ": has '" + name + "' beside the schema";
        if (std::string problem = schema_problem(rule, member, place + "/" + name); !problem.empty())
          return problem;
      }
    } else if (keyword == "oneOf") {
      if (std::string problem = one_of_problem(rule, value, place); !problem.empty()) return problem;
    } else if (keyword == "$ref") {
      if (std::string problem = schema_problem(read_schema(rule.get<std::string>()), value, place);
          !problem.empty())
        return problem;
    } else if (keyword == "minItems") {
      if (value.size() < rule.get<std::size_t>()) return place + ": fewer than " + rule.dump() + " items";
    } else if (keyword == "properties") {
      if (std::string problem = properties_problem(schema, value, place); !problem.empty()) return problem;
    } else if (keyword == "items") {
      for (std::size_t i = 0; i < value.size(); ++i) {
        if (std::string problem = schema_problem(rule, value[i], place + "/" + std::to_string(i));
            !problem.empty())
          return problem;
      }
    } else if (keyword != "type" && keyword != "$schema" && keyword != "title" && keyword != "description") {
      return place + ": the schema's keyword '" + keyword + "' is not known here";
    }
  }
  return "";
}

json read_schema(const std::string& name) {
  std::ifstream file(std::string(LANEWISE_SCHEMAS) + "/" + name);
  return json::parse(file);
}

}  // namespace lanewise::test
