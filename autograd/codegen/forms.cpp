#include "forms.h"

#include "formula.h"

namespace lanewise::codegen {

std::string as_view(const Op& op, const std::string& call) {
  if (!op.schema.is_view() || op.non_differentiable) return call;  // other bytes' dtype: no part of the graph
  const std::string& name = op.schema.name;
  if (name == "view_as_real" || name == "view_as_complex") {
    return "autograd::as_view(self, " + call +
           ", autograd::CreationMeta::Default,\n      [](const Tensor& base) { return " + name + "(base); })";
  }
  return "autograd::as_view(self, " + call + ")";
}

std::string tensor_pointers(const Schema& schema, const std::string& first) {
  std::string tensors = first, list;
  for (const Argument& a : schema.arguments) {
    if (a.type.is_tensor()) tensors += (tensors.empty() ? "&" : ", &") + a.name;
    if (a.type.is_tensor_list()) list = ", " + a.name;
  }
  return "{" + tensors + "}" + list;
}

Schema inplace_schema(const Op& op) {
  Schema schema = op.schema;
  schema.name += "_";
  for (Argument& a : schema.arguments) {
    if (a.name == "self") a.alias = a.written = true;
  }
  schema.returns[0].alias = schema.returns[0].written = true;
  return schema;
}

Schema out_schema(const Op& op) {
  Schema schema = op.schema;
  schema.overload = op.plain_out ? "out" : schema.overload + "_out";
  const std::vector<std::string> names = out_names(op);
  if (names.size() > 1 && op.schema.overload.empty()) schema.overload = names[0];  // sort.values, as in ATen
  for (std::size_t i = 0; i < names.size(); ++i) {
    Argument out;
    out.name = names[i];
    out.kwarg_only = out.alias = out.written = true;
    schema.arguments.push_back(out);
    schema.returns[i].alias = schema.returns[i].written = true;
  }
  return schema;
}

std::vector<std::string> out_names(const Op& op) {
  return op.schema.returns.size() == 1 ? std::vector<std::string>{"out"} : result_names(op.schema);
}

}  // namespace lanewise::codegen
