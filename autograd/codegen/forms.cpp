#include "forms.h"

namespace lanewise::codegen {

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
  Argument out;
  out.name = "out";
  out.kwarg_only = out.alias = out.written = true;
  schema.arguments.push_back(out);
  schema.returns[0].alias = schema.returns[0].written = true;
  return schema;
}

}  // namespace lanewise::codegen
