#include "cpp_types.h"

namespace lanewise::codegen {
namespace {

std::string value_type(BaseType base) {
  switch (base) {
    case BaseType::Tensor: return "Tensor";
    case BaseType::Scalar: return "Scalar";
    case BaseType::Int: return "int64_t";
    case BaseType::Float: return "double";
    case BaseType::Bool: return "bool";
    case BaseType::Str: return "std::string_view";
    case BaseType::ScalarType: return "ScalarType";
    case BaseType::MemoryFormat: return "MemoryFormat";
  }
  return "";
}

std::string default_text(const Argument& argument) {
  const std::string& text = *argument.default_value;
  if (text == "None") return argument.type.base == BaseType::Tensor ? "{}" : "std::nullopt";
  if (text == "True") return "true";
  if (text == "False") return "false";
  if (argument.type.base == BaseType::MemoryFormat) return "MemoryFormat::" + text;
  if (text.front() == '[') return "{" + text.substr(1, text.size() - 2) + "}";
  if (text.front() == '\'') return "\"" + text.substr(1, text.size() - 2) + "\"";
  return text;
}

}  // namespace

std::string parameter_type(const Argument& argument) {
  const Type& type = argument.type;
  if (type.is_tensor()) return argument.written ? "Tensor&" : "const Tensor&";
  if (type.is_tensor_list()) return "ArrayRef<Tensor>";
  if (type.list) return type.optional ? "OptionalIntArrayRef" : "IntArrayRef";
  if (type.base == BaseType::Scalar) return type.optional ? "const std::optional<Scalar>&" : "const Scalar&";
  return type.optional ? "std::optional<" + value_type(type.base) + ">" : value_type(type.base);
}

std::string stored_type(const Type& type) {
  std::string result = type.base == BaseType::Str ? "std::string" : value_type(type.base);
  if (type.list) result = "DimVector";
  return type.optional ? "std::optional<" + result + ">" : result;
}

std::string return_type(const Schema& schema) {
  if (schema.returns.empty()) return "void";
  if (schema.returns.size() == 1) {
    if (schema.returns[0].type.is_tensor_list()) return "std::vector<Tensor>";
    const std::string type = value_type(schema.returns[0].type.base);
    return schema.returns[0].written ? type + "&" : type;
  }
  std::string types;
  for (const Return& r : schema.returns)
    types += (types.empty() ? "" : ", ") + value_type(r.type.base) + (r.written ? "&" : "");
  return "std::tuple<" + types + ">";
}

std::string parameter_list(const Schema& schema, bool with_defaults, const std::string& skip) {
  std::string result;
  for (const Argument& a : schema.arguments) {
    if (a.name == skip) continue;
    if (!result.empty()) result += ", ";
    result += parameter_type(a) + " " + a.name;
    if (with_defaults && a.default_value) result += " = " + default_text(a);
  }
  return result;
}

std::string argument_list(const Schema& schema, const std::string& replace, const std::string& by) {
  std::string result;
  for (const Argument& a : schema.arguments) {
    if (!result.empty()) result += ", ";
    result += a.name == replace ? by : a.name;
  }
  return result;
}

}  // namespace lanewise::codegen
