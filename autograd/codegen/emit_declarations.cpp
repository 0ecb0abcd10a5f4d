#include "cpp_types.h"
#include "emit.h"
#include "forms.h"
#include "output.h"

namespace lanewise::codegen {
namespace {

// No line of derivatives.yaml here: every user of the header would be built again when an entry moves.
void document(Text& text, const Op& op) { text.line("/// ", op.doc); }

}  // namespace

std::string shard_name(std::size_t shard) { return shard == kRareShard ? "rare" : std::to_string(shard); }

std::vector<const Op*> shard_of(const OpList& list, std::size_t shard) {
  std::vector<const Op*> ops;
  std::size_t usual = 0;
  for (const Op& op : list.ops) {
    if ((op.rare ? kRareShard : usual++ % kShards) == shard) ops.push_back(&op);
  }
  return ops;
}

std::string emit_tensor_methods(const OpList& list) {
  Text text;
  text.line(banner(list.file), "// Included inside class Tensor.");
  for (const Op& op : list.ops) {
    if (!op.method) continue;
    document(text, op);
    text.line(return_type(op.schema), " ", op.schema.name, "(", parameter_list(op.schema, true, "self"),
              ") const;");
    if (!op.inplace) continue;
    const Schema schema = inplace_schema(op);
    text.line(return_type(schema), " ", schema.name, "(", parameter_list(schema, true, "self"), ") const;");
  }
  return text.str();
}

std::string emit_functions_header(const OpList& list) {
  Text text;
  text.line(banner(list.file));
  text.line("#pragma once\n");
  text.line("#include <optional>\n#include <string_view>\n#include <tuple>\n#include <vector>\n");
  text.line("#include <lanewise/dispatch_isa/api.h>\n#include <lanewise/tensor/array_ref.h>");
  text.line("#include <lanewise/tensor/scalar.h>\n#include <lanewise/tensor/tensor.h>\n");
  text.line("namespace lanewise {\n");
  for (const Op& op : list.ops) {
    if (op.kind == Kind::Handwritten) continue;
    document(text, op);
    text.line("LANEWISE_API ", return_type(op.schema), " ", op.schema.name, "(",
              parameter_list(op.schema, true), ");");
    if (op.inplace) {
      const Schema schema = inplace_schema(op);
      text.line("LANEWISE_API Tensor& ", schema.name, "(", parameter_list(schema, true), ");");
    }
    if (op.out) {
      std::string outs;
      for (const std::string& name : out_names(op)) outs += "Tensor& " + name + ", ";
      text.line("LANEWISE_API ", return_type(out_schema(op)), " ", op.schema.name, "_out(", outs,
                parameter_list(op.schema, true), ");");
    }
  }
  text.line("\n}  // namespace lanewise");
  return text.str();
}

}  // namespace lanewise::codegen
