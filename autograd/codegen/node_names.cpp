#include "node_names.h"

#include <cctype>
#include <map>
#include <string>

namespace lanewise::codegen {
namespace {

std::string camel_case(const std::string& name) {
  std::string result;
  bool upper = true;
  for (const char c : name) {
    if (c == '_') {
      upper = true;
    } else {
      result += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
      upper = std::isdigit(static_cast<unsigned char>(c)) != 0;  // Log1P, as in PyTorch
    }
  }
  return result;
}

std::string base_name(std::string name) {
  const std::string suffix = "_forward";
  if (name.ends_with(suffix)) name.resize(name.size() - suffix.size());
  return camel_case(name) + "Backward";
}

}  // namespace

void name_nodes(std::vector<Op>& ops) {
  std::map<std::string, int> counts;
  for (Op& op : ops) {
    if (op.formulas.empty()) continue;
    const std::string base = base_name(op.schema.name);
    if (op.node_name.empty()) {
      op.node_name = base + std::to_string(counts[base]++);
      op.node_class = op.node_name;
    } else {
      // Reports a name that it shares with another op, so the class needs one of its own.
      const char* form = op.schema.is_inplace() ? "Inplace" : "";
      op.node_class = base + form + camel_case(op.schema.overload) + "Node";
    }
  }
}

std::string zero_node_name(const Op& op) {
  return op.node_name.empty() ? base_name(op.schema.name) + "0" : op.node_name;
}

}  // namespace lanewise::codegen
